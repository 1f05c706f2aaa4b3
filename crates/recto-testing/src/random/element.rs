//! Elements and what stands between them.

use std::fmt::Write as _;

use recto_schema::tables::{Codec, Message, Namespace, ROOTS, Row, RowKind, VALUE_ATTRIBUTES, message, namespace};

use super::Path;
use super::attributes::List;
use super::scope::{Scope, Tag, foreign};
use super::values;
use crate::Rng;

/// How many elements a document has at most, more or less.
const MOST: usize = 400;

/// Writes one document.
pub(super) struct Generator {
    pub rng: Rng,
    pub out: String,
    pub scope: Scope,
    /// Number of the row of a sheet.
    pub row: u64,
    /// The `t` of the cell.
    pub cell_type: &'static str,
    strict: bool,
    spaced: bool,
    elements: usize,
}

/// One thing among the children of an element.
#[derive(Clone, Copy)]
enum Piece {
    Child(&'static Row),
    /// A child that is on the path to the target.
    Step(&'static Row),
    CellValue,
    Foreign,
    Alternatives,
    Comment,
    Instruction,
    Text,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (strict, spaced) = (rng.chance(15), rng.chance(25));
        let (out, scope) = (String::new(), Scope::default());
        Generator { rng, out, scope, row: 0, cell_type: "", strict, spaced, elements: 0 }
    }

    pub(super) fn part(mut self, path: &Path) -> String {
        self.between(5);
        let mut tag = self.scope.tag();
        for _ in 0..self.rng.below(12) {
            let known = &namespace(2 + self.rng.below(recto_schema::tables::NAMESPACES.len() - 2) as u8);
            if !known.uri.is_empty() && known.binding != "xml" {
                let prefix = if self.rng.chance(80) { known.binding.to_owned() } else { format!("n{}", self.rng.below(9)) };
                let uri = self.uri(known);
                self.scope.declare(&tag, &prefix, uri);
            }
        }
        self.message(&mut tag, path.root, &path.steps, if path.steps.is_empty() { 3 } else { 0 });
        self.between(8);
        self.out
    }

    /// The URI of a namespace in this document.
    pub(super) fn uri(&mut self, known: &Namespace) -> &'static str {
        let known = recto_schema::tables::NAMESPACES.iter().find(|other| other.uri == known.uri).unwrap();
        let strict = self.strict != self.rng.chance(1);
        if strict && !known.strict.is_empty() { known.strict } else { known.uri }
    }

    fn name(&mut self, tag: &mut Tag, row: &Row) -> String {
        let known = namespace(row.namespace);
        let uri = self.uri(known);
        let local = String::from_utf8_lossy(row.local()).into_owned();
        self.scope.name(&mut self.rng, tag, uri, known.binding, &local, true)
    }

