//! Walks complex types and messages side by side, from the roots of parts, and finds where they differ.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use recto_schema_build::options::{Field, Kind, Schema};

use crate::model::{Form, Slot, Slots, prefixes};
use crate::order;
use crate::validity::Validity;
use crate::xsd::{self, Content, Name, Node, Schemas, Type, label};

/// In what way schema and model differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// No field for an element, attribute or text.
    Missing,
    /// A field that keeps an element as raw XML.
    Raw,
    /// An enum without one of the values.
    Value,
    /// Fields of children in another order.
    Order,
    /// A field for what the schema does not have.
    Unknown,
    /// An option that says otherwise what is valid.
    Valid,
}

impl Difference {
    /// The word in the list of exceptions.
    pub fn word(self) -> &'static str {
        match self {
            Difference::Missing => "missing",
            Difference::Raw => "raw",
            Difference::Value => "value",
            Difference::Order => "order",
            Difference::Unknown => "unknown",
            Difference::Valid => "valid",
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// In what way.
    pub kind: Difference,
    /// Name of the schema file.
    pub schema: String,
    /// Type and message: `CT_R/word.Run`.
    pub context: String,
    /// What is concerned: `w:t`, `@w:val`, `text()`, `"center"`.
    pub name: String,
    /// The way from the root of a part to the first place where it is met.
    pub path: String,
}

/// A pair to be compared.
struct Pair<'a> {
    type_: Option<Type<'a>>,
    message: usize,
    path: String,
}

/// The state of a walk.
struct Walk<'a> {
    schemas: &'a Schemas<'a>,
    schema: &'a Schema,
    prefixes: BTreeMap<&'a str, &'a str>,
    seen: HashSet<(Option<Type<'a>>, usize)>,
    pending: Vec<Pair<'a>>,
    /// By message: names in any of its types, and the first of these types.
    known: BTreeMap<usize, (BTreeSet<String>, Node<'a>)>,
    /// By message: what all its types say.
    valid: BTreeMap<usize, Validity>,
    findings: BTreeMap<(Difference, String, String, String), String>,
}

/// All differences, sorted.
pub fn compare<'a>(schemas: &'a Schemas<'a>, schema: &'a Schema) -> Vec<Finding> {
    let mut walk = Walk {
        schemas,
        schema,
        prefixes: prefixes(schema),
        seen: HashSet::new(),
        pending: Vec::new(),
        known: BTreeMap::new(),
        valid: BTreeMap::new(),
        findings: BTreeMap::new(),
    };
    walk.start();
    while !walk.pending.is_empty() {
        // Breadth first: paths are the shortest.
        for pair in std::mem::take(&mut walk.pending) {
            walk.visit(pair);
        }
    }
    walk.compare_validity();
    walk.find_unknown();
    let finding = |((kind, schema, context, name), path)| Finding { kind, schema, context, name, path };
    walk.findings.into_iter().map(finding).collect()
}

impl<'a> Walk<'a> {
    fn start(&mut self) {
        let part = self.schema.message("recto.Part").expect("package.proto has Part");
        let roots = Slots::new(self.schema, part);
        let bound: BTreeSet<Name> =
            (0..self.schema.messages.len()).flat_map(|m| Slots::new(self.schema, m).children.into_keys()).collect();
        for (name, type_) in self.schemas.elements() {
            let shown = self.show(name);
            match roots.children.get(name).map(|slot| &slot.form) {
                Some(Form::Message(message)) => self.push(type_, *message, shown),
                _ if matches!(type_, Some(Type::Complex(_))) && !bound.contains(name) => {
                    let file = self.schemas.file(&name.uri).unwrap_or_default().to_owned();
                    self.add(Difference::Missing, file, "/Part".to_owned(), shown, String::new());
                }
                _ => {}
            }
        }
        for (name, slot) in &roots.children {
            if let (Form::Message(message), None) = (&slot.form, self.schemas.element(name)) {
                self.push(None, *message, self.show(name));
            }
        }
    }

