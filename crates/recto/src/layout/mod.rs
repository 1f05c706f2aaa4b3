//! How an XML part was laid out: white space between elements, empty elements, and unusual spellings.
//!
//! The transcoder writes XML in one way, Office's. Other producers indent, write `<a></a>` or `<a />`, or spell a character as
//! a reference. Where a part came in such a layout, [`learn`] compares it with what the transcoder makes of it and
//! gives the changes; [`apply`] makes them again. Both walk over the text with the same [`habits::Habits`], which expect
//! that everything goes on as it did so far, so that a habit costs one change and not one for each element.
//!
//! Changes count tokens, and therefore only fit the text that they were made for: a checksum tells whether it still is that.
//! A part that was edited is written in the usual layout.

mod apply;
mod habits;
mod learn;
mod units;
mod wire;

use flate2::Crc;

pub(crate) use apply::apply;
pub(crate) use learn::learn;
pub(crate) use wire::{parse, put};

/// Parts up to this size may have a layout: both texts are held in memory.
pub(crate) const LARGEST: u64 = 8 << 20;

/// The changes that make a part's usual text the one that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// CRC-32 of the usual text.
    pub checksum: u32,
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// How many units come between the last change's unit and this one's; 0 for the same unit.
    pub skip: u32,
    pub what: What,
}

/// What is other than expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// White space before the tag.
    Blank(Vec<u8>),
    /// How an empty element is written.
    Empty(EmptyForm),
    /// A start tag without its delimiters, an end tag, or a text, as written.
    Spelling(Vec<u8>),
}

/// How an element without content is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EmptyForm {
    /// `<a/>`
    #[default]
    Closed,
    /// `<a />`
    Spaced,
    /// `<a></a>`
    Paired,
}

/// A text without its byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The checksum of a text.
pub(crate) fn checksum(text: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(text);
    crc.sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::limits::Limits;

    fn changes(source: &str, usual: &str) -> Layout {
        learn(source.as_bytes(), usual.as_bytes(), &Limits::default()).unwrap().unwrap()
    }

    /// The layout is learnt, costs at most so many changes, and makes the source again.
    fn comes_back(source: &str, usual: &str, most: usize) {
        let layout = changes(source, usual);
        assert!(layout.changes.len() <= most, "{:?}", layout.changes);
        let again = apply(usual.as_bytes(), &layout, &Limits::default()).unwrap();
        assert_eq!(String::from_utf8_lossy(&again), source);
        let mut bytes = Vec::new();
        put(&layout, &mut bytes, 8);
        let field = crate::wire::input::Fields::new(&bytes).next().unwrap().unwrap();
        assert_eq!(parse(field.bytes(&bytes)).unwrap(), layout);
    }

    #[test]
    fn indentation_costs_a_change_a_level() {
        let source = "<a>\n  <b>\n    <c>\n      <d x=\"1\"/>\n      <d/>\n    </c>\n    <c>\n      <d/>\n    </c>\n  </b>\n  <b>\n    <c/>\n  </b>\n</a>";
        let usual = "<a><b><c><d x=\"1\"/><d/></c><c><d/></c></b><b><c/></b></a>";
        comes_back(source, usual, 3);
        comes_back(&source.replace("  ", "\t").replace('\n', "\r\n"), usual, 3);
        comes_back(&source.replace("  ", ""), usual, 3);
    }

    #[test]
    fn text_has_no_indentation() {
        comes_back("<a>\n  <b>x</b>\n  <b>y</b>\n  <c><d>z</d></c>\n</a>", "<a><b>x</b><b>y</b><c><d>z</d></c></a>", 4);
    }

    #[test]
    fn empty_elements_are_written_by_name() {
        let source = "<a><b></b><c/><b></b><c/><b></b></a>";
        comes_back(source, "<a><b/><c/><b/><c/><b/></a>", 2);
        comes_back("<a><b /><c /><b x=\"1\" /></a>", "<a><b/><c/><b x=\"1\"/></a>", 1);
    }

    #[test]
    fn spellings_are_kept() {
        comes_back("<a  x='1'\n y=\"&#x41;\"><b >t&#x20;</b ></a>", "<a x=\"1\" y=\"A\"><b>t </b></a>", 4);
        comes_back("<a><![CDATA[x]]>y</a>", "<a>xy</a>", 1);
        comes_back("<a y='2' x='1'/>", "<a x=\"1\" y=\"2\"/>", 1);
    }

    #[test]
    fn only_the_newline_before_the_last_tag() {
        comes_back("<a><b/><b/>\n</a>", "<a><b/><b/></a>", 1);
    }

    #[test]
    fn other_content_has_no_layout() {
        for (source, usual) in [("<a>x</a>", "<a/>"), ("<a/>", "<a><b/></a>"), ("<a><b/></a>", "<a> <b/></a>")] {
            assert_eq!(learn(source.as_bytes(), usual.as_bytes(), &Limits::default()).unwrap(), None);
        }
    }

    #[test]
    fn what_was_edited_is_written_as_usual() {
        let layout = changes("<a>\n <b/></a>", "<a><b/></a>");
        assert_eq!(apply(b"<a><c/></a>", &layout, &Limits::default()).unwrap(), b"<a><c/></a>");
    }

    #[test]
    fn a_layout_cannot_change_what_is_said() {
        let usual = b"<a x=\"1\"><b>t</b></a>";
        for what in [
            What::Spelling(b"a x=\"2\"".to_vec()),
            What::Spelling(b"a x=\"1\" y=\"2\"".to_vec()),
            What::Spelling(b"a x=\"1\"/".to_vec()),
            What::Spelling(b"c x=\"1\"".to_vec()),
            What::Spelling(b"a x=\"1\"><c/><a".to_vec()),
            What::Blank(b"no blank".to_vec()),
        ] {
            let layout = Layout { checksum: checksum(usual), changes: vec![Change { skip: 0, what }] };
            assert!(apply(usual, &layout, &Limits::default()).is_err());
        }
        let text = Change { skip: 2, what: What::Spelling(b"u".to_vec()) };
        assert!(apply(usual, &Layout { checksum: checksum(usual), changes: vec![text] }, &Limits::default()).is_err());
    }
}
