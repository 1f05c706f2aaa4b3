//! The package: its parts one by one, and what holds them together (ECMA-376 part 2).

use std::collections::{BTreeMap, BTreeSet};

use recto_schema::tables::{Row, message, root_of_field};
use recto_schema::{enums, fields, messages};

use crate::error::Result;
use crate::opc::names;
use crate::package::plan::{Body, PartPlan, Plan, Special};
use crate::wire::WireType;
use crate::wire::input::{Field, Input, invalid};

use super::element::Element;
use super::finding::{Finding, FindingCode, Findings};
use super::markup::Scope;
use super::place::{Place, element_name};
use super::rules::Rules;
use super::walk::Walk;

/// A kind of part.
struct Kind {
    /// The last word of the type of relationships that lead to it.
    relationship: &'static str,
    /// Its content type after `application/vnd.`.
    content_type: &'static str,
    /// The field of `Part.content` that its root is.
    root: u32,
}

const fn kind(relationship: &'static str, content_type: &'static str, root: u32) -> Kind {
    Kind { relationship, content_type, root }
}

/// Kinds of parts that Office does not find or open with another content type or root element.
const KINDS: [Kind; 31] = {
    use fields::part as p;
    [
        kind("officeDocument", "openxmlformats-officedocument.wordprocessingml.document.main+xml", p::DOCUMENT),
        kind("officeDocument", "openxmlformats-officedocument.wordprocessingml.template.main+xml", p::DOCUMENT),
        kind("officeDocument", "ms-word.document.macroEnabled.main+xml", p::DOCUMENT),
        kind("officeDocument", "ms-word.template.macroEnabledTemplate.main+xml", p::DOCUMENT),
        kind("glossaryDocument", "openxmlformats-officedocument.wordprocessingml.document.glossary+xml", p::GLOSSARY_DOCUMENT),
        kind("header", "openxmlformats-officedocument.wordprocessingml.header+xml", p::PAGE_HEADER),
        kind("footer", "openxmlformats-officedocument.wordprocessingml.footer+xml", p::PAGE_FOOTER),
        kind("footnotes", "openxmlformats-officedocument.wordprocessingml.footnotes+xml", p::FOOTNOTES),
        kind("endnotes", "openxmlformats-officedocument.wordprocessingml.endnotes+xml", p::ENDNOTES),
        kind("comments", "openxmlformats-officedocument.wordprocessingml.comments+xml", p::COMMENTS),
        kind("styles", "openxmlformats-officedocument.wordprocessingml.styles+xml", p::STYLES),
        kind("numbering", "openxmlformats-officedocument.wordprocessingml.numbering+xml", p::NUMBERING),
        kind("settings", "openxmlformats-officedocument.wordprocessingml.settings+xml", p::SETTINGS),
        kind("fontTable", "openxmlformats-officedocument.wordprocessingml.fontTable+xml", p::FONT_TABLE),
        kind("webSettings", "openxmlformats-officedocument.wordprocessingml.webSettings+xml", p::WEB_SETTINGS),
        kind("officeDocument", "openxmlformats-officedocument.spreadsheetml.sheet.main+xml", p::WORKBOOK),
        kind("officeDocument", "openxmlformats-officedocument.spreadsheetml.template.main+xml", p::WORKBOOK),
        kind("officeDocument", "ms-excel.sheet.macroEnabled.main+xml", p::WORKBOOK),
        kind("officeDocument", "ms-excel.template.macroEnabled.main+xml", p::WORKBOOK),
        kind("worksheet", "openxmlformats-officedocument.spreadsheetml.worksheet+xml", p::WORKSHEET),
        kind("chartsheet", "openxmlformats-officedocument.spreadsheetml.chartsheet+xml", p::CHART_SHEET),
        kind("sharedStrings", "openxmlformats-officedocument.spreadsheetml.sharedStrings+xml", p::SHARED_STRINGS),
        kind("styles", "openxmlformats-officedocument.spreadsheetml.styles+xml", p::STYLESHEET),
        kind("table", "openxmlformats-officedocument.spreadsheetml.table+xml", p::TABLE),
        kind("comments", "openxmlformats-officedocument.spreadsheetml.comments+xml", p::CELL_COMMENTS),
        kind("calcChain", "openxmlformats-officedocument.spreadsheetml.calcChain+xml", p::CALCULATION_CHAIN),
        kind("pivotTable", "openxmlformats-officedocument.spreadsheetml.pivotTable+xml", p::PIVOT_TABLE),
        kind("externalLink", "openxmlformats-officedocument.spreadsheetml.externalLink+xml", p::EXTERNAL_LINK),
        kind("theme", "openxmlformats-officedocument.theme+xml", p::THEME),
        kind("drawing", "openxmlformats-officedocument.drawing+xml", p::SHEET_DRAWING),
        kind("chart", "openxmlformats-officedocument.drawingml.chart+xml", p::CHART),
    ]
};

/// What types of relationships of Office's own begin with, in transitional and in Strict packages.
const RELATIONSHIP_TYPES: [&str; 2] = [
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
    "http://purl.oclc.org/ooxml/officeDocument/relationships/",
];

