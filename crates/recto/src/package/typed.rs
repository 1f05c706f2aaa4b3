//! The typed package.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use recto_schema::model;
use recto_schema::model::part::Content;

use crate::error::{Error, PackageError, Result, UsageError};
use crate::limits::Limits;
use crate::opc::names;
use crate::opc::zip::{ReadAt, Seekable};
use crate::wire::input::invalid;

use super::{FORMAT_VERSION, WriteOptions, parse_to_vec, rows, write_bin};

/// A document or workbook, all of it in memory as typed structs.
///
/// It dereferences to the message [`model::Package`](recto_schema::model::Package), whose `parts` hold the content; the
/// methods here find the parts that are mostly wanted.
///
/// ```
/// # fn main() -> recto::Result<()> {
/// use recto::{Package, sheet};
/// # let file = Package::new_workbook().to_vec()?;
/// let mut package = Package::read(std::io::Cursor::new(file))?;
/// for sheet in package.worksheets_mut() {
///     let rows = &mut sheet.data.get_or_insert_default().rows;
///     let cell = sheet::Cell { value: Some(sheet::cell::Value::Number(42.0)), ..Default::default() };
///     rows.push(sheet::Row { cells: vec![cell], ..Default::default() });
/// }
/// let bin = package.to_bin();
/// assert_eq!(Package::from_bin(&bin)?, package);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    message: model::Package,
}

impl Deref for Package {
    type Target = model::Package;

    fn deref(&self) -> &model::Package {
        &self.message
    }
}

impl DerefMut for Package {
    fn deref_mut(&mut self) -> &mut model::Package {
        &mut self.message
    }
}

impl From<model::Package> for Package {
    fn from(message: model::Package) -> Self {
        Package { message }
    }
}

impl From<Package> for model::Package {
    fn from(package: Package) -> Self {
        package.message
    }
}

