//! How two packages differ, part by part, where "equal" means that no information was lost.
//!
//! | what | must be equal |
//! |---|---|
//! | parts | the names, without regard to order; parts of one name are paired in order |
//! | content types | the type that every part ends up with |
//! | relationships | per source, the set of id, type, target and target mode |
//! | XML parts | the infoset: expanded names, attributes with their values, order of children, text, comments and processing instructions |
//! | malformed XML, other parts | the bytes |
//!
//! In XML, what does not count is the order of attributes, quotes, prefixes, the spelling of entities, CDATA sections, the XML
//! declaration, the encoding, and blank text beside other children in an element without `xml:space="preserve"`.
//! Where a value is a list of prefixes, such as `mc:Ignorable`, their namespaces must be equal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::infoset::{Element, Infoset, Node};
use crate::error::{Error, Result};
use crate::opc::zip::ReadAt;
use crate::opc::{Archive, encoding, names};

/// A difference between two packages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What kind it is.
    pub kind: DifferenceKind,
    /// Name of the part, as the left package spells it if it has it.
    pub part: String,
    /// Path of the XML node: local names, with the index among the parent's nodes. Empty where the part as a whole is meant.
    pub path: String,
    /// What the left package has there, possibly shortened.
    pub left: String,
    /// What the right package has there, possibly shortened.
    pub right: String,
}

/// Kinds of [`Difference`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Only the left package has the part.
    PartLost,
    /// Only the right package has the part.
    PartAdded,
    /// The part has another content type.
    ContentType,
    /// Only the left package has the relationship.
    RelationshipLost,
    /// Only the right package has the relationship.
    RelationshipAdded,
    /// The bytes of a part that is no XML.
    Bytes,
    /// The bytes of a part whose XML is malformed in the left package.
    MalformedBytes,
    /// The XML is malformed in the right package only.
    NotWellFormed,
    /// The part cannot be read in the right package.
    Unreadable,
    /// An element has another name.
    Element,
    /// An attribute has another value, or only one side has it.
    Attribute,
    /// Other children from here on. The rest of the parent is not compared.
    Children,
    /// Text.
    Text,
    /// A comment or a processing instruction.
    CommentOrInstruction,
}

impl DifferenceKind {
    /// A stable name in kebab-case.
    pub fn name(self) -> &'static str {
        match self {
            DifferenceKind::PartLost => "part-lost",
            DifferenceKind::PartAdded => "part-added",
            DifferenceKind::ContentType => "content-type",
            DifferenceKind::RelationshipLost => "relationship-lost",
            DifferenceKind::RelationshipAdded => "relationship-added",
            DifferenceKind::Bytes => "bytes",
            DifferenceKind::MalformedBytes => "bytes-of-malformed-xml",
            DifferenceKind::NotWellFormed => "xml-not-wellformed",
            DifferenceKind::Unreadable => "unreadable",
            DifferenceKind::Element => "element",
            DifferenceKind::Attribute => "attribute",
            DifferenceKind::Children => "children",
            DifferenceKind::Text => "text",
            DifferenceKind::CommentOrInstruction => "comment-or-pi",
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.kind)?;
        if !self.path.is_empty() {
            write!(f, " at {}", self.path)?;
        }
        match (self.left.as_str(), self.right.as_str()) {
            ("", "") => Ok(()),
            (left, right) => write!(f, ": {left:?} -> {right:?}"),
        }
    }
}

/// Compares two packages; none of the list means that they are equal. At most `limit` differences are listed.
///
/// # Errors
/// As reading an entry of the left package. What cannot be read in the right one is a difference.
pub fn diff<L: ReadAt, R: ReadAt>(left: &Archive<L>, right: &Archive<R>, limit: usize) -> Result<Vec<Difference>> {
    let (ours, theirs) = (parts(left), parts(right));
    let mut found = Vec::new();
    let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for key in keys {
        let ours = ours.get(key).map_or(&[][..], Vec::as_slice);
        let theirs = theirs.get(key).map_or(&[][..], Vec::as_slice);
        for index in 0..ours.len().max(theirs.len()) {
            if found.len() >= limit {
                return Ok(found);
            }
            let (part, pair) = match (ours.get(index), theirs.get(index)) {
                (Some(&ours), Some(&theirs)) => (entry_name(left, ours), Some((ours, theirs))),
                (Some(&ours), None) => (entry_name(left, ours), None),
                (None, other) => (other.map_or("", |&theirs| entry_name(right, theirs)), None),
            };
            let mut report = Report { part, found: &mut found, limit };
            match pair {
                Some(pair) => compare_parts(left, right, pair, &mut report)?,
                None if index < ours.len() => report.add(DifferenceKind::PartLost, String::new(), "", ""),
                None => report.add(DifferenceKind::PartAdded, String::new(), "", ""),
            }
        }
    }
    Ok(found)
}

