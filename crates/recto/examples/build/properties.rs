//! What a file says of itself: its title, its author, and the program that made it.
use recto::part::Content;
use recto::properties::{CoreProperties, ExtendedProperties, PropertyDate};
use recto::{Package, Result};

/// The type of the one relationship here that is not Office's.
const CORE: &str = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";

/// Adds both parts with properties.
pub fn add(package: &mut Package, title: &str) -> Result<()> {
    let date = PropertyDate {
        r#type: Some("dcterms:W3CDTF".to_owned()),
        value: "2024-05-01T09:00:00Z".to_owned(),
        ..Default::default()
    };
    let core = CoreProperties {
        title: Some(title.to_owned()),
        creator: Some("Recto".to_owned()),
        created: Some(date.clone()),
        modified: Some(date),
        ..Default::default()
    };
    let content_type = "application/vnd.openxmlformats-package.core-properties+xml";
    package.add_part("", CORE, "docProps/core.xml", content_type, Content::CoreProperties(core.into()))?;
    let extended = ExtendedProperties { application: Some("Recto".to_owned()), ..Default::default() };
    let content_type = "application/vnd.openxmlformats-officedocument.extended-properties+xml";
    let content = Content::ExtendedProperties(extended.into());
    package.add_part("", "extended-properties", "docProps/app.xml", content_type, content)?;
    Ok(())
}