/// A folder of what Office left over as it saved; nothing in it is a part.
const TRASH: &str = "[trash]/";

/// What Office itself writes for the target of a relationship to a picture that it lost.
const LOST: &str = "NULL";

/// What a zip file begins with.
const ZIP: &[u8] = b"PK\x03\x04";

impl Kind {
    fn has_type(&self, content_type: &str) -> bool {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        essence.get("application/vnd.".len()..).is_some_and(|rest| rest.eq_ignore_ascii_case(self.content_type))
    }
}

/// Parts by the keys of their names.
type Parts<'p> = BTreeMap<String, &'p PartPlan>;

/// The relationships of a part.
#[derive(Default)]
pub(super) struct Links {
    ids: BTreeSet<String>,
}

impl Links {
    /// Whether there is one with an id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

/// Checks a whole package; what a baseline has is passed over.
pub(super) fn check(input: &mut Input<'_>, baseline: Option<&Findings>) -> Result<Findings> {
    let plan = Plan::of(input)?;
    let mut findings = Findings::beyond(baseline);
    let parts = parts_by_key(&plan, &mut findings);
    let root = special_root(messages::CONTENT_TYPES_PART, fields::content_types_part::TYPES)?;
    check_content_types(&plan.content_types, root, &mut findings)?;
    let mut rules = Rules::default();
    learn(&plan, input, &mut rules)?;
    if let Some(list) = &plan.relationships {
        check_links(&parts, list, "", &mut findings, &mut rules)?;
    }
    for (index, part) in plan.parts.iter().enumerate() {
        rules.select(index);
        check_part(&parts, part, input, &mut findings, &mut rules).map_err(|error| error.in_part(&*part.name))?;
    }
    Ok(findings)
}

fn special_root(part: u16, field: u32) -> Result<&'static Row> {
    message(part).field(field).map(|(_, row)| row).ok_or_else(|| invalid("an unknown field in a part"))
}

/// Lets the rules see what others refer to before these are checked.
fn learn(plan: &Plan, input: &mut Input<'_>, rules: &mut Rules) -> Result<()> {
    let is_glossary =
        |part: &&PartPlan| matches!(&part.body, Body::Typed(row, _) if u32::from(row.field) == fields::part::GLOSSARY_DOCUMENT);
    if let Some(glossary) = plan.parts.iter().find(is_glossary) {
        let targets: BTreeSet<String> = targets(glossary.relationships.as_ref(), &glossary.name).collect();
        let belongs = |part: &PartPlan| part.name == glossary.name || targets.contains(&names::key(&part.name));
        rules.set_glossary(plan.parts.iter().map(belongs).collect());
    }
    for (index, part) in plan.parts.iter().enumerate() {
        if let Body::Typed(row, pieces) = &part.body
            && Rules::defines(row)
        {
            rules.select(index);
            let wire = load(input, pieces)?;
            rules.learn(Element::of(row, &wire));
        }
    }
    Ok(())
}

/// The bytes of a part's root.
fn load(input: &mut Input<'_>, pieces: &[Field]) -> Result<Vec<u8>> {
    let mut wire = Vec::new();
    for piece in pieces {
        piece.expect(WireType::Bytes)?;
        wire.extend_from_slice(input.bytes(piece.start, piece.end)?);
    }
    Ok(wire)
}

fn check_part(
    parts: &Parts<'_>,
    part: &PartPlan,
    input: &mut Input<'_>,
    findings: &mut Findings,
    rules: &mut Rules,
) -> Result<()> {
    let links = match &part.relationships {
        Some(list) => check_links(parts, list, &part.name, findings, rules)?,
        None => Links::default(),
    };
    let root = match &part.body {
        Body::Typed(row, pieces) => {
            let wire = load(input, pieces)?;
            let scope = Scope::of_root(&part.markup)?;
            Walk::new(Place::new(&part.name, findings), scope, &links, rules).root(row, &wire)?;
            Root::Typed(row.field.into())
        }
        Body::Data(field) if input.bytes(field.start, field.end.min(field.start + ZIP.len() as u64))? == ZIP => Root::Package,
        Body::Data(_) => Root::Unknown,
    };
    check_content_type(part, root, findings);
    Ok(())
}

/// What stands in a part.
enum Root {
    /// The root of a field of `Part.content`.
    Typed(u32),
    /// A document within the document, which is a package of its own.
    Package,
    /// Anything else.
    Unknown,
}

/// What a content type says of a part must be so.
fn check_content_type(part: &PartPlan, root: Root, findings: &mut Findings) {
    if part.name.ends_with('/') || part.name.starts_with(TRASH) {
        return;
    }
    let mut report = |code, message: String| {
        findings.push(Finding { code, part: part.name.clone(), path: String::new(), message });
    };
    let Some(content_type) = &part.content_type else {
        return report(FindingCode::MissingContentType, "[Content_Types].xml has no type for the part".to_owned());
    };
    let name = |field: u32| root_of_field(field).map(element_name).unwrap_or_default();
    let (found, field) = match root {
        Root::Package => return,
        Root::Typed(field) => (name(field), field),
        Root::Unknown => ("none that can be read".to_owned(), 0),
    };
    let known = KINDS.iter().find(|kind| kind.has_type(content_type));
    if let Some(kind) = known.filter(|kind| kind.root != field) {
        let message = format!("the content type {content_type} needs the root element {}, not {found}", name(kind.root));
        report(FindingCode::WrongContentType, message);
    }
}

