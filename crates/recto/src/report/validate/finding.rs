//! What is said of an invalid package.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::diagnostics::codes;

/// Something in a package that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Which rule it breaks.
    pub code: FindingCode,
    /// Name of the part.
    pub part: String,
    /// Path of the element or attribute from the root of the part: `/w:document/w:body/w:p[3]/w:pPr/w:jc/@w:val`. Empty
    /// where the part as a whole is meant.
    pub path: String,
    /// One line for a person: what was found and what was expected.
    pub message: String,
}

codes! {
    /// Kinds of [`Finding`].
    FindingCode:
    /// A required attribute is absent.
    MissingAttribute = "missing-attribute",
    /// A required child element is absent.
    MissingElement = "missing-element",
    /// A value is not of its type, or not among those that are listed.
    InvalidValue = "invalid-value",
    /// A number is less or greater than allowed.
    OutOfRange = "out-of-range",
    /// Children stand in another order than the schema's.
    WrongOrder = "wrong-order",
    /// A child that may stand once stands again.
    RepeatedElement = "repeated-element",
    /// An element that may not stand where it does.
    UnexpectedElement = "unexpected-element",
    /// An attribute that may not stand where it does.
    UnexpectedAttribute = "unexpected-attribute",
    /// Text where only elements may stand.
    UnexpectedText = "unexpected-text",
    /// A prefix in `mc:Ignorable`, `Requires` or the like is not declared.
    UndeclaredPrefix = "undeclared-prefix",
    /// A part has no content type.
    MissingContentType = "missing-content-type",
    /// A part's content is not what its content type says.
    WrongContentType = "wrong-content-type",
    /// The list of content types names a part or extension twice.
    DuplicateContentType = "duplicate-content-type",
    /// Two parts have equal names.
    DuplicatePart = "duplicate-part",
    /// A relationship leads to a part that is not there.
    DanglingRelationship = "dangling-relationship",
    /// A relationship that an element refers to is not there.
    UndefinedRelationship = "undefined-relationship",
    /// Two things that ids tell apart have the same.
    DuplicateId = "duplicate-id",
    /// A style that something refers to is not there.
    UndefinedStyle = "undefined-style",
    /// A style is of another kind than what refers to it.
    WrongStyleType = "wrong-style-type",
    /// A list or list definition that something refers to is not there.
    UndefinedNumbering = "undefined-numbering",
    /// A footnote or endnote that something refers to is not there.
    UndefinedNote = "undefined-note",
    /// A comment that something refers to is not there.
    UndefinedComment = "undefined-comment",
    /// A range begins without an end, or ends without a beginning.
    UnpairedRange = "unpaired-range",
    /// A table cell does not end with a paragraph.
    CellWithoutParagraph = "cell-without-paragraph",
    /// Two sheets, names or tables have the same name.
    DuplicateName = "duplicate-name",
    /// The name of a sheet has forbidden characters or the wrong length.
    InvalidName = "invalid-name",
    /// An index of a format, font, fill or border that is not there.
    UndefinedFormat = "undefined-format",
    /// An index of a shared string that is not there.
    UndefinedString = "undefined-string",
    /// An index of a sheet that is not there.
    UndefinedSheet = "undefined-sheet",
    /// An index of an author that is not there.
    UndefinedAuthor = "undefined-author",
    /// A row or cell stands after one that it comes before.
    UnorderedCells = "unordered-cells",
    /// A row or cell stands twice.
    DuplicateCell = "duplicate-cell",
    /// Text that should be a cell or a range is none.
    InvalidReference = "invalid-reference",
    /// Two ranges overlap that may not.
    OverlappingRanges = "overlapping-ranges",
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.part)?;
        if !self.path.is_empty() {
            write!(f, ", {}", self.path)?;
        }
        write!(f, ": {} [{}]", self.message, self.code)
    }
}

impl Finding {
    /// The hash of what stays the same when something is inserted before the place: all but the positions in the path.
    fn kind(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.code.name(), &self.part, &self.message).hash(&mut hasher);
        let mut outside = true;
        for byte in self.path.bytes() {
            match byte {
                b'[' => outside = false,
                b']' => outside = true,
                _ if outside => byte.hash(&mut hasher),
                _ => {}
            }
        }
        hasher.finish()
    }
}

