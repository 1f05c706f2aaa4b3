//! Protobuf wire bytes to XML text, guided by the schema tables.
//!
//! Where the fields of a message stand in schema order and without extras, as a reader of this crate or prost wrote them,
//! they are written as they come. Everything else goes through an index. Long messages are skimmed first to tell; of short
//! ones, the few that turn out otherwise are taken back. Messages that come again and again are not even looked into.

mod cells;
#[cfg(test)]
mod differential;
mod extras;
mod indexed;
mod message;
mod names;
mod part;
mod raw;
mod regular_cells;
mod repeated;
mod rows;
mod streamed;
mod values;

use std::collections::VecDeque;
use std::io::Write;

use crate::error::{Error, Result};
use crate::transcode::forms::Forms;
use crate::wire::input::invalid;
use crate::xml::namespaces::Scope;

pub(crate) use part::PartText;

/// Buffered text from which on it is handed on.
const PIECE: usize = 64 * 1024;

/// Items that come from elsewhere than the input, at the end of a list in a message that is written piece by piece.
pub(crate) struct Supply<'s> {
    /// Index of the message.
    pub owner: u16,
    /// Number of the list in it.
    pub items: u32,
    /// Appends the wire bytes of the next item; whether there is one.
    pub next: &'s mut dyn FnMut(&mut Vec<u8>) -> Result<bool>,
}

/// Writes the XML of parts.
pub(crate) struct Writer<'s> {
    /// Text that has not been handed on.
    out: Vec<u8>,
    sink: &'s mut dyn Write,
    /// Whether the last start tag still lacks its `>`.
    open: bool,
    scope: Scope,
    /// Number of declarations on the root.
    root_scope: usize,
    /// Declarations that the open start tag, or before any that of the root, has yet to get: prefix, URI, and how many
    /// attributes stand before it.
    declarations: VecDeque<(Vec<u8>, Vec<u8>, u32)>,
    /// What each namespace's elements and attributes are written with; found when asked for.
    prefixes: names::Prefixes,
    forms: Forms,
    /// Whether namespaces are declared by their Strict URIs.
    strict: bool,
    /// Namespace of the element whose start tag is open, and how many declarations were in scope around it.
    namespace: u8,
    around: usize,
    /// Items of a list that are not in the input.
    supply: Option<Supply<'s>>,
    /// Number of the current row of a sheet.
    row: rows::RowNumber,
    /// Attributes of rows.
    row_tail: rows::RowTail,
    /// Start tags of its cells.
    heads: regular_cells::Heads,
    /// Texts of messages that come again.
    repeated: repeated::Repeated,
    /// How much text was taken back, and how much may be before messages are looked through before they are written.
    taken_back: usize,
    may_take_back: usize,
}

impl<'s> Writer<'s> {
    /// A writer of text to `sink` by way of a buffer, which is empty.
    pub(crate) fn new(sink: &'s mut dyn Write, buffer: Vec<u8>) -> Self {
        Writer {
            out: buffer,
            sink,
            open: false,
            scope: Scope::new(),
            root_scope: 0,
            declarations: VecDeque::new(),
            prefixes: names::Prefixes::default(),
            forms: Forms::default(),
            strict: false,
            namespace: 0,
            around: 0,
            supply: None,
            row: rows::RowNumber::default(),
            row_tail: rows::RowTail::new(),
            heads: regular_cells::Heads::new(),
            repeated: repeated::Repeated::never(),
            taken_back: 0,
            may_take_back: PIECE / 4,
        }
    }

    /// Adds items to a list that the input has without them.
    pub(crate) fn supplied(mut self, supply: Supply<'s>) -> Self {
        self.supply = Some(supply);
        self
    }

    /// Completes the last start tag.
    #[inline(always)]
    fn settle(&mut self) {
        if self.open {
            self.out.push(b'>');
            self.open = false;
        }
    }

    /// Hands text on if there is enough of it.
    #[inline(always)]
    fn hand_on(&mut self) -> Result<()> {
        if self.out.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    /// Hands all text on. Strings in a `.bin` need not be UTF-8, so this is where it is made sure.
    fn flush(&mut self) -> Result<()> {
        if std::str::from_utf8(&self.out).is_err() {
            return Err(invalid("a string is not UTF-8"));
        }
        self.sink.write_all(&self.out).map_err(Error::from)?;
        self.may_take_back = self.may_take_back.saturating_add(self.out.len() / 4);
        self.out.clear();
        Ok(())
    }
}
