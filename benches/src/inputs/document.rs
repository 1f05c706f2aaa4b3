//! Documents: a long one, and a short one with all the parts that Word writes.

use std::fmt::Write as _;
use std::io::Write;

use super::builder::{Builder, RELATIONSHIPS};
use super::rng::Rng;
use super::theme::theme;
use crate::Result;

const MAIN: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

const NAMESPACES: &str = "xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
     xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
     xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
     xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" xmlns:v=\"urn:schemas-microsoft-com:vml\" \
     xmlns:o=\"urn:schemas-microsoft-com:office:office\" xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" \
     xmlns:w15=\"http://schemas.microsoft.com/office/word/2012/wordml\" mc:Ignorable=\"w14 w15\"";

/// A document: so many paragraphs, in its text and in the cells of tables.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// Number of paragraphs.
    pub paragraphs: u32,
}

impl Document {
    /// Writes all its entries, 16 in number.
    pub fn write<W: Write>(&self, out: &mut Builder<W>) -> Result {
        let mut types = vec![("word/document.xml".to_owned(), "officedocument.wordprocessingml.document.main")];
        let mut list = Vec::new();
        for (name, kind, content_type) in PARTS {
            types.push((format!("word/{name}.xml"), content_type));
            list.push((kind, format!("{name}.xml")));
        }
        types.push(("docProps/core.xml".to_owned(), "package.core-properties"));
        types.push(("docProps/app.xml".to_owned(), "officedocument.extended-properties"));
        out.content_types(&types)?;
        out.package_relationships("word/document.xml")?;
        out.stream("word/document.xml", |out| self.body(out))?;
        out.relationships("word/_rels/document.xml.rels", &list)?;
        out.part("word/styles.xml", &styles()?)?;
        out.part("word/settings.xml", &settings()?)?;
        out.part(
            "word/webSettings.xml",
            &format!("<w:webSettings {NAMESPACES}><w:optimizeForBrowser/><w:allowPNG/></w:webSettings>"),
        )?;
        out.part("word/fontTable.xml", &fonts()?)?;
        out.part("word/theme/theme1.xml", &theme()?)?;
        out.part("word/numbering.xml", &numbering()?)?;
        out.part("word/footnotes.xml", &notes("footnote")?)?;
        out.part("word/endnotes.xml", &notes("endnote")?)?;
        for (part, element, style) in [("header1", "hdr", "Header"), ("footer1", "ftr", "Footer")] {
            out.part(
                &format!("word/{part}.xml"),
                &format!(
                    "<w:{element} {NAMESPACES}><w:p w:rsidR=\"00C83215\" w:rsidRDefault=\"00C83215\"><w:pPr><w:pStyle \
                     w:val=\"{style}\"/><w:jc w:val=\"right\"/></w:pPr><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r>\
                     <w:instrText xml:space=\"preserve\"> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>\
                     </w:p></w:{element}>"
                ),
            )?;
        }
        let counts = format!("<Template>Normal</Template><Paragraphs>{}</Paragraphs>", self.paragraphs);
        out.properties("Microsoft Office Word", &counts)
    }

    fn body(&self, out: &mut dyn Write) -> Result {
        let mut rng = Rng::new(3);
        let mut text = format!("<w:document {NAMESPACES}><w:body>");
        let mut number = 0;
        while number < self.paragraphs {
            let free = (self.paragraphs - number).min(20);
            for _ in 0..free {
                number += 1;
                paragraph(&mut rng, number, &mut text)?;
            }
            if self.paragraphs - number >= 6 {
                table(&mut rng, &mut number, &mut text)?;
            }
            out.write_all(text.as_bytes())?;
            text.clear();
        }
        text.push_str(
            "<w:sectPr w:rsidR=\"00A77427\"><w:headerReference w:type=\"default\" r:id=\"rId9\"/><w:footerReference \
             w:type=\"default\" r:id=\"rId10\"/><w:pgSz w:w=\"12240\" w:h=\"15840\"/><w:pgMar w:top=\"1440\" w:right=\"1440\" \
             w:bottom=\"1440\" w:left=\"1440\" w:header=\"720\" w:footer=\"720\" w:gutter=\"0\"/><w:cols w:space=\"720\"/>\
             </w:sectPr></w:body></w:document>",
        );
        Ok(out.write_all(text.as_bytes())?)
    }
}

