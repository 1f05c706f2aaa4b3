//! The information in an XML part, whatever way it is written: a stream of nodes with expanded names.
//!
//! This is the measure that the engine is held to, so it shares neither tokeniser nor namespaces nor entities with it:
//! tokens come from `quick-xml`, which lets much pass that is not well-formed; the checks that it leaves out are made here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::Attribute as RawAttribute;
use quick_xml::events::{BytesPI, BytesRef, Event};
use quick_xml::name::QName;
use quick_xml::reader::Reader;

use crate::error::{Error, MarkupError, Result};
use crate::xml::names;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
const MARKUP_COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// A piece of information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node<'a> {
    /// The start of an element.
    Start(Element<'a>),
    /// The end of the innermost open element.
    End,
    /// Text, in one piece up to the next node of another kind. Blank text does not count beside other children, unless
    /// the element itself has `xml:space="preserve"`.
    Text(Cow<'a, str>),
    /// A comment, without white space around it.
    Comment(Cow<'a, str>),
    /// A processing instruction: target, and the rest without white space around it.
    Instruction(&'a str, Cow<'a, str>),
}

/// The start of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    /// URI of the namespace, empty for none.
    pub namespace: Cow<'a, str>,
    /// Local name.
    pub local: &'a str,
    /// By namespace and name, without namespace declarations.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Attribute<'a> {
    /// URI of the namespace, empty for none.
    pub namespace: Cow<'a, str>,
    /// Local name.
    pub local: &'a str,
    /// The value; where it is a list of prefixes (`mc:Ignorable`), the sorted list of their namespaces.
    pub value: Cow<'a, str>,
}

impl Attribute<'_> {
    /// Expanded name.
    pub(super) fn name(&self) -> (&str, &str) {
        (&self.namespace, self.local)
    }
}

/// Reads the information of an XML part. Memory grows with the depth of nesting and the length of a text, the stack not at all.
pub(super) struct Infoset<'a> {
    source: &'a str,
    reader: Reader<&'a [u8]>,
    scope: Scope<'a>,
    open: Vec<Open>,
    seen_root: bool,
    /// The node that ended a text.
    pending: Option<Node<'a>>,
}

/// An open element.
struct Open {
    preserve: bool,
    has_child: bool,
}

/// What an event comes to.
enum Found<'a> {
    /// Nothing, or more text.
    Nothing,
    /// A node, and whether the text before it counts.
    Node(Node<'a>, bool),
    /// The end of the part.
    End,
}

impl<'a> Infoset<'a> {
    /// Begins to read a part.
    ///
    /// # Errors
    /// Like [`Infoset::next`], a markup error if the part is not well-formed or has a document type declaration.
    pub(super) fn new(source: &'a str) -> Result<Self> {
        if let Some(offset) = forbidden_character(source) {
            return Err(malformed("forbidden character").at(offset as u64));
        }
        let mut reader = Reader::from_str(source);
        let config = reader.config_mut();
        config.check_comments = true;
        config.expand_empty_elements = true;
        Ok(Infoset { source, reader, scope: Scope::default(), open: Vec::new(), seen_root: false, pending: None })
    }

