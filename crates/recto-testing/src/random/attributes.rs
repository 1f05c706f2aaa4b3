//! Start tags: attributes, declarations, and the freedom that XML leaves in writing them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recto_schema::tables::{Codec, Message, Row, namespace};

use super::element::Generator;
use super::scope::{Tag, foreign};
use super::values;

/// The attributes of a tag by their expanded names.
#[derive(Default)]
pub(super) struct List {
    names: BTreeSet<(String, String)>,
    written: Vec<(String, String)>,
}

const MARKUP_COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";

impl Generator {
    /// Adds an attribute unless the tag has it.
    pub(super) fn attribute(&mut self, tag: &mut Tag, list: &mut List, name: (&str, &str, &str), value: String) {
        let (uri, wanted, local) = name;
        if list.names.insert((uri.to_owned(), local.to_owned())) {
            let name = self.scope.name(&mut self.rng, tag, uri, wanted, local, false);
            list.written.push((name, value));
        }
    }

    /// Adds attributes that no schema knows, and declarations that nothing needs.
    pub(super) fn odd_attributes(&mut self, tag: &mut Tag, list: &mut List, percent: usize) {
        while self.rng.chance(percent) {
            let (uri, wanted) = foreign(&mut self.rng);
            let local = *self.rng.pick(&["val", "odd", "id", "é", "a.b-c", "xmlnsx"]);
            let value = values::text(&mut self.rng);
            self.attribute(tag, list, (uri, wanted, local), value);
        }
        if self.rng.chance(percent / 2) {
            let value = (*self.rng.pick(&["preserve", "default", "odd"])).to_owned();
            self.attribute(tag, list, ("http://www.w3.org/XML/1998/namespace", "xml", "space"), value);
        }
        if self.rng.chance(percent / 2)
            && let Some(prefix) = self.scope.some_prefix(&mut self.rng)
        {
            // The prefix that it names must keep its meaning on this very tag.
            if !self.scope.declared(tag).iter().any(|(declared, _)| *declared == prefix) {
                let name = (MARKUP_COMPATIBILITY, "mc", *self.rng.pick(&["Ignorable", "PreserveAttributes"]));
                self.attribute(tag, list, name, prefix);
            }
        }
        while self.rng.chance(percent) {
            self.scope.declare_oddly(&mut self.rng, tag);
        }
    }

    /// Adds some of a message's attributes.
    pub(super) fn schema_attributes(&mut self, tag: &mut Tag, list: &mut List, table: &Message, rich: u32) {
        let percent = [6, 25, 50, 70][rich.min(3) as usize];
        match table.codec {
            Codec::Row => self.row = if self.rng.chance(80) { self.row + 1 } else { self.rng.below(1_200_000) as u64 },
            Codec::Cell | Codec::None => {}
        }
        for row in table.rows().iter().take(usize::from(table.attributes)) {
            if self.rng.chance(percent) {
                let value = self.value(table, row);
                let known = namespace(row.namespace);
                let uri = self.uri(known);
                let local = String::from_utf8_lossy(row.local()).into_owned();
                self.attribute(tag, list, (uri, known.binding, &local), value);
            }
        }
        if table.codec == Codec::Cell && self.rng.chance(70) {
            let kinds = ["n", "s", "b", "e", "str", "inlineStr", "d", "s", "n", "N", "", "odd"];
            self.cell_type = *self.rng.pick(&kinds);
            self.attribute(tag, list, ("", "", "t"), self.cell_type.to_owned());
        }
    }

    fn value(&mut self, table: &Message, row: &Row) -> String {
        let is_reference = row.local() == b"r";
        match table.codec {
            Codec::Row if is_reference && self.rng.chance(85) => self.row.to_string(),
            Codec::Cell if is_reference && self.rng.chance(90) => {
                let number = if self.rng.chance(90) { self.row } else { self.rng.below(2_000_000) as u64 };
                let columns = ["A", "B", "Z", "AA", "AZ", "XFD", "XFE", "ZZZ", "a", "$C", "", "AAAAAAAA"];
                format!("{}{number}", self.rng.pick(&columns))
            }
            _ => values::value(&mut self.rng, row),
        }
    }

    /// Writes a start tag up to its end.
    pub(super) fn start(&mut self, name: &str, tag: &Tag, list: List) {
        let declarations = self.scope.declared(tag).into_iter();
        let declarations = declarations.map(|(prefix, uri)| match prefix.as_str() {
            "" => ("xmlns".to_owned(), uri),
            prefix => (format!("xmlns:{prefix}"), uri),
        });
        let mut all: Vec<_> = if self.rng.chance(80) {
            declarations.chain(list.written).collect()
        } else {
            list.written.into_iter().chain(declarations).collect()
        };
        if self.rng.chance(20) {
            self.rng.shuffle(&mut all);
        }
        write!(self.out, "<{name}").unwrap();
        for (name, value) in all {
            let space = if self.rng.chance(95) { " " } else { self.rng.pick(&["\n", "  ", "\t", "\r\n "]) };
            let equals = if self.rng.chance(97) { "=" } else { self.rng.pick(&[" =", "= ", "\n=\t"]) };
            let quote = if self.rng.chance(85) { '"' } else { '\'' };
            write!(self.out, "{space}{name}{equals}{quote}").unwrap();
            self.escape(&value, Some(quote));
            self.out.push(quote);
        }
        if self.rng.chance(4) {
            self.out.push(' ');
        }
    }

    /// Writes text with references where they must be, and some where they need not be.
    pub(super) fn escape(&mut self, text: &str, quote: Option<char>) {
        for letter in text.chars() {
            let must = matches!(letter, '<' | '&') || Some(letter) == quote || letter == '>' && quote.is_none();
            let blank = matches!(letter, '\n' | '\t' | '\r');
            if must || blank && self.rng.chance(70) || self.rng.chance(1) {
                self.reference(letter);
            } else {
                self.out.push(letter);
            }
        }
    }

    fn reference(&mut self, letter: char) {
        let named = match letter {
            '<' => Some("lt"),
            '>' => Some("gt"),
            '&' => Some("amp"),
            '"' => Some("quot"),
            '\'' => Some("apos"),
            _ => None,
        };
        match named.filter(|_| self.rng.chance(75)) {
            Some(name) => write!(self.out, "&{name};"),
            None => match self.rng.below(3) {
                0 => write!(self.out, "&#{};", letter as u32),
                1 => write!(self.out, "&#x{:x};", letter as u32),
                _ => write!(self.out, "&#x0{:X};", letter as u32),
            },
        }
        .unwrap();
    }
}