/// Parts by the keys of their names, of which no two may be the same.
fn parts_by_key<'p>(plan: &'p Plan, findings: &mut Findings) -> Parts<'p> {
    let mut parts = Parts::new();
    for part in plan.parts.iter().filter(|part| !part.name.ends_with('/')) {
        if parts.insert(names::key(&part.name), part).is_some() {
            let message = "another part has the same name".to_owned();
            findings.push(Finding { code: FindingCode::DuplicatePart, part: part.name.clone(), path: String::new(), message });
        }
    }
    parts
}

/// The list of content types has each name once.
fn check_content_types(list: &Special, root: &'static Row, findings: &mut Findings) -> Result<()> {
    let (links, mut rules) = (Links::default(), Rules::default());
    let place = Place::new(&list.name, findings);
    Walk::new(place, Scope::of_root(&list.markup)?, &links, &mut rules).root(root, &list.list)?;
    let mut seen = BTreeSet::new();
    for (field, rule) in Element::of(root, &list.list).items(fields::content_types::RULES) {
        let name = match field {
            fields::content_type_rule::EXTENSION => {
                rule.text(fields::default_content_type::EXTENSION).map(str::to_ascii_lowercase)
            }
            _ => rule.text(fields::override_content_type::PART_NAME).map(|name| format!("/{}", names::key(name))),
        };
        if let Some(name) = name.filter(|name| !seen.insert(name.clone())) {
            let message = format!("there is a type for {name} already");
            let (part, path) = (list.name.clone(), String::new());
            findings.push(Finding { code: FindingCode::DuplicateContentType, part, path, message });
        }
    }
    Ok(())
}

/// Relationships have ids of their own and lead to parts.
fn check_links(parts: &Parts<'_>, list: &Special, source: &str, findings: &mut Findings, rules: &mut Rules) -> Result<Links> {
    let root = special_root(messages::RELATIONSHIPS_PART, fields::relationships_part::LIST)?;
    let mut links = Links::default();
    let place = Place::new(&list.name, findings);
    Walk::new(place, Scope::of_root(&list.markup)?, &links, rules).root(root, &list.list)?;
    let mut report = |code, nth: usize, message: String| {
        let path = format!("/Relationships/Relationship[{}]", nth + 1);
        findings.push(Finding { code, part: list.name.clone(), path, message });
    };
    for (nth, link) in Element::of(root, &list.list).children(fields::relationships::RELATIONSHIPS).enumerate() {
        let id = link.text(fields::relationship::ID).unwrap_or_default();
        if !links.ids.insert(id.to_owned()) {
            report(FindingCode::DuplicateId, nth, format!("another relationship has the id \"{id}\""));
        }
        let Some(target) = link.text(fields::relationship::TARGET).filter(|_| is_internal(link)) else { continue };
        match names::resolve(source, target).and_then(|name| parts.get(&names::key(&name))) {
            None if target == LOST => {}
            None => report(FindingCode::DanglingRelationship, nth, format!("there is no part \"{target}\"")),
            Some(part) => {
                if let Some(expected) = other_type(link, part) {
                    let message = format!("the content type of \"{target}\" must be application/vnd.{expected}");
                    report(FindingCode::WrongContentType, nth, message);
                }
            }
        }
    }
    Ok(links)
}

/// The content type that a relationship expects of its target, if that has another.
fn other_type(link: Element<'_>, target: &PartPlan) -> Option<&'static str> {
    let name = link.text(fields::relationship::TYPE)?;
    let word = RELATIONSHIP_TYPES.iter().find_map(|start| name.strip_prefix(start))?;
    let is_one = |kind: &&Kind| kind.relationship == word;
    let content_type = target.content_type.as_deref().unwrap_or_default();
    let fits = KINDS.iter().filter(is_one).any(|kind| kind.has_type(content_type));
    KINDS.iter().find(is_one).filter(|_| !fits).map(|kind| kind.content_type)
}

fn is_internal(link: Element<'_>) -> bool {
    link.number(fields::relationship::TARGET_MODE) != Some(enums::target_mode::EXTERNAL as i64)
}

/// Keys of the parts that the internal relationships of a source lead to.
fn targets<'p>(list: Option<&'p Special>, source: &'p str) -> impl Iterator<Item = String> + use<'p> {
    let row = message(messages::RELATIONSHIPS_PART).field(fields::relationships_part::LIST).map(|(_, row)| row);
    let root = list.zip(row).map(|(list, row)| Element::of(row, &list.list));
    let links = root.into_iter().flat_map(|root| root.children(fields::relationships::RELATIONSHIPS));
    links
        .filter(|link| is_internal(*link))
        .filter_map(move |link| names::resolve(source, link.text(fields::relationship::TARGET)?).map(|name| names::key(&name)))
}