    /// The next node; none at the end of the part.
    ///
    /// # Errors
    /// A markup error if the part is not well-formed or has a document type declaration.
    pub(super) fn next(&mut self) -> Result<Option<Node<'a>>> {
        if let Some(node) = self.pending.take() {
            return Ok(Some(node));
        }
        let mut text = Cow::Borrowed("");
        loop {
            let offset = self.reader.buffer_position();
            match self.event(&mut text).map_err(|error| error.at(offset))? {
                Found::Nothing => {}
                Found::End => return Ok(None),
                Found::Node(node, false) => return Ok(Some(node)),
                Found::Node(node, true) => {
                    self.pending = Some(node);
                    return Ok(Some(Node::Text(text)));
                }
            }
        }
    }

    /// Reads the rest, for its errors.
    pub(super) fn finish(&mut self) -> Result<()> {
        while self.next()?.is_some() {}
        Ok(())
    }

    fn event(&mut self, text: &mut Cow<'a, str>) -> Result<Found<'a>> {
        let start = self.reader.buffer_position() as usize;
        let event = self.reader.read_event().map_err(|error| malformed(&error.to_string()))?;
        let inside = !self.open.is_empty();
        match event {
            Event::Text(raw) => {
                if raw.contains('>') && raw.contains("]]>") {
                    return Err(malformed("']]>' in text"));
                }
                if !inside && !is_blank(&raw) {
                    return Err(malformed("text outside of the root element"));
                }
                append(text, raw.xml10_content());
            }
            Event::CData(_) | Event::GeneralRef(_) if !inside => return Err(malformed("text outside of the root element")),
            Event::CData(raw) => append(text, raw.xml10_content()),
            Event::GeneralRef(reference) => text.to_mut().push_str(resolve(&reference)?.encode_utf8(&mut [0; 4])),
            Event::Start(_) | Event::Empty(_) => {
                let keep = self.text_counts(text, true);
                return Ok(Found::Node(Node::Start(self.start(start)?), keep));
            }
            Event::End(_) => {
                let keep = self.text_counts(text, false);
                self.scope.leave(self.open.len());
                self.open.pop();
                return Ok(Found::Node(Node::End, keep));
            }
            Event::Comment(comment) => {
                let keep = self.text_counts(text, true);
                return Ok(Found::Node(Node::Comment(trimmed(comment.xml10_content())), keep));
            }
            Event::PI(instruction) => {
                let keep = self.text_counts(text, true);
                self.check_instruction(&instruction)?;
                return Ok(Found::Node(self.instruction(start)?, keep));
            }
            Event::Decl(declaration) => check_declaration(&declaration, start)?,
            Event::DocType(_) => return Err(MarkupError::Doctype.into()),
            Event::Eof if inside || !self.seen_root => return Err(malformed("it ends before its root element does")),
            Event::Eof => return Ok(Found::End),
        }
        Ok(Found::Nothing)
    }

    /// Whether the text before a node counts; `child` tells whether that node is one more child.
    fn text_counts(&mut self, text: &str, child: bool) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        open.has_child |= child;
        !text.is_empty() && (open.preserve || !open.has_child || !is_blank(text))
    }

    /// What stands between `from` and the reader's position, which is a tag or an instruction, without the brackets.
    fn markup(&self, from: usize) -> Result<&'a str> {
        let raw = self.source.get(from..self.reader.buffer_position() as usize);
        raw.and_then(|raw| raw.strip_prefix('<')?.strip_suffix('>')).ok_or_else(|| malformed("a tag that does not end"))
    }

    fn start(&mut self, from: usize) -> Result<Element<'a>> {
        if self.open.is_empty() && self.seen_root {
            return Err(malformed("a second root element"));
        }
        self.seen_root = true;
        let tag = self.markup(from)?;
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let (name, rest) = tag.split_at(tag.find(SPACE).unwrap_or(tag.len()));
        let raw = split_attributes(rest)?;
        let depth = self.open.len() + 1;
        for &(name, value) in &raw {
            if let Some(prefix) = declared_prefix(name) {
                self.scope.declare(prefix, normalized(value)?, depth)?;
            }
        }
        let (namespace, local) = self.scope.expand(name, true)?;
        let compatibility_choice = namespace == MARKUP_COMPATIBILITY && local == "Choice";
        let mut attributes = Vec::with_capacity(raw.len());
        for (name, value) in raw.into_iter().filter(|(name, _)| declared_prefix(name).is_none()) {
            let (namespace, local) = self.scope.expand(name, false)?;
            let mut value = normalized(value)?;
            if names_prefixes(&namespace, local, compatibility_choice) {
                value = self.scope.expand_list(&value).into();
            }
            attributes.push(Attribute { namespace, local, value });
        }
        attributes.sort_unstable();
        if attributes.windows(2).any(|pair| matches!(pair, [a, b] if a.name() == b.name())) {
            return Err(malformed("an attribute that stands twice"));
        }
        let preserve = attributes.iter().any(|attribute| attribute.name() == (XML, "space") && attribute.value == "preserve");
        self.open.push(Open { preserve, has_child: false });
        Ok(Element { namespace, local, attributes })
    }

    fn check_instruction(&self, instruction: &BytesPI<'_>) -> Result<()> {
        let target = instruction.target();
        if !names::is_ncname(target.as_bytes()) || target.eq_ignore_ascii_case("xml") {
            return Err(malformed("the target of a processing instruction is no name"));
        }
        Ok(())
    }

    fn instruction(&self, from: usize) -> Result<Node<'a>> {
        let markup = self.markup(from)?.trim_start_matches('?');
        let content = markup.strip_suffix('?').unwrap_or(markup);
        let (target, rest) = content.split_at(content.find(SPACE).unwrap_or(content.len()));
        Ok(Node::Instruction(target, trimmed(lines(rest))))
    }
}

