//! XSD files as an index of their global components, and what a complex type says of an element's attributes, children and
//! text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::Document;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// An element of a schema file.
pub type Node<'a> = roxmltree::Node<'a, 'a>;

/// An expanded name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The namespace; empty for none.
    pub uri: String,
    /// The local name.
    pub local: String,
}

/// The type of an element or attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type<'a> {
    /// An `xsd:complexType`.
    Complex(Node<'a>),
    /// An `xsd:simpleType`.
    Simple(Node<'a>),
    /// A type of XML Schema itself, by its local name.
    Builtin(&'a str),
}

/// What may stand in an element.
#[derive(Debug, Default)]
pub struct Content<'a> {
    /// Attributes.
    pub attributes: Vec<Attribute<'a>>,
    /// Child elements in the order of the schema.
    pub children: Vec<Child<'a>>,
    /// Whether the element has text.
    pub text: bool,
    /// Whether any element may stand in it.
    pub open: bool,
}

/// An attribute.
#[derive(Debug)]
pub struct Attribute<'a> {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Option<Type<'a>>,
    /// Whether it must be there.
    pub required: bool,
}

/// A child element.
#[derive(Debug)]
pub struct Child<'a> {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub type_: Option<Type<'a>>,
    /// The particles around it, outermost first.
    pub place: Vec<Particle>,
    /// Whether it must be there.
    pub required: bool,
}

/// A place in a model group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Particle {
    /// Whether the group is a sequence that stands once, so that the order of its members means something.
    pub ordered: bool,
    /// Whether members may stand in any order: the group is repeated or `all`.
    pub any_order: bool,
    /// Whether members that must be there must be there in every case.
    pub required: bool,
    /// Which member of the group.
    pub index: usize,
}

/// The texts of schema files by the names of the files without extension.
///
/// # Errors
///
/// What cannot be read.
pub fn read(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, error))?;
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let schemas = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "xsd"));
    let texts = schemas.map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs::read_to_string(path).map_err(|error| failed(path, error))?))
    });
    texts.collect()
}

/// The global components of all files.
pub struct Schemas<'a> {
    /// By kind (`element`, `complexType`, …) and name.
    globals: BTreeMap<(&'a str, Name), Node<'a>>,
    /// Names of files by target namespace.
    files: BTreeMap<&'a str, &'a str>,
}

impl<'a> Schemas<'a> {
    /// Indexes documents by the names of their files.
    pub fn new(documents: &'a BTreeMap<String, Document<'a>>) -> Schemas<'a> {
        let (mut globals, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (file, document) in documents {
            let target = document.root_element().attribute("targetNamespace").unwrap_or_default();
            files.insert(target, file.as_str());
            for node in document.root_element().children().filter(Node::is_element) {
                let Some(local) = node.attribute("name") else { continue };
                globals.insert((node.tag_name().name(), Name { uri: target.to_owned(), local: local.to_owned() }), node);
            }
        }
        Schemas { globals, files }
    }

    /// Names and types of all global elements.
    pub fn elements(&self) -> impl Iterator<Item = (&Name, Option<Type<'a>>)> {
        let elements = self.globals.iter().filter(|((kind, _), _)| *kind == "element");
        elements.map(|((_, name), node)| (name, self.type_of(*node)))
    }

