//! How much of a package is typed: elements and attributes that become fields of the model, and those that are only carried.
//!
//! Namespaces are grouped into vocabularies, and Strict namespaces count as their transitional counterparts:
//!
//! | vocabulary | namespaces |
//! |---|---|
//! | WordprocessingML | `w`, and Word's extensions of it: `w14` to `w16*`, `wne` |
//! | SpreadsheetML | `x`, and Excel's extensions of it: `x14`, `x15`, `xr*`, `xm` |
//! | DrawingML | `a`, `wp`, `xdr`, `pic`, `c`, `cx`, `dgm` and their extensions, and Office Math (`m`) |
//! | other | what is left of Office's own: content types, relationships, properties, bibliography, markup compatibility, ... |
//!
//! What does not count, and is reported as excluded:
//!
//! * VML, wherever it stands: the namespaces `urn:schemas-microsoft-com:*`;
//! * markup in namespaces that do not belong to Office Open XML or to Office: SVG, ink, and whatever other vendors add;
//! * untyped parts whose root is in such a namespace, with all that is inside of them;
//! * custom XML data: untyped parts that have no content type of their own but `application/xml` or `text/xml`, or none;
//! * what lies deeper than messages of protobuf can nest (some 20 tables inside one another), and is kept as XML for that;
//! * parts that are no XML.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use recto_schema::tables::{namespace, namespace_of};

use crate::transcode::observe::{Item, Observer};

/// A number of elements and of attributes. Namespace declarations are not attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Elements.
    pub elements: u64,
    /// Attributes. One without prefix counts for the namespace of its element.
    pub attributes: u64,
}

impl Count {
    /// Elements and attributes.
    pub fn total(self) -> u64 {
        self.elements + self.attributes
    }

    fn of(&mut self, item: Item) -> &mut u64 {
        match item {
            Item::Element => &mut self.elements,
            Item::Attribute => &mut self.attributes,
        }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.elements += other.elements;
        self.attributes += other.attributes;
    }
}

/// How much of something is typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// What became fields of the model.
    pub typed: Count,
    /// What is carried as it is.
    pub untyped: Count,
}

impl Share {
    /// Typed elements and attributes in percent of all; `None` if there are none.
    pub fn percent(self) -> Option<f64> {
        let all = self.typed.total() + self.untyped.total();
        (all > 0).then(|| 100.0 * self.typed.total() as f64 / all as f64)
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Share) {
        self.typed += other.typed;
        self.untyped += other.untyped;
    }
}

/// A group of namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vocabulary {
    /// Text documents.
    Wordprocessing,
    /// Workbooks.
    Spreadsheet,
    /// Drawings, charts, diagrams and mathematics.
    Drawing,
    /// The rest of Office Open XML and of Office's extensions of it.
    Other,
    /// What does not count: VML, and what is not Office's.
    Excluded,
}

impl Vocabulary {
    /// The vocabularies that count.
    pub const COUNTED: [Vocabulary; 4] =
        [Vocabulary::Wordprocessing, Vocabulary::Spreadsheet, Vocabulary::Drawing, Vocabulary::Other];

    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Vocabulary::Wordprocessing => "WordprocessingML",
            Vocabulary::Spreadsheet => "SpreadsheetML",
            Vocabulary::Drawing => "DrawingML",
            Vocabulary::Other => "Other",
            Vocabulary::Excluded => "Excluded",
        }
    }

    /// The vocabulary of a namespace, by its transitional or only URI.
    ///
    /// ```
    /// use recto::report::Vocabulary;
    /// let of = Vocabulary::of_namespace;
    /// assert_eq!(of("http://schemas.microsoft.com/office/word/2012/wordml"), Vocabulary::Wordprocessing);
    /// assert_eq!(of("http://schemas.microsoft.com/office/word/2010/wordprocessingShape"), Vocabulary::Drawing);
    /// assert_eq!(of("urn:schemas-microsoft-com:vml"), Vocabulary::Excluded);
    /// ```
    pub fn of_namespace(uri: &str) -> Self {
        let has = |text: &str| uri.contains(text);
        let in_word = has("/wordprocessingml/") || has("/office/word/");
        let in_excel = has("/spreadsheetml/") || has("/office/excel/") || has("/office/mac/excel/");
        if !is_office(uri) {
            Vocabulary::Excluded
        } else if has("/drawingml/") || has("/office/drawing/") || has("/office/thememl/") || uri.ends_with("/math") {
            Vocabulary::Drawing
        } else if (in_word && has("/wordprocessing") && !has("/wordprocessingml/")) || (in_excel && has("/spreadsheetDrawing")) {
            // Shapes, canvases and drawings of the two are drawings that happen to stand among their namespaces.
            Vocabulary::Drawing
        } else if in_word {
            Vocabulary::Wordprocessing
        } else if in_excel {
            Vocabulary::Spreadsheet
        } else {
            Vocabulary::Other
        }
    }
}

