//! Relationships of the package and of parts (ECMA-376 part 2, clause 6.5).

use std::collections::BTreeSet;

use super::{markup, names};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::error::Result;
use crate::limits::Limits;

const NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// Type of the relationship that leads to the main part.
pub const OFFICE_DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";

/// The same in Strict packages (ISO/IEC 29500-1).
pub const OFFICE_DOCUMENT_STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument";

/// A link from the package or a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relationship {
    /// What `r:id` attributes name; empty where the file has none.
    pub id: String,
    /// The URI that says what the target is for; empty where the file has none.
    pub kind: String,
    /// The target as written.
    pub target: String,
    /// Whether the target lies outside the package; then it is any string and is never parsed.
    pub external: bool,
}

impl Relationship {
    /// The name of the part that it leads to, seen from the part `source` (empty for the package); none if it is external or
    /// cannot be a part.
    pub fn resolve(&self, source: &str) -> Option<String> {
        if self.external { None } else { names::resolve(source, &self.target) }
    }
}

/// Reads the bytes of a .rels part, in any encoding: its relationships in the order of the file.
///
/// # Errors
/// A markup error if they are not the XML that they must be, have a DTD or entities, or a limit error.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Vec<Relationship>> {
    let mut list = Vec::new();
    markup::read_list(bytes, (NAMESPACE, "Relationships"), limits, |name, attributes| {
        if name == "Relationship" {
            list.push(Relationship {
                id: attributes.take("Id").unwrap_or_default(),
                kind: attributes.take("Type").unwrap_or_default(),
                target: attributes.take("Target").unwrap_or_default(),
                external: attributes.take("TargetMode").is_some_and(|mode| mode.eq_ignore_ascii_case("External")),
            });
        }
    })?;
    Ok(list)
}

/// Reports relationships that lead nowhere and ids that are not unique. `exists` tells whether a part is in the package.
pub fn check(source: &str, list: &[Relationship], exists: impl Fn(&str) -> bool, diagnostics: &mut Diagnostics) {
    let mut ids = BTreeSet::new();
    let mut report = |relationship: &Relationship, code, message: String| {
        let diagnostic = Diagnostic::new(code, message).at_path(&*relationship.id);
        diagnostics.push(if source.is_empty() { diagnostic } else { diagnostic.in_part(source) });
    };
    for relationship in list {
        if !ids.insert(relationship.id.as_str()) {
            report(relationship, DiagnosticCode::DuplicateRelationshipId, "another relationship has the same id".to_owned());
        }
        if relationship.external {
            if relationship.target.is_empty() {
                report(relationship, DiagnosticCode::EmptyTarget, "the external target is empty".to_owned());
            }
        } else if !relationship.resolve(source).is_some_and(|part| exists(&part)) {
            let message = format!("no part is at the target {:?}", relationship.target);
            report(relationship, DiagnosticCode::DanglingRelationship, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(items: &str) -> Vec<Relationship> {
        let xml = format!("<Relationships xmlns='{NAMESPACE}'>{items}</Relationships>");
        parse(xml.as_bytes(), &Limits::default()).unwrap()
    }

    #[test]
    fn p33_external_targets_are_opaque() {
        for target in ["mailto:one@", "file:///\\\\$X$\\y", "quic:\\\\1234\\456", "http://", ""] {
            let list = parsed(&format!("<Relationship Id='a' Type='t' Target='{target}' TargetMode='External'/>"));
            assert_eq!(list[0].target, target);
            assert_eq!(list[0].resolve("word/document.xml"), None);
        }
    }

    #[test]
    fn p41_every_edge_is_kept_in_order() {
        let list = parsed("<Relationship Id='b' Type='t' Target='x'/><Relationship Id='a' Type='t' Target='x'/>");
        assert_eq!(list.iter().map(|relationship| relationship.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn p32_p34_dangling_and_empty_targets_are_reported() {
        let list = parsed(concat!(
            "<Relationship Id='1' Type='t' Target='../NULL'/><Relationship Id='1' Type='t' Target='' TargetMode='External'/>",
            "<Relationship Id='3' Type='t' Target='media/a.png'/>",
        ));
        let mut diagnostics = Diagnostics::new();
        check("word/document.xml", &list, |part| part == "word/media/a.png", &mut diagnostics);
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(codes, ["dangling-relationship", "duplicate-relationship-id", "empty-target"]);
    }
}
