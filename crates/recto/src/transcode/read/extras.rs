//! What goes into a message's `Extras`, and in which order its children came.

use recto_schema::fields;
use recto_schema::tables::Row;

use crate::error::Result;
use crate::transcode::observe::Observer;
use crate::wire::input::{Field, Fields};
use crate::wire::output::put_message;
use crate::wire::{put_bytes, put_text, put_uint, put_varint};

use super::Reader;
use super::capture::{Capture, Target};
use super::frame::{Frame, Snapshot};

/// So many children of one field in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub field: u32,
    pub count: u32,
}

/// The extras of an open frame.
pub(super) struct Pending {
    /// Index of the frame.
    pub frame: usize,
    /// Fields of the `Extras` message, finished.
    pub bytes: Vec<u8>,
}

/// Field number of `Extras` in every message that has it.
pub(super) const EXTRAS: u32 = 1;

impl<O: Observer> Reader<'_, O> {
    /// The extras of the innermost frame.
    #[cold]
    pub(super) fn extras(&mut self) -> &mut Vec<u8> {
        let frame = self.frames.len().saturating_sub(1);
        let begun = match self.pending.pop_if(|pending| pending.frame == frame) {
            Some(pending) => pending,
            None => {
                self.findings.extras += 1;
                Pending { frame, bytes: Vec::new() }
            }
        };
        &mut self.pending.push_mut(begun).bytes
    }

    /// Writes the innermost frame's extras so far; a later second occurrence merges with it.
    #[inline]
    pub(super) fn write_extras(&mut self) {
        if !self.pending.is_empty() {
            self.write_pending();
        }
    }

    #[cold]
    fn write_pending(&mut self) {
        let frame = self.frames.len().saturating_sub(1);
        if let Some(pending) = self.pending.pop_if(|pending| pending.frame == frame) {
            put_bytes(&mut self.out.bytes, EXTRAS, &by_number(&pending.bytes));
        }
    }

    /// An attribute without field; `field` is that of the flattened child that it stands on, or 0.
    #[cold]
    pub(super) fn extra_attribute(&mut self, field: u32, name: &[u8], value: &[u8], prefix: &[u8]) {
        let namespace = match prefix {
            [] | b"xml" => None,
            _ => self.scope.find(prefix).filter(|binding| binding.depth > 0).map(|binding| binding.uri.clone()),
        };
        put_message(self.extras(), fields::extras::ATTRIBUTES, |out| {
            if field != 0 {
                put_uint(out, fields::extra_attribute::FIELD, u64::from(field));
            }
            put_text(out, fields::extra_attribute::NAME, name);
            put_text(out, fields::extra_attribute::VALUE, value);
            if let Some(uri) = namespace {
                put_bytes(out, fields::extra_attribute::NAMESPACE, &uri);
            }
        });
    }

    /// The text of a value that its typed field would not regenerate.
    #[cold]
    pub(super) fn lexical(&mut self, field: u32, text: Option<&[u8]>) {
        put_message(self.extras(), fields::extras::LEXICAL, |out| {
            put_uint(out, fields::lexical::FIELD, u64::from(field));
            if let Some(text) = text {
                put_bytes(out, fields::lexical::TEXT, text);
            }
        });
    }

    /// Moves what the innermost frame's attributes without value say behind what the others say: they will be written so, and
    /// read again they must give the same bytes.
    #[cold]
    pub(super) fn lexical_last(&mut self, invalid: &[u32]) {
        let frame = self.frames.len().saturating_sub(1);
        let Some(pending) = self.pending.last_mut().filter(|pending| pending.frame == frame) else { return };
        let bytes = std::mem::take(&mut pending.bytes);
        let mut last = Vec::new();
        for (field, piece) in pieces(&bytes) {
            let content = field.bytes(&bytes);
            let is_last = field.number == fields::extras::LEXICAL
                && Fields::new(content).map_while(Result::ok).any(|inner| {
                    inner.number == fields::lexical::FIELD && invalid.iter().any(|&number| u64::from(number) == inner.value)
                });
            if is_last { last.extend_from_slice(piece) } else { pending.bytes.extend_from_slice(piece) }
        }
        pending.bytes.extend_from_slice(&last);
    }

    /// A namespace declaration that the writer would not place by itself.
    #[cold]
    pub(super) fn extra_namespace(&mut self, prefix: &[u8], uri: &[u8], after: u32) {
        put_message(self.extras(), fields::extras::NAMESPACES, |out| put_declaration(out, prefix, uri, after));
    }

    /// Notes a child of the innermost frame.
    #[inline]
    pub(super) fn mark(&mut self, slot: usize, row: &Row) {
        self.mark_field(slot, u32::from(row.field), row.repeated);
    }

    #[inline]
    pub(super) fn mark_field(&mut self, slot: usize, field: u32, repeated: bool) {
        if self.frames.last().is_some_and(Frame::holds) {
            self.release(None);
        }
        let Some(frame) = self.frames.last_mut() else { return };
        frame.has_content = true;
        frame.forget_blank();
        if !repeated {
            frame.seen |= 1 << slot;
        }
        if slot + 1 < frame.last {
            frame.disordered = true;
        }
        frame.last = slot + 1;
        match self.runs.get_mut(frame.runs..).and_then(|runs| runs.last_mut()) {
            Some(run) if run.field == field => run.count += 1,
            _ => self.runs.push(Run { field, count: 1 }),
        }
    }

    /// Notes several children in a row of a repeated field.
    #[inline]
    pub(super) fn mark_many(&mut self, slot: usize, row: &Row, count: u32) {
        if count > 0 {
            self.mark(slot, row);
            if let Some(run) = self.runs.last_mut() {
                run.count += count - 1;
            }
        }
    }

    /// Where a raw node stands: after so many children of which field.
    pub(super) fn anchor(&self) -> (u32, u32) {
        let runs = self.frames.last().and_then(|frame| self.runs.get(frame.runs..)).unwrap_or_default();
        match runs.last() {
            None => (0, 0),
            Some(last) => (last.field, runs.iter().filter(|run| run.field == last.field).map(|run| run.count).sum()),
        }
    }

    /// At the end of the innermost frame: the order of its children, if it is not the schema's.
    #[cold]
    pub(super) fn order(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let runs = self.runs.get(frame.runs..).unwrap_or_default().to_vec();
        put_message(self.extras(), fields::extras::ORDER, |out| {
            for run in runs {
                for _ in 0..run.count {
                    put_varint(out, u64::from(run.field));
                }
            }
        });
    }

    /// A comment, instruction or text where the schema has none.
    #[cold]
    pub(super) fn stray(&mut self, raw: &[u8]) -> Result<()> {
        let target = self.unknown_target();
        let mut capture = Capture::new(target, self.scope.mark(), self.frames.len() as u32);
        capture.text.extend_from_slice(raw);
        self.finish_capture(capture)
    }

    /// Where an unknown child of the innermost frame goes.
    pub(super) fn unknown_target(&self) -> Target {
        match self.message().map(|message| (message, message.list)) {
            Some((message, list)) if list > 0 => Target::in_list(message, usize::from(list) - 1).unwrap_or(Target::Placed),
            _ => Target::Placed,
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let frame = self.frames.last();
        Snapshot {
            seen: frame.map_or(0, |frame| frame.seen),
            last: frame.map_or(0, |frame| frame.last),
            disordered: frame.is_some_and(|frame| frame.disordered),
            runs: self.runs.len(),
            run_count: self.runs.last().map_or(0, |run| run.count),
            pending: self.pending.len(),
            pending_len: self.pending.last().map_or(0, |pending| pending.bytes.len()),
            out: self.out.position(),
        }
    }

    /// Undoes a child of the innermost frame.
    pub(super) fn restore(&mut self, snapshot: &Snapshot) {
        self.out.truncate(snapshot.out);
        self.pending.truncate(snapshot.pending);
        if let Some(pending) = self.pending.last_mut() {
            pending.bytes.truncate(snapshot.pending_len);
        }
        self.runs.truncate(snapshot.runs);
        if let Some(run) = self.runs.last_mut() {
            run.count = snapshot.run_count;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.seen = snapshot.seen;
            frame.last = snapshot.last;
            frame.disordered = snapshot.disordered;
        }
    }
}

/// The fields of a message, each with all of its bytes.
fn pieces(wire: &[u8]) -> impl Iterator<Item = (Field, &[u8])> {
    let mut start = 0;
    Fields::new(wire).map_while(Result::ok).map(move |field| {
        let end = field.end as usize;
        let piece = wire.get(start..end).unwrap_or_default();
        start = end;
        (field, piece)
    })
}

/// The fields of a message by number: what is the same in another order of the XML's attributes is the same on the wire.
fn by_number(wire: &[u8]) -> Vec<u8> {
    let mut pieces: Vec<_> = pieces(wire).collect();
    pieces.sort_by_key(|(field, _)| field.number);
    pieces.into_iter().flat_map(|(_, piece)| piece).copied().collect()
}

/// Appends the fields of a `NamespaceDecl`.
pub(super) fn put_declaration(out: &mut Vec<u8>, prefix: &[u8], uri: &[u8], after: u32) {
    put_text(out, fields::namespace_decl::PREFIX, prefix);
    put_text(out, fields::namespace_decl::URI, uri);
    if after > 0 {
        put_uint(out, fields::namespace_decl::AFTER, u64::from(after));
    }
}
