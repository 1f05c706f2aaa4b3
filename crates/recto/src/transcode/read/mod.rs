//! XML tokens to protobuf wire bytes, guided by the schema tables.
//!
//! The reader keeps a stack of *frames*, one for each open element that is a message. Elements whose content is a text or
//! a single value never become frames: they are *leaves*. Whatever the schema does not know is a *capture*: it is
//! copied as written and ends up in a content list, in a raw field, or among the extras of the frame.

mod attributes;
mod capture;
mod cells;
mod elements;
mod extras;
mod frame;
mod guesses;
mod heads;
#[cfg(feature = "model")]
mod items;
mod leaf;
mod part;
mod regular;
mod regular_cells;
mod regular_values;
mod repeated;
mod rows;
mod usual_cells;
mod values;

use recto_schema::tables::{Child, Message, Row, message};

use crate::error::Result;
use crate::limits::Limits;
use crate::transcode::forms::Forms;
#[cfg(feature = "model")]
use crate::transcode::observe::Ignore;
use crate::transcode::observe::{Item, Observer};
use crate::wire::output::Output;
use crate::xml::names::is_blank;
use crate::xml::namespaces::Scope;
use crate::xml::spelling::{is_usual_tag, is_usual_text};
use crate::xml::tokens::{Event, Token};
use crate::xml::{escapes, malformed};

use capture::Capture;
use cells::CellState;
use extras::{Pending, Run};
use frame::Frame;
use guesses::Guesses;
use leaf::Leaf;
use repeated::Repeated;
use rows::Habits;

#[cfg(feature = "model")]
pub(crate) use items::Items;
pub(crate) use part::{Content, PartXml};
pub(in crate::transcode) use values::parse_integer;

/// Buffered bytes from which on finished content is handed on.
const PIECE: usize = 64 * 1024;

/// Reads parts; its buffers serve one part after the other.
pub(crate) struct Reader<'a, O> {
    /// Where the wire bytes go.
    pub out: Output<'a>,
    observer: &'a mut O,
    limits: Limits,
    scope: Scope,
    /// Open messages, the root first.
    frames: Vec<Frame>,
    /// Children of open frames so far, as runs of the same field.
    runs: Vec<Run>,
    /// Extras of open frames, at most one entry for a frame.
    pending: Vec<Pending>,
    /// Which child and which attribute came next the last time, and how the attribute of a flattened child was written.
    children: Guesses<Child>,
    attributes: Guesses<(usize, &'static Row)>,
    values: Guesses<()>,
    repeated: Repeated,
    habits: Habits,
    /// Passes over a window so far.
    pass: u64,
    /// What was counted in this pass, if anybody listens.
    counted: Vec<(Item, u8)>,
    leaf: Option<Leaf>,
    capture: Option<Capture>,
    forms: Forms,
    cell: CellState,
    /// Number of the current row of a sheet.
    row: u64,
    /// Whether the part is laid out or spelt in a way that the writer would not give it by itself.
    pub unusual: bool,
    /// The root of the part, once it has been found to be typed.
    pub root: Option<&'static Row>,
    /// Whether the root is in a namespace of the Strict conformance class.
    strict: bool,
    /// Whether finished content may be handed on before the part ends.
    in_pieces: bool,
    /// A step ends when no more elements than these are open: 0, unless somebody waits for the end of another one.
    pause: usize,
    /// Elements or values that could not be typed for their depth or text.
    pub findings: Findings,
    scratch: Vec<u8>,
    /// What parts are read into.
    buffer: Vec<u8>,
}

/// What was noticed while a part was read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Findings {
    /// Elements kept raw because they are nested too deeply.
    pub deep: u64,
    /// Values whose text is not valid for their type.
    pub invalid: u64,
    /// Messages with extras.
    pub extras: u64,
}

#[cfg(feature = "model")]
impl Reader<'static, Ignore> {
    /// A reader into memory that belongs to nobody else.
    pub(crate) fn unobserved(limits: &Limits) -> Self {
        // It has no size, so that nothing leaks.
        Reader::new(Output::in_memory(Vec::new()), Box::leak(Box::new(Ignore)), limits)
    }
}