    /// The type of a global element.
    pub fn element(&self, name: &Name) -> Option<Type<'a>> {
        self.globals.get(&("element", name.clone())).and_then(|node| self.type_of(*node))
    }

    /// The file with a target namespace.
    pub fn file(&self, uri: &str) -> Option<&'a str> {
        self.files.get(uri).copied()
    }

    /// The file in which something is declared.
    pub fn file_of(&self, node: Node<'a>) -> &'a str {
        self.file(target(node)).unwrap_or_default()
    }

    /// What may stand in an element of a type.
    pub fn content(&self, type_: Type<'a>) -> Content<'a> {
        let mut content = Content::default();
        match type_ {
            Type::Complex(node) => self.add_type(node, &mut content),
            Type::Simple(_) => content.text = true,
            Type::Builtin(name) => content.text = name != "anyType",
        }
        content
    }

    /// The texts that a type lists; `None` if it lists none or allows others too.
    pub fn values(&self, type_: Type<'a>) -> Option<Vec<&'a str>> {
        let Type::Simple(node) = type_ else { return None };
        let derivation = elements(node).next()?;
        let members = |attribute: &str| -> Vec<Option<Type<'a>>> {
            let named = derivation.attribute(attribute).unwrap_or_default().split_ascii_whitespace();
            let nested = elements(derivation).filter(|child| is(*child, "simpleType")).map(|child| Some(Type::Simple(child)));
            named.map(|name| self.named(derivation, name)).chain(nested).collect()
        };
        match derivation.tag_name().name() {
            "restriction" => {
                let own: Vec<&str> = elements(derivation).filter(|child| is(*child, "enumeration")).filter_map(value).collect();
                if own.is_empty() { self.values(members("base").into_iter().next()??) } else { Some(own) }
            }
            "union" => members("memberTypes").into_iter().try_fold(Vec::new(), |mut all, member| {
                all.extend(self.values(member?)?);
                Some(all)
            }),
            _ => None,
        }
    }

    /// The least and the greatest number of a type.
    pub fn range(&self, type_: Type<'a>) -> (Option<i64>, Option<i64>) {
        let node = match type_ {
            Type::Builtin(name) => return builtin_range(name),
            Type::Simple(node) => node,
            Type::Complex(_) => return (None, None),
        };
        let Some(restriction) = elements(node).find(|child| is(*child, "restriction")) else { return (None, None) };
        let base = restriction.attribute("base").and_then(|base| self.named(restriction, base));
        let (minimum, maximum) = base.map(|base| self.range(base)).unwrap_or_default();
        let own = |kind: &str, step: i64| {
            let facet = elements(restriction).find(|child| is(*child, kind));
            facet.and_then(value).and_then(|text| text.parse::<i64>().ok()).map(|number| number + step)
        };
        let least = own("minInclusive", 0).or_else(|| own("minExclusive", 1));
        let most = own("maxInclusive", 0).or_else(|| own("maxExclusive", -1));
        (least.or(minimum), most.or(maximum))
    }

    fn add_type(&self, node: Node<'a>, content: &mut Content<'a>) {
        content.text |= node.attribute("mixed") == Some("true");
        for child in elements(node) {
            if is(child, "complexContent") || is(child, "simpleContent") {
                elements(child).for_each(|derivation| self.add_derivation(derivation, content));
            }
        }
        self.add_members(node, content);
    }

    fn add_derivation(&self, derivation: Node<'a>, content: &mut Content<'a>) {
        match derivation.attribute("base").and_then(|base| self.named(derivation, base)) {
            Some(Type::Complex(base)) => self.add_type(base, content),
            Some(_) => content.text = true,
            None => {}
        }
        if is(derivation, "restriction") {
            content.children.clear();
        }
        self.add_members(derivation, content);
    }

    /// Attributes and the model group of a type or derivation.
    fn add_members(&self, node: Node<'a>, content: &mut Content<'a>) {
        self.add_attributes(node, content);
        // The members of an extension follow those of the base.
        let index = content.children.iter().filter_map(|child| child.place.first()).map(|first| first.index + 1).max();
        let place = [Particle { ordered: true, any_order: false, required: true, index: index.unwrap_or_default() }];
        for child in elements(node) {
            self.add_particle(child, &place, content);
        }
    }

    fn add_attributes(&self, node: Node<'a>, content: &mut Content<'a>) {
        for child in elements(node) {
            if is(child, "attributeGroup") {
                if let Some(group) = self.referred(child, "attributeGroup") {
                    self.add_attributes(group, content);
                }
                continue;
            }
            let Some((name, declaration)) = self.attribute(child).filter(|_| is(child, "attribute")) else { continue };
            content.attributes.retain(|known| known.name != name);
            let use_ = child.attribute("use");
            if use_ != Some("prohibited") {
                let (type_, required) = (self.type_of(declaration), use_ == Some("required"));
                content.attributes.push(Attribute { name, type_, required });
            }
        }
    }

    /// The name of an attribute, and the node that declares its type.
    fn attribute(&self, node: Node<'a>) -> Option<(Name, Node<'a>)> {
        if let Some(reference) = node.attribute("ref") {
            let name = expand(node, reference);
            let declaration = self.globals.get(&("attribute", name.clone())).copied().unwrap_or(node);
            return Some((name, declaration));
        }
        let qualified = is_qualified(node, "attributeFormDefault");
        Some((
            Name { uri: if qualified { target(node) } else { "" }.to_owned(), local: node.attribute("name")?.to_owned() },
            node,
        ))
    }

    fn add_particle(&self, node: Node<'a>, place: &[Particle], content: &mut Content<'a>) {
        let repeated = node.attribute("maxOccurs").is_some_and(|most| most != "1" && most != "0");
        let required = node.attribute("minOccurs") != Some("0");
        match node.tag_name().name() {
            "element" => self.add_element(node, place, content),
            "group" => {
                let Some(group) = self.referred(node, "group") else { return };
                let place = below(place, Particle { ordered: !repeated, any_order: repeated, required, index: 0 });
                elements(group).for_each(|child| self.add_particle(child, &place, content));
            }
            kind @ ("sequence" | "choice" | "all") => {
                let ordered = kind == "sequence" && !repeated;
                let required = required && (kind != "choice" || elements(node).count() == 1);
                for (index, child) in elements(node).enumerate() {
                    let particle = Particle { ordered, any_order: repeated || kind == "all", required, index };
                    self.add_particle(child, &below(place, particle), content);
                }
            }
            "any" => content.open = true,
            _ => {}
        }
    }

    fn add_element(&self, node: Node<'a>, place: &[Particle], content: &mut Content<'a>) {
        let (name, declaration) = match node.attribute("ref") {
            Some(reference) => {
                let name = expand(node, reference);
                (name.clone(), self.globals.get(&("element", name)).copied().unwrap_or(node))
            }
            None => {
                let qualified = is_qualified(node, "elementFormDefault");
                let uri = if qualified { target(node) } else { "" }.to_owned();
                (Name { uri, local: node.attribute("name").unwrap_or_default().to_owned() }, node)
            }
        };
        let required = node.attribute("minOccurs") != Some("0") && place.iter().all(|particle| particle.required);
        content.children.push(Child { name, type_: self.type_of(declaration), place: place.to_vec(), required });
    }

    fn type_of(&self, node: Node<'a>) -> Option<Type<'a>> {
        if let Some(name) = node.attribute("type") {
            return self.named(node, name);
        }
        elements(node).find_map(|child| match child.tag_name().name() {
            "complexType" => Some(Type::Complex(child)),
            "simpleType" => Some(Type::Simple(child)),
            _ => None,
        })
    }

    fn named(&self, node: Node<'a>, name: &'a str) -> Option<Type<'a>> {
        let expanded = expand(node, name);
        if expanded.uri == XSD {
            return Some(Type::Builtin(name.rsplit(':').next().unwrap_or(name)));
        }
        let complex = self.globals.get(&("complexType", expanded.clone())).map(|node| Type::Complex(*node));
        complex.or_else(|| self.globals.get(&("simpleType", expanded)).map(|node| Type::Simple(*node)))
    }

    fn referred(&self, node: Node<'a>, kind: &'a str) -> Option<Node<'a>> {
        self.globals.get(&(kind, expand(node, node.attribute("ref")?))).copied()
    }
}

