//! A source's text against the usual one: the changes between them.

use std::io::Read;

use crate::error::Result;
use crate::limits::Limits;
use crate::xml::names::is_blank;

use super::apply::says_the_same;
use super::habits::Habits;
use super::units::{Unit, Units};
use super::{Change, EmptyForm, Layout, What, checksum, without_mark};

/// Changes may take a sixteenth of the text, and this.
const FREE: usize = 4096;

struct Learner {
    layout: Layout,
    habits: Habits,
    /// Units since the last change.
    since: u32,
    room: usize,
    /// Whether the texts differ at all.
    differ: bool,
}

/// The changes that make `usual` the text that `source` gives; `None` if there are none, if they would take too much room, or
/// if the two differ in more than layout.
pub(crate) fn learn(source: impl Read, usual: &[u8], limits: &Limits) -> Result<Option<Layout>> {
    let usual = without_mark(usual);
    let mut wanted = Units::new(source, limits);
    let mut units = Units::new(usual, limits);
    let room = usual.len() / 16 + FREE;
    let mut learner = Learner { layout: Layout::default(), habits: Habits::default(), since: 0, room, differ: false };
    loop {
        let unit = units.next()?;
        let mut found = wanted.next()?;
        let mut blank = Vec::new();
        if found == Unit::Text && unit != Unit::Text && is_blank(wanted.text()) {
            blank.extend_from_slice(wanted.text());
            found = wanted.next()?;
        }
        let spelt = units.text() != wanted.text();
        if !same_kind(unit, found) || (spelt && !says_the_same(unit, units.text(), wanted.text(), limits)?) {
            return Ok(None);
        }
        if !learner.unit(unit, found, &blank, units.text(), wanted.text()) {
            return Ok(None);
        }
        if unit == Unit::Eof {
            break;
        }
    }
    let mut layout = learner.layout;
    layout.checksum = checksum(usual);
    Ok(learner.differ.then_some(layout))
}

fn same_kind(unit: Unit, found: Unit) -> bool {
    match unit {
        Unit::Empty(_) => matches!(found, Unit::Empty(_)),
        _ => unit == found,
    }
}

impl Learner {
    /// Takes a unit of both texts; whether there are changes that make one the other.
    fn unit(&mut self, unit: Unit, found: Unit, blank: &[u8], usual: &[u8], wanted: &[u8]) -> bool {
        let expected = self.habits.blank(unit);
        let fits = expected.is_some();
        let changed = match expected {
            Some(expected) => *expected != *blank,
            None if blank.is_empty() => false,
            None => return false,
        };
        if changed && !self.change(What::Blank(blank.to_vec())) {
            return false;
        }
        self.habits.note(unit, fits.then_some(blank));
        if let Unit::Empty(form) = found {
            if self.habits.empty(usual) != form && !self.change(What::Empty(form)) {
                return false;
            }
            self.habits.note_empty(usual, form);
        }
        if usual != wanted && !self.change(What::Spelling(wanted.to_vec())) {
            return false;
        }
        self.differ |= unit != found || !blank.is_empty() || usual != wanted;
        self.since += 1;
        true
    }

    /// Adds a change, if there is room.
    fn change(&mut self, what: What) -> bool {
        let size = 6 + match &what {
            What::Blank(text) | What::Spelling(text) => text.len(),
            What::Empty(EmptyForm::Closed | EmptyForm::Spaced | EmptyForm::Paired) => 0,
        };
        let Some(room) = self.room.checked_sub(size) else { return false };
        self.room = room;
        self.layout.changes.push(Change { skip: std::mem::take(&mut self.since), what });
        true
    }
}