/// The parts that belong to the document part: name, relationship, content type. The order gives the ids.
const PARTS: [(&str, &str, &str); 10] = [
    ("styles", "styles", "officedocument.wordprocessingml.styles"),
    ("settings", "settings", "officedocument.wordprocessingml.settings"),
    ("webSettings", "webSettings", "officedocument.wordprocessingml.webSettings"),
    ("fontTable", "fontTable", "officedocument.wordprocessingml.fontTable"),
    ("theme/theme1", "theme", "officedocument.theme"),
    ("numbering", "numbering", "officedocument.wordprocessingml.numbering"),
    ("footnotes", "footnotes", "officedocument.wordprocessingml.footnotes"),
    ("endnotes", "endnotes", "officedocument.wordprocessingml.endnotes"),
    ("header1", "header", "officedocument.wordprocessingml.header"),
    ("footer1", "footer", "officedocument.wordprocessingml.footer"),
];

fn paragraph(rng: &mut Rng, number: u32, text: &mut String) -> Result {
    let style = rng.pick(&["Normal", "Normal", "Normal", "ListParagraph", "Heading1"]);
    // Looks random, differs from every other paragraph's, and is below 2^31, as Word wants it.
    let id = number.wrapping_mul(0x9e37_79b9) & 0x7fff_ffff;
    let (session, default) = (0x00a7_7427 + rng.below(24) * 0x11d3, 0x007f_1d13 + rng.below(24) * 0x2b17);
    write!(
        text,
        "<w:p w14:paraId=\"{id:08X}\" w14:textId=\"77777777\" w:rsidR=\"{session:08X}\" w:rsidRDefault=\"{default:08X}\"><w:pPr>\
         <w:pStyle w:val=\"{style}\"/><w:spacing w:before=\"120\" w:after=\"240\" w:line=\"276\" w:lineRule=\"auto\"/>\
         <w:jc w:val=\"both\"/></w:pPr>"
    )?;
    for _ in 0..1 + rng.below(5) {
        let bold = if rng.chance(30) { "<w:b/><w:bCs/>" } else { "" };
        let ampersand = if rng.chance(10) { " &amp;" } else { "" };
        write!(
            text,
            "<w:r w:rsidRPr=\"{session:08X}\"><w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\" w:cs=\"Times New Roman\"/>{bold}\
             <w:sz w:val=\"22\"/><w:szCs w:val=\"22\"/><w:lang w:val=\"en-US\"/></w:rPr><w:t xml:space=\"preserve\">{}{ampersand} \
             </w:t></w:r>",
            rng.words(3, 18)
        )?;
    }
    text.push_str("</w:p>");
    Ok(())
}

/// Three rows with two cells.
fn table(rng: &mut Rng, number: &mut u32, text: &mut String) -> Result {
    text.push_str(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"TableGrid\"/><w:tblW w:w=\"0\" w:type=\"auto\"/><w:tblLook w:val=\"04A0\" \
         w:firstRow=\"1\" w:lastRow=\"0\" w:firstColumn=\"1\" w:lastColumn=\"0\" w:noHBand=\"0\" w:noVBand=\"1\"/></w:tblPr>\
         <w:tblGrid><w:gridCol w:w=\"4675\"/><w:gridCol w:w=\"4675\"/></w:tblGrid>",
    );
    for _ in 0..3 {
        text.push_str("<w:tr w:rsidR=\"00A77427\" w14:paraId=\"7A3D5C10\" w14:textId=\"77777777\">");
        for _ in 0..2 {
            *number += 1;
            text.push_str("<w:tc><w:tcPr><w:tcW w:w=\"4675\" w:type=\"dxa\"/></w:tcPr>");
            paragraph(rng, *number, text)?;
            text.push_str("</w:tc>");
        }
        text.push_str("</w:tr>");
    }
    text.push_str("</w:tbl>");
    Ok(())
}