impl<'a, O: Observer> Reader<'a, O> {
    /// A reader that writes to `out`.
    pub(crate) fn new(out: Output<'a>, observer: &'a mut O, limits: &Limits) -> Self {
        Reader {
            out,
            observer,
            limits: limits.clone(),
            scope: Scope::new(),
            frames: Vec::new(),
            runs: Vec::new(),
            pending: Vec::new(),
            children: Guesses::default(),
            attributes: Guesses::default(),
            values: Guesses::default(),
            repeated: Repeated::default(),
            habits: Habits::default(),
            pass: 0,
            counted: Vec::new(),
            leaf: None,
            capture: None,
            forms: Forms::default(),
            cell: CellState::default(),
            row: 0,
            unusual: false,
            root: None,
            strict: false,
            in_pieces: false,
            pause: 0,
            findings: Findings::default(),
            scratch: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Whether Office opens a file although the part that was read last is malformed: document properties, and parts
    /// whose root is not typed.
    pub(crate) fn tolerates(&self, content_type: Option<&str>) -> bool {
        match self.root {
            Some(row) => message(row.target).tolerant,
            None => !content_type.is_some_and(|kind| kind.contains("wordprocessingml.") || kind.contains("spreadsheetml.")),
        }
    }

    /// Takes one token inside the root element.
    #[inline]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event.token {
            Token::Start(tag) => {
                self.unusual = self.unusual || (self.capture.is_none() && !is_usual_tag(&tag));
                self.start(&tag, event.raw)
            }
            Token::End => self.end(event.raw),
            Token::Text(text) => self.text(text, event.raw),
            Token::Cdata(text) => self.cdata(text, event.raw),
            Token::Comment | Token::Instruction => self.markup(event.raw),
            Token::Eof => Err(malformed("unexpected end")),
        }
    }

    fn end(&mut self, raw: &[u8]) -> Result<()> {
        if self.capture.is_some() {
            self.end_captured(raw)
        } else if let Some(leaf) = &self.leaf {
            self.unusual |= leaf.is_empty() || raw.ends_with(b" >");
            self.end_leaf()
        } else {
            self.unusual |= raw.ends_with(b" >") || self.frames.last().is_some_and(|frame| !frame.has_content);
            self.end_frame()
        }
    }

    fn text(&mut self, text: &[u8], raw: &[u8]) -> Result<()> {
        if self.capture.is_some() {
            return self.captured_text(text, raw);
        }
        if self.leaf.is_some() {
            self.unusual = self.unusual || !is_usual_text(text);
            return self.leaf_text(text, raw, false);
        }
        if is_blank(text) {
            self.unusual = true;
            return self.blank(raw);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let checked = escapes::unescape_text(text, &mut scratch);
        self.scratch = scratch;
        checked?;
        self.stray(raw)
    }

    fn cdata(&mut self, text: &[u8], raw: &[u8]) -> Result<()> {
        if let Some(capture) = &mut self.capture {
            capture.text.extend_from_slice(raw);
            return Ok(());
        }
        if self.leaf.is_some() {
            self.unusual = true;
            return self.leaf_text(text, raw, true);
        }
        if is_blank(text) { self.blank(raw) } else { self.stray(raw) }
    }

    /// A comment or processing instruction.
    fn markup(&mut self, raw: &[u8]) -> Result<()> {
        if self.leaf.is_some() {
            self.leaf_to_capture()?;
        }
        if let Some(capture) = &mut self.capture {
            capture.text.extend_from_slice(raw);
            return Ok(());
        }
        self.stray(raw)
    }

    /// White space between elements, which counts if the element says so.
    fn blank(&mut self, raw: &[u8]) -> Result<()> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.preserves_space {
            return self.stray(raw);
        }
        frame.keep_blank(raw);
        Ok(())
    }

    /// The message of the innermost frame.
    #[inline]
    fn message(&self) -> Option<&'static Message> {
        self.frames.last().map(|frame| frame.message)
    }
}