/// Namespaces in scope.
#[derive(Default)]
struct Scope<'a> {
    /// By prefix: URIs and the depths of the elements that declare them, outermost first.
    bindings: BTreeMap<&'a str, Vec<(usize, Cow<'a, str>)>>,
    /// Prefixes with the depths of the elements that declare them, in the order of declaration.
    declared: Vec<(usize, &'a str)>,
}

impl<'a> Scope<'a> {
    /// Adds a declaration (Namespaces in XML, clauses 3 and 5).
    fn declare(&mut self, prefix: &'a str, uri: Cow<'a, str>, depth: usize) -> Result<()> {
        let reserved = uri == XMLNS || (uri == XML) != (prefix == "xml");
        if prefix == "xmlns" || reserved || (uri.is_empty() && !prefix.is_empty()) {
            return Err(malformed("a namespace declaration that is not allowed"));
        }
        let bindings = self.bindings.entry(prefix).or_default();
        if bindings.last().is_some_and(|binding| binding.0 == depth) {
            return Err(malformed("a namespace declaration that stands twice"));
        }
        bindings.push((depth, uri));
        self.declared.push((depth, prefix));
        Ok(())
    }

    /// Takes back what the element at this depth declared.
    fn leave(&mut self, depth: usize) {
        while let Some((_, prefix)) = self.declared.pop_if(|declared| declared.0 == depth) {
            if let Some(bindings) = self.bindings.get_mut(prefix) {
                bindings.pop();
            }
        }
    }

    fn uri(&self, prefix: &str) -> Option<Cow<'a, str>> {
        match self.bindings.get(prefix).and_then(|bindings| bindings.last()) {
            Some((_, uri)) => Some(uri.clone()),
            None => (prefix == "xml").then_some(Cow::Borrowed(XML)),
        }
    }

    /// Namespace and local name of a qualified name.
    fn expand(&self, name: &'a str, element: bool) -> Result<(Cow<'a, str>, &'a str)> {
        names::split(name.as_bytes()).ok_or_else(|| malformed("not a name"))?;
        match name.split_once(':') {
            Some((prefix, local)) => {
                let uri = self.uri(prefix).ok_or_else(|| Error::from(MarkupError::UndeclaredPrefix(prefix.to_owned())))?;
                Ok((uri, local))
            }
            None if element => Ok((self.uri("").unwrap_or_default(), name)),
            None => Ok((Cow::Borrowed(""), name)),
        }
    }

    /// A list of prefixes, or of names with prefixes, with namespaces for the prefixes, sorted.
    fn expand_list(&self, list: &str) -> String {
        let expand = |word: &str| {
            let (prefix, local) = word.split_once(':').unwrap_or((word, ""));
            match self.uri(prefix) {
                Some(uri) => format!("{{{uri}}}{local}"),
                None => format!("?{word}"),
            }
        };
        let mut words: Vec<_> = list.split_ascii_whitespace().map(expand).collect();
        words.sort_unstable();
        words.join(" ")
    }
}

/// Whether an attribute's value names prefixes (ECMA-376 part 3).
fn names_prefixes(namespace: &str, local: &str, compatibility_choice: bool) -> bool {
    match namespace {
        MARKUP_COMPATIBILITY => {
            matches!(local, "Ignorable" | "MustUnderstand" | "ProcessContent" | "PreserveElements" | "PreserveAttributes")
        }
        "" => compatibility_choice && local == "Requires",
        _ => false,
    }
}

/// The prefix that an attribute declares; empty for the default namespace.
fn declared_prefix(name: &str) -> Option<&str> {
    match name.strip_prefix("xmlns")? {
        "" => Some(""),
        rest => rest.strip_prefix(':').filter(|prefix| names::is_ncname(prefix.as_bytes())),
    }
}

