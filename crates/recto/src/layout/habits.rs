//! What a text is expected to look like, from what it looked like so far.

use std::borrow::Cow;
use std::collections::HashMap;

use super::EmptyForm;
use super::units::{Unit, name};

/// White space at one level.
#[derive(Default)]
struct Level {
    /// Before children at this depth.
    before: Option<Vec<u8>>,
    /// Before the end tag of an element at this depth.
    end: Option<Vec<u8>>,
}

/// The habits that a text has shown.
#[derive(Default)]
pub(super) struct Habits {
    /// By the number of open elements.
    levels: Vec<Level>,
    depth: usize,
    after_text: bool,
    /// How the last empty element of a name was written.
    empty: HashMap<Vec<u8>, EmptyForm>,
    last_empty: EmptyForm,
}

impl Habits {
    /// The white space that is expected before a unit, or `None` where there can be none.
    pub(super) fn blank(&self, unit: Unit) -> Option<Cow<'_, [u8]>> {
        if self.after_text || self.depth == 0 {
            return None;
        }
        match unit {
            Unit::Start | Unit::Empty(_) | Unit::Other => Some(self.before(self.depth)),
            Unit::End => Some(self.before_end(self.depth - 1)),
            Unit::Text | Unit::Eof => None,
        }
    }

    fn seen(&self, depth: usize) -> Option<&[u8]> {
        self.levels.get(depth)?.before.as_deref()
    }

    /// Before a child at a depth: as the last time, or indented as much more than its parent as that is more than its own.
    fn before(&self, depth: usize) -> Cow<'_, [u8]> {
        if let Some(seen) = self.seen(depth) {
            return seen.into();
        }
        let Some(outer) = depth.checked_sub(1).and_then(|depth| self.seen(depth)) else { return Cow::default() };
        let further = depth.checked_sub(2).and_then(|depth| self.seen(depth));
        let indent = match further.and_then(|further| outer.strip_prefix(further)) {
            Some(more) => more,
            None => outer.rsplit(|&byte| byte == b'\n').next().unwrap_or_default(),
        };
        if indent.is_empty() { outer.into() } else { [outer, indent].concat().into() }
    }

    /// Before the end tag of an element at a depth: as the last time, or, if its children are indented, as before its start tag.
    fn before_end(&self, depth: usize) -> Cow<'_, [u8]> {
        if let Some(seen) = self.levels.get(depth).and_then(|level| level.end.as_deref()) {
            return seen.into();
        }
        let inner = self.before(depth + 1);
        match self.seen(depth) {
            _ if inner.is_empty() => inner,
            Some(seen) => seen.into(),
            None => inner.iter().copied().take_while(|&byte| matches!(byte, b'\r' | b'\n')).collect(),
        }
    }

    /// Notes a unit and the white space that stood before it.
    pub(super) fn note(&mut self, unit: Unit, blank: Option<&[u8]>) {
        let depth = if unit == Unit::End { self.depth.saturating_sub(1) } else { self.depth };
        if let Some(blank) = blank {
            while self.levels.len() <= depth {
                self.levels.push(Level::default());
            }
            if let Some(level) = self.levels.get_mut(depth) {
                let place = if unit == Unit::End { &mut level.end } else { &mut level.before };
                if place.as_deref() != Some(blank) {
                    *place = Some(blank.to_vec());
                }
            }
        }
        self.depth = if unit == Unit::Start { depth + 1 } else { depth };
        self.after_text = unit == Unit::Text;
    }

    /// How an empty element is expected to be written.
    pub(super) fn empty(&self, tag: &[u8]) -> EmptyForm {
        self.empty.get(name(tag)).copied().unwrap_or(self.last_empty)
    }

    /// Notes how one is written.
    pub(super) fn note_empty(&mut self, tag: &[u8], form: EmptyForm) {
        self.last_empty = form;
        match self.empty.get_mut(name(tag)) {
            Some(known) => *known = form,
            None => _ = self.empty.insert(name(tag).to_vec(), form),
        }
    }
}
