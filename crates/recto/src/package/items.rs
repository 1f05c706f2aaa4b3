//! Rows of a sheet and blocks of a document, one after the other.

use std::io::{Read, Seek};
use std::marker::PhantomData;

use recto_schema::model::{sheet, word};
use recto_schema::{fields, messages};

use crate::error::{Error, Result, UsageError};
use crate::limits::Limits;
use crate::opc::encoding::Utf8Reader;
use crate::opc::zip::ReadAt;
use crate::opc::{Archive, names};
use crate::transcode::List;
use crate::transcode::read::{self, PartXml, Reader};
use crate::wire::input::{Field, Fields, Input, invalid};

use super::plan::{Body, PartPlan, Plan};

/// The rows of a worksheet.
pub(super) const ROWS: List = List {
    root: fields::part::WORKSHEET,
    child: fields::sheet::worksheet::DATA,
    owner: messages::sheet::SHEET_DATA,
    items: fields::sheet::sheet_data::ROWS,
};

/// The blocks of a document's body.
pub(super) const BLOCKS: List = List {
    root: fields::part::DOCUMENT,
    child: fields::word::document::BODY,
    owner: messages::word::BODY,
    items: fields::word::body::CONTENT,
};

/// The rows of a sheet, from top to bottom; see [`rows`] and [`rows_of_bin`].
pub type Rows<'a> = Items<'a, sheet::Row>;

/// The blocks of a document's body (paragraphs, tables and what else stands between them), in order; see [`blocks`] and
/// [`blocks_of_bin`].
pub type Blocks<'a> = Items<'a, word::Block>;

/// Typed items of a long list, read as they are asked for. After an error there are no more.
pub struct Items<'a, T> {
    source: Source<'a>,
    wire: Vec<u8>,
    item: PhantomData<T>,
}

enum Source<'a> {
    Xml(Box<read::Items<Utf8Reader<Box<dyn Read + 'a>>>>),
    Bin(BinItems<'a>),
    Over,
}

/// A message that is an item of a list.
pub trait Item: Sized {
    #[doc(hidden)]
    fn decode(wire: &[u8]) -> Result<Self>;
    #[doc(hidden)]
    fn encode(&self) -> Vec<u8>;
}

impl Item for sheet::Row {
    fn decode(wire: &[u8]) -> Result<Self> {
        super::rows::row(wire)
    }

    fn encode(&self) -> Vec<u8> {
        self.encode_bin()
    }
}

impl Item for word::Block {
    fn decode(wire: &[u8]) -> Result<Self> {
        word::Block::decode_bin(wire).map_err(|_| invalid("a block is none"))
    }

    fn encode(&self) -> Vec<u8> {
        self.encode_bin()
    }
}

impl<T: Item> Iterator for Items<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let found = match &mut self.source {
            Source::Xml(items) => items.next(&mut self.wire),
            Source::Bin(items) => items.next(&mut self.wire),
            Source::Over => return None,
        };
        let item = found.and_then(|found| if found { T::decode(&self.wire).map(Some) } else { Ok(None) });
        if !matches!(item, Ok(Some(_))) {
            self.source = Source::Over;
        }
        item.transpose()
    }
}

impl<'a, T> Items<'a, T> {
    fn new(source: Source<'a>) -> Self {
        Items { source, wire: Vec::new(), item: PhantomData }
    }

    fn of_part<S: ReadAt>(archive: &'a Archive<S>, entry: usize, list: List, limits: &Limits) -> Result<Self> {
        let name = archive.zip().entry(entry).map_or("", |entry| &*entry.name);
        let text: Box<dyn Read + 'a> = Box::new(archive.zip().open_entry(entry)?);
        let items = Utf8Reader::new(text).and_then(|text| read::Items::open(text, list, limits));
        match items.map_err(|error| error.in_part(name))? {
            Some(items) => Ok(Items::new(Source::Xml(Box::new(items)))),
            None => Err(Error::from(UsageError::Invalid("the part has no such items")).in_part(name)),
        }
    }
}

/// The rows of the worksheet with this name, as its tab shows it. Only what is needed for the row at hand is in memory, and
/// nothing behind the last row that is asked for is read.
///
/// ```
/// # fn main() -> recto::Result<()> {
/// # let file = recto::Package::new_workbook().to_vec()?;
/// let limits = recto::Limits::default();
/// let archive = recto::opc::Archive::open(file.as_slice(), &limits)?;
/// let mut cells = 0;
/// for row in recto::rows(&archive, "Sheet1", &limits)? {
///     cells += row?.cells.len();
/// }
/// # assert_eq!(cells, 0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A usage error if there is no such worksheet; otherwise as [`parse`](crate::parse), here or when the next row is read.
pub fn rows<'a, S: ReadAt>(archive: &'a Archive<S>, sheet: &str, limits: &Limits) -> Result<Rows<'a>> {
    let main = archive.main_part();
    let mut reader = Reader::unobserved(limits);
    let mut text = Utf8Reader::new(archive.zip().open_entry(archive.main_entry())?)?;
    reader.part(&mut text, 0, false, PartXml::PART).map_err(|error| error.in_part(main))?;
    let wire = std::mem::take(&mut reader.out.bytes);
    let workbook = Fields::new(&wire).filter_map(Result::ok).find(|field| field.number == fields::part::WORKBOOK);
    let id = workbook.and_then(|workbook| relationship_of(workbook.bytes(&wire), sheet)).ok_or(NO_SHEET)?;
    let links = archive.relationships_of(main)?.unwrap_or_default();
    let target = links.iter().find(|link| link.id == id).and_then(|link| link.resolve(main));
    let entry = target.and_then(|part| archive.find(&part)).ok_or(NO_SHEET)?;
    Items::of_part(archive, entry, ROWS, limits)
}