/// Findings in the order in which they were made, up to a number that bounds memory; beyond it they are only counted.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    dropped: u64,
    /// How many of each kind were dropped, by the hash of what they are but for positions.
    kinds: BTreeMap<u64, u64>,
    /// How many of each kind are to be passed over.
    known: BTreeMap<u64, u64>,
}

/// Findings that are kept; a hostile file could cause one per byte.
const MAX_KEPT: usize = 10_000;

/// Kinds of dropped findings that are told apart.
const MAX_KINDS: usize = 100_000;

impl Findings {
    /// None yet; of those that a baseline has, as many will be passed over.
    pub(super) fn beyond(baseline: Option<&Findings>) -> Self {
        let mut findings = Findings::default();
        if let Some(baseline) = baseline {
            findings.known = baseline.kinds.clone();
            for finding in &baseline.list {
                *findings.known.entry(finding.kind()).or_insert(0) += 1;
            }
        }
        findings
    }

    pub(super) fn push(&mut self, finding: Finding) {
        let kind = finding.kind();
        if let Some(left) = self.known.get_mut(&kind).filter(|left| **left > 0) {
            *left -= 1;
            return;
        }
        if self.list.len() < MAX_KEPT {
            self.list.push(finding);
            return;
        }
        self.dropped += 1;
        if self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&kind) {
            *self.kinds.entry(kind).or_insert(0) += 1;
        }
    }

    /// The findings.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }

    /// How many were made, those not kept included.
    pub fn count(&self) -> u64 {
        self.list.len() as u64 + self.dropped
    }

    /// How many were made but not kept: only the first 10,000 are.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether there are none: the package is valid as far as this check goes.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(path: &str) -> Finding {
        let (part, message) = ("word/document.xml".to_owned(), "expected something".to_owned());
        Finding { code: FindingCode::InvalidValue, part, path: path.to_owned(), message }
    }

    fn findings(paths: &[&str]) -> Findings {
        let mut findings = Findings::default();
        for path in paths {
            findings.push(finding(path));
        }
        findings
    }

    #[test]
    fn names_are_distinct_kebab_case() {
        let mut names: Vec<_> = FindingCode::all().iter().map(|code| code.name()).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FindingCode::all().len());
    }

    #[test]
    fn one_line_with_the_place_first() {
        assert_eq!(finding("/w:p[2]").to_string(), "word/document.xml, /w:p[2]: expected something [invalid-value]");
        assert_eq!(finding("").to_string(), "word/document.xml: expected something [invalid-value]");
    }

    fn since(paths: &[&str], baseline: &Findings) -> Findings {
        let mut findings = Findings::beyond(Some(baseline));
        for path in paths {
            findings.push(finding(path));
        }
        findings
    }

    #[test]
    fn a_baseline_hides_as_many_as_it_has() {
        let after = ["/w:p[2]/w:r[1]", "/w:p[3]/w:r[1]", "/w:p[3]/@w:a"];
        let new = since(&after, &findings(&["/w:p[1]/w:r[4]"]));
        assert_eq!(new.iter().map(|finding| &*finding.path).collect::<Vec<_>>(), ["/w:p[3]/w:r[1]", "/w:p[3]/@w:a"]);
        assert!(since(&after, &findings(&after)).is_empty());
    }

    #[test]
    fn a_baseline_hides_what_was_not_kept() {
        let mut many = vec!["/w:p[1]/@w:a"; MAX_KEPT + 5];
        let before = findings(&many);
        assert_eq!((before.iter().len(), before.dropped()), (MAX_KEPT, 5));
        assert!(since(&many, &before).is_empty());
        many.extend(["/w:tbl[1]", "/w:p[7]/@w:a"]);
        let new = since(&many, &before);
        assert_eq!(new.iter().map(|finding| &*finding.path).collect::<Vec<_>>(), ["/w:tbl[1]", "/w:p[7]/@w:a"]);
    }
}
