//! Rules of documents: what styles, lists, notes and comments are referred to, ranges, and cells of tables.

use std::collections::{BTreeMap, BTreeSet};

use recto_schema::enums::word::style_type;
use recto_schema::{fields, messages};

use super::element::Element;
use super::finding::FindingCode;
use super::place::Place;

/// What a document defines, and what its current part has had.
#[derive(Default)]
pub(super) struct Rules {
    /// Types of styles by id; none where there is no part for styles.
    styles: BTreeMap<String, i64>,
    numberings: BTreeSet<i64>,
    numbering_definitions: BTreeSet<i64>,
    footnotes: BTreeSet<i64>,
    endnotes: BTreeSet<i64>,
    comments: BTreeSet<i64>,
    part: Part,
}

/// What a part has had so far.
#[derive(Default)]
struct Part {
    /// Ids by kind of element.
    ids: BTreeSet<(&'static str, i64)>,
    styles: BTreeSet<String>,
    /// Ranges by name and id, with their places: begun, and not ended.
    open: BTreeMap<(&'static str, i64), String>,
}

impl Rules {
    /// Notes what the root of a part defines.
    pub(super) fn learn(&mut self, root: Element<'_>) {
        match root.message {
            messages::word::STYLES => {
                for style in root.children(fields::word::styles::STYLES) {
                    let id = style.text(fields::word::style::ID).unwrap_or_default().to_owned();
                    let kind = style.number(fields::word::style::TYPE).unwrap_or(style_type::PARAGRAPH as i64);
                    self.styles.entry(id).or_insert(kind);
                }
            }
            messages::word::NUMBERING => {
                let ids = root.children(fields::word::numbering::INSTANCES);
                self.numberings.extend(ids.filter_map(|one| one.number(fields::word::numbering_instance::ID)));
                let ids = root.children(fields::word::numbering::DEFINITIONS);
                self.numbering_definitions.extend(ids.filter_map(|one| one.number(fields::word::abstract_numbering::ID)));
            }
            messages::word::FOOTNOTES => self.footnotes.extend(ids(root, fields::word::footnotes::NOTES, fields::word::note::ID)),
            messages::word::ENDNOTES => self.endnotes.extend(ids(root, fields::word::endnotes::NOTES, fields::word::note::ID)),
            messages::word::COMMENTS => {
                self.comments.extend(ids(root, fields::word::comments::COMMENTS, fields::word::comment::ID));
            }
            _ => {}
        }
    }

    pub(super) fn start_part(&mut self) {
        self.part = Part::default();
    }

    pub(super) fn end_part(&mut self, place: &mut Place<'_>) {
        for ((kind, id), path) in std::mem::take(&mut self.part.open) {
            place.report_at(path, FindingCode::UnpairedRange, format!("the {kind} with the id {id} has no end"));
        }
    }

    pub(super) fn enter(&mut self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::word as f;
        use messages::word as m;
        match element.message {
            m::PARAGRAPH_PROPERTIES => self.style(element, f::paragraph_properties::STYLE_ID, style_type::PARAGRAPH, place),
            m::RUN_PROPERTIES => self.style(element, f::run_properties::STYLE_ID, style_type::CHARACTER, place),
            m::PARAGRAPH_MARK_PROPERTIES => {
                self.style(element, f::paragraph_mark_properties::STYLE_ID, style_type::CHARACTER, place);
            }
            m::TABLE_PROPERTIES => self.style(element, f::table_properties::STYLE_ID, style_type::TABLE, place),
            m::STYLE => self.style_definition(element, place),
            m::NUMBERING_PROPERTIES => self.numbering(element, place),
            m::ABSTRACT_NUMBERING => self.unique("list definition", element.number(f::abstract_numbering::ID), place),
            m::NUMBERING_INSTANCE => self.numbering_instance(element, place),
            m::NOTE => self.unique("note", element.number(f::note::ID), place),
            m::COMMENT => self.unique("comment", element.number(f::comment::ID), place),
            m::NOTE_REFERENCE => self.note_reference(element, place),
            m::COMMENT_REFERENCE => self.comment_reference(element, f::comment_reference::ID, place),
            m::BOOKMARK_START => self.begin("bookmark", element.number(f::bookmark_start::ID), place),
            m::RANGE_MARK => self.mark(element, place),
            m::TABLE_CELL => table_cell(element, place),
            messages::drawing::NON_VISUAL_DRAWING_PROPERTIES if element.name == b"docPr" => {
                self.unique("drawing", element.number(fields::drawing::non_visual_drawing_properties::ID), place);
            }
            _ => {}
        }
    }

    /// A style that is referred to, of a type.
    fn style(&self, element: Element<'_>, field: u32, kind: u64, place: &mut Place<'_>) {
        let Some(id) = element.text(field) else { return };
        match self.styles.get(id) {
            None => place.report_field(field, FindingCode::UndefinedStyle, format!("there is no style \"{id}\"")),
            Some(found) if *found != kind as i64 => {
                let message = format!("\"{id}\" is a {}, not a {}", style_kind(*found), style_kind(kind as i64));
                place.report_field(field, FindingCode::WrongStyleType, message);
            }
            Some(_) => {}
        }
    }

    fn style_definition(&mut self, style: Element<'_>, place: &mut Place<'_>) {
        use fields::word::style as f;
        let id = style.text(f::ID).unwrap_or_default();
        if !id.is_empty() && !self.part.styles.insert(id.to_owned()) {
            place.report_field(f::ID, FindingCode::DuplicateId, format!("another style has the id \"{id}\""));
        }
        if let Some(id) = style.text(f::BASED_ON).filter(|id| !self.styles.contains_key(*id)) {
            place.report_field(f::BASED_ON, FindingCode::UndefinedStyle, format!("there is no style \"{id}\""));
        }
    }

    fn numbering(&self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::word::numbering_properties as f;
        // 0 takes a list away that a style gives.
        if let Some(id) = element.number(f::NUMBERING_ID).filter(|id| *id != 0 && !self.numberings.contains(id)) {
            place.report_field(f::NUMBERING_ID, FindingCode::UndefinedNumbering, format!("there is no list with the id {id}"));
        }
    }

    fn numbering_instance(&mut self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::word::numbering_instance as f;
        self.unique("list", element.number(f::ID), place);
        if let Some(id) = element.number(f::DEFINITION_ID).filter(|id| !self.numbering_definitions.contains(id)) {
            let message = format!("there is no list definition with the id {id}");
            place.report_field(f::DEFINITION_ID, FindingCode::UndefinedNumbering, message);
        }
    }

    fn note_reference(&self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::word::note_reference as f;
        let (notes, kind) = match element.name {
            b"endnoteReference" => (&self.endnotes, "endnote"),
            _ => (&self.footnotes, "footnote"),
        };
        if let Some(id) = element.number(f::ID).filter(|id| !notes.contains(id)) {
            place.report_field(f::ID, FindingCode::UndefinedNote, format!("there is no {kind} with the id {id}"));
        }
    }

    fn comment_reference(&self, element: Element<'_>, field: u32, place: &mut Place<'_>) {
        if let Some(id) = element.number(field).filter(|id| !self.comments.contains(id)) {
            place.report_field(field, FindingCode::UndefinedComment, format!("there is no comment with the id {id}"));
        }
    }

    /// One end of a range.
    fn mark(&mut self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::word::range_mark as f;
        let id = element.number(f::ID);
        match element.name {
            b"bookmarkEnd" => self.end("bookmark", id, place),
            b"commentRangeStart" => {
                self.comment_reference(element, f::ID, place);
                self.begin("comment's range", id, place);
            }
            b"commentRangeEnd" => self.end("comment's range", id, place),
            _ => {}
        }
    }

    fn begin(&mut self, kind: &'static str, id: Option<i64>, place: &mut Place<'_>) {
        self.unique(kind, id, place);
        if let Some(id) = id.filter(|_| !place.is_fallback()) {
            self.part.open.insert((kind, id), place.path());
        }
    }

    fn end(&mut self, kind: &'static str, id: Option<i64>, place: &mut Place<'_>) {
        if let Some(id) = id
            && !place.is_fallback()
            && self.part.open.remove(&(kind, id)).is_none()
        {
            place.report(FindingCode::UnpairedRange, format!("no {kind} with the id {id} has begun"));
        }
    }

    /// Ids of one kind stand once in a part.
    fn unique(&mut self, kind: &'static str, id: Option<i64>, place: &mut Place<'_>) {
        if let Some(id) = id.filter(|id| !place.is_fallback() && !self.part.ids.insert((kind, *id))) {
            place.report(FindingCode::DuplicateId, format!("another {kind} has the id {id}"));
        }
    }
}

fn ids(root: Element<'_>, list: u32, id: u32) -> impl Iterator<Item = i64> {
    root.children(list).filter_map(move |one| one.number(id))
}

fn style_kind(kind: i64) -> &'static str {
    match u64::try_from(kind).unwrap_or_default() {
        style_type::CHARACTER => "character style",
        style_type::TABLE => "table style",
        style_type::NUMBERING => "list style",
        _ => "paragraph style",
    }
}

/// A cell ends with a paragraph, be it in a content control (ECMA-376 part 1, clause 17.4.65).
fn table_cell(cell: Element<'_>, place: &mut Place<'_>) {
    use fields::word::block;
    let is_block = |field: &u32| !matches!(*field, block::BOOKMARK_START | block::BOOKMARK_END);
    let last = cell.items(fields::word::table_cell::CONTENT).map(|(field, _)| field).filter(is_block).last();
    match last {
        None => place.report(FindingCode::CellWithoutParagraph, "the cell must hold a paragraph"),
        Some(block::TABLE) => {
            place.report(FindingCode::CellWithoutParagraph, "after the table, the cell must end with a paragraph")
        }
        Some(_) => {}
    }
}