/// The blocks of a document's body. Only what is needed for the block at hand is in memory.
///
/// # Errors
/// A usage error if it is no document; otherwise as [`parse`](crate::parse), here or when the next block is read.
pub fn blocks<'a, S: ReadAt>(archive: &'a Archive<S>, limits: &Limits) -> Result<Blocks<'a>> {
    Items::of_part(archive, archive.main_entry(), BLOCKS, limits)
}

/// As [`rows`], from a `.bin`.
///
/// # Errors
/// A usage error if there is no such worksheet; a package error if it is no `.bin`; an I/O error.
pub fn rows_of_bin<'a, R: Read + Seek>(bin: &'a mut R, sheet: &str) -> Result<Rows<'a>> {
    let mut input = Input::stream(bin)?;
    let plan = Plan::of(&mut input)?;
    let main = plan.parts.iter().find(|part| pieces_of(part, fields::part::WORKBOOK).is_some()).ok_or(NO_SHEET)?;
    let mut workbook = Vec::new();
    for piece in pieces_of(main, fields::part::WORKBOOK).into_iter().flatten() {
        workbook.extend_from_slice(input.bytes(piece.start, piece.end)?);
    }
    let id = relationship_of(&workbook, sheet).ok_or(NO_SHEET)?;
    let links = main.relationships.as_ref().map_or(&[][..], |links| &links.list);
    let target = target_of(links, &id).and_then(|target| names::resolve(&main.name, &target)).ok_or(NO_SHEET)?;
    let part = plan.parts.iter().find(|part| names::equal(&part.name, &target)).ok_or(NO_SHEET)?;
    BinItems::open(input, part, ROWS).map(|items| Items::new(Source::Bin(items)))
}

/// As [`blocks`], from a `.bin`.
///
/// # Errors
/// A usage error if it is no document; a package error if it is no `.bin`; an I/O error.
pub fn blocks_of_bin<R: Read + Seek>(bin: &mut R) -> Result<Blocks<'_>> {
    let mut input = Input::stream(bin)?;
    let plan = Plan::of(&mut input)?;
    let main = plan.parts.iter().find(|part| pieces_of(part, fields::part::DOCUMENT).is_some());
    let main = main.ok_or(UsageError::Invalid("there is no document"))?;
    BinItems::open(input, main, BLOCKS).map(|items| Items::new(Source::Bin(items)))
}

const NO_SHEET: UsageError = UsageError::Invalid("there is no worksheet with this name");

/// The relationship of the sheet with a name, from the wire of a workbook.
fn relationship_of(workbook: &[u8], name: &str) -> Option<String> {
    use fields::sheet as numbers;
    for sheets in Fields::new(workbook).map_while(Result::ok).filter(|field| field.number == numbers::workbook::SHEETS) {
        let sheets = sheets.bytes(workbook);
        for sheet in Fields::new(sheets).map_while(Result::ok).filter(|field| field.number == numbers::sheets::SHEETS) {
            let sheet = sheet.bytes(sheets);
            if text_of(sheet, numbers::sheet::NAME).as_deref() == Some(name) {
                return text_of(sheet, numbers::sheet::RELATIONSHIP_ID);
            }
        }
    }
    None
}

/// The target of the relationship with an id, from the wire of a list.
fn target_of(list: &[u8], id: &str) -> Option<String> {
    let mut links = Fields::new(list).map_while(Result::ok).filter(|field| field.number == fields::relationships::RELATIONSHIPS);
    let link = links.find(|link| text_of(link.bytes(list), fields::relationship::ID).as_deref() == Some(id))?;
    text_of(link.bytes(list), fields::relationship::TARGET)
}

fn text_of(wire: &[u8], number: u32) -> Option<String> {
    let field = Fields::new(wire).map_while(Result::ok).filter(|field| field.number == number).last()?;
    String::from_utf8(field.bytes(wire).to_vec()).ok()
}

/// The pieces of a part's root, if it is this one.
fn pieces_of(part: &PartPlan, root: u32) -> Option<&[Field]> {
    match &part.body {
        Body::Typed(row, pieces) if u32::from(row.field) == root => Some(pieces),
        _ => None,
    }
}

/// The items of a list in a `.bin`.
struct BinItems<'a> {
    input: Input<'a>,
    list: List,
    /// Pieces of the root that are yet to be read, the next one last.
    roots: Vec<(u64, u64)>,
    /// What is yet to be read of its child.
    child: (u64, u64),
}

impl<'a> BinItems<'a> {
    fn open(input: Input<'a>, part: &PartPlan, list: List) -> Result<Self> {
        let pieces = pieces_of(part, list.root).ok_or(UsageError::Invalid("the part has no such items"))?;
        let roots = pieces.iter().rev().map(|piece| (piece.start, piece.end)).collect();
        Ok(BinItems { input, list, roots, child: (0, 0) })
    }

    fn next(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        loop {
            while self.child.0 < self.child.1 {
                let field = self.input.field(self.child.0, self.child.1)?;
                self.child.0 = field.end;
                if field.number == self.list.items {
                    item.clear();
                    item.extend_from_slice(self.input.bytes(field.start, field.end)?);
                    return Ok(true);
                }
            }
            let Some((at, end)) = self.roots.pop() else { return Ok(false) };
            if at < end {
                let field = self.input.field(at, end)?;
                self.roots.push((field.end, end));
                if field.number == self.list.child {
                    self.child = (field.start, field.end);
                }
            }
        }
    }
}