    fn push(&mut self, type_: Option<Type<'a>>, message: usize, path: String) {
        if self.seen.insert((type_, message)) {
            self.pending.push(Pair { type_, message, path });
        }
    }

    fn add(&mut self, kind: Difference, schema: String, context: String, name: String, path: String) {
        self.findings.entry((kind, schema, context, name)).or_insert(path);
    }

    fn show(&self, name: &Name) -> String {
        match self.prefixes.get(name.uri.as_str()) {
            Some(prefix) => format!("{prefix}:{}", name.local),
            None if name.uri.is_empty() => name.local.clone(),
            None => format!("{}:{}", self.schemas.file(&name.uri).unwrap_or_default(), name.local),
        }
    }

    fn visit(&mut self, pair: Pair<'a>) {
        let slots = Slots::new(self.schema, pair.message);
        let Some(type_) = pair.type_ else {
            self.follow_others(&slots, &[], &pair.path);
            return;
        };
        let content = self.schemas.content(type_);
        let short = self.schema.messages[pair.message].name.trim_start_matches("recto.").to_owned();
        if let Type::Complex(node) = type_ {
            let (schema, context) = (self.schemas.file_of(node).to_owned(), format!("{}/{short}", label(node)));
            self.compare_attributes(&slots, &content, &schema, &context, &pair.path);
            self.compare_children(&slots, &content, &schema, &context, &pair.path);
            for (name, other) in order::violations(&slots, &content) {
                let text = format!("{} before {}", self.show(&other), self.show(&name));
                self.add(Difference::Order, schema.clone(), context.clone(), text, pair.path.clone());
            }
            if content.text && !slots.text {
                self.add(Difference::Missing, schema, context, "text()".to_owned(), pair.path.clone());
            }
            self.remember(pair.message, &content, node);
            let validity = Validity::new(self.schemas, &slots, &content);
            let both = match self.valid.remove(&pair.message) {
                Some(known) => known.or(validity),
                None => validity,
            };
            self.valid.insert(pair.message, both);
        }
        self.follow_others(&slots, &content.children.iter().map(|child| &child.name).collect::<Vec<_>>(), &pair.path);
    }

    fn remember(&mut self, message: usize, content: &Content<'a>, node: Node<'a>) {
        let attributes = content.attributes.iter().map(|attribute| format!("@{}", self.show(&attribute.name)));
        let names: Vec<String> = attributes.chain(content.children.iter().map(|child| self.show(&child.name))).collect();
        self.known.entry(message).or_insert_with(|| (BTreeSet::new(), node)).0.extend(names);
    }

    fn compare_attributes(&mut self, slots: &Slots<'a>, content: &Content<'a>, schema: &str, context: &str, path: &str) {
        for xsd::Attribute { name, type_, .. } in &content.attributes {
            let shown = format!("@{}", self.show(name));
            match slots.attributes.get(name) {
                Some(field) => self.compare_values(field, *type_, schema, &format!("{path}/{shown}")),
                None => self.add(Difference::Missing, schema.to_owned(), context.to_owned(), shown, path.to_owned()),
            }
        }
    }

    fn compare_children(&mut self, slots: &Slots<'a>, content: &Content<'a>, schema: &str, context: &str, path: &str) {
        for child in &content.children {
            let shown = self.show(&child.name);
            let below = format!("{path}/{shown}");
            let Some(slot) = slots.children.get(&child.name) else {
                self.add(Difference::Missing, schema.to_owned(), context.to_owned(), shown, path.to_owned());
                continue;
            };
            match &slot.form {
                Form::Message(message) => self.push(child.type_, *message, below),
                Form::Raw => self.add(Difference::Raw, schema.to_owned(), context.to_owned(), shown, path.to_owned()),
                Form::Value(value) => {
                    self.compare_flat(slot, child.type_, Some(value), (schema, &format!("{context}/{shown}"), &below))
                }
                Form::Text => self.compare_flat(slot, child.type_, None, (schema, &format!("{context}/{shown}"), &below)),
            }
        }
    }

