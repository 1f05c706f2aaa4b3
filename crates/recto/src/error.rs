//! The one error type of the crate: what went wrong, and where.

use std::fmt;
use std::io;

use crate::limits::Limit;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a document could not be read or written, with the part and the place in it as far as known.
///
/// The message is one line, in lower case, with the place first:
/// `word/document.xml, byte 812: document type declaration`.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    part: Option<String>,
    offset: Option<u64>,
    path: Option<String>,
}

/// The cause of an [`Error`], by family.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be read or the output not written. May succeed when tried again.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The file is not a package that can be read: no zip, damaged, encrypted, or another kind of document.
    #[error(transparent)]
    Package(PackageError),
    /// A part is not the XML that it should be.
    #[error(transparent)]
    Markup(MarkupError),
    /// The file needs more than [`Limits`](crate::limits::Limits) allow.
    #[error(transparent)]
    Limit(LimitError),
    /// The caller asked for something that cannot be done.
    #[error(transparent)]
    Usage(UsageError),
}

/// The families of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorFamily {
    /// [`ErrorKind::Io`].
    Io,
    /// [`ErrorKind::Package`].
    Package,
    /// [`ErrorKind::Markup`].
    Markup,
    /// [`ErrorKind::Limit`].
    Limit,
    /// [`ErrorKind::Usage`].
    Usage,
}

/// What is wrong with a file as a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// Not a zip file; what it looks like instead.
    #[error("not a zip file but {0}")]
    NotAZip(Foreign),
    /// Begins as a zip file but its directory, which stands at the end, is missing.
    #[error("truncated zip file: the directory at its end is missing")]
    Truncated,
    /// The zip directory contradicts itself or the file.
    #[error("damaged zip file: {0}")]
    CorruptZip(&'static str),
    /// Encrypted with a password: an OLE file with a stream `EncryptedPackage` ([MS-OFFCRYPTO] 2.3.2).
    #[error("encrypted with a password")]
    Encrypted,
    /// A binary document of Office 97 to 2003 (.doc, .xls, .ppt).
    #[error("legacy binary format {0}")]
    LegacyBinary(LegacyFormat),
    /// An OLE file that is no Office document.
    #[error("an ole file without an office document")]
    OtherOle,
    /// A binary workbook (.xlsb).
    #[error("a binary workbook (.xlsb)")]
    Xlsb,
    /// A presentation (.pptx and its kin).
    #[error("a powerpoint presentation")]
    Powerpoint,
    /// An OpenDocument file; its media type.
    #[error("an opendocument file ({0})")]
    OpenDocument(String),
    /// A zip file without `[Content_Types].xml`: not an OPC package.
    #[error("a zip file without [Content_Types].xml")]
    NoContentTypes,
    /// No relationship of the package is of the office document type.
    #[error("no relationship leads to a main document part")]
    NoMainPart,
    /// The relationship to the main part leads nowhere; its target.
    #[error("the main document part {0:?} is missing")]
    MainPartMissing(String),
    /// The main part is neither a document nor a workbook; its content type, empty if it has none.
    #[error("the main part is neither a document nor a workbook (content type {0:?})")]
    UnsupportedMainPart(String),
    /// The entry is encrypted by means of zip.
    #[error("the zip entry is encrypted")]
    EncryptedEntry,
    /// The entry is compressed by a method other than stored (0) and deflated (8); its number.
    #[error("the zip entry is compressed by method {0}, which packages may not use")]
    UnsupportedCompression(u16),
    /// The entry's bytes are damaged.
    #[error("damaged zip entry: {0}")]
    EntryDamaged(&'static str),
    /// A `.bin` of a newer version of the format; its version.
    #[error("written in format version {version}, which is newer than this reader's")]
    NewerFormat {
        /// The version that the file names.
        version: u32,
    },
    /// The part takes more than 2 GiB as a protobuf message, which decoders do not read.
    #[error("the part takes more than 2 GiB as a protobuf message")]
    PartTooLarge,
    /// Not a valid `.bin`.
    #[error("invalid .bin: {0}")]
    InvalidBin(&'static str),
}

/// What a file that is no zip file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// No bytes at all.
    Empty,
    /// Rich text format.
    Rtf,
    /// HTML.
    Html,
    /// A package as one XML file, which Word writes as "Word XML document".
    FlatOpc,
    /// Other XML.
    Xml,
    /// PDF.
    Pdf,
    /// A PNG, JPEG or GIF image.
    Image,
    /// Text, such as CSV.
    Text,
    /// None of these.
    Unknown,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foreign::Empty => "an empty file",
            Foreign::Rtf => "rich text (rtf)",
            Foreign::Html => "html",
            Foreign::FlatOpc => "a flat opc xml file",
            Foreign::Xml => "xml",
            Foreign::Pdf => "pdf",
            Foreign::Image => "an image",
            Foreign::Text => "plain text",
            Foreign::Unknown => "unknown data",
        })
    }
}

/// A binary format of Office 97 to 2003.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LegacyFormat {
    /// Word (.doc).
    Doc,
    /// Excel (.xls).
    Xls,
    /// PowerPoint (.ppt).
    Ppt,
}

impl fmt::Display for LegacyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LegacyFormat::Doc => ".doc",
            LegacyFormat::Xls => ".xls",
            LegacyFormat::Ppt => ".ppt",
        })
    }
}

