//! Which part has which content type (ECMA-376 part 2, clause 6.2.3).

use std::collections::BTreeMap;

use super::{markup, names};
use crate::error::Result;
use crate::limits::Limits;

const NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/content-types";

/// The rules of `[Content_Types].xml`, for look-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentTypes {
    /// By extension, in lower case.
    defaults: BTreeMap<String, String>,
    /// By the key of the part's name.
    overrides: BTreeMap<String, String>,
}

impl ContentTypes {
    /// Reads the bytes of the part, in any encoding.
    ///
    /// # Errors
    /// A markup error if they are not the XML that they must be, have a DTD or entities, or a limit error.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let mut types = ContentTypes::default();
        markup::read_list(bytes, (NAMESPACE, "Types"), limits, |name, attributes| {
            let Some(content_type) = attributes.take("ContentType") else { return };
            // The first of two rules for one thing wins.
            if let ("Default", Some(extension)) = (name, attributes.take("Extension")) {
                types.defaults.entry(extension.trim_start_matches('.').to_ascii_lowercase()).or_insert(content_type);
            } else if let ("Override", Some(part)) = (name, attributes.take("PartName")) {
                types.overrides.entry(names::key(&part)).or_insert(content_type);
            }
        })?;
        Ok(types)
    }

    /// The content type of a part: that of its own rule, else that of its extension.
    pub fn of(&self, part: &str) -> Option<&str> {
        let own = self.overrides.get(&*names::look_up_key(part));
        // Extensions are looked up without a copy first.
        let default =
            |extension: &str| self.defaults.get(extension).or_else(|| self.defaults.get(&extension.to_ascii_lowercase()));
        own.or_else(|| default(names::extension(part)?)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, MarkupError};

    fn parse(xml: &str) -> Result<ContentTypes> {
        ContentTypes::parse(xml.as_bytes(), &Limits::default())
    }

    fn rules(rules: &str) -> String {
        format!("<Types xmlns=\"{NAMESPACE}\">{rules}</Types>")
    }

    #[test]
    fn own_rule_before_extension() {
        let xml = rules(concat!(
            "<Default Extension='XML' ContentType='application/xml'/><Default Extension='xml' ContentType='late'/>",
            "<Override PartName='/word/Document.xml' ContentType='main'/>",
        ));
        let types = parse(&xml).unwrap();
        assert_eq!(types.of("word/document.xml"), Some("main"));
        assert_eq!(types.of("word\\other.Xml"), Some("application/xml"));
        assert_eq!(types.of("word/media/a.png"), None);
    }

    #[test]
    fn prefix_and_byte_order_mark() {
        let xml = format!(
            "\u{feff}<?xml version='1.0'?><t:Types xmlns:t='{NAMESPACE}'><t:Default Extension='a' ContentType='b'/></t:Types>"
        );
        assert_eq!(parse(&xml).unwrap().of("x.a"), Some("b"));
    }

    #[test]
    fn p42_dtd_is_refused() {
        let xml = format!("<!DOCTYPE Types [<!ENTITY a 'b'>]>{}", rules(""));
        assert!(matches!(parse(&xml).unwrap_err().kind(), ErrorKind::Markup(MarkupError::Doctype)));
        let entity = rules("<Default Extension='&a;' ContentType='b'/>");
        assert!(matches!(parse(&entity).unwrap_err().kind(), ErrorKind::Markup(MarkupError::Malformed(_))));
    }

    #[test]
    fn p38_other_root_is_an_error() {
        let error = parse("<Types xmlns='urn:x'/>").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Markup(MarkupError::UnexpectedRoot(root)) if root == "{urn:x}Types"));
        for broken in ["", "<a", "<Types/>", "x", "<p:Types/>"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
        assert!(parse(&rules("<Default>")).is_err());
        assert!(parse(&rules("").repeat(2)).is_err());
    }
}
