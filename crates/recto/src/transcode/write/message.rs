//! Messages in memory whose fields stand in schema order, without extras.

use recto_schema::fields;
use recto_schema::tables::{Codec, Declares, Message, Row, RowKind, Scalar, message};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};
use crate::xml::escapes::{self, Place};

use super::Writer;
use super::extras::EXTRAS;
use super::repeated::Found;

/// How deep messages may nest in a `.bin`.
const MAX_DEPTH: u32 = 100;

/// Longer messages are skimmed before anything is written, shorter ones as they are written: few are not regular.
const LONG: u64 = 1024;
/// What taking a message back costs beside its text, in bytes of text.
const TAKING_BACK: usize = 64;
/// The key of the extras.
const EXTRAS_KEY: u8 = (EXTRAS << 3) as u8 | WireType::Bytes as u8;

/// What a skim tells about a message's wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Fields in schema order, singular ones once, no extras: it can be written as it comes.
    Regular,
    /// Anything else.
    Irregular,
}

/// Follows the fields of a message to tell its shape.
pub(super) struct Skim {
    message: &'static Message,
    /// Number of attribute rows.
    attributes: usize,
    /// The slot before that of the next text or child.
    last: usize,
    /// Attributes that have come, as bits of their slots. Where slots share a bit, a regular message may seem irregular,
    /// which costs time only.
    seen: u64,
}

impl Skim {
    #[inline(always)]
    pub(super) fn new(message: &'static Message) -> Self {
        Skim { message, attributes: usize::from(message.attributes), last: 0, seen: 0 }
    }

    /// Takes the next field: its row, or `None` for extras.
    #[inline(always)]
    pub(super) fn next(&mut self, field: Field) -> Result<(Option<&'static Row>, Shape)> {
        let Some((slot, row)) = self.message.field(field.number) else {
            return extras(self.message, field.number, field.wire_type);
        };
        let regular = if slot < self.attributes {
            // Attributes may come in any order among themselves: that is the order in which they were written.
            let bit = 1 << (slot % 64);
            let first = self.last == 0 && self.seen & bit == 0;
            self.seen |= bit;
            first
        } else {
            let ordered = slot + 1 > self.last || (slot + 1 == self.last && row.repeated);
            self.last = slot + 1;
            ordered
        };
        Ok((Some(row), if regular { Shape::Regular } else { Shape::Irregular }))
    }
}

/// Whether a message begins with its extras, where readers write them.
#[inline(always)]
fn has_extras_first(wire: &[u8], start: u64, table: &Message) -> bool {
    table.extras && wire.get(start as usize) == Some(&EXTRAS_KEY)
}

