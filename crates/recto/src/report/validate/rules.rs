//! The rules of all domains, which see every element on its way.

use recto_schema::messages;
use recto_schema::tables::Row;

use super::element::Element;
use super::place::Place;
use super::sheet;
use super::word;

/// All rules, with what they know of the package.
#[derive(Default)]
pub(super) struct Rules {
    /// For each part whether it belongs to the glossary document, which has styles and lists of its own.
    in_glossary: Vec<bool>,
    is_glossary: bool,
    word: word::Rules,
    glossary: word::Rules,
    sheet: sheet::Rules,
}

impl Rules {
    /// Whether the root of a part defines what others refer to.
    pub(super) fn defines(root: &'static Row) -> bool {
        matches!(
            root.target,
            messages::word::STYLES
                | messages::word::NUMBERING
                | messages::word::FOOTNOTES
                | messages::word::ENDNOTES
                | messages::word::COMMENTS
                | messages::sheet::WORKBOOK
                | messages::sheet::STYLESHEET
                | messages::sheet::SHARED_STRINGS
        )
    }

    /// Says which parts belong to the glossary document.
    pub(super) fn set_glossary(&mut self, parts: Vec<bool>) {
        self.in_glossary = parts;
    }

    /// Says which part is looked at from now on.
    pub(super) fn select(&mut self, part: usize) {
        self.is_glossary = self.in_glossary.get(part).copied().unwrap_or_default();
    }

    fn word(&mut self) -> &mut word::Rules {
        if self.is_glossary { &mut self.glossary } else { &mut self.word }
    }

    /// Sees a root that defines what others refer to.
    pub(super) fn learn(&mut self, root: Element<'_>) {
        self.word().learn(root);
        self.sheet.learn(root);
    }

    /// A part begins.
    pub(super) fn start_part(&mut self) {
        self.word().start_part();
        self.sheet.start_part();
    }

    /// An element begins.
    #[inline]
    pub(super) fn enter(&mut self, element: Element<'_>, place: &mut Place<'_>) {
        self.word().enter(element, place);
        self.sheet.enter(element, place);
    }

    /// A part ends.
    pub(super) fn end_part(&mut self, place: &mut Place<'_>) {
        self.word().end_part(place);
    }
}