    /// A child of which the model has one value only.
    fn compare_flat(
        &mut self,
        slot: &Slot<'a>,
        type_: Option<Type<'a>>,
        value: Option<&Name>,
        (schema, context, path): (&str, &str, &str),
    ) {
        let Some(type_) = type_ else { return };
        let content = self.schemas.content(type_);
        let mut missing = Vec::new();
        for xsd::Attribute { name, type_, .. } in &content.attributes {
            if Some(name) == value {
                self.compare_values(slot.field, *type_, schema, path);
            } else {
                missing.push(format!("@{}", self.show(name)));
            }
        }
        missing.extend(content.children.iter().map(|child| self.show(&child.name)));
        if content.text && value.is_some() {
            missing.push("text()".to_owned());
        }
        if value.is_none() {
            self.compare_values(slot.field, Some(type_), schema, path);
        }
        for name in missing {
            self.add(Difference::Missing, schema.to_owned(), context.to_owned(), name, path.to_owned());
        }
    }

    fn compare_values(&mut self, field: &Field, type_: Option<Type<'a>>, schema: &str, path: &str) {
        let (Kind::Enum(index), Some(type_)) = (field.kind, type_) else { return };
        let (Some(values), Type::Simple(node)) = (self.schemas.values(type_), type_) else { return };
        let declared = &self.schema.enums[index];
        let texts: BTreeSet<String> = declared.values.iter().skip(1).filter_map(|value| declared.text(value)).collect();
        let file = self.schemas.file_of(node);
        let schema = if file.is_empty() { schema } else { file };
        let context = format!("{}/{}", label(node), declared.name.trim_start_matches("recto."));
        for value in values.into_iter().filter(|value| !texts.contains(*value)) {
            self.add(Difference::Value, schema.to_owned(), context.clone(), format!("\"{value}\""), path.to_owned());
        }
    }

    /// Children that the type does not name: what stands for a wildcard, and elements of extensions, in which global
    /// elements may stand again.
    fn follow_others(&mut self, slots: &Slots<'a>, named: &[&Name], path: &str) {
        for (name, slot) in slots.children.iter().filter(|(name, _)| !named.contains(name)) {
            if let Form::Message(message) = slot.form {
                let path = format!("{path}/{}", self.show(name));
                self.push(self.schemas.element(name), message, path);
            }
        }
    }

    /// Options that do not say what all types of a message say.
    fn compare_validity(&mut self) {
        for (index, validity) in std::mem::take(&mut self.valid) {
            let message = &self.schema.messages[index];
            let Some((_, node)) = self.known.get(&index) else { continue };
            let (file, short) = (self.schemas.file_of(*node).to_owned(), message.name.trim_start_matches("recto."));
            let context = format!("{}/{short}", label(*node));
            for (field, text) in validity.differences(message) {
                let name =
                    field.map_or_else(|| text.clone(), |field| format!("{} {text}", field.xml.as_deref().unwrap_or_default()));
                self.add(Difference::Valid, file.clone(), context.clone(), name, String::new());
            }
        }
    }

    /// Fields for names that none of the message's types has, in namespaces that a schema file describes.
    fn find_unknown(&mut self) {
        for (message, (names, node)) in std::mem::take(&mut self.known) {
            let slots = Slots::new(self.schema, message);
            let attributes = slots.attributes.keys().map(|name| (name, format!("@{}", self.show(name))));
            let children = slots.children.keys().map(|name| (name, self.show(name)));
            let covered = |name: &Name| name.uri.is_empty() || self.schemas.file(&name.uri).is_some();
            let global = |name: &Name, shown: &str| !shown.starts_with('@') && self.schemas.element(name).is_some();
            let all = attributes
                .chain(children)
                .filter(|(name, shown)| covered(name) && !names.contains(shown) && !global(name, shown));
            let unknown: Vec<String> = all.map(|(_, shown)| shown).collect();
            let short = self.schema.messages[message].name.trim_start_matches("recto.");
            let (file, context) = (self.schemas.file_of(node), format!("{}/{short}", label(node)));
            for name in unknown {
                self.add(Difference::Unknown, file.to_owned(), context.clone(), name, String::new());
            }
        }
    }
}