/// Entries by the key of the part's name. Content types are compared by their effect.
fn parts<S: ReadAt>(archive: &Archive<S>) -> BTreeMap<String, Vec<usize>> {
    let types = names::key(names::CONTENT_TYPES);
    let mut parts = BTreeMap::<_, Vec<usize>>::new();
    for (index, entry) in archive.zip().entries().iter().enumerate().filter(|(_, entry)| !entry.is_directory()) {
        parts.entry(names::key(&entry.name)).or_default().push(index);
    }
    parts.remove(&types);
    parts
}

fn entry_name<S: ReadAt>(archive: &Archive<S>, index: usize) -> &str {
    archive.zip().entry(index).map_or("", |entry| &entry.name)
}

fn compare_parts<L: ReadAt, R: ReadAt>(
    left: &Archive<L>,
    right: &Archive<R>,
    (ours, theirs): (usize, usize),
    report: &mut Report<'_>,
) -> Result<()> {
    let is_relationships = names::extension(report.part).is_some_and(|extension| extension.eq_ignore_ascii_case("rels"));
    let type_of_left = left.content_types().of(report.part).unwrap_or_default();
    let type_of_right = right.content_types().of(entry_name(right, theirs)).unwrap_or_default();
    if !is_relationships && !type_of_left.eq_ignore_ascii_case(type_of_right) {
        report.add(DifferenceKind::ContentType, String::new(), type_of_left, type_of_right);
    }
    let ours = left.zip().read_entry(ours)?;
    let theirs = match right.zip().read_entry(theirs) {
        Ok(theirs) => theirs,
        Err(error) => {
            report.add(DifferenceKind::Unreadable, String::new(), "", &error.to_string());
            return Ok(());
        }
    };
    if ours == theirs {
        return Ok(());
    }
    if !is_relationships && !is_xml(type_of_left, &ours) {
        report.add(DifferenceKind::Bytes, String::new(), &size(&ours), &size(&theirs));
        return Ok(());
    }
    let mut found = Vec::new();
    let mut inner = Report { part: report.part, found: &mut found, limit: report.limit.saturating_sub(report.found.len()) };
    let compare = if is_relationships { compare_relationships } else { compare_markup };
    match compare(&ours, &theirs, &mut inner) {
        Ok(()) => report.found.append(&mut found),
        Err(Malformed::Left(error)) => {
            report.add(DifferenceKind::MalformedBytes, String::new(), &error.to_string(), &size(&theirs))
        }
        Err(Malformed::Right(error)) => report.add(DifferenceKind::NotWellFormed, String::new(), "", &error.to_string()),
    }
    Ok(())
}

fn size(bytes: &[u8]) -> String {
    format!("{} bytes", bytes.len())
}

pub(super) fn is_xml(content_type: &str, bytes: &[u8]) -> bool {
    let content_type = content_type.to_ascii_lowercase();
    content_type.ends_with("+xml")
        || content_type.ends_with("/xml")
        || content_type.ends_with("vmldrawing")
        || bytes.starts_with(b"<?xml")
        || bytes.starts_with(b"\xef\xbb\xbf<?")
}

/// Which side is malformed; the left one if both are.
enum Malformed {
    Left(Error),
    Right(Error),
}

/// Decodes both sides and lets `compare` look at them. If it ends early, the left side is read to its end for errors.
fn with_both(
    ours: &[u8],
    theirs: &[u8],
    compare: impl FnOnce(&mut Infoset<'_>, &mut Infoset<'_>) -> std::result::Result<(), Malformed>,
) -> std::result::Result<(), Malformed> {
    let (ours, _) = encoding::decode(ours).map_err(Malformed::Left)?;
    let mut left = Infoset::new(&ours).map_err(Malformed::Left)?;
    let result = encoding::decode(theirs).map_err(Malformed::Right).and_then(|(theirs, _)| {
        let mut right = Infoset::new(&theirs).map_err(Malformed::Right)?;
        compare(&mut left, &mut right)
    });
    if let Err(Malformed::Right(_)) = result {
        left.finish().map_err(Malformed::Left)?;
    }
    result
}

