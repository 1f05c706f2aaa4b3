//! Regular cells, whole ones at a time.

use recto_schema::fields::sheet as fields;
use recto_schema::tables::{Child, Codec, Message, Row, message};

use crate::error::Result;
use crate::transcode::MAX_MESSAGE_DEPTH;
use crate::transcode::cells::CellType;
use crate::transcode::forms::{NUMBER_TYPE_EXPLICIT, NUMBER_TYPE_IMPLICIT, agree};
use crate::transcode::numbers;
use crate::transcode::observe::{Item, Observer};
use crate::transcode::plain::Plain;
use crate::wire::{put_double, put_uint};
use crate::xml::scan::{byte, digits, low_bytes, text_end, value_end, word};

use super::Reader;
use super::heads::{Head, Heads, REACH, Then, find_reference};
use super::regular::{Name, slice};
use super::regular_values::Typed;

/// What a cell's start tag says behind the reference.
struct Cell {
    style: Option<u32>,
    kind: Option<CellType>,
    /// Whether it is an empty element.
    empty: bool,
}

impl Cell {
    /// Number of its attributes.
    fn attributes(&self) -> usize {
        1 + usize::from(self.style.is_some()) + usize::from(self.kind.is_some())
    }
}

/// What was read of a cell.
struct Read {
    /// The end of its beginning, which [`Heads`] remember: in the window and in the output; and what follows it.
    head: Option<(usize, usize, Then)>,
    has_formula: bool,
    has_value: bool,
    /// The byte after the cell.
    next: usize,
}

