//! Packages whose long lists are written as they are made.

use std::io::Write;

use recto_schema::model::part::Content;
use recto_schema::model::{self, sheet, word};

use crate::error::{Result, UsageError};
use crate::transcode::List;
use crate::wire::input::Input;

use super::WriteOptions;
use super::items::{BLOCKS, Item, ROWS};
use super::typed::Package;
use super::write::{PartSupply, write_supplied};

/// Writes a package to which rows or blocks are added from iterators while it is written, so that they never are in memory
/// together.
///
/// ```
/// # fn main() -> recto::Result<()> {
/// use recto::{Package, PackageWriter, sheet};
/// let rows = (1..=1000).map(|index| {
///     let cell = sheet::Cell { value: Some(sheet::cell::Value::Number(f64::from(index))), ..Default::default() };
///     Ok(sheet::Row { index: Some(index), cells: vec![cell], ..Default::default() })
/// });
/// let file = PackageWriter::new(Package::new_workbook()).rows("Sheet1", rows)?.write(Vec::new(), &Default::default())?;
/// let again = Package::read(std::io::Cursor::new(file))?;
/// let sheet = again.worksheet("Sheet1").and_then(|sheet| sheet.data.as_ref());
/// assert_eq!(sheet.map_or(0, |data| data.rows.len()), 1000);
/// # Ok(())
/// # }
/// ```
pub struct PackageWriter<'i> {
    package: Package,
    supplies: Vec<PartSupply<'i>>,
}

impl<'i> PackageWriter<'i> {
    /// A writer of this package.
    pub fn new(package: Package) -> Self {
        PackageWriter { package, supplies: Vec::new() }
    }

    /// Adds rows to the worksheet with this name, behind those that it has. They must be in order; an error among them ends
    /// the writing.
    ///
    /// # Errors
    /// A usage error if there is no such worksheet, or if it has been given rows before.
    pub fn rows(mut self, sheet: &str, rows: impl IntoIterator<Item = Result<sheet::Row>> + 'i) -> Result<Self> {
        let worksheet = self.package.worksheet_mut(sheet).ok_or(UsageError::Invalid("there is no worksheet with this name"))?;
        worksheet.data.get_or_insert_default();
        let part = self.package.sheet_part(sheet).unwrap_or_default();
        self.add(part, ROWS, rows)
    }

    /// Adds blocks to the document's body, behind those that it has and before the properties of the last section. An error
    /// among them ends the writing.
    ///
    /// # Errors
    /// A usage error if it is no document, or if it has been given blocks before.
    pub fn blocks(mut self, blocks: impl IntoIterator<Item = Result<word::Block>> + 'i) -> Result<Self> {
        let document = self.package.document_mut().ok_or(UsageError::Invalid("there is no document"))?;
        document.body.get_or_insert_default();
        let is_document = |part: &&model::Part| matches!(part.content, Some(Content::Document(_)));
        let part = self.package.parts.iter().find(is_document).map_or(String::new(), |part| part.name.clone());
        self.add(part, BLOCKS, blocks)
    }

    fn add<T: Item>(mut self, part: String, list: List, items: impl IntoIterator<Item = Result<T>> + 'i) -> Result<Self> {
        if self.supplies.iter().any(|other| other.part == part) {
            return Err(UsageError::Invalid("the part has been given items before").into());
        }
        let mut items = items.into_iter();
        let next = Box::new(move |wire: &mut Vec<u8>| {
            let item = items.next().transpose()?;
            if let Some(item) = &item {
                wire.extend_from_slice(&item.encode());
            }
            Ok(item.is_some())
        });
        self.supplies.push(PartSupply { part, list, next, used: false });
        Ok(self)
    }

    /// Writes the package.
    ///
    /// # Errors
    /// As [`write`](crate::write()), and whatever error comes from the iterators. A usage error where the list that items were
    /// given for has extras of its own, which says nothing about where the new items belong.
    pub fn write<W: Write>(mut self, output: W, options: &WriteOptions) -> Result<W> {
        write_supplied(Input::Slice(&self.package.to_bin()), output, options, &mut self.supplies)
    }
}