fn compare_relationships(ours: &[u8], theirs: &[u8], report: &mut Report<'_>) -> std::result::Result<(), Malformed> {
    with_both(ours, theirs, |left, right| {
        let ours = relationships(left).map_err(Malformed::Left)?;
        let theirs = relationships(right).map_err(Malformed::Right)?;
        for lost in ours.difference(&theirs) {
            report.add(DifferenceKind::RelationshipLost, String::new(), &lost.join(" "), "");
        }
        for added in theirs.difference(&ours) {
            report.add(DifferenceKind::RelationshipAdded, String::new(), "", &added.join(" "));
        }
        Ok(())
    })
}

/// Id, type, target and target mode of each child of the root.
fn relationships(part: &mut Infoset<'_>) -> Result<BTreeSet<[String; 4]>> {
    let mut set = BTreeSet::new();
    let mut depth = 0;
    while let Some(node) = part.next()? {
        match node {
            Node::Start(element) => {
                if depth == 1 {
                    let value = |name| element.attributes.iter().find(|attribute| attribute.name() == ("", name));
                    let text = |name| value(name).map_or(String::new(), |attribute| attribute.value.to_string());
                    let mode = value("TargetMode").map_or("Internal".to_owned(), |attribute| attribute.value.to_string());
                    set.insert([text("Id"), text("Type"), text("Target"), mode]);
                }
                depth += 1;
            }
            Node::End => depth -= 1,
            _ => {}
        }
    }
    Ok(set)
}

fn compare_markup(ours: &[u8], theirs: &[u8], report: &mut Report<'_>) -> std::result::Result<(), Malformed> {
    with_both(ours, theirs, |left, right| Comparison { left, right, path: Vec::new(), outside: 0, report }.run())
}

/// Two parts, read side by side.
struct Comparison<'c, 'l, 'r, 'f> {
    left: &'c mut Infoset<'l>,
    right: &'c mut Infoset<'r>,
    /// The elements that are open on both sides: local name, own index, and how many of its nodes have been compared.
    path: Vec<(&'l str, usize, usize)>,
    /// How many nodes outside of the root element, itself included, have been compared.
    outside: usize,
    report: &'c mut Report<'f>,
}

impl<'l, 'r> Comparison<'_, 'l, 'r, '_> {
    fn run(mut self) -> std::result::Result<(), Malformed> {
        loop {
            let left = self.left.next().map_err(Malformed::Left)?;
            let right = self.right.next().map_err(Malformed::Right)?;
            match (left, right) {
                (None, None) => return Ok(()),
                (Some(Node::End), Some(Node::End)) => {
                    self.path.pop();
                }
                (Some(Node::Start(ours)), Some(Node::Start(theirs))) => self.start(ours, theirs)?,
                (Some(Node::Text(ours)), Some(Node::Text(theirs))) => {
                    self.values(DifferenceKind::Text, &ours, &theirs);
                }
                (Some(Node::Comment(ours)), Some(Node::Comment(theirs))) => {
                    self.values(DifferenceKind::CommentOrInstruction, &ours, &theirs);
                }
                (Some(Node::Instruction(target, ours)), Some(Node::Instruction(other, theirs))) => {
                    self.values(DifferenceKind::CommentOrInstruction, &format!("{target} {ours}"), &format!("{other} {theirs}"));
                }
                (left, right) => {
                    let path = self.path_of(None);
                    self.report.add(DifferenceKind::Children, path, &label(left.as_ref()), &label(right.as_ref()));
                    self.leave_parent(left, right)?;
                }
            }
        }
    }

    fn start(&mut self, ours: Element<'l>, theirs: Element<'r>) -> std::result::Result<(), Malformed> {
        if (&ours.namespace, ours.local) != (&theirs.namespace, theirs.local) {
            let path = self.path_of(None);
            let name = |element: &Element<'_>| format!("{{{}}}{}", element.namespace, element.local);
            self.report.add(DifferenceKind::Element, path, &name(&ours), &name(&theirs));
            return self.leave_parent(Some(Node::Start(ours)), Some(Node::Start(theirs)));
        }
        let index = self.count();
        self.path.push((ours.local, index, 0));
        if ours.attributes != theirs.attributes {
            self.attributes(&ours, &theirs);
        }
        Ok(())
    }

