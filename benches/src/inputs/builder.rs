//! Packages, entry by entry.

use std::fmt::Write as _;
use std::io::Write;

use recto::opc::zip::{Method, ZipWriter};

use crate::Result;

/// The first line of every part that Office writes.
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";

/// Namespace of the relationship attributes, and prefix of the relationship types of Office.
pub const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Writes the entries of a package.
pub struct Builder<W> {
    zip: ZipWriter<W>,
    method: Method,
}

impl<W: Write> Builder<W> {
    /// A package that is deflated at a level from 0 to 9.
    pub fn new(zip: ZipWriter<W>, level: u32) -> Self {
        Builder { zip, method: Method::Deflated(level) }
    }

    /// A part whose text is at hand; the XML declaration is put before it.
    pub fn part(&mut self, name: &str, text: &str) -> Result {
        self.stream(name, |out| Ok(out.write_all(text.as_bytes())?))
    }

    /// A part that is written piece by piece; the XML declaration is put before it.
    pub fn stream(&mut self, name: &str, write: impl FnOnce(&mut dyn Write) -> Result) -> Result {
        self.zip.start(name, self.method)?;
        self.zip.write_all(DECLARATION.as_bytes())?;
        write(&mut self.zip)
    }

    /// The content types: pairs of a part and what follows `application/vnd.openxmlformats-`.
    pub fn content_types(&mut self, parts: &[(String, &str)]) -> Result {
        let mut text = String::from(
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>",
        );
        for (part, content_type) in parts {
            write!(text, "<Override PartName=\"/{part}\" ContentType=\"application/vnd.openxmlformats-{content_type}+xml\"/>")?;
        }
        text.push_str("</Types>");
        self.part("[Content_Types].xml", &text)
    }

    /// The relationships of one part, or of the package: pairs of the end of a type and a target. The ids count from 1.
    pub fn relationships(&mut self, name: &str, list: &[(&str, String)]) -> Result {
        let mut text = String::from("<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">");
        for (index, (kind, target)) in list.iter().enumerate() {
            let prefix = match *kind {
                "metadata/core-properties" => "http://schemas.openxmlformats.org/package/2006/relationships",
                _ => RELATIONSHIPS,
            };
            write!(text, "<Relationship Id=\"rId{}\" Type=\"{prefix}/{kind}\" Target=\"{target}\"/>", index + 1)?;
        }
        text.push_str("</Relationships>");
        self.part(name, &text)
    }

    /// The relationships of a package with both parts of document properties.
    pub fn package_relationships(&mut self, main: &str) -> Result {
        let list = [
            ("officeDocument", main.to_owned()),
            ("metadata/core-properties", "docProps/core.xml".to_owned()),
            ("extended-properties", "docProps/app.xml".to_owned()),
        ];
        self.relationships("_rels/.rels", &list)
    }

    /// Both parts of document properties; `more` is what the application adds.
    pub fn properties(&mut self, application: &str, more: &str) -> Result {
        self.part(
            "docProps/core.xml",
            "<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
             xmlns:dcmitype=\"http://purl.org/dc/dcmitype/\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
             <dc:title>Annual report</dc:title><dc:creator>Some Author</dc:creator>\
             <cp:lastModifiedBy>Some Author</cp:lastModifiedBy><cp:revision>4</cp:revision>\
             <dcterms:created xsi:type=\"dcterms:W3CDTF\">2024-02-01T09:30:00Z</dcterms:created>\
             <dcterms:modified xsi:type=\"dcterms:W3CDTF\">2024-02-03T16:05:00Z</dcterms:modified></cp:coreProperties>",
        )?;
        self.part(
            "docProps/app.xml",
            &format!(
                "<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\" \
                 xmlns:vt=\"http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes\"><Application>{application}\
                 </Application><DocSecurity>0</DocSecurity><ScaleCrop>false</ScaleCrop>{more}<Company>Some Company</Company>\
                 <LinksUpToDate>false</LinksUpToDate><SharedDoc>false</SharedDoc><HyperlinksChanged>false</HyperlinksChanged>\
                 <AppVersion>16.0300</AppVersion></Properties>"
            ),
        )
    }

    /// Ends the package.
    pub fn finish(self) -> Result<W> {
        Ok(self.zip.finish()?)
    }
}