/// What a type is called: its own name, or that of the element that it is declared in.
pub fn label(node: Node<'_>) -> String {
    match node.attribute("name") {
        Some(name) => name.to_owned(),
        None => node.parent().and_then(|parent| parent.attribute("name")).map(|name| format!("({name})")).unwrap_or_default(),
    }
}

fn below(place: &[Particle], particle: Particle) -> Vec<Particle> {
    place.iter().copied().chain([particle]).collect()
}

/// The numbers of a type of XML Schema itself.
fn builtin_range(name: &str) -> (Option<i64>, Option<i64>) {
    match name {
        "byte" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "short" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "int" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "unsignedByte" => (Some(0), Some(u8::MAX.into())),
        "unsignedShort" => (Some(0), Some(u16::MAX.into())),
        "unsignedInt" => (Some(0), Some(u32::MAX.into())),
        "positiveInteger" => (Some(1), None),
        "nonNegativeInteger" | "unsignedLong" => (Some(0), None),
        _ => (None, None),
    }
}

fn elements<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    node.children().filter(|child| child.is_element() && !is(*child, "annotation"))
}

fn is(node: Node<'_>, name: &str) -> bool {
    node.has_tag_name((XSD, name))
}

fn value<'a>(node: Node<'a>) -> Option<&'a str> {
    node.attribute("value")
}

fn target<'a>(node: Node<'a>) -> &'a str {
    node.document().root_element().attribute("targetNamespace").unwrap_or_default()
}

fn is_qualified(node: Node<'_>, default: &str) -> bool {
    let form = node.attribute("form").or_else(|| node.document().root_element().attribute(default));
    form == Some("qualified")
}

fn expand(node: Node<'_>, name: &str) -> Name {
    let (prefix, local) = name.split_once(':').map_or((None, name), |(prefix, local)| (Some(prefix), local));
    let uri = if prefix == Some("xml") { Some(XML) } else { node.lookup_namespace_uri(prefix) };
    Name { uri: uri.unwrap_or_default().to_owned(), local: local.to_owned() }
}