/// Whether a namespace belongs to Office Open XML, to Office, or to the standards that Office Open XML builds on.
fn is_office(uri: &str) -> bool {
    const OWN: [&str; 4] = [
        "http://schemas.openxmlformats.org/",
        "http://purl.oclc.org/ooxml/",
        "http://schemas.microsoft.com/office/",
        "http://purl.org/dc/",
    ];
    OWN.iter().any(|start| uri.starts_with(start))
        || (!uri.starts_with("urn:schemas-microsoft-com:") && namespace_of(uri.as_bytes()).is_some())
}

/// What was found in one namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceCoverage {
    /// How much is typed.
    pub share: Share,
    /// How often elements are not, by local name.
    pub untyped_elements: BTreeMap<String, u64>,
    /// How often attributes are not, by local name.
    pub untyped_attributes: BTreeMap<String, u64>,
}

/// What is typed and what is not, in a part, a package or many packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    namespaces: BTreeMap<String, NamespaceCoverage>,
    /// In parts that do not count as a whole.
    excluded: Count,
}

impl Coverage {
    /// Adds what another one has.
    pub fn merge(&mut self, other: &Coverage) {
        self.excluded += other.excluded;
        for (uri, theirs) in &other.namespaces {
            let ours = self.namespaces.entry(uri.clone()).or_default();
            ours.share += theirs.share;
            add_names(&mut ours.untyped_elements, &theirs.untyped_elements);
            add_names(&mut ours.untyped_attributes, &theirs.untyped_attributes);
        }
    }

    /// Namespaces (transitional or only URIs) in alphabetical order, those that do not count included.
    pub fn namespaces(&self) -> impl Iterator<Item = (&str, &NamespaceCoverage)> {
        self.namespaces.iter().map(|(uri, coverage)| (uri.as_str(), coverage))
    }

    /// How much of a vocabulary is typed.
    pub fn of(&self, vocabulary: Vocabulary) -> Share {
        let mut share = Share::default();
        for (_, coverage) in self.namespaces.iter().filter(|(uri, _)| Vocabulary::of_namespace(uri) == vocabulary) {
            share += coverage.share;
        }
        share
    }

    /// How much is typed of everything that counts.
    pub fn everything(&self) -> Share {
        let mut share = Share::default();
        for vocabulary in Vocabulary::COUNTED {
            share += self.of(vocabulary);
        }
        share
    }

    /// What does not count, typed or not.
    pub fn excluded(&self) -> Count {
        let share = self.of(Vocabulary::Excluded);
        let mut count = self.excluded;
        count += share.typed;
        count += share.untyped;
        count
    }

    /// Counts an untyped element or attribute.
    pub(super) fn add_untyped(&mut self, item: Item, uri: &[u8], local: &[u8]) {
        let namespace = self.namespace(uri);
        *namespace.share.untyped.of(item) += 1;
        let names = match item {
            Item::Element => &mut namespace.untyped_elements,
            Item::Attribute => &mut namespace.untyped_attributes,
        };
        let local = String::from_utf8_lossy(local);
        match names.get_mut(&*local) {
            Some(count) => *count += 1,
            None => {
                names.insert(local.into_owned(), 1);
            }
        }
    }

    /// Declares that nothing of it counts.
    pub(super) fn exclude(self) -> Coverage {
        let mut excluded = self.excluded;
        for coverage in self.namespaces.into_values() {
            excluded += coverage.share.typed;
            excluded += coverage.share.untyped;
        }
        Coverage { namespaces: BTreeMap::new(), excluded }
    }

    /// All that was counted, whether or not it counts.
    pub(super) fn total(&self) -> Share {
        let mut share = Share { typed: Count::default(), untyped: self.excluded };
        for coverage in self.namespaces.values() {
            share += coverage.share;
        }
        share
    }

    fn namespace(&mut self, uri: &[u8]) -> &mut NamespaceCoverage {
        let uri = match namespace_of(uri) {
            Some((id, _)) => namespace(id).uri.into(),
            None => String::from_utf8_lossy(uri),
        };
        if !self.namespaces.contains_key(&*uri) {
            self.namespaces.insert(uri.to_string(), NamespaceCoverage::default());
        }
        self.namespaces.entry(uri.into_owned()).or_default()
    }
}

fn add_names(ours: &mut BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) {
    for (name, count) in theirs {
        *ours.entry(name.clone()).or_default() += count;
    }
}

/// Counts what a reader meets in a part.
pub(super) struct Counter {
    /// By the schema's number of the namespace: nearly everything is typed, and an index costs less than a name.
    typed: [Count; 256],
    coverage: Coverage,
}

impl Counter {
    pub(super) fn new() -> Self {
        Counter { typed: [Count::default(); 256], coverage: Coverage::default() }
    }

    pub(super) fn finish(mut self) -> Coverage {
        for (id, count) in (0..=u8::MAX).zip(self.typed) {
            if count.total() > 0 {
                self.coverage.namespace(namespace(id).uri.as_bytes()).share.typed += count;
            }
        }
        self.coverage
    }