    fn child(&mut self, row: &'static Row, path: &[&'static Row], rich: u32) {
        self.elements += 1;
        if row.kind == RowKind::Other {
            return self.some_foreign();
        }
        let mut tag = self.scope.tag();
        match row.kind {
            RowKind::Child => self.message(&mut tag, row, path, rich),
            RowKind::ChildValue => self.child_value(&mut tag, row),
            RowKind::ChildText => self.child_text(&mut tag, row),
            _ => {
                let name = self.name(&mut tag, row);
                self.foreign(tag, &name, 2);
            }
        }
    }

    /// An element that is a message.
    fn message(&mut self, tag: &mut Tag, row: &'static Row, path: &[&'static Row], rich: u32) {
        let table = message(row.target);
        let name = self.name(tag, row);
        let mut list = List::default();
        let outer_type = std::mem::take(&mut self.cell_type);
        self.schema_attributes(tag, &mut list, table, rich);
        self.odd_attributes(tag, &mut list, if rich > 0 { 8 } else { 2 });
        self.start(&name, tag, list);
        if table.texts > 0 {
            self.out.push('>');
            self.text_content(table);
            write!(self.out, "</{name}>").unwrap();
        } else {
            let pieces = self.pieces(table, path, rich);
            self.content(&name, &pieces, path, rich);
        }
        self.cell_type = outer_type;
        self.scope.leave(tag.mark);
    }

    /// The children of a message, in the order in which they will stand.
    fn pieces(&mut self, table: &'static Message, path: &[&'static Row], rich: u32) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let children = &table.rows()[usize::from(table.attributes + table.texts)..];
        let room = if self.elements < MOST { rich } else { 0 };
        let percent = [1, 15, 40, 60][room.min(3) as usize].min(1 + 400 * (1 + room as usize) / children.len().max(1) / 4);
        let mut step = path.first().copied();
        for row in children {
            if step.is_some_and(|step| std::ptr::eq(step, row)) {
                pieces.push(Piece::Step(row));
                step = None;
            } else if row.kind == RowKind::List {
                let items = message(row.target).rows();
                let chosen = if room == 0 { usize::from(self.rng.chance(5)) } else { self.rng.below(2 + 2 * room as usize) };
                let at = self.rng.below(chosen + 1);
                for place in 0..=chosen {
                    if let Some(step) = step.filter(|step| place == at && items.iter().any(|item| std::ptr::eq(item, *step))) {
                        pieces.push(Piece::Step(step));
                    }
                    if place < chosen {
                        pieces.push(Piece::Child(self.rng.pick(items)));
                    }
                }
            } else if self.rng.chance(percent) {
                let most = if row.repeated { 3 } else { usize::from(self.rng.chance(4)) + 1 };
                pieces.extend((0..1 + self.rng.below(most)).map(|_| Piece::Child(row)));
            }
        }
        if table.codec == Codec::Cell {
            let after_formula = pieces.iter().position(|piece| !matches!(piece, Piece::Child(row) if row.local() == b"f"));
            while self.rng.chance(60) {
                pieces.insert(after_formula.unwrap_or(pieces.len()), Piece::CellValue);
            }
        }
        if self.rng.chance(12) {
            self.rng.shuffle(&mut pieces);
        }
        let odd = [Piece::Foreign, Piece::Alternatives, Piece::Comment, Piece::Instruction, Piece::Text];
        while self.rng.chance(if rich > 0 { 15 } else { 2 }) {
            let at = self.rng.below(pieces.len() + 1);
            pieces.insert(at, *self.rng.pick(&odd));
        }
        pieces
    }

    fn content(&mut self, name: &str, pieces: &[Piece], path: &[&'static Row], rich: u32) {
        if pieces.is_empty() && self.rng.chance(90) {
            self.out.push_str("/>");
            return;
        }
        self.out.push('>');
        let less = rich.saturating_sub(1);
        for piece in pieces {
            self.space();
            match *piece {
                Piece::Child(row) => self.child(row, &[], less),
                Piece::Step(row) => {
                    let rest = &path[1..];
                    self.child(row, rest, if rest.is_empty() { 3 } else { 0 });
                }
                Piece::CellValue => self.cell_value(),
                Piece::Foreign => self.some_foreign(),
                Piece::Alternatives => self.alternatives(),
                Piece::Comment => self.comment(),
                Piece::Instruction => self.instruction(),
                Piece::Text => {
                    let text = values::text(&mut self.rng);
                    self.escape(&text, None);
                }
            }
        }
        self.space();
        let blank = if self.rng.chance(98) { "" } else { "\n " };
        write!(self.out, "</{name}{blank}>").unwrap();
    }

    fn space(&mut self) {
        if self.spaced && self.rng.chance(80) {
            let space = *self.rng.pick(&["\n", "\n  ", " ", "\r\n\t"]);
            self.out.push_str(space);
        }
    }

    /// What may stand before and after the root.
    fn between(&mut self, percent: usize) {
        while self.rng.chance(percent) {
            match self.rng.below(3) {
                0 => self.comment(),
                1 => self.instruction(),
                _ => self.out.push_str("\n \n"),
            }
        }
    }

    fn comment(&mut self) {
        let text = *self.rng.pick(&["", " x ", "<a b='&c;'>", "é - > ?>", "]]>"]);
        write!(self.out, "<!--{text}-->").unwrap();
    }

    fn instruction(&mut self) {
        let text = *self.rng.pick(&["x", "mso-application progid=\"Word.Document\"", "a  <b> ? > ", "a-b &amp;"]);
        write!(self.out, "<?{text}?>").unwrap();
    }

    /// The text of an element that has text.
    fn text_content(&mut self, table: &'static Message) {
        let row = table.text().unwrap();
        while self.rng.chance(8) {
            self.text_oddity();
        }
        if self.rng.chance(85) {
            let text = values::value(&mut self.rng, row);
            if self.rng.chance(95) {
                self.escape(&text, None);
            } else {
                write!(self.out, "<![CDATA[{text}]]>").unwrap();
            }
        }
        while self.rng.chance(5) {
            self.text_oddity();
        }
    }

    fn text_oddity(&mut self) {
        match self.rng.below(6) {
            0 => self.comment(),
            1 => self.instruction(),
            2 => self.some_foreign(),
            3 => self.out.push_str("<![CDATA[<&]] >]]>"),
            4 => self.out.push_str("<![CDATA[]]>"),
            _ => self.out.push_str(" \n "),
        }
    }

    fn child_value(&mut self, tag: &mut Tag, row: &'static Row) {
        let name = self.name(tag, row);
        let mut list = List::default();
        self.odd_attributes(tag, &mut list, 3);
        if self.rng.chance(85) {
            let attribute = VALUE_ATTRIBUTES[usize::from(row.aux)];
            let known = namespace(attribute.namespace);
            let uri = self.uri(known);
            let local = String::from_utf8_lossy(attribute.local()).into_owned();
            let value = values::value(&mut self.rng, row);
            self.attribute(tag, &mut list, (uri, known.binding, &local), value);
        }
        self.odd_attributes(tag, &mut list, 3);
        self.start(&name, tag, list);
        match self.rng.below(20) {
            0 => {
                self.out.push('>');
                self.text_oddity();
                write!(self.out, "</{name}>").unwrap();
            }
            1 => write!(self.out, "></{name}>").unwrap(),
            2 => write!(self.out, "> </{name}>").unwrap(),
            _ => self.out.push_str("/>"),
        }
        self.scope.leave(tag.mark);
    }

    fn child_text(&mut self, tag: &mut Tag, row: &'static Row) {
        let name = self.name(tag, row);
        let mut list = List::default();
        self.odd_attributes(tag, &mut list, 4);
        self.start(&name, tag, list);
        if self.rng.chance(8) {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            if self.rng.chance(4) {
                self.text_oddity();
            }
            let text = values::value(&mut self.rng, row);
            self.escape(&text, None);
            if self.rng.chance(4) {
                self.text_oddity();
            }
            write!(self.out, "</{name}>").unwrap();
        }
        self.scope.leave(tag.mark);
    }

    fn cell_value(&mut self) {
        let sheet = ROOTS.iter().find(|row| row.local() == b"worksheet").unwrap();
        let mut tag = self.scope.tag();
        let known = namespace(sheet.namespace);
        let uri = self.uri(known);
        let name = self.scope.name(&mut self.rng, &mut tag, uri, known.binding, "v", true);
        let mut list = List::default();
        self.odd_attributes(&mut tag, &mut list, 3);
        self.start(&name, &tag, list);
        self.out.push('>');
        let usual = self.rng.chance(85);
        let text = match self.cell_type {
            "s" if usual => values::integer(&mut self.rng),
            "b" if usual => (*self.rng.pick(&["0", "1", "true"])).to_owned(),
            "e" if usual => (*self.rng.pick(&["#N/A", "#DIV/0!", "#ODD"])).to_owned(),
            "str" if usual => values::text(&mut self.rng),
            "d" if usual => "2024-02-29T12:00:00Z".to_owned(),
            _ => values::double(&mut self.rng),
        };
        self.escape(&text, None);
        if self.rng.chance(3) {
            self.text_oddity();
        }
        write!(self.out, "</{name}>").unwrap();
        self.scope.leave(tag.mark);
    }

    /// An element that the schema does not have here.
    fn some_foreign(&mut self) {
        let mut tag = self.scope.tag();
        let (uri, wanted) = foreign(&mut self.rng);
        let local = *self.rng.pick(&["p", "odd", "val", "é.x-y"]);
        let name = self.scope.name(&mut self.rng, &mut tag, uri, wanted, local, true);
        self.foreign(tag, &name, 2);
    }

    fn foreign(&mut self, mut tag: Tag, name: &str, depth: usize) {
        self.elements += 1;
        let mut list = List::default();
        self.odd_attributes(&mut tag, &mut list, 30);
        self.start(name, &tag, list);
        if depth == 0 || self.rng.chance(40) {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            for _ in 0..self.rng.below(4) {
                match self.rng.below(4) {
                    0 => self.text_oddity(),
                    1 => self.known_child(),
                    _ => {
                        let mut inner = self.scope.tag();
                        let (uri, wanted) = foreign(&mut self.rng);
                        let name = self.scope.name(&mut self.rng, &mut inner, uri, wanted, "inner", true);
                        self.foreign(inner, &name, depth - 1);
                    }
                }
            }
            write!(self.out, "</{name}>").unwrap();
        }
        self.scope.leave(tag.mark);
    }

    /// Some element that the schema knows, wherever it belongs.
    fn known_child(&mut self) {
        let tables = &recto_schema::tables::MESSAGES;
        let table = self.rng.pick(tables);
        let rows: Vec<_> = table.rows().iter().filter(|row| row.kind == RowKind::Child).collect();
        if !rows.is_empty() && self.elements < MOST {
            let row = *self.rng.pick(&rows);
            self.child(row, &[], 1);
        }
    }

    /// A choice between markup for new and for old readers (ECMA-376 part 3, clause 7.5).
    fn alternatives(&mut self) {
        let mut tag = self.scope.tag();
        let uri = "http://schemas.openxmlformats.org/markup-compatibility/2006";
        let name = self.scope.name(&mut self.rng, &mut tag, uri, "mc", "AlternateContent", true);
        self.start(&name, &tag, List::default());
        let prefix = name.strip_suffix("AlternateContent").unwrap_or_default().to_owned();
        let requires = self.scope.some_prefix(&mut self.rng).unwrap_or_else(|| "x".to_owned());
        write!(self.out, "><{prefix}Choice Requires=\"{requires}\">").unwrap();
        self.known_child();
        self.known_child();
        write!(self.out, "</{prefix}Choice>").unwrap();
        if self.rng.chance(70) {
            write!(self.out, "<{prefix}Fallback>").unwrap();
            self.known_child();
            write!(self.out, "</{prefix}Fallback>").unwrap();
        }
        write!(self.out, "</{name}>").unwrap();
        self.scope.leave(tag.mark);
    }
}