fn styles() -> Result<String> {
    let mut text = format!(
        "<w:styles {NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme=\"minorHAnsi\" \
         w:eastAsiaTheme=\"minorHAnsi\" w:hAnsiTheme=\"minorHAnsi\" w:cstheme=\"minorBidi\"/><w:sz w:val=\"22\"/><w:szCs \
         w:val=\"22\"/><w:lang w:val=\"en-US\" w:eastAsia=\"en-US\" w:bidi=\"ar-SA\"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>\
         <w:spacing w:after=\"160\" w:line=\"259\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault></w:docDefaults>\
         <w:latentStyles w:defLockedState=\"0\" w:defUIPriority=\"99\" w:defSemiHidden=\"0\" w:defUnhideWhenUsed=\"0\" \
         w:defQFormat=\"0\" w:count=\"376\">"
    );
    for family in ["heading", "toc", "index"] {
        for level in 1..=9 {
            write!(
                text,
                "<w:lsdException w:name=\"{family} {level}\" w:semiHidden=\"1\" w:uiPriority=\"9\" w:unhideWhenUsed=\"1\"/>"
            )?;
        }
    }
    for accent in 1..=6 {
        for name in
            ["Light Shading", "Light List", "Light Grid", "Medium Shading 1", "Medium List 1", "Medium Grid 1", "Dark List"]
        {
            write!(text, "<w:lsdException w:name=\"{name} Accent {accent}\" w:uiPriority=\"60\"/>")?;
        }
        for level in 1..=7 {
            for name in ["Grid", "List"] {
                write!(text, "<w:lsdException w:name=\"{name} Table {level} Accent {accent}\" w:uiPriority=\"46\"/>")?;
            }
        }
    }
    text.push_str("</w:latentStyles>");
    for (index, (id, kind)) in STYLES.iter().enumerate() {
        let default = if index == 0 { " w:default=\"1\"" } else { "" };
        write!(
            text,
            "<w:style w:type=\"{kind}\"{default} w:styleId=\"{id}\"><w:name w:val=\"{id}\"/><w:basedOn w:val=\"Normal\"/><w:next \
             w:val=\"Normal\"/><w:link w:val=\"{id}Char\"/><w:uiPriority w:val=\"{index}\"/><w:unhideWhenUsed/><w:qFormat/><w:rsid \
             w:val=\"00A77427\"/>"
        )?;
        if *kind == "paragraph" {
            write!(
                text,
                "<w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before=\"240\" w:after=\"0\"/><w:outlineLvl w:val=\"{}\"/></w:pPr>",
                index % 9
            )?;
        }
        text.push_str(
            "<w:rPr><w:rFonts w:asciiTheme=\"majorHAnsi\" w:eastAsiaTheme=\"majorEastAsia\" w:hAnsiTheme=\"majorHAnsi\" \
             w:cstheme=\"majorBidi\"/><w:color w:val=\"2F5496\" w:themeColor=\"accent1\" w:themeShade=\"BF\"/><w:sz w:val=\"32\"/>\
             <w:szCs w:val=\"32\"/></w:rPr></w:style>",
        );
    }
    text.push_str("</w:styles>");
    Ok(text)
}

const STYLES: [(&str, &str); 14] = [
    ("Normal", "paragraph"),
    ("Heading1", "paragraph"),
    ("Heading2", "paragraph"),
    ("Heading3", "paragraph"),
    ("Title", "paragraph"),
    ("Subtitle", "paragraph"),
    ("ListParagraph", "paragraph"),
    ("Header", "paragraph"),
    ("Footer", "paragraph"),
    ("FootnoteText", "paragraph"),
    ("DefaultParagraphFont", "character"),
    ("Hyperlink", "character"),
    ("Heading1Char", "character"),
    ("FootnoteReference", "character"),
];