/// What is wrong with a part as XML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkupError {
    /// Not well-formed.
    #[error("malformed xml: {0}")]
    Malformed(String),
    /// Has a document type declaration, which packages may not have (ECMA-376 part 2, clause 6.2.5).
    #[error("document type declaration")]
    Doctype,
    /// A name's prefix is not declared; the prefix.
    #[error("undeclared namespace prefix {0:?}")]
    UndeclaredPrefix(String),
    /// The character encoding is unknown or violated.
    #[error("encoding: {0}")]
    Encoding(String),
    /// The root element is not the one that the part must have; its name, with the namespace in braces.
    #[error("unexpected root element {0}")]
    UnexpectedRoot(String),
}

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {value} {} (limit {})", limit.unit(), limit.name())]
pub struct LimitError {
    /// Which one.
    pub limit: Limit,
    /// Its value.
    pub value: u64,
}

/// What a caller did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// An argument, or the order of calls, is wrong; the reason.
    #[error("{0}")]
    Invalid(&'static str),
    /// No part has this name.
    #[error("no part named {0:?}")]
    NoSuchPart(String),
}

impl Error {
    /// The cause.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The cause, by value.
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// The family of the cause.
    pub fn family(&self) -> ErrorFamily {
        self.0.kind.family()
    }

    /// Name of the part where it happened.
    pub fn part(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// Offset in bytes from the start of the part, or of the file where no part is named.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Path of the element, such as `w:document/w:body/w:p`.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Adds the name of the part, unless one is named already: the innermost caller knows best.
    #[must_use]
    pub fn in_part(mut self, name: impl Into<String>) -> Self {
        self.0.part.get_or_insert_with(|| name.into());
        self
    }

    /// Adds the byte offset, unless one is given already.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds the element path, unless one is given already.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Self {
        self.0.path.get_or_insert_with(|| path.into());
        self
    }

    /// An I/O error that carries this one through `std::io` interfaces; converting back gives this one again.
    pub(crate) fn into_io(self) -> io::Error {
        match self.0.kind {
            ErrorKind::Io(error) if self.0.part.is_none() && self.0.offset.is_none() && self.0.path.is_none() => error,
            _ => io::Error::other(self),
        }
    }
}

impl ErrorKind {
    /// The family.
    pub fn family(&self) -> ErrorFamily {
        match self {
            ErrorKind::Io(_) => ErrorFamily::Io,
            ErrorKind::Package(_) => ErrorFamily::Package,
            ErrorKind::Markup(_) => ErrorFamily::Markup,
            ErrorKind::Limit(_) => ErrorFamily::Limit,
            ErrorKind::Usage(_) => ErrorFamily::Usage,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, part: None, offset: None, path: None }))
    }
}

impl From<io::Error> for Error {
    /// Gives back the error of this crate that `error` carries, if it carries one.
    fn from(error: io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(carried) => carried,
            Err(error) => ErrorKind::Io(error).into(),
        }
    }
}

impl From<PackageError> for Error {
    fn from(error: PackageError) -> Self {
        ErrorKind::Package(error).into()
    }
}

impl From<MarkupError> for Error {
    fn from(error: MarkupError) -> Self {
        ErrorKind::Markup(error).into()
    }
}

impl From<LimitError> for Error {
    fn from(error: LimitError) -> Self {
        ErrorKind::Limit(error).into()
    }
}

impl From<UsageError> for Error {
    fn from(error: UsageError) -> Self {
        ErrorKind::Usage(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(part) = &self.0.part {
            write!(f, "{part}")?;
            separator = ", ";
        }
        if let Some(offset) = self.0.offset {
            write!(f, "{separator}byte {offset}")?;
            separator = ", ";
        }
        if let Some(path) = &self.0.path {
            write!(f, "{separator}{path}")?;
            separator = ", ";
        }
        if !separator.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{}", self.0.kind)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("part", &self.0.part)
            .field("offset", &self.0.offset)
            .field("path", &self.0.path)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_before_what() {
        let error = Error::from(MarkupError::Doctype).at(812).in_part("word/document.xml").at_path("w:document");
        assert_eq!(error.to_string(), "word/document.xml, byte 812, w:document: document type declaration");
        assert_eq!(Error::from(MarkupError::Doctype).to_string(), "document type declaration");
    }

    #[test]
    fn innermost_place_wins() {
        let error = Error::from(PackageError::EncryptedEntry).in_part("a").in_part("b").at(1).at(2);
        assert_eq!((error.part(), error.offset()), (Some("a"), Some(1)));
    }

    #[test]
    fn survives_a_trip_through_io() {
        let error = Error::from(PackageError::EntryDamaged("crc-32 differs")).in_part("x");
        let back = Error::from(error.into_io());
        assert_eq!(back.family(), ErrorFamily::Package);
        assert_eq!(back.part(), Some("x"));
        let plain = Error::from(Error::from(io::Error::from(io::ErrorKind::NotFound)).into_io());
        assert!(matches!(plain.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound));
    }

    #[test]
    fn limit_names_itself() {
        let error = Error::from(LimitError { limit: Limit::Depth, value: 1000 });
        assert_eq!(error.to_string(), "more than 1000 levels of elements (limit max_depth)");
    }
}