/// Names and raw values of the attributes in a tag (XML 1.0 clause 3.1).
fn split_attributes(mut rest: &str) -> Result<Vec<(&str, &str)>> {
    let mut list = Vec::new();
    loop {
        let attribute = rest.trim_start_matches(SPACE);
        if attribute.is_empty() {
            return Ok(list);
        }
        if attribute.len() == rest.len() {
            return Err(malformed("no space before an attribute"));
        }
        let (name, value) = attribute.split_once('=').ok_or_else(|| malformed("an attribute without value"))?;
        let value = value.trim_start_matches(SPACE);
        let quoted = value.strip_prefix('"').map(|value| (value, '"')).or_else(|| Some((value.strip_prefix('\'')?, '\'')));
        let (value, tail) = quoted
            .and_then(|(value, quote)| value.split_once(quote))
            .ok_or_else(|| malformed("an attribute's value without quotes"))?;
        list.push((name.trim_end_matches(SPACE), value));
        rest = tail;
    }
}

/// An attribute's value: references resolved, white space normalised.
fn normalized(raw: &str) -> Result<Cow<'_, str>> {
    if !raw.bytes().any(|byte| matches!(byte, b'<' | b'&' | b'\t' | b'\r' | b'\n')) {
        return Ok(Cow::Borrowed(raw));
    }
    if raw.contains('<') {
        return Err(malformed("'<' in an attribute's value"));
    }
    let attribute = RawAttribute { key: QName(""), value: Cow::Borrowed(raw) };
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| malformed(&error.to_string()))?;
    // What is forbidden can only come from a reference: the whole part has been looked through.
    if raw.contains('&') && forbidden_character(&value).is_some() {
        return Err(malformed("a reference to a forbidden character"));
    }
    Ok(value)
}

/// The character that a reference in text stands for.
fn resolve(reference: &BytesRef<'_>) -> Result<char> {
    let number = reference.resolve_char_ref().map_err(|error| malformed(&error.to_string()))?;
    let character = number.or_else(|| resolve_predefined_entity(reference)?.chars().next());
    character
        .filter(|character| forbidden_character(character.encode_utf8(&mut [0; 4])).is_none())
        .ok_or_else(|| malformed("an unknown entity, or a reference to a forbidden character"))
}

/// Offset of the first character that XML 1.0 (clause 2.2) does not allow.
fn forbidden_character(text: &str) -> Option<usize> {
    let control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n');
    let find = |character: &str| memchr::memmem::find(text.as_bytes(), character.as_bytes());
    text.bytes().position(control).or_else(|| find("\u{FFFE}")).or_else(|| find("\u{FFFF}"))
}

/// Checks an XML declaration (XML 1.0 clause 2.8).
fn check_declaration(declaration: &str, start: usize) -> Result<()> {
    let wrong = || malformed("a wrong XML declaration");
    if start != 0 {
        return Err(malformed("an XML declaration that is not at the start"));
    }
    let attributes = split_attributes(declaration.strip_prefix("xml").ok_or_else(wrong)?)?;
    let mut rest = attributes.as_slice();
    let mut take = |name: &str| match rest {
        [first, others @ ..] if first.0 == name => {
            rest = others;
            Some(first.1)
        }
        _ => None,
    };
    let version = take("version").and_then(|version| version.strip_prefix("1."));
    let digits = version.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit()));
    let encoding = take("encoding").is_none_or(|encoding| encoding.starts_with(|first: char| first.is_ascii_alphabetic()));
    let standalone = take("standalone").is_none_or(|standalone| matches!(standalone, "yes" | "no"));
    if digits && encoding && standalone && rest.is_empty() { Ok(()) } else { Err(wrong()) }
}

fn append<'a>(text: &mut Cow<'a, str>, more: Cow<'a, str>) {
    if text.is_empty() {
        *text = more;
    } else {
        text.to_mut().push_str(&more);
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(SPACE)),
        Cow::Owned(text) => Cow::Owned(text.trim_matches(SPACE).to_owned()),
    }
}

/// With line ends normalised.
fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(SPACE).is_empty()
}

