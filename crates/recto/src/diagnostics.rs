//! What was wrong with a document that could be read all the same.

use std::fmt;

/// Something in a file that breaks the rules but not the reading: nothing was lost, unless the code says so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of problem it is.
    pub code: DiagnosticCode,
    /// Name of the part; absent where it concerns the package.
    pub part: Option<String>,
    /// Offset in bytes from the start of the part.
    pub offset: Option<u64>,
    /// Path of the element, or the id of the relationship.
    pub path: Option<String>,
    /// One line for a person.
    pub message: String,
}

/// An enum of codes with their names.
macro_rules! codes {
    ($(#[$about:meta])* $codes:ident: $($(#[$doc:meta])* $code:ident = $name:literal,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $codes {
            $($(#[$doc])* $code,)*
        }

        impl $codes {
            /// A stable name in kebab-case.
            pub fn name(self) -> &'static str {
                match self {
                    $($codes::$code => $name,)*
                }
            }

            /// All codes.
            pub fn all() -> &'static [$codes] {
                &[$($codes::$code,)*]
            }
        }
    };
}
pub(crate) use codes;

codes! {
    /// Kinds of [`Diagnostic`].
    DiagnosticCode:
    /// A relationship inside the package leads to no part. It is kept as it is.
    DanglingRelationship = "dangling-relationship",
    /// An external relationship has an empty target. It is kept as it is.
    EmptyTarget = "empty-target",
    /// Two relationships of one source have the same id. Both are kept.
    DuplicateRelationshipId = "duplicate-relationship-id",
    /// A part's XML is not well-formed; the part is kept as bytes.
    MalformedXml = "malformed-xml",
    /// Two entries have the same name, apart from case. Both are kept, in order.
    DuplicateEntry = "duplicate-entry",
    /// An entry's name has backslashes. It names the same part as with slashes, and keeps its spelling.
    BackslashInName = "backslash-in-name",
    /// An entry's name is not in the encoding that it claims.
    NameEncoding = "name-encoding",
    /// `[Content_Types].xml` gives a part no type.
    MissingContentType = "missing-content-type",
    /// The main part's content type is unusual.
    UnusualContentType = "unusual-content-type",
    /// Bytes stand before the zip data. They are not part of the package and are not kept.
    BytesBeforeZip = "bytes-before-zip",
    /// A comment or bytes stand after the zip data. They are not part of the package and are not kept.
    BytesAfterZip = "bytes-after-zip",
    /// An entry's bytes do not have the size that the zip directory claims; their CRC-32 agrees.
    WrongSize = "wrong-size",
    /// The declared encoding of an XML part contradicts its bytes; the bytes were believed.
    EncodingMismatch = "encoding-mismatch",
    /// Nested so deeply that the inner content is kept as raw XML.
    DeepNesting = "deep-nesting",
    /// The text of a value is not valid for its type. It is kept as it is, without a typed value.
    InvalidValue = "invalid-value",
    /// Markup that the schema does not know. It is kept as it is.
    UnknownMarkup = "unknown-markup",
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Diagnostic {
    /// A diagnostic about the package; narrow it with the builder methods.
    pub fn new(code: DiagnosticCode, message: impl Into<String>) -> Self {
        Diagnostic { code, part: None, offset: None, path: None, message: message.into() }
    }

    /// Adds the name of the part.
    #[must_use]
    pub fn in_part(mut self, name: impl Into<String>) -> Self {
        self.part = Some(name.into());
        self
    }

    /// Adds the byte offset.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Adds the element path or relationship id.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(part) = &self.part {
            write!(f, "{part}")?;
            separator = ", ";
        }
        if let Some(offset) = self.offset {
            write!(f, "{separator}byte {offset}")?;
            separator = ", ";
        }
        if let Some(path) = &self.path {
            write!(f, "{separator}{path}")?;
            separator = ", ";
        }
        if !separator.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

/// Collects diagnostics, up to a number that bounds memory; beyond it they are only counted.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    dropped: u64,
}

/// Diagnostics that are kept; a hostile file could cause one per byte.
const MAX_KEPT: usize = 10_000;

impl Diagnostics {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_KEPT {
            self.list.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds those of another collection.
    pub fn append(&mut self, other: Diagnostics) {
        self.dropped += other.dropped;
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }

    /// The diagnostics, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many were found, those not kept included.
    pub fn count(&self) -> u64 {
        self.list.len() as u64 + self.dropped
    }

    /// How many were found but not kept: only the first 10,000 are.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_kebab_case() {
        let mut names: Vec<_> = DiagnosticCode::all().iter().map(|code| code.name()).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DiagnosticCode::all().len());
    }

    #[test]
    fn memory_is_bounded() {
        let mut all = Diagnostics::new();
        for _ in 0..MAX_KEPT + 5 {
            all.push(Diagnostic::new(DiagnosticCode::UnknownMarkup, "x"));
        }
        assert_eq!((all.iter().count(), all.dropped()), (MAX_KEPT, 5));
        assert_eq!(all.count(), MAX_KEPT as u64 + 5);
    }

    #[test]
    fn one_line_with_the_place_first() {
        let line = Diagnostic::new(DiagnosticCode::DanglingRelationship, "target \"NULL\" is missing").in_part("xl/workbook.xml");
        assert_eq!(line.at_path("rId3").to_string(), "xl/workbook.xml, rId3: target \"NULL\" is missing [dangling-relationship]");
    }
}