impl Package {
    /// Opens a file, with the default [`Limits`].
    ///
    /// # Errors
    /// As [`parse`](crate::parse).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Package::read(File::open(path)?)
    }

    /// Reads a package from a seekable reader, with the default [`Limits`].
    ///
    /// # Errors
    /// As [`parse`](crate::parse).
    pub fn read<R: Read + Seek + Send>(reader: R) -> Result<Self> {
        Package::read_with(Seekable::new(reader)?, &Limits::default())
    }

    /// Reads a package within limits.
    ///
    /// # Errors
    /// As [`parse`](crate::parse).
    pub fn read_with<S: ReadAt>(source: S, limits: &Limits) -> Result<Self> {
        let (bin, _) = parse_to_vec(source, limits)?;
        Package::from_bin(&bin)
    }

    /// Decodes a `.bin`.
    ///
    /// # Errors
    /// A package error if it is not one, or one of a newer version.
    pub fn from_bin(bin: &[u8]) -> Result<Self> {
        let message = rows::package(bin)?;
        match message.header.as_ref().map_or(0, |header| header.format_version) {
            0 => Err(invalid("no format version")),
            version if version > FORMAT_VERSION => Err(Error::from(PackageError::NewerFormat { version })),
            _ => Ok(Package { message }),
        }
    }

    /// Encodes as `.bin`.
    pub fn to_bin(&self) -> Vec<u8> {
        self.message.encode_bin()
    }

    /// Writes the package as .docx or .xlsx.
    ///
    /// # Errors
    /// As [`write`](crate::write()): where the model holds what no XML can say, such as a control character in a text.
    pub fn write<W: Write>(&self, output: W) -> Result<W> {
        write_bin(&self.to_bin(), output, &WriteOptions::default())
    }

    /// As [`Package::write`], into memory.
    ///
    /// # Errors
    /// As [`Package::write`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        self.write(Vec::new())
    }

    /// Writes the package to a file. The file appears under its name only when it is complete.
    ///
    /// # Errors
    /// As [`Package::write`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Some(name) = path.file_name() else { return Err(UsageError::Invalid("the path names no file").into()) };
        let mut partial = std::ffi::OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = folder.join(partial);
        let written = File::create_new(&partial).map_err(Error::from).and_then(|file| {
            let file = self.write(std::io::BufWriter::new(file))?.into_inner().map_err(|error| error.into_error())?;
            Ok(file.sync_all()?)
        });
        let renamed = written.and_then(|()| Ok(std::fs::rename(&partial, path)?));
        if renamed.is_err() {
            // The error that matters is the first one.
            let _ = std::fs::remove_file(&partial);
        }
        renamed
    }

    /// The part with a name, in any spelling of it ("/word/document.xml" too).
    pub fn part(&self, name: &str) -> Option<&model::Part> {
        let key = names::key(name);
        self.message.parts.iter().find(|part| names::key(&part.name) == key)
    }

    /// As [`Package::part`], to change it.
    pub fn part_mut(&mut self, name: &str) -> Option<&mut model::Part> {
        let key = names::key(name);
        self.message.parts.iter_mut().find(|part| names::key(&part.name) == key)
    }

    /// The part that a relationship of `source` leads to; an empty source is the package itself.
    pub fn related(&self, source: &str, id: &str) -> Option<&model::Part> {
        let relationships = match source {
            "" => self.message.relationships.as_ref(),
            _ => self.part(source)?.relationships.as_ref(),
        };
        let list = relationships?.list.as_ref()?;
        let link = list.relationships.iter().find(|link| link.id.as_deref() == Some(id))?;
        self.part(&names::resolve(source, link.target.as_deref()?)?)
    }

    /// The main document, if this is one.
    pub fn document(&self) -> Option<&model::word::Document> {
        self.message.parts.iter().find_map(|part| match &part.content {
            Some(Content::Document(document)) => Some(&**document),
            _ => None,
        })
    }

    /// As [`Package::document`], to change it.
    pub fn document_mut(&mut self) -> Option<&mut model::word::Document> {
        self.message.parts.iter_mut().find_map(|part| match &mut part.content {
            Some(Content::Document(document)) => Some(&mut **document),
            _ => None,
        })
    }

    /// The workbook, if this is one.
    pub fn workbook(&self) -> Option<&model::sheet::Workbook> {
        self.message.parts.iter().find_map(|part| match &part.content {
            Some(Content::Workbook(workbook)) => Some(&**workbook),
            _ => None,
        })
    }

    /// As [`Package::workbook`], to change it.
    pub fn workbook_mut(&mut self) -> Option<&mut model::sheet::Workbook> {
        self.message.parts.iter_mut().find_map(|part| match &mut part.content {
            Some(Content::Workbook(workbook)) => Some(&mut **workbook),
            _ => None,
        })
    }

    /// The worksheet with a name, as the tab shows it.
    pub fn worksheet(&self, name: &str) -> Option<&model::sheet::Worksheet> {
        let part = self.sheet_part(name)?;
        match &self.part(&part)?.content {
            Some(Content::Worksheet(sheet)) => Some(&**sheet),
            _ => None,
        }
    }

    /// As [`Package::worksheet`], to change it.
    pub fn worksheet_mut(&mut self, name: &str) -> Option<&mut model::sheet::Worksheet> {
        let part = self.sheet_part(name)?;
        match &mut self.part_mut(&part)?.content {
            Some(Content::Worksheet(sheet)) => Some(&mut **sheet),
            _ => None,
        }
    }

    /// All worksheets, in the order of their parts, which need not be that of the tabs.
    pub fn worksheets_mut(&mut self) -> impl Iterator<Item = &mut model::sheet::Worksheet> {
        self.message.parts.iter_mut().filter_map(|part| match &mut part.content {
            Some(Content::Worksheet(sheet)) => Some(&mut **sheet),
            _ => None,
        })
    }

    /// The text of a shared string, without its formatting.
    pub fn shared_string(&self, index: u32) -> Option<String> {
        let strings = self.message.parts.iter().find_map(|part| match &part.content {
            Some(Content::SharedStrings(strings)) => Some(strings),
            _ => None,
        })?;
        let text = strings.strings.get(index as usize)?;
        let plain = text.text.iter().map(|text| text.value.as_str());
        let runs = text.runs.iter().filter_map(|run| Some(run.text.as_ref()?.value.as_str()));
        Some(plain.chain(runs).collect())
    }

    /// Name of the part of the sheet with a name.
    pub(super) fn sheet_part(&self, name: &str) -> Option<String> {
        let main = self.message.parts.iter().find(|part| matches!(part.content, Some(Content::Workbook(_))))?;
        let sheets = self.workbook()?.sheets.as_ref()?;
        let sheet = sheets.sheets.iter().find(|sheet| sheet.name.as_deref() == Some(name))?;
        Some(self.related(&main.name, sheet.relationship_id.as_deref()?)?.name.clone())
    }
}
