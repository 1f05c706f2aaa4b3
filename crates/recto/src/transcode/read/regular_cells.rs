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
use crate::wire::{WireType, put_bytes, put_key, put_uint};
use crate::xml::scan::{byte, digit_count, digits, low_bytes, text_end, value_end, word};

use super::Reader;
use super::regular::{Name, TagEnd, slice};
use super::regular_values::{Typed, escaped_end};
use super::rows::{Heads, TailOf};

/// What was found of a cell up to its formula or value.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Its first fields on the wire.
    start: Small,
    has_style: bool,
    kind: Option<CellType>,
    /// Whether it is an empty element.
    empty: bool,
}

/// A cell's value, ready to be written.
enum Value<'b> {
    None,
    Number(f64),
    Index(u32),
    Boolean(bool),
    Text(&'b [u8]),
    /// A text that stands in the scratch buffer.
    Unescaped,
}

/// Bytes of a [`Small`]: two for the key, one for the length, and what two varints of 32 bits, a double and their keys take.
const ROOM: usize = 24;

/// A cell of a few bytes on the stack.
#[derive(Clone, Copy)]
struct Small {
    bytes: [u8; ROOM],
    /// Where the content begins, behind the length.
    start: usize,
    len: usize,
}

impl Small {
    /// A message of a field whose number is below 2048.
    fn message(field: u32) -> Self {
        let mut small = Small { bytes: [0; ROOM], start: 0, len: 0 };
        small.varint(field << 3 | WireType::Bytes as u32);
        small.push(0);
        small.start = small.len;
        small
    }