/// Whether all fields of a message are as [`Shape::Regular`] says.
#[inline(never)]
fn is_regular(wire: &[u8], start: u64, end: u64, table: &'static Message) -> Result<bool> {
    let mut skim = Skim::new(table);
    let mut fields = Fields::within(wire, start, end);
    while let Some(field) = fields.advance()? {
        if skim.next(field)?.1 == Shape::Irregular {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A field that the table does not have must be the extras.
#[cold]
#[inline(never)]
fn extras(message: &Message, number: u32, wire_type: WireType) -> Result<(Option<&'static Row>, Shape)> {
    if number != EXTRAS || !message.extras {
        return Err(invalid("an unknown field"));
    }
    if wire_type != WireType::Bytes {
        return Err(invalid("a field has the wrong wire type"));
    }
    Ok((None, Shape::Irregular))
}

impl Writer<'_> {
    /// Writes a message in memory, which stands from `start` to `end` of `wire`, as the element that `name` says.
    #[inline(always)]
    pub(super) fn message(&mut self, wire: &[u8], start: u64, end: u64, name: &'static Row, depth: u32) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(invalid("messages are nested too deeply"));
        }
        let table = message(name.target);
        match table.codec {
            Codec::Cell => self.cell(wire, start, end, name, depth),
            Codec::Row => self.row(wire, start, end, name, depth),
            Codec::None if table.count == table.attributes + table.texts => match table.texts {
                0 => self.leaf(wire, start, end, name, table, depth),
                _ => self.leaf_of_text(wire, start, end, name, table, depth),
            },
            _ => self.composite(wire, start, end, name, table, depth),
        }
    }

    /// Writes a message that has children.
    #[inline(never)]
    fn composite(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
        depth: u32,
    ) -> Result<()> {
        let mut second = None;
        if !table.streamed {
            match self.repeat(wire, start, end, name, depth) {
                Found::Text => return Ok(()),
                Found::Second(hash) => second = Some(hash),
                Found::Nothing => {}
            }
            if second.is_none()
                && let Some((row, child, depth)) = self.only_child(wire, start, end, table, depth)
                && self.bare_start(name, table)
            {
                self.message(wire, child.start, child.end, row, depth + 1)?;
                self.end_tag(name);
                return Ok(());
            }
        }
        self.element::<false>(wire, start, end, name, table, depth, second)
    }

    /// The one message in a message that has nothing else, with its row and the depth of what it is in.
    #[inline(always)]
    fn only_child(&self, wire: &[u8], start: u64, end: u64, table: &Message, depth: u32) -> Option<(&'static Row, Field, u32)> {
        // Mostly, a look at the length of the first field tells.
        let length = u64::from(*wire.get(start as usize + 1)?);
        if length < 0x80 && length + 2 != end - start {
            return None;
        }
        let field = Fields::within(wire, start, end).advance().ok()??;
        if field.end != end || field.wire_type != WireType::Bytes || table.declares != Declares::Nothing {
            return None;
        }
        let (_, row) = table.field(field.number)?;
        match row.kind {
            RowKind::Child => Some((row, field, depth)),
            RowKind::List => {
                let (row, item) = self.only_item(wire, message(row.target), &field).ok()??;
                let is_child = row.kind == RowKind::Child && item.wire_type == WireType::Bytes;
                is_child.then_some((row, item, depth + 1))
            }
            _ => None,
        }
    }

    /// Writes a message that has text, and may have attributes. Those that are just text have a short way.
    #[inline(never)]
    fn leaf_of_text(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
        depth: u32,
    ) -> Result<()> {
        if let Ok(Some(field)) = Fields::within(wire, start, end).advance()
            && field.end == end
            && field.start < field.end
            && field.wire_type == WireType::Bytes
            && let Some((_, row)) = table.field(field.number)
            && row.kind == RowKind::Text
            && row.scalar == Scalar::String
            && self.bare_start(name, table)
        {
            escapes::escape_piece(wire, field.start as usize, field.end as usize, Place::Text, &mut self.out)?;
            self.end_tag(name);
            return Ok(());
        }
        self.leaf(wire, start, end, name, table, depth)
    }

    /// Writes a message that has attributes and text only.
    #[inline(never)]
    fn leaf(&mut self, wire: &[u8], start: u64, end: u64, name: &'static Row, table: &'static Message, depth: u32) -> Result<()> {
        let found = self.repeat(wire, start, end, name, depth);
        let second = match found {
            Found::Text => return Ok(()),
            Found::Second(hash) => Some(hash),
            Found::Nothing => None,
        };
        let usual = end - start <= LONG && self.taken_back <= self.may_take_back;
        if usual && second.is_none() && self.declarations.is_empty() && !has_extras_first(wire, start, table) {
            let (at, open, scope) = (self.out.len(), self.open, self.enter());
            if let Ok(Shape::Regular) = self.leaf_as_it_comes(wire, start, end, name, table) {
                self.leave(scope);
                return Ok(());
            }
            self.take_back(at, open, scope, false);
        }
        self.unusual_leaf(wire, start, end, name, table, depth, second)
    }

    /// As [`Writer::element`], out of the way of what is usual.
    #[cold]
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    fn unusual_leaf(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
        depth: u32,
        second: Option<u64>,
    ) -> Result<()> {
        self.element::<false>(wire, start, end, name, table, depth, second)
    }

    /// Writes an element without children; stops where it turns out not to be regular.
    #[inline(always)]
    fn leaf_as_it_comes(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
    ) -> Result<Shape> {
        self.start(name)?;
        let mut skim = Skim::new(table);
        let mut fields = Fields::within(wire, start, end);
        while let Some(field) = fields.advance()? {
            let (row, shape) = skim.next(field)?;
            let Some(row) = row.filter(|_| shape == Shape::Regular) else { return Ok(Shape::Irregular) };
            if row.kind == RowKind::Attribute {
                self.attribute(wire, row, &field)?;
            } else {
                self.text_of_element(wire, row, &field)?;
            }
        }
        self.end(name);
        Ok(Shape::Regular)
    }

    #[inline(always)]
    fn text_of_element(&mut self, wire: &[u8], row: &Row, field: &Field) -> Result<()> {
        field.expect(WireType::Bytes)?;
        if field.start < field.end {
            self.settle();
            self.value(wire, row, field, Place::Text)?;
        }
        Ok(())
    }

    /// Writes a message that is not copied, and keeps its text where it has come a second time.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub(super) fn element<const ROW: bool>(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
        depth: u32,
        second: Option<u64>,
    ) -> Result<()> {
        let at = self.out.len();
        let open = self.open;
        if has_extras_first(wire, start, table) || !self.declarations.is_empty() {
            self.indexed(wire.get(start as usize..end as usize).unwrap_or_default(), name, depth)?;
        } else {
            let surveyed = end - start > LONG || table.streamed || self.taken_back > self.may_take_back;
            if surveyed && !is_regular(wire, start, end, table)? {
                self.indexed(wire.get(start as usize..end as usize).unwrap_or_default(), name, depth)?;
            } else {
                let scope = self.enter();
                match self.as_it_comes::<ROW>(wire, start, end, name, table, depth) {
                    Ok(Shape::Regular) => {
                        self.end(name);
                        self.leave(scope);
                    }
                    written if surveyed => return written.map(|_| ()),
                    written => {
                        self.take_back(at, open, scope, written.is_err());
                        self.again(wire.get(start as usize..end as usize).unwrap_or_default(), name, depth, written)?;
                    }
                }
            }
        }
        if let Some(hash) = second {
            // The text begins behind the end of the start tag before.
            let at = at + usize::from(open);
            self.keep(hash, wire.get(start as usize..end as usize).unwrap_or_default(), name, depth, at);
        }
        Ok(())
    }

    /// Writes the start tag and content of a message, field by field; stops where it turns out not to be regular.
    #[inline(always)]
    fn as_it_comes<const ROW: bool>(
        &mut self,
        wire: &[u8],
        start: u64,
        end: u64,
        name: &'static Row,
        table: &'static Message,
        depth: u32,
    ) -> Result<Shape> {
        self.start(name)?;
        let mut skim = Skim::new(table);
        let mut fields = Fields::within(wire, start, end);
        let mut tail = None;
        let (mut at, mut next) = (start, fields.advance()?);
        while let Some(field) = next {
            let (row, shape) = skim.next(field)?;
            let Some(row) = row.filter(|_| shape == Shape::Regular) else { return Ok(Shape::Irregular) };
            if row.kind == RowKind::Attribute {
                self.attribute(wire, row, &field)?;
                if ROW && u32::from(row.field) == fields::sheet::row::INDEX {
                    tail = self.after_row_number(field.value, at == start, &mut fields);
                }
            } else {
                if ROW && let Some(tail) = tail.take() {
                    self.keep_row_tail(wire, &tail, at);
                }
                if ROW && depth < MAX_DEPTH && message(row.target).codec == Codec::Cell && self.has_usual_cells(row) {
                    next = self.regular_cells(wire, field, &mut fields, row, depth + 1)?;
                    if next != Some(field) {
                        continue;
                    }
                }
                if table.declares == Declares::Child && self.open {
                    self.declare_child(wire, name, row, &field)?;
                }
                self.child_inline(wire, row, &field, depth)?;
            }
            at = fields.at();
            next = fields.advance()?;
        }
        Ok(Shape::Regular)
    }

    /// Takes back what was written of a message. The number of the row is as before: messages with rows in them are looked
    /// through before they are written, and a row says its number again.
    #[cold]
    #[inline(never)]
    fn take_back(&mut self, at: usize, open: bool, scope: usize, failed: bool) {
        // What is taken back may stand in what will be, too: this must not go on. And after a failure all is over.
        self.taken_back = match failed {
            true => usize::MAX,
            false => self.taken_back.saturating_add(self.out.len() - at + TAKING_BACK),
        };
        self.out.truncate(at);
        self.open = open;
        self.leave(scope);
    }

    /// Writes a message that was taken back. What failed may have done so because it is not regular.
    #[cold]
    #[inline(never)]
    fn again(&mut self, wire: &[u8], name: &'static Row, depth: u32, written: Result<Shape>) -> Result<()> {
        if written.is_err() && is_regular(wire, 0, wire.len() as u64, message(name.target))? {
            return written.map(|_| ());
        }
        self.indexed(wire, name, depth)
    }

    /// Declares the namespace of the first typed child in the open start tag.
    #[cold]
    pub(super) fn declare_child(&mut self, wire: &[u8], name: &Row, row: &'static Row, field: &Field) -> Result<()> {
        let child = match row.kind {
            RowKind::Child => Some(row),
            RowKind::List => {
                let item = Fields::new(field.bytes(wire)).last().transpose()?;
                item.and_then(|item| message(row.target).field(item.number)).map(|(_, item)| item)
            }
            _ => None,
        };
        match child.filter(|child| child.kind == RowKind::Child) {
            Some(child) if child.namespace != name.namespace => self.declare_own(child.namespace),
            _ => Ok(()),
        }
    }

    /// Cells refer to the number of their row.
    #[inline(always)]
    pub(super) fn note_row(&mut self, table: &Message, row: &Row, field: &Field) {
        if table.codec == Codec::Row && u32::from(row.field) == fields::sheet::row::INDEX {
            self.row.set(u64::from(field.value as u32));
        }
    }

    /// Writes a text or child of a message.
    pub(super) fn child(&mut self, wire: &[u8], row: &'static Row, field: &Field, depth: u32) -> Result<()> {
        self.child_inline(wire, row, field, depth)
    }

    #[inline(always)]
    fn child_inline(&mut self, wire: &[u8], row: &'static Row, field: &Field, depth: u32) -> Result<()> {
        let (row, field, depth) = match row.kind {
            RowKind::List => match self.only_item(wire, message(row.target), field)? {
                Some((row, item)) => (row, item, depth + 1),
                None => return self.merged_item(field.bytes(wire), message(row.target), depth + 1),
            },
            _ => (row, *field, depth),
        };
        match row.kind {
            RowKind::Child => {
                field.expect(WireType::Bytes)?;
                self.message(wire, field.start, field.end, row, depth + 1)
            }
            RowKind::ChildValue | RowKind::ChildText => {
                let scope = self.enter();
                self.start(row)?;
                self.child_value(wire, row, &field)?;
                self.end(row);
                self.leave(scope);
                Ok(())
            }
            RowKind::Text => self.text_of_element(wire, row, &field),
            RowKind::Raw | RowKind::Other => {
                field.expect(WireType::Bytes)?;
                self.raw_wire(field.bytes(wire))
            }
            RowKind::Attribute | RowKind::List => Err(invalid("an attribute or a list among the children")),
        }
    }

    /// The one field of an item of a content list, and its row; nothing if the item has more or less.
    #[inline(always)]
    fn only_item(&self, wire: &[u8], wrapper: &'static Message, field: &Field) -> Result<Option<(&'static Row, Field)>> {
        field.expect(WireType::Bytes)?;
        let Some(item) = Fields::within(wire, field.start, field.end).advance()? else { return Ok(None) };
        if item.end < field.end {
            return Ok(None);
        }
        match wrapper.field(item.number) {
            Some((_, row)) => Ok(Some((row, item))),
            None => Err(invalid("an unknown item")),
        }
    }

    /// A wrapper with several fields: of a `oneof` the last one counts, and its occurrences merge.
    /// An item without fields is nothing.
    #[cold]
    fn merged_item(&mut self, wire: &[u8], wrapper: &'static Message, depth: u32) -> Result<()> {
        if wire.is_empty() {
            return Ok(());
        }
        let (mut number, mut merged) = (0, Vec::new());
        for field in Fields::new(wire) {
            let field = field?;
            field.expect(WireType::Bytes)?;
            if field.number != number {
                number = field.number;
                merged.clear();
            }
            merged.extend_from_slice(field.bytes(wire));
        }
        let Some((_, row)) = wrapper.field(number) else { return Err(invalid("an unknown item")) };
        let whole = Field { number, wire_type: WireType::Bytes, value: 0, start: 0, end: merged.len() as u64 };
        self.child(&merged, row, &whole, depth)
    }
}