fn settings() -> Result<String> {
    let mut text = format!(
        "<w:settings {NAMESPACES}><w:zoom w:percent=\"100\"/><w:proofState w:spelling=\"clean\" w:grammar=\"clean\"/>\
         <w:defaultTabStop w:val=\"720\"/><w:characterSpacingControl w:val=\"doNotCompress\"/><w:footnotePr><w:footnote \
         w:id=\"-1\"/><w:footnote w:id=\"0\"/></w:footnotePr><w:endnotePr><w:endnote w:id=\"-1\"/><w:endnote w:id=\"0\"/>\
         </w:endnotePr><w:compat>"
    );
    for (name, value) in
        [("compatibilityMode", 15), ("overrideTableStyleFontSizeAndJustification", 1), ("enableOpenTypeFeatures", 1)]
    {
        write!(
            text,
            "<w:compatSetting w:name=\"{name}\" w:uri=\"http://schemas.microsoft.com/office/word\" w:val=\"{value}\"/>"
        )?;
    }
    text.push_str("</w:compat><w:rsids><w:rsidRoot w:val=\"00A77427\"/>");
    let mut rng = Rng::new(5);
    for _ in 0..24 {
        write!(text, "<w:rsid w:val=\"00{:06X}\"/>", rng.below(1 << 24))?;
    }
    text.push_str(
        "</w:rsids><m:mathPr><m:mathFont m:val=\"Cambria Math\"/><m:brkBin m:val=\"before\"/><m:smallFrac m:val=\"0\"/><m:dispDef/>\
         <m:lMargin m:val=\"0\"/><m:rMargin m:val=\"0\"/><m:defJc m:val=\"centerGroup\"/></m:mathPr><w:themeFontLang \
         w:val=\"en-US\"/><w:clrSchemeMapping w:bg1=\"light1\" w:t1=\"dark1\" w:bg2=\"light2\" w:t2=\"dark2\" w:accent1=\"accent1\" \
         w:accent2=\"accent2\" w:accent3=\"accent3\" w:accent4=\"accent4\" w:accent5=\"accent5\" w:accent6=\"accent6\" \
         w:hyperlink=\"hyperlink\" w:followedHyperlink=\"followedHyperlink\"/><w:decimalSymbol w:val=\".\"/><w:listSeparator \
         w:val=\",\"/><w15:chartTrackingRefBased/></w:settings>",
    );
    Ok(text)
}

fn fonts() -> Result<String> {
    let mut text = format!("<w:fonts {NAMESPACES}>");
    for name in ["Calibri", "Times New Roman", "Calibri Light", "Symbol", "Courier New", "Wingdings"] {
        write!(
            text,
            "<w:font w:name=\"{name}\"><w:panose1 w:val=\"020F0502020204030204\"/><w:charset w:val=\"00\"/><w:family \
             w:val=\"swiss\"/><w:pitch w:val=\"variable\"/><w:sig w:usb0=\"E4002EFF\" w:usb1=\"C000247B\" w:usb2=\"00000009\" \
             w:usb3=\"00000000\" w:csb0=\"000001FF\" w:csb1=\"00000000\"/></w:font>"
        )?;
    }
    text.push_str("</w:fonts>");
    Ok(text)
}

fn numbering() -> Result<String> {
    let mut text = format!(
        "<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId=\"0\"><w:nsid w:val=\"1D6C1F0A\"/><w:multiLevelType \
         w:val=\"hybridMultilevel\"/><w:tmpl w:val=\"5A7E2B4C\"/>"
    );
    for level in 0..9 {
        write!(
            text,
            "<w:lvl w:ilvl=\"{level}\" w:tplc=\"0409000F\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText \
             w:val=\"%{}.\"/><w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{}\" w:hanging=\"360\"/></w:pPr></w:lvl>",
            level + 1,
            720 * (level + 1)
        )?;
    }
    text.push_str("</w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>");
    Ok(text)
}

/// Footnotes or endnotes: only the two separators that Word needs.
fn notes(element: &str) -> Result<String> {
    let mut text = format!("<w:{element}s xmlns:w=\"{MAIN}\" xmlns:r=\"{RELATIONSHIPS}\">");
    for (id, kind) in [(-1, "separator"), (0, "continuationSeparator")] {
        write!(
            text,
            "<w:{element} w:type=\"{kind}\" w:id=\"{id}\"><w:p w:rsidR=\"00C83215\" w:rsidRDefault=\"00C83215\"><w:pPr><w:spacing \
             w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr><w:r><w:{kind}/></w:r></w:p></w:{element}>"
        )?;
    }
    write!(text, "</w:{element}s>")?;
    Ok(text)
}