    #[inline(always)]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    #[inline(always)]
    fn varint(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    /// A varint field whose number is below 16.
    #[inline(always)]
    fn uint(&mut self, field: u32, value: u32) {
        self.push((field << 3) as u8);
        self.varint(value);
    }

    #[inline(always)]
    fn double(&mut self, field: u32, value: f64) {
        self.push((field << 3) as u8 | WireType::Fixed64 as u8);
        if let Some(place) = self.bytes.get_mut(self.len..self.len + 8) {
            place.copy_from_slice(&value.to_bits().to_le_bytes());
            self.len += 8;
        }
    }

    /// The content.
    #[inline(always)]
    fn content(&self) -> &[u8] {
        self.bytes.get(self.start..self.len).unwrap_or_default()
    }

    /// Appends it. All of the room is copied and what was not used cut off again: that takes no call.
    #[inline(always)]
    fn put(mut self, out: &mut Vec<u8>) {
        if let Some(length) = self.bytes.get_mut(self.start - 1) {
            *length = (self.len - self.start) as u8;
        }
        let end = out.len() + self.len;
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

const _: () = assert!(fields::cell::COLUMN < 16 && fields::cell::STYLE < 16 && fields::cell::NUMBER < 16);
const _: () = assert!(fields::cell::SHARED_STRING < 16 && fields::cell::BOOLEAN < 16 && fields::row::CELLS < 2048);

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
    /// How every cell begins on the wire.
    begin: Small,
    /// Number of the row, in digits, as a little-endian word, and how many digits.
    pub number: u64,
    pub digits: usize,
}

impl RowContext {
    fn new(owner: &'static Message, namespace: u8, generation: u32) -> Option<Self> {
        let Some(Child::Own(slot, row)) = owner.child(namespace, b"c") else { return None };
        let table = message(row.target);
        let formula = table.field(fields::cell::FORMULA).map(|(_, row)| (message(row.target), row.namespace));
        let formula = formula.filter(|(_, namespace)| matches!(table.child(*namespace, b"f"), Some(Child::Own(..))));
        let begin = Small::message(u32::from(row.field));
        Some(RowContext { owner, generation, cells: (slot, row), formula, begin, number: 0, digits: 0 })
    }

    /// The same for the row with a number.
    #[inline]
    fn numbered(mut self, number: u64) -> Option<Self> {
        if !(1..=1_048_576).contains(&number) {
            return None;
        }
        let mut rest = number as u32;
        (self.number, self.digits) = (0, 0);
        while rest > 0 {
            self.number = self.number << 8 | u64::from(b'0' as u32 + rest % 10);
            rest /= 10;
            self.digits += 1;
        }
        Some(self)
    }
}

/// What was found of a cell's value.
struct Found {
    /// Where the text of `v` stands, if there is one.
    text: Option<(usize, usize)>,
    /// The text as a number, if it is one in plain notation.
    plain: Option<Plain>,
    /// Whether something in the text needs more than copying.
    escaped: bool,
    /// The byte after the cell.
    next: usize,
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
        let mut heads = std::mem::take(&mut self.habits.heads);
        let read = self.cells(window, (start, last), &context, &mut heads);
        self.habits.heads = heads;
        let (at, count) = read?;
        self.mark_many(slot, row, count as u32);
        Ok((count > 0).then_some(at))
    }

    /// Reads cells: the place after them, and how many.
    fn cells(
        &mut self,
        window: &[u8],
        (mut at, last): (usize, usize),
        context: &RowContext,
        heads: &mut Heads,
    ) -> Result<(usize, usize)> {
        let mut count = 0;
        while at < last && word(window, at) & 0xFF_FFFF == 0x20_633C {
            let found;
            let known = heads.cell(count, window, at + 2, context);
            let (cell, next) = match known {
                Some(known) => known,
                None => {
                    let Some((cell, next)) = find_cell(window, at + 2, context) else { break };
                    heads.remember(count, (window, at + 2, next), context, &cell);
                    found = cell;
                    (&found, next)
                }
            };
            let Some(next) = self.regular_cell(window, cell, next, context)? else { break };
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

    /// Reads what is left of a cell from `at` on.
    #[inline(always)]
    fn regular_cell(&mut self, window: &[u8], cell: &Cell, at: usize, context: &RowContext) -> Result<Option<usize>> {
        let row = context.cells.1;
        if !cell.empty && byte(window, at + 1) == b'f' {
            return self.formula_cell(window, cell, at, context);
        }
        let kind = cell.kind.unwrap_or(CellType::Number);
        let Some(found) = find_value(window, at, cell.empty, kind) else { return Ok(None) };
        self.unusual |= !cell.empty && found.text.is_none_or(|(start, end)| start == end);
        let Some((value, regular)) = self.cell_value_of(window, kind, &found) else { return Ok(None) };
        if !self.implies_type(cell, &value) {
            return Ok(None);
        }
        let mut small = cell.start;
        if !regular || matches!(value, Value::Text(_) | Value::Unescaped) {
            let mark = self.out.begin(u32::from(row.field));
            self.out.bytes.extend_from_slice(small.content());
            self.put_cell_value(window, kind, (value, regular), found.text);
            self.out.end(mark)?;
        } else {
            match value {
                Value::Number(number) => small.double(fields::cell::NUMBER, number),
                Value::Index(index) => small.uint(fields::cell::SHARED_STRING, index),
                Value::Boolean(value) => small.uint(fields::cell::BOOLEAN, u32::from(value)),
                Value::None | Value::Text(_) | Value::Unescaped => {}
            }
            small.put(&mut self.out.bytes);
        }
        self.count_cell(cell, found.text.is_some(), row.namespace);
        Ok(Some(found.next))
    }

    /// Reads a cell that has a formula.
    fn formula_cell(&mut self, window: &[u8], cell: &Cell, at: usize, context: &RowContext) -> Result<Option<usize>> {
        let row = context.cells.1;
        let trial = self.trial();
        let mark = self.out.begin(u32::from(row.field));
        self.out.bytes.extend_from_slice(cell.start.content());
        let mut typed = Typed::default();
        let formula = self.put_formula(window, at, context, &mut typed);
        let rest = formula.and_then(|next| {
            let kind = cell.kind.unwrap_or(CellType::Number);
            let found = find_value(window, next, false, kind)?;
            self.unusual |= found.text.is_some_and(|(start, end)| start == end);
            let (value, regular) = self.cell_value_of(window, kind, &found)?;
            if !self.implies_type(cell, &value) {
                return None;
            }
            self.put_cell_value(window, kind, (value, regular), found.text);
            Some(found)
        });
        let Some(found) = rest else {
            self.give_up(trial);
            return Ok(None);
        };
        self.count(Item::Element, row.namespace);
        self.count_all(&typed);
        self.count_cell(cell, found.text.is_some(), row.namespace);
        self.out.end(mark)?;
        Ok(Some(found.next))
    }

    /// Writes a cell's value and, where the part's rule does not give its text, that.
    fn put_cell_value(
        &mut self,
        window: &[u8],
        kind: CellType,
        (value, regular): (Value<'_>, bool),
        text: Option<(usize, usize)>,
    ) {
        let out = &mut self.out.bytes;
        match value {
            Value::None => {}
            Value::Number(number) => {
                put_key(out, fields::cell::NUMBER, WireType::Fixed64);
                out.extend_from_slice(&number.to_bits().to_le_bytes());
            }
            Value::Index(index) => put_uint(out, fields::cell::SHARED_STRING, u64::from(index)),
            Value::Boolean(value) => put_uint(out, fields::cell::BOOLEAN, u64::from(value)),
            Value::Text(text) => put_bytes(out, kind.field(), text),
            Value::Unescaped => put_bytes(out, kind.field(), &self.scratch),
        }
        if let Some((start, end)) = text.filter(|_| !regular) {
            self.number_text(slice(window, start, end), true);
        }
    }

    #[inline]
    fn count_cell(&mut self, cell: &Cell, has_value: bool, namespace: u8) {
        self.count(Item::Element, namespace);
        let attributes = 1 + usize::from(cell.has_style) + usize::from(cell.kind.is_some());
        for _ in 0..attributes {
            self.count(Item::Attribute, namespace);
        }
        if has_value {
            self.count(Item::Element, namespace);
        }
    }

    /// Writes the formula that begins at `at`; the byte after it.
    #[inline]
    fn put_formula(&mut self, window: &[u8], at: usize, context: &RowContext, typed: &mut Typed) -> Option<usize> {
        let (table, namespace) = context.formula?;
        let name = Name { start: at + 1, local: at + 1, end: at + 2 };
        let mark = self.out.begin(fields::cell::FORMULA);
        let tag = self.formula_attributes(window, name.end, table, namespace, typed)?;
        let next = if tag.empty { tag.next } else { self.regular_content(window, tag.next, name, table)? };
        self.out.end(mark).ok()?;
        Some(next)
    }

    /// The attributes of a formula. Those of a shared formula are the same for all of its cells.
    #[inline]
    fn formula_attributes(
        &mut self,
        window: &[u8],
        at: usize,
        table: &'static Message,
        namespace: u8,
        typed: &mut Typed,
    ) -> Option<TagEnd> {
        if byte(window, at) == b'>' {
            return Some(TagEnd { next: at + 1, empty: false });
        }
        if let Some(end) = self.copy_tail(TailOf::Formula, window, at, typed) {
            return Some(end);
        }
        let start = self.begin_tail(at, typed);
        let end = self.regular_attributes(window, at, table, namespace, typed)?;
        self.remember_tail(TailOf::Formula, window, &start, end, typed);
        Some(end)
    }

    /// The value of a text, and whether its part's rule gives the text; nothing where it is not valid or not usual.
    #[inline(always)]
    fn cell_value_of<'b>(&mut self, window: &'b [u8], kind: CellType, found: &Found) -> Option<(Value<'b>, bool)> {
        let Some((start, end)) = found.text else { return Some((Value::None, true)) };
        let text = slice(window, start, end);
        if found.escaped {
            let is_text = matches!(kind, CellType::Error | CellType::Text | CellType::Date);
            return (is_text && self.unescape(text).is_some()).then_some((Value::Unescaped, true));
        }
        Some(match kind {
            CellType::Number => {
                if let Some((plain, number)) = found.plain.and_then(|plain| Some((plain, plain.value()?))) {
                    let regular = self.is_regular_plain(&plain, number, text);
                    return Some((Value::Number(number), regular));
                }
                let number = numbers::parse_double(text)?;
                let regular = self.is_regular_number(number, text);
                (Value::Number(number), regular)
            }
            CellType::SharedString => match digits(window, start, end - start) {
                Some(index) if text.len() == 1 || text.first() != Some(&b'0') => (Value::Index(index), true),
                _ => {
                    let (index, regular) = numbers::parse_u32(text)?;
                    regular.then_some((Value::Index(index), true))?
                }
            },
            CellType::Boolean => match text {
                b"0" => (Value::Boolean(false), true),
                b"1" => (Value::Boolean(true), true),
                _ => return None,
            },
            CellType::Error | CellType::Text | CellType::Date => (Value::Text(text), true),
            CellType::InlineString => return None,
        })
    }

    /// Whether the `t` attribute follows from the value, given the part's habit with numbers.
    #[inline]
    fn implies_type(&mut self, cell: &Cell, value: &Value<'_>) -> bool {
        match (cell.kind, value) {
            (None, Value::None) => true,
            (Some(_), Value::None) => false,
            (None, _) => agree(&mut self.forms.number_types, NUMBER_TYPE_IMPLICIT),
            (Some(CellType::Number), _) => agree(&mut self.forms.number_types, NUMBER_TYPE_EXPLICIT),
            _ => true,
        }
    }
}

/// What is found of a cell up to its formula or value; `at` is the space before its attributes.
#[inline(always)]
fn find_cell(window: &[u8], at: usize, context: &RowContext) -> Option<(Cell, usize)> {
    let (column, mut at) = find_reference(window, at, context)?;
    let mut cell = Cell { start: context.begin, has_style: false, kind: None, empty: false };
    cell.start.uint(fields::cell::COLUMN, column);
    if word(window, at) as u32 == u32::from_le_bytes(*b" s=\"") {
        let start = at + 4;
        let length = value_end(window, start) - start;
        let style = digits(window, start, length)?;
        if byte(window, start + length) != b'"' || (length > 1 && byte(window, start) == b'0') {
            return None;
        }
        cell.start.uint(fields::cell::STYLE, style);
        cell.has_style = true;
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

/// What is found of a cell from its value on.
#[inline(always)]
fn find_value(window: &[u8], mut at: usize, empty: bool, kind: CellType) -> Option<Found> {
    if empty {
        return Some(Found { text: None, plain: None, escaped: false, next: at });
    }
    let ends_value = |at: usize| word(window, at) as u32 == u32::from_le_bytes(*b"</v>");
    let (mut text, mut plain, mut escaped) = (None, None, false);
    if word(window, at) & 0xFF_FFFF == 0x3E_763C {
        let start = at + 3;
        // Looking at a number tells where it ends.
        let end = if kind == CellType::Number {
            plain = Plain::scan(window, start).filter(|plain| ends_value(plain.end));
            plain.map(|plain| plain.end)
        } else {
            Some(start + digit_count(word(window, start))).filter(|&end| ends_value(end))
        };
        let mut end = end.unwrap_or_else(|| text_end(window, start));
        if byte(window, end) != b'<' {
            end = escaped_end(window, end)?;
            escaped = true;
        }
        if !ends_value(end) {
            return None;
        }
        text = Some((start, end));
        at = end + 4;
    }
    (word(window, at) as u32 == u32::from_le_bytes(*b"</c>")).then_some(Found { text, plain, escaped, next: at + 4 })
}

/// ` r="B7"`, in the current row: the column, and the place after it.
#[inline(always)]
fn find_reference(window: &[u8], at: usize, context: &RowContext) -> Option<(u32, usize)> {
    if word(window, at) as u32 != u32::from_le_bytes(*b" r=\"") {
        return None;
    }
    let mut at = at + 4;
    let mut column = 0u32;
    while let letter @ b'A'..=b'Z' = byte(window, at) {
        column = column * 26 + u32::from(letter - b'A') + 1;
        at += 1;
        if column > 16_384 {
            return None;
        }
    }
    let row = low_bytes(word(window, at), context.digits) == context.number;
    let regular = column > 0 && row && byte(window, at + context.digits) == b'"';
    regular.then_some((column, at + context.digits + 1))
}
