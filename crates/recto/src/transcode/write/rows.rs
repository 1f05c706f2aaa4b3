//! Rows of a sheet: their number, which their cells' references say, and the rest of the start tag, which is mostly that of the
//! row before.

use recto_schema::fields::sheet::row as fields;
use recto_schema::tables::{Row, message};

use crate::error::Result;
use crate::transcode::numbers;
use crate::wire::WireType;
use crate::wire::input::Fields;

use super::Writer;

/// The longest attributes that are kept.
const LONGEST: usize = 256;

/// The number of the row that is being written.
#[derive(Default)]
pub(super) struct RowNumber {
    number: u64,
    /// The number's digits and a quote, as all references to cells of the row end.
    text: [u8; 16],
    /// How long that is; 0 until it is asked for.
    len: u8,
}

impl RowNumber {
    #[inline]
    pub(super) fn set(&mut self, number: u64) {
        self.number = number;
        self.len = 0;
    }

    /// The next row, as one without number is.
    #[inline]
    pub(super) fn next(&mut self) {
        self.set(self.number + 1);
    }

    /// The digits and the quote, and how long they are: fewer than 16 bytes, as a row comes after fewer than 2^32 others.
    #[inline(always)]
    pub(super) fn end_of_reference(&mut self) -> (&[u8; 16], u8) {
        if self.len == 0 {
            self.find();
        }
        (&self.text, self.len)
    }

    #[inline(never)]
    fn find(&mut self) {
        let mut text = Vec::with_capacity(16);
        numbers::write_u64(self.number, &mut text);
        text.push(b'"');
        self.len = text.len() as u8;
        text.resize(16, 0);
        if let Some(text) = text.first_chunk() {
            self.text = *text;
        }
    }
}

/// Attributes after the number, as the last row had them that had others than the row before.
pub(super) struct RowTail {
    wire: Vec<u8>,
    text: Vec<u8>,
    /// How many declarations were in scope; with others, the text may differ. `usize::MAX` where nothing is kept.
    scope: usize,
    /// How many bytes on the wire are kept at most.
    room: usize,
}

impl RowTail {
    /// Keeps attributes.
    pub(super) fn new() -> Self {
        RowTail { wire: Vec::new(), text: Vec::new(), scope: usize::MAX, room: LONGEST }
    }

    /// Keeps none.
    #[cfg(test)]
    pub(super) fn never() -> Self {
        RowTail { room: 0, ..Self::new() }
    }

    /// After declarations were taken out of scope: others may come.
    pub(super) fn forget(&mut self) {
        self.scope = usize::MAX;
    }
}

/// Where attributes after the number begin: on the wire, and in the text.
pub(super) struct TailStart {
    wire: u64,
    text: usize,
}

impl Writer<'_> {
    /// Writes a row of a sheet. It does not come again: its cells say its number.
    #[inline(never)]
    pub(super) fn row(&mut self, wire: &[u8], start: u64, end: u64, name: &'static Row, depth: u32) -> Result<()> {
        self.row.next();
        self.element::<true>(wire, start, end, name, message(name.target), depth, None)
    }

    /// Notes the number of a row, which has just been written. If it is the first attribute, and those after it are the ones
    /// that were kept, they are written, too; if not, this gives where they begin.
    #[inline(always)]
    pub(super) fn after_row_number(&mut self, number: u64, is_first: bool, fields: &mut Fields<'_>) -> Option<TailStart> {
        self.row.set(u64::from(number as u32));
        if !is_first {
            return None;
        }
        let tail = &self.row_tail;
        if self.scope.mark() == tail.scope && fields.skip_before(&tail.wire, CELLS) {
            self.out.extend_from_slice(&tail.text);
            return None;
        }
        Some(TailStart { wire: fields.at(), text: self.out.len() })
    }

    /// Keeps the attributes after the number of a row, which end here.
    #[inline(never)]
    pub(super) fn keep_row_tail(&mut self, wire: &[u8], start: &TailStart, end: u64) {
        let wire = wire.get(start.wire as usize..end as usize).unwrap_or_default();
        let text = self.out.get(start.text..).unwrap_or_default();
        // Declarations that came with the attributes are not in scope before them.
        if wire.len() > self.row_tail.room || self.scope.mark() != self.around {
            return;
        }
        self.row_tail.wire.clear();
        self.row_tail.wire.extend_from_slice(wire);
        self.row_tail.text.clear();
        self.row_tail.text.extend_from_slice(text);
        self.row_tail.scope = self.around;
    }
}

/// The key of a row's cells.
const CELLS: u8 = (fields::CELLS << 3) as u8 | WireType::Bytes as u8;

const _: () = assert!(fields::CELLS < 16);