/// What is the same for all cells of a row, and but for the number for all rows.
#[derive(Clone, Copy)]
pub(super) struct RowContext {
    /// The row's message, and what prefixes mean in it.
    pub owner: &'static Message,
    pub generation: u32,
    /// The row of its cells, with the slot.
    cells: (usize, &'static Row),
    /// The message of formulas and the namespace of their elements, where `f` is one.
    formula: Option<(&'static Message, u8)>,
    /// Number of the row, in digits and with the quote behind it, as a little-endian word; which bits that are, and how many
    /// bytes.
    pub number: u64,
    pub mask: u64,
    pub digits: usize,
}

impl RowContext {
    fn new(owner: &'static Message, namespace: u8, generation: u32) -> Option<Self> {
        let Some(Child::Own(slot, row)) = owner.child(namespace, b"c") else { return None };
        let table = message(row.target);
        let formula = table.field(fields::cell::FORMULA).map(|(_, row)| (message(row.target), row.namespace));
        let formula = formula.filter(|(_, namespace)| matches!(table.child(*namespace, b"f"), Some(Child::Own(..))));
        Some(RowContext { owner, generation, cells: (slot, row), formula, number: 0, mask: 0, digits: 0 })
    }

    /// The same for the row with a number.
    #[inline]
    fn numbered(mut self, number: u64) -> Option<Self> {
        if !(1..=1_048_576).contains(&number) {
            return None;
        }
        let mut rest = number as u32;
        (self.number, self.digits) = (u64::from(b'"'), 1);
        while rest > 0 {
            self.number = self.number << 8 | u64::from(b'0' as u32 + rest % 10);
            rest /= 10;
            self.digits += 1;
        }
        self.mask = low_bytes(u64::MAX, self.digits);
        Some(self)
    }

    /// The field of its cells.
    #[inline]
    pub(super) fn field(&self) -> u32 {
        u32::from(self.cells.1.field)
    }

    /// The namespace of its cells.
    #[inline]
    pub(super) fn namespace(&self) -> u8 {
        self.cells.1.namespace
    }

    /// The field of a formula's text.
    #[inline]
    pub(super) fn formula_text(&self) -> Option<u32> {
        Some(u32::from(self.formula?.0.text()?.field))
    }
}

impl<O: Observer> Reader<'_, O> {
    /// Whether the innermost frame is a row of a sheet.
    #[inline]
    pub(super) fn in_row(&self) -> bool {
        self.message().is_some_and(|message| message.codec == Codec::Row)
    }

    /// Reads cells of a row for as long as they are regular: `r`, `s` and `t` in this order, then at most a formula and a
    /// value, no prefix. Gives the place after them, or nothing if there is none.
    pub(super) fn regular_cells(&mut self, window: &[u8], start: usize, last: usize) -> Result<Option<usize>> {
        let Some(context) = self.row_context() else { return Ok(None) };
        let (slot, row) = context.cells;
        // The row may have begun in another window.
        let (_, before) = self.anchor();
        let mut heads = std::mem::take(&mut self.habits.heads);
        let read = self.cells(window, (start, last), &context, (&mut heads, before as usize));
        self.habits.heads = heads;
        let (at, count) = read?;
        self.mark_many(slot, row, count as u32);
        Ok((count > 0).then_some(at))
    }

    /// Reads cells, after so many others of the row: the place after them, and how many.
    fn cells(
        &mut self,
        window: &[u8],
        (mut at, last): (usize, usize),
        context: &RowContext,
        (heads, before): (&mut Heads, usize),
    ) -> Result<(usize, usize)> {
        let mut count = 0;
        while at < last {
            let (mut usual, mut learns) = (None, true);
            // A cell near the end of the window is looked at more closely.
            if let Some(bytes) = window.get(at..).and_then(|rest| rest.first_chunk::<REACH>()) {
                let Some((column, rest)) = find_reference(bytes, 0, context) else { break };
                let head = match heads.same(before + count, bytes, rest) {
                    Some(head) => Some(head),
                    None => heads.other(before + count, bytes, rest),
                };
                if let Some(head) = head {
                    learns = false;
                    usual = self.usual_cell(window, (column, head), at + rest + head.len, context)?;
                }
            }
            let next = match usual {
                Some(next) => Some(next),
                None => self.regular_cell(window, at, context, learns.then_some((&mut *heads, before + count)))?,
            };
            let Some(next) = next else { break };
            at = next;
            count += 1;
        }
        Ok((at, count))
    }

    /// What the cells of the innermost frame have in common, if they can be regular.
    fn row_context(&mut self) -> Option<RowContext> {
        let owner = self.frames.last().filter(|frame| frame.depth < MAX_MESSAGE_DEPTH)?.message;
        let generation = self.scope.generation();
        let context = match self.habits.context(owner, generation) {
            Some(known) => known,
            None => {
                let new = RowContext::new(owner, self.scope.element(b"")?, generation)?;
                self.habits.remember_context(new);
                new
            }
        };
        context.numbered(self.row)
    }

    /// Reads a cell, and remembers how it begins for the cells with this index in other rows.
    #[inline(never)]
    fn regular_cell(
        &mut self,
        window: &[u8],
        at: usize,
        context: &RowContext,
        learns: Option<(&mut Heads, usize)>,
    ) -> Result<Option<usize>> {
        let Some((column, start)) = find_reference(window, at, context) else { return Ok(None) };
        let Some((cell, content)) = find_cell(window, start) else { return Ok(None) };
        let trial = self.trial();
        let mark = self.out.begin(context.field());
        put_uint(&mut self.out.bytes, fields::cell::COLUMN, u64::from(column));
        let begun = self.out.bytes.len();
        if let Some(style) = cell.style {
            put_uint(&mut self.out.bytes, fields::cell::STYLE, u64::from(style));
        }
        let mut typed = Typed::default();
        let Some(read) = self.put_cell(window, content, &cell, context, &mut typed) else {
            self.give_up(trial);
            return Ok(None);
        };
        if let (Some((heads, index)), Some((end, out, then))) = (learns, read.head) {
            let wire = slice(&self.out.bytes, begun, out);
            let formula = (read.has_formula && then == Then::Value).then_some(typed);
            let head = Head::new((window, start, end), (wire, then), (cell.kind, cell.attributes(), formula));
            if let Some(head) = head {
                heads.remember(index, head);
            }
        }
        if read.has_formula {
            self.count(Item::Element, context.namespace());
            self.count_all(&typed);
        }
        self.count_cell(cell.attributes(), read.has_value, context.namespace());
        self.out.end(mark)?;
        Ok(Some(read.next))
    }

    /// Writes what a cell holds, from the place after its start tag on.
    fn put_cell(&mut self, window: &[u8], at: usize, cell: &Cell, context: &RowContext, typed: &mut Typed) -> Option<Read> {
        let started = self.out.bytes.len();
        if cell.empty {
            let head = Some((at, started, Then::Nothing));
            return cell.kind.is_none().then_some(Read { head, has_formula: false, has_value: false, next: at });
        }
        let mut head = None;
        let (mut value_at, mut is_start) = (at, true);
        let has_formula = byte(window, at + 1) == b'f';
        if has_formula {
            let text;
            (value_at, text) = self.put_formula(window, at, context, typed)?;
            is_start = !text;
            if text && byte(window, at + 2) == b'>' {
                head = Some((at + 3, started, Then::Formula));
            }
        }
        let before = self.out.bytes.len();
        let has_value = low_bytes(word(window, value_at), 3) == u64::from_le_bytes(*b"<v>\0\0\0\0\0");
        let (mut end, mut is_empty) = (value_at, !has_formula);
        if has_value {
            let start = value_at + 3;
            let value_end = self.put_cell_value(window, start, cell.kind.unwrap_or(CellType::Number))?;
            if word(window, value_end) as u32 != u32::from_le_bytes(*b"</v>") {
                return None;
            }
            if is_start {
                head = Some((start, before, Then::Value));
            }
            (end, is_empty) = (value_end + 4, value_end == start);
        }
        if word(window, end) as u32 != u32::from_le_bytes(*b"</c>") || !self.implies_type(cell, has_value) {
            return None;
        }
        self.unusual |= is_empty;
        Some(Read { head, has_formula, has_value, next: end + 4 })
    }

    /// Writes the value whose text begins at `start` and, where the part's rule does not give the text, that. Where the text
    /// ends; nothing if it is not valid or not usual.
    fn put_cell_value(&mut self, window: &[u8], start: usize, kind: CellType) -> Option<usize> {
        if matches!(kind, CellType::Error | CellType::Text | CellType::Date) {
            return self.put_content(window, start, kind.field());
        }
        let end = text_end(window, start);
        let text = slice(window, start, end);
        match kind {
            CellType::Number => {
                let plain = Plain::scan(window, start).filter(|plain| plain.end == end);
                let (number, regular) = match plain.and_then(|plain| Some((plain, plain.value()?))) {
                    Some((plain, number)) => (number, self.is_regular_plain(&plain, number, text)),
                    None => {
                        let number = numbers::parse_double(text)?;
                        (number, self.is_regular_number(number, text))
                    }
                };
                put_double(&mut self.out.bytes, fields::cell::NUMBER, number.to_bits());
                if !regular {
                    self.number_text(text, true);
                }
            }
            CellType::SharedString => {
                let (index, _) = numbers::parse_u32(text).filter(|(_, regular)| *regular)?;
                put_uint(&mut self.out.bytes, fields::cell::SHARED_STRING, u64::from(index));
            }
            CellType::Boolean => match text {
                [digit @ (b'0' | b'1')] => put_uint(&mut self.out.bytes, fields::cell::BOOLEAN, u64::from(digit - b'0')),
                _ => return None,
            },
            CellType::Error | CellType::Text | CellType::Date | CellType::InlineString => return None,
        }
        Some(end)
    }

    #[inline]
    pub(super) fn count_cell(&mut self, attributes: usize, has_value: bool, namespace: u8) {
        self.count(Item::Element, namespace);
        for _ in 0..attributes {
            self.count(Item::Attribute, namespace);
        }
        if has_value {
            self.count(Item::Element, namespace);
        }
    }

    /// Writes the formula that begins at `at`: the byte after it, and whether it has content.
    fn put_formula(&mut self, window: &[u8], at: usize, context: &RowContext, typed: &mut Typed) -> Option<(usize, bool)> {
        let (table, namespace) = context.formula?;
        let name = Name { start: at + 1, local: at + 1, end: at + 2 };
        let mark = self.out.begin(fields::cell::FORMULA);
        let tag = self.regular_attributes(window, name.end, table, namespace, typed)?;
        let next = if tag.empty { tag.next } else { self.regular_content(window, tag.next, name, table)? };
        self.out.end(mark).ok()?;
        Some((next, !tag.empty))
    }

    /// Whether the `t` attribute follows from the value, given the part's habit with numbers.
    fn implies_type(&mut self, cell: &Cell, has_value: bool) -> bool {
        match (cell.kind, has_value) {
            (None, false) => true,
            (Some(_), false) => false,
            (None, true) => agree(&mut self.forms.number_types, NUMBER_TYPE_IMPLICIT),
            (Some(CellType::Number), true) => agree(&mut self.forms.number_types, NUMBER_TYPE_EXPLICIT),
            _ => true,
        }
    }
}

/// What the start tag of a cell says behind the reference, which ends at `at`, and the place after it.
fn find_cell(window: &[u8], mut at: usize) -> Option<(Cell, usize)> {
    let mut cell = Cell { style: None, kind: None, empty: false };
    if word(window, at) as u32 == u32::from_le_bytes(*b" s=\"") {
        let start = at + 4;
        let length = value_end(window, start) - start;
        cell.style = Some(digits(window, start, length)?);
        if byte(window, start + length) != b'"' || (length > 1 && byte(window, start) == b'0') {
            return None;
        }
        at = start + length + 1;
    }
    if word(window, at) as u32 == u32::from_le_bytes(*b" t=\"") {
        let start = at + 4;
        // Nearly all types are one letter.
        let end = if byte(window, start + 1) == b'"' { start + 1 } else { value_end(window, start) };
        let kind = CellType::parse(slice(window, start, end))?;
        if byte(window, end) != b'"' || kind == CellType::InlineString {
            return None;
        }
        cell.kind = Some(kind);
        at = end + 1;
    }
    match (byte(window, at), byte(window, at + 1)) {
        (b'/', b'>') => Some((Cell { empty: true, ..cell }, at + 2)),
        (b'>', b'<') => Some((cell, at + 1)),
        _ => None,
    }
}
