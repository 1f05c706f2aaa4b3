//! Adding parts to a typed package.

use recto_schema::model::part::Content;
use recto_schema::model::{Part, Relationship, RelationshipsPart};

use super::blank::OFFICE;
use super::typed::Package;
use crate::error::{Result, UsageError};
use crate::opc::names;

impl Package {
    /// Adds a part and a relationship of `source` that leads to it, whose id comes back; an empty source is the package itself.
    ///
    /// `kind` is the type of the relationship: a URI, or only the last segment of one of Office's, such as `image` or `styles`.
    ///
    /// ```
    /// # fn main() -> recto::Result<()> {
    /// use recto::{Package, part::Content};
    /// let mut package = Package::new_document();
    /// let note = Content::Data(b"a note".to_vec());
    /// let id = package.add_part("word/document.xml", "attachedTemplate", "word/note.txt", "text/plain", note)?;
    /// assert_eq!(id, "rId1");
    /// assert!(package.related("word/document.xml", &id).is_some());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A usage error, which leaves the package as it was: no part is named `source`, there is a part with the name, or no target
    /// can lead to such a name.
    pub fn add_part(&mut self, source: &str, kind: &str, name: &str, content_type: &str, content: Content) -> Result<String> {
        if self.part(name).is_some() {
            return Err(UsageError::Invalid("there is a part with this name").into());
        }
        let target = names::target(source, name).ok_or(UsageError::Invalid("not a name of a part"))?;
        let kind = if kind.contains(':') { kind.to_owned() } else { format!("{OFFICE}{kind}") };
        let relationships = if source.is_empty() {
            &mut self.relationships
        } else {
            let part = self.part_mut(source).ok_or_else(|| UsageError::NoSuchPart(source.to_owned()))?;
            &mut part.relationships
        };
        let id = relate(relationships.get_or_insert_default(), kind, target);
        self.parts.push(Part {
            name: name.to_owned(),
            content_type: Some(content_type.to_owned()),
            content: Some(content),
            ..Default::default()
        });
        Ok(id)
    }
}

/// Adds a relationship under the first free id from `rIdN` on, N being its place in the list.
fn relate(relationships: &mut RelationshipsPart, kind: String, target: String) -> String {
    let list = &mut relationships.list.get_or_insert_default().relationships;
    let mut number = list.len() + 1;
    let mut id = format!("rId{number}");
    while list.iter().any(|link| link.id.as_ref() == Some(&id)) {
        number += 1;
        id = format!("rId{number}");
    }
    list.push(Relationship { id: Some(id.clone()), r#type: Some(kind), target: Some(target), ..Default::default() });
    id
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn add(package: &mut Package, source: &str, name: &str) -> Result<String> {
        package.add_part(source, "image", name, "image/png", Content::Data(vec![1]))
    }

    #[test]
    fn parts_are_related_to_their_source() {
        let mut package = Package::new_workbook();
        let sheet = "xl/worksheets/sheet1.xml";
        assert_eq!(add(&mut package, sheet, "xl/media/image1.png").unwrap(), "rId1");
        assert_eq!(add(&mut package, "/XL/workbook.xml", "xl/media/image2.png").unwrap(), "rId2");
        assert_eq!(add(&mut package, "", "thumbnail.png").unwrap(), "rId2");
        assert_eq!(package.related(sheet, "rId1").unwrap().name, "xl/media/image1.png");
        assert_eq!(package.related("xl/workbook.xml", "rId2").unwrap().name, "xl/media/image2.png");
        assert_eq!(package.related("", "rId2").unwrap().name, "thumbnail.png");
        let links = &package.part(sheet).unwrap().relationships.as_ref().unwrap().list.as_ref().unwrap().relationships;
        assert_eq!(links[0].target.as_deref(), Some("../media/image1.png"));
        assert_eq!(links[0].r#type.as_deref().and_then(|kind| kind.strip_prefix(OFFICE)), Some("image"));
    }

    #[test]
    fn ids_are_not_given_twice() {
        let mut package = Package::new_workbook();
        let main = "xl/workbook.xml";
        let links = &mut package.part_mut(main).unwrap().relationships.as_mut().unwrap().list.as_mut().unwrap().relationships;
        links[0].id = Some("rId2".to_owned());
        assert_eq!(add(&mut package, main, "a.png").unwrap(), "rId3");
        assert_eq!(add(&mut package, main, "b.png").unwrap(), "rId4");
    }

    #[test]
    fn what_cannot_be_added_changes_nothing() {
        let mut package = Package::new_document();
        let before = package.clone();
        for (source, name) in [("word/none.xml", "a.png"), ("", "WORD/document.xml"), ("", ""), ("", "a#b.png"), ("", "../a.png")]
        {
            assert!(add(&mut package, source, name).is_err(), "{source} {name}");
        }
        assert_eq!(package, before);
    }
}