    fn count(&mut self, item: Item, namespace: u8) -> Option<&mut u64> {
        self.typed.get_mut(usize::from(namespace)).map(|count| count.of(item))
    }
}

impl Observer for Counter {
    #[inline]
    fn typed(&mut self, item: Item, namespace: u8) {
        if let Some(count) = self.count(item, namespace) {
            *count += 1;
        }
    }

    fn retracted(&mut self, item: Item, namespace: u8) {
        if let Some(count) = self.count(item, namespace) {
            *count = count.saturating_sub(1);
        }
    }

    fn untyped(&mut self, item: Item, uri: &[u8], local: &[u8]) {
        self.coverage.add_untyped(item, uri, local);
    }

    fn too_deep(&mut self, item: Item) {
        *self.coverage.excluded.of(item) += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    const STRICT_W: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";

    #[test]
    fn every_namespace_of_the_schema_but_vml_counts() {
        for namespace in recto_schema::tables::NAMESPACES.iter().filter(|namespace| !namespace.uri.is_empty()) {
            let vml = namespace.uri.starts_with("urn:schemas-microsoft-com:");
            assert_eq!(Vocabulary::of_namespace(namespace.uri) == Vocabulary::Excluded, vml, "{}", namespace.uri);
        }
    }

    #[test]
    fn namespaces_have_the_vocabulary_of_their_owner() {
        for (uri, vocabulary) in [
            (W, Vocabulary::Wordprocessing),
            ("http://schemas.microsoft.com/office/word/2006/wordml", Vocabulary::Wordprocessing),
            ("http://schemas.microsoft.com/office/word/2016/wordml/cid", Vocabulary::Wordprocessing),
            ("http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing", Vocabulary::Drawing),
            ("http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing", Vocabulary::Drawing),
            ("http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing", Vocabulary::Drawing),
            ("http://schemas.microsoft.com/office/excel/2010/spreadsheetDrawing", Vocabulary::Drawing),
            ("http://schemas.openxmlformats.org/officeDocument/2006/math", Vocabulary::Drawing),
            ("http://schemas.microsoft.com/office/drawing/2014/chartex", Vocabulary::Drawing),
            ("http://schemas.openxmlformats.org/spreadsheetml/2006/main", Vocabulary::Spreadsheet),
            ("http://schemas.microsoft.com/office/spreadsheetml/2009/9/main", Vocabulary::Spreadsheet),
            ("http://schemas.microsoft.com/office/excel/2006/main", Vocabulary::Spreadsheet),
            ("http://schemas.openxmlformats.org/package/2006/content-types", Vocabulary::Other),
            ("http://purl.org/dc/terms/", Vocabulary::Other),
            ("http://www.w3.org/2000/svg", Vocabulary::Excluded),
            ("urn:schemas-microsoft-com:office:excel", Vocabulary::Excluded),
            ("", Vocabulary::Excluded),
        ] {
            assert_eq!(Vocabulary::of_namespace(uri), vocabulary, "{uri}");
        }
    }

    #[test]
    fn strict_names_count_as_transitional_ones() {
        let mut coverage = Coverage::default();
        coverage.add_untyped(Item::Element, W.as_bytes(), b"odd");
        coverage.add_untyped(Item::Element, STRICT_W.as_bytes(), b"odd");
        let (uri, found) = coverage.namespaces().next().unwrap();
        assert_eq!((uri, found.untyped_elements.get("odd")), (W, Some(&2)));
        assert_eq!(coverage.namespaces().count(), 1);
    }

    #[test]
    fn what_is_retracted_does_not_count() {
        let (id, _) = namespace_of(W.as_bytes()).unwrap();
        let mut counter = Counter::new();
        counter.typed(Item::Element, id);
        counter.typed(Item::Attribute, id);
        counter.typed(Item::Element, id);
        counter.retracted(Item::Element, id);
        counter.untyped(Item::Attribute, b"urn:schemas-microsoft-com:vml", b"style");
        let coverage = counter.finish();
        let share = coverage.of(Vocabulary::Wordprocessing);
        assert_eq!(share.typed, Count { elements: 1, attributes: 1 });
        assert_eq!(share.percent(), Some(100.0));
        assert_eq!(coverage.everything(), share);
        assert_eq!(coverage.excluded(), Count { elements: 0, attributes: 1 });
        assert_eq!(coverage.of(Vocabulary::Drawing).percent(), None);
    }

    #[test]
    fn merging_adds() {
        let mut one = Coverage::default();
        one.add_untyped(Item::Element, W.as_bytes(), b"odd");
        let mut sum = one.clone();
        sum.merge(&one);
        sum.merge(&one.exclude());
        assert_eq!(sum.of(Vocabulary::Wordprocessing).untyped.elements, 2);
        assert_eq!(sum.excluded().elements, 1);
        assert_eq!(sum.total().untyped.elements, 3);
    }
}