fn malformed(reason: &str) -> Error {
    MarkupError::Malformed(reason.to_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line a node.
    fn nodes(source: &str) -> Result<Vec<String>> {
        let mut infoset = Infoset::new(source)?;
        let mut nodes = Vec::new();
        while let Some(node) = infoset.next()? {
            nodes.push(match node {
                Node::Start(element) => {
                    let name = |namespace: &str, local: &str| match namespace {
                        "" => local.to_owned(),
                        namespace => format!("{{{namespace}}}{local}"),
                    };
                    let attributes = element.attributes.iter();
                    let attributes = attributes
                        .map(|attribute| format!(" {}={:?}", name(&attribute.namespace, attribute.local), attribute.value));
                    format!("<{}{}>", name(&element.namespace, element.local), attributes.collect::<String>())
                }
                Node::End => "</>".to_owned(),
                Node::Text(text) => format!("{text:?}"),
                Node::Comment(text) => format!("<!--{text}-->"),
                Node::Instruction(target, text) => format!("<?{target} {text}?>"),
            });
        }
        Ok(nodes)
    }

    fn joined(source: &str) -> String {
        nodes(source).map_or_else(|error| error.to_string(), |nodes| nodes.join(""))
    }

    #[test]
    fn names_are_expanded() {
        let source = "<a xmlns='u' xmlns:p='v' p:x='1' y='2'><p:b xmlns:p='w' p:x=''/><p:c/><d xmlns=''/></a>";
        assert_eq!(joined(source), r#"<{u}a y="2" {v}x="1"><{w}b {w}x=""></><{v}c></><d></></>"#);
        assert_eq!(joined("<xml:a/>"), "<{http://www.w3.org/XML/1998/namespace}a></>");
    }

    #[test]
    fn text_is_what_it_stands_for() {
        assert_eq!(joined("<a>x&amp;y&#65;&#x42;<![CDATA[<&]]>z\r\n</a>"), r#"<a>"x&yAB<&z\n"</>"#);
        assert_eq!(joined("<a b='&#10;\r\n\t&lt;'/>"), r#"<a b="\n  <"></>"#);
    }

    #[test]
    fn blank_text_counts_where_it_is_all_or_is_preserved() {
        assert_eq!(joined("<a> <b> </b>\n<c/> </a>"), r#"<a><b>" "</><c></></>"#);
        assert_eq!(joined("<a> <!--c--> </a>"), "<a><!--c--></>");
        assert_eq!(joined("<a> x <b/> </a>"), r#"<a>" x "<b></></>"#);
        let preserved = joined("<a xml:space='preserve'> <b> <c/></b> </a>");
        assert_eq!(preserved, r#"<a {http://www.w3.org/XML/1998/namespace}space="preserve">" "<b><c></></>" "</>"#);
    }

    #[test]
    fn comments_and_instructions_count_everywhere() {
        let source = "<?xml version='1.0'?>\n<!-- a --><?b  c ?><d><!--e--><?f?></d><!--g-->\n";
        assert_eq!(joined(source), "<!--a--><?b c?><d><!--e--><?f ?></><!--g-->");
    }

    #[test]
    fn lists_of_prefixes_stand_for_namespaces() {
        let with = |declared: &str, prefixes: &str| {
            joined(&format!("<a xmlns:mc='{MARKUP_COMPATIBILITY}' {declared} mc:Ignorable='{prefixes}'/>"))
        };
        let one = with("xmlns:p='u' xmlns:q='v'", "p q x");
        assert!(one.ends_with(r#"Ignorable="?x {u} {v}"></>"#), "{one}");
        assert_eq!(one, with("xmlns:r='u' xmlns:s='v'", "s  r x"));
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for source in [
            "",
            "a",
            "<a>",
            "</a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "<a/>&amp;",
            "<a b='1'c='2'/>",
            "<a b=1/>",
            "<a b/>",
            "<a b='<'/>",
            "<a b='1' b='2'/>",
            "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
            "<a xmlns='u' xmlns='u'/>",
            "<a xmlns:p=''/>",
            "<a xmlns:xml='u'/>",
            "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
            "<p:a/>",
            "<a p:b=''/>",
            "<1/>",
            "<a:b:c xmlns:a='u'/>",
            "<a>&nbsp;</a>",
            "<a b='&nbsp;'/>",
            "<a>&</a>",
            "<a>&#0;</a>",
            "<a b='&#1;'/>",
            "<a>&#xFFFE;</a>",
            "<a>&#X41;</a>",
            "<a>\u{1}</a>",
            "<a>\u{FFFF}</a>",
            "<a>]]></a>",
            "<a><!-- -- --></a>",
            "<a><!-- ---></a>",
            "<a><?xml version='1.0'?></a>",
            " <?xml version='1.0'?><a/>",
            "<?xml version='2.0'?><a/>",
            "<?xml encoding='utf-8'?><a/>",
            "<?xml version='1.0' standalone='maybe'?><a/>",
            "<a><?XML x?></a>",
            "<!DOCTYPE a><a/>",
        ] {
            assert!(nodes(source).is_err(), "{source}");
        }
    }
}