    fn attributes(&mut self, ours: &Element<'_>, theirs: &Element<'_>) {
        const ABSENT: &str = "(absent)";
        let value_in = |element: &Element<'_>, name| {
            let found = element.attributes.binary_search_by(|attribute| attribute.name().cmp(&name));
            found.ok().and_then(|at| element.attributes.get(at)).map(|attribute| attribute.value.to_string())
        };
        let names: BTreeSet<_> = ours.attributes.iter().chain(&theirs.attributes).map(|attribute| attribute.name()).collect();
        for name in names {
            let (left, right) = (value_in(ours, name), value_in(theirs, name));
            if left != right {
                let path = self.path_of(Some(name.1));
                let (left, right) = (left.as_deref().unwrap_or(ABSENT), right.as_deref().unwrap_or(ABSENT));
                self.report.add(DifferenceKind::Attribute, path, left, right);
            }
        }
    }

    fn values(&mut self, kind: DifferenceKind, ours: &str, theirs: &str) {
        if ours != theirs {
            let path = self.path_of(None);
            self.report.add(kind, path, ours, theirs);
        }
        self.count();
    }

    /// Counts a node of the innermost open element, and gives its index.
    fn count(&mut self) -> usize {
        let count = self.path.last_mut().map_or(&mut self.outside, |open| &mut open.2);
        *count += 1;
        *count - 1
    }

    /// The path of an attribute of the innermost open element, or of the element's next node. Of a path longer than any person
    /// writes, the middle is left out.
    fn path_of(&self, attribute: Option<&str>) -> String {
        const OUTER: usize = 16;
        const INNER: usize = 16;
        let mut path = String::new();
        let inner = self.path.len().saturating_sub(INNER).max(OUTER);
        for (name, index, _) in self.path.iter().take(OUTER) {
            path += &if path.is_empty() { (*name).to_owned() } else { format!("/{name}[{index}]") };
        }
        if self.path.len() > OUTER + INNER {
            path += "/…";
        }
        for (name, index, _) in self.path.iter().skip(inner) {
            path += &format!("/{name}[{index}]");
        }
        match (attribute, self.path.last()) {
            (Some(name), _) => path + "/@" + name,
            (None, Some((_, _, next))) => format!("{path}/[{next}]"),
            (None, None) => format!("/[{}]", self.outside),
        }
    }

    /// Reads on, after nodes that differ, to the end of the element that has them. After them there is nothing to say which
    /// child belongs to which.
    fn leave_parent(&mut self, left: Option<Node<'l>>, right: Option<Node<'r>>) -> std::result::Result<(), Malformed> {
        leave(self.left, left).map_err(Malformed::Left)?;
        leave(self.right, right).map_err(Malformed::Right)?;
        self.path.pop();
        Ok(())
    }
}

/// Reads, after a node, up to the end of its parent.
fn leave<'a>(part: &mut Infoset<'a>, mut node: Option<Node<'a>>) -> Result<()> {
    let mut depth = 0_usize;
    while let Some(found) = node {
        match found {
            Node::Start(_) => depth += 1,
            Node::End if depth == 0 => return Ok(()),
            Node::End => depth -= 1,
            _ => {}
        }
        node = part.next()?;
    }
    Ok(())
}

fn label(node: Option<&Node<'_>>) -> String {
    match node {
        None => "(end of the part)".to_owned(),
        Some(Node::End) => "(end of the element)".to_owned(),
        Some(Node::Start(element)) => format!("<{}>", element.local),
        Some(Node::Text(text)) => format!("text {text}"),
        Some(Node::Comment(text)) => format!("<!--{text}-->"),
        Some(Node::Instruction(target, text)) => format!("<?{target} {text}?>"),
    }
}

/// Collects the differences of a part.
struct Report<'a> {
    part: &'a str,
    found: &'a mut Vec<Difference>,
    limit: usize,
}

impl Report<'_> {
    fn add(&mut self, kind: DifferenceKind, path: String, left: &str, right: &str) {
        if self.found.len() < self.limit {
            let same = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
            let (left, right) = (excerpt(left, same), excerpt(right, same));
            self.found.push(Difference { kind, part: self.part.to_owned(), path, left, right });
        }
    }
}

/// A long text, shortened to what stands around the character at which it begins to differ.
fn excerpt(text: &str, same: usize) -> String {
    const LONGEST: usize = 90;
    const BEFORE: usize = 20;
    if text.chars().nth(LONGEST).is_none() {
        return text.to_owned();
    }
    let start = if same > LONGEST - BEFORE { same - BEFORE } else { 0 };
    let mut characters = text.chars().skip(start);
    let middle: String = characters.by_ref().take(LONGEST).collect();
    let mark = |cut: bool| if cut { "…" } else { "" };
    format!("{}{middle}{}", mark(start > 0), mark(characters.next().is_some()))
}
