//! A report: headings, lists, a table, a picture, a header, a footer and a footnote.
use std::io::Write;

use recto::drawing;
use recto::part::Content;
use recto::word::{self, Block, Inline, Paragraph, ParagraphProperties, Run, RunProperties, block, inline, run_item};
use recto::{Package, Result};

use super::properties;

/// Name of the main part.
const MAIN: &str = "word/document.xml";

/// English metric units to a centimetre: what drawings are measured in.
const CENTIMETRE: i64 = 360_000;

/// Width of the text, in twentieths of a point.
const TEXT_WIDTH: i32 = 9026;

/// Numbers of the lists in the numbering part.
const BULLETS: i32 = 1;
const STEPS: i32 = 2;

/// The whole document.
pub fn report() -> Result<Package> {
    let mut package = Package::new_document();
    properties::add(&mut package, "Spring report")?;
    add(&mut package, "styles", "styles", Content::Styles(styles().into()))?;
    add(&mut package, "numbering", "numbering", Content::Numbering(numbering().into()))?;
    add(&mut package, "settings", "settings", Content::Settings(settings().into()))?;
    add(&mut package, "footnotes", "footnotes", Content::Footnotes(footnotes()))?;
    let header = add(&mut package, "header", "header1", Content::PageHeader(header()))?;
    let footer = add(&mut package, "footer", "footer1", Content::PageFooter(footer()))?;
    let picture = Content::Data(stripes(48, 16)?);
    let picture = package.add_part(MAIN, "image", "word/media/image1.png", "image/png", picture)?;
    if let Some(document) = package.document_mut() {
        let body = word::Body { content: content(&picture), section: Some(section(header, footer).into()), ..Default::default() };
        document.body = Some(body);
    }
    Ok(package)
}

/// Adds a part of WordprocessingML that belongs to the document.
fn add(package: &mut Package, kind: &str, file: &str, content: Content) -> Result<String> {
    let content_type = format!("application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml");
    package.add_part(MAIN, kind, &format!("word/{file}.xml"), &content_type, content)
}

fn content(picture: &str) -> Vec<Block> {
    let note = word::NoteReference { id: Some(1), ..Default::default() };
    let note = styled_run("FootnoteReference", run_item::Item::FootnoteReference(note));
    vec![
        paragraph("Title", vec![text("Spring report")]),
        paragraph("Heading1", vec![text("Visitors")]),
        paragraph("", vec![text("More people came than in any spring before"), note, text(".")]),
        list_item(BULLETS, "The garden was open on 80 days."),
        list_item(BULLETS, "Sundays were the busiest."),
        paragraph("Heading2", vec![text("By month")]),
        table(&[["Month", "Days", "Visitors"], ["March", "24", "1,310"], ["April", "26", "2,045"], ["May", "30", "2,890"]]),
        paragraph("Heading1", vec![text("What comes next")]),
        list_item(STEPS, "Mend the greenhouse."),
        list_item(STEPS, "Print new maps."),
        paragraph("", vec![text("The colours of the new maps:")]),
        paragraph("", vec![run(None, run_item::Item::Drawing(inline_picture(picture)))]),
    ]
}

/// A paragraph in a style; in the default one if that is empty.
fn paragraph(style: &str, content: Vec<Inline>) -> Block {
    let style_id = (!style.is_empty()).then(|| style.to_owned());
    let properties = style_id.map(|_| ParagraphProperties { style_id: Some(style.to_owned()), ..Default::default() }.into());
    block(Paragraph { properties, content, ..Default::default() })
}

fn list_item(list: i32, item: &str) -> Block {
    let numbering = word::NumberingProperties { level: Some(0), numbering_id: Some(list), ..Default::default() };
    let properties =
        ParagraphProperties { style_id: Some("ListParagraph".to_owned()), numbering: Some(numbering), ..Default::default() };
    block(Paragraph { properties: Some(properties.into()), content: vec![text(item)], ..Default::default() })
}

fn block(paragraph: Paragraph) -> Block {
    Block { item: Some(block::Item::Paragraph(paragraph.into())) }
}

/// A run of text. Without `space`, readers drop the white space at its ends.
fn text(value: &str) -> Inline {
    let space = (value.trim() != value).then(|| word::Space::Preserve.into());
    run(None, run_item::Item::Text(word::Text { value: value.to_owned(), space, ..Default::default() }))
}

fn styled_run(style: &str, item: run_item::Item) -> Inline {
    run(Some(RunProperties { style_id: Some(style.to_owned()), ..Default::default() }), item)
}

fn run(properties: Option<RunProperties>, item: run_item::Item) -> Inline {
    let content = vec![word::RunItem { item: Some(item) }];
    let run = Run { properties: properties.map(Into::into), content, ..Default::default() };
    Inline { item: Some(inline::Item::Run(run.into())) }
}

/// A field, and what it showed last.
fn field(instruction: &str, shown: &str) -> Inline {
    let instruction = Some(format!(" {instruction} "));
    let field = word::SimpleField { instruction, content: vec![text(shown)], ..Default::default() };
    Inline { item: Some(inline::Item::SimpleField(field.into())) }
}

/// A table whose first row is repeated on every page.
fn table<const COLUMNS: usize>(rows: &[[&str; COLUMNS]]) -> Block {
    let width = TEXT_WIDTH / i32::try_from(COLUMNS).unwrap_or(1).max(1);
    let columns = vec![word::GridColumn { width: Some(width), ..Default::default() }; COLUMNS];
    let line = || {
        let style = Some(word::BorderStyle::Single.into());
        Some(word::Border { style, size: Some(4), space: Some(0), color: Some("808080".to_owned()), ..Default::default() }.into())
    };
    let borders = word::TableBorders {
        top: line(),
        left: line(),
        bottom: line(),
        right: line(),
        inside_horizontal: line(),
        inside_vertical: line(),
        ..Default::default()
    };
    let properties = word::TableProperties {
        width: Some(twips(width * i32::try_from(COLUMNS).unwrap_or(1))),
        borders: Some(borders.into()),
        ..Default::default()
    };
    let rows = rows.iter().enumerate().map(|(index, row)| table_row(index == 0, width, row));
    let table = word::Table {
        properties: Some(properties.into()),
        grid: Some(word::TableGrid { columns, ..Default::default() }.into()),
        content: rows.map(|row| word::TableItem { item: Some(word::table_item::Item::Row(row.into())) }).collect(),
        ..Default::default()
    };
    Block { item: Some(block::Item::Table(table)) }
}

fn table_row(header: bool, width: i32, texts: &[&str]) -> word::TableRow {
    let cell = |value: &&str| {
        let shading = word::Shading {
            pattern: Some(word::ShadingPattern::Clear.into()),
            color: Some("auto".to_owned()),
            fill: Some("DDE8D0".to_owned()),
            ..Default::default()
        };
        let properties =
            word::CellProperties { width: Some(twips(width)), shading: header.then(|| shading.into()), ..Default::default() };
        let content = vec![paragraph("", vec![text(value)])];
        let cell = word::TableCell { properties: Some(properties.into()), content, ..Default::default() };
        word::RowItem { item: Some(word::row_item::Item::Cell(cell)) }
    };
    let properties = header.then(|| word::RowProperties { header: Some(true), ..Default::default() }.into());
    word::TableRow { properties, content: texts.iter().map(cell).collect(), ..Default::default() }
}

fn twips(width: i32) -> word::Width {
    word::Width { width: Some(width), r#type: Some(word::WidthType::Twips.into()), ..Default::default() }
}

/// A picture that stands in the line like a letter.
fn inline_picture(relationship_id: &str) -> word::Drawing {
    let size = drawing::Size { width: Some(6 * CENTIMETRE), height: Some(2 * CENTIMETRE), ..Default::default() };
    let named = |id| drawing::NonVisualDrawingProperties {
        id: Some(id),
        name: Some("Picture 1".to_owned()),
        description: Some("Three stripes, red, white and green".to_owned()),
        ..Default::default()
    };
    let blip = drawing::Blip { embedded_relationship_id: Some(relationship_id.to_owned()), ..Default::default() };
    let stretch = drawing::PictureStretch { fill_rectangle: Some(Default::default()), ..Default::default() };
    let fill = drawing::BlipFill { blip: Some(blip.into()), stretch: Some(stretch), ..Default::default() };
    let geometry = drawing::PresetGeometry {
        preset: Some(drawing::ShapePreset::Rectangle.into()),
        adjustments: Some(Default::default()),
        ..Default::default()
    };
    let offset = drawing::Point { x: Some(0), y: Some(0), ..Default::default() };
    let transform = drawing::Transform { offset: Some(offset), extent: Some(size.clone()), ..Default::default() };
    let picture = drawing::Picture {
        non_visual_properties: Some(
            drawing::PictureNonVisual {
                drawing_properties: Some(named(0).into()),
                picture_properties: Some(Default::default()),
                ..Default::default()
            }
            .into(),
        ),
        picture_fill: Some(fill.into()),
        shape_properties: Some(
            drawing::ShapeProperties { transform: Some(transform.into()), preset_geometry: Some(geometry), ..Default::default() }
                .into(),
        ),
        ..Default::default()
    };
    let data = word::GraphicData {
        uri: Some("http://schemas.openxmlformats.org/drawingml/2006/picture".to_owned()),
        picture: Some(picture.into()),
        ..Default::default()
    };
    let inline = word::InlineDrawing {
        extent: Some(size),
        properties: Some(named(1).into()),
        graphic: Some(word::Graphic { data: Some(data.into()), ..Default::default() }),
        ..Default::default()
    };
    word::Drawing { inline: Some(inline.into()), ..Default::default() }
}

/// A PNG with three upright stripes.
fn stripes(width: u32, height: u32) -> Result<Vec<u8>> {
    let colors = [[0xC0, 0x39, 0x2B], [0xFF, 0xFF, 0xFF], [0x27, 0xAE, 0x60]];
    let mut pixels = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    for _ in 0..height {
        // Each line begins with the number of its filter.
        pixels.write_all(&[0])?;
        for color in colors {
            for _ in 0..width / 3 {
                pixels.write_all(&color)?;
            }
        }
    }
    // Eight bits a sample, three samples a pixel.
    let mut head = [(width / 3 * 3).to_be_bytes(), height.to_be_bytes()].concat();
    head.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", head), (b"IDAT", pixels.finish()?), (b"IEND", Vec::new())] {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(&data);
        png.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
        png.extend(kind);
        png.extend(data);
        png.extend(crc.sum().to_be_bytes());
    }
    Ok(png)
}

/// An A4 page with its header and footer.
fn section(header: String, footer: String) -> word::SectionProperties {
    use word::header_footer_reference::Item;
    let link = |id| word::HeaderFooterLink {
        r#type: Some(word::HeaderFooterType::Default.into()),
        relationship_id: Some(id),
        ..Default::default()
    };
    let reference = |item| word::HeaderFooterReference { item: Some(item) };
    word::SectionProperties {
        headers_and_footers: vec![reference(Item::Header(link(header))), reference(Item::Footer(link(footer)))],
        page_size: Some(word::PageSize { width: Some(11906), height: Some(16838), ..Default::default() }),
        page_margins: Some(word::PageMargins {
            top: Some(1440),
            right: Some(1440),
            bottom: Some(1440),
            left: Some(1440),
            header: Some(709),
            footer: Some(709),
            gutter: Some(0),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn header() -> word::Header {
    word::Header { content: vec![paragraph("Header", vec![text("Botanical garden")])], ..Default::default() }
}

fn footer() -> word::Footer {
    let content = vec![text("Page "), field("PAGE", "1"), text(" of "), field("NUMPAGES", "1")];
    word::Footer { content: vec![paragraph("Footer", content)], ..Default::default() }
}

/// The footnote, after the two lines that stand above footnotes.
fn footnotes() -> word::Footnotes {
    use word::NoteType::{ContinuationSeparator, Separator};
    let line = |id, kind: word::NoteType, item| word::Note {
        r#type: Some(kind.into()),
        id: Some(id),
        content: vec![paragraph("", vec![run(None, item)])],
        ..Default::default()
    };
    let mark = styled_run("FootnoteReference", run_item::Item::FootnoteMark(Default::default()));
    let note = word::Note {
        id: Some(1),
        content: vec![paragraph("FootnoteText", vec![mark, text(" Tickets sold at the gate.")])],
        ..Default::default()
    };
    let notes = vec![
        line(-1, Separator, run_item::Item::Separator(Default::default())),
        line(0, ContinuationSeparator, run_item::Item::ContinuationSeparator(Default::default())),
        note,
    ];
    word::Footnotes { notes, ..Default::default() }
}

/// Which footnotes are the lines above footnotes, and that the document is not one of an old Word.
fn settings() -> word::Settings {
    let separator = |id| word::SeparatorReference { id: Some(id), ..Default::default() };
    let footnotes = word::FootnoteProperties { separators: vec![separator(-1), separator(0)], ..Default::default() };
    let mode = word::CompatibilitySetting {
        name: Some("compatibilityMode".to_owned()),
        uri: Some("http://schemas.microsoft.com/office/word".to_owned()),
        value: Some("15".to_owned()),
        ..Default::default()
    };
    let compatibility = word::Compatibility { settings: vec![mode], ..Default::default() };
    word::Settings {
        footnote_properties: Some(footnotes.into()),
        compatibility: Some(compatibility.into()),
        ..Default::default()
    }
}

/// A bulleted and a numbered list.
fn numbering() -> word::Numbering {
    let list = |id, format: word::NumberFormat, label: &str| {
        let indentation = word::Indentation { left: Some(720), hanging: Some(360), ..Default::default() };
        let properties = ParagraphProperties { indentation: Some(indentation.into()), ..Default::default() };
        let level = word::NumberingLevel {
            index: Some(0),
            start: Some(1),
            number_format: Some(word::NumberFormatting { value: Some(format.into()), ..Default::default() }),
            text: Some(label.to_owned()),
            alignment: Some(word::ParagraphAlignment::Left.into()),
            paragraph_properties: Some(properties.into()),
            ..Default::default()
        };
        word::AbstractNumbering {
            id: Some(id),
            multi_level_type: Some(word::MultiLevelType::SingleLevel.into()),
            levels: vec![level],
            ..Default::default()
        }
    };
    let instance = |id| word::NumberingInstance { id: Some(id), definition_id: Some(id), ..Default::default() };
    word::Numbering {
        definitions: vec![list(BULLETS, word::NumberFormat::Bullet, "•"), list(STEPS, word::NumberFormat::Decimal, "%1.")],
        instances: vec![instance(BULLETS), instance(STEPS)],
        ..Default::default()
    }
}

/// The styles that are used, under the names that Word knows them by.
fn styles() -> word::Styles {
    let font = || Some("Calibri".to_owned());
    let fonts = word::Fonts { ascii: font(), high_ansi: font(), east_asia: font(), complex_script: font(), ..Default::default() };
    let language = word::Language { value: Some("en-GB".to_owned()), ..Default::default() };
    let run = RunProperties { fonts: Some(fonts.into()), size: Some(22), language: Some(language.into()), ..Default::default() };
    let after = |twips| ParagraphProperties {
        spacing: Some(word::Spacing { after: Some(twips), ..Default::default() }),
        ..Default::default()
    };
    let defaults = word::DocumentDefaults {
        run_defaults: Some(word::RunDefaults { run_properties: Some(run.into()), ..Default::default() }),
        paragraph_defaults: Some(word::ParagraphDefaults { paragraph_properties: Some(after(120).into()), ..Default::default() }),
        ..Default::default()
    };
    let heading = |level| ParagraphProperties {
        keep_with_next: Some(true),
        spacing: Some(word::Spacing { before: Some(240), after: Some(80), ..Default::default() }),
        outline_level: Some(level),
        ..Default::default()
    };
    let letters = |size, bold: bool| RunProperties { size: Some(size), bold: bold.then_some(true), ..Default::default() };
    let raised = RunProperties { vertical_position: Some(word::VerticalTextPosition::Superscript.into()), ..Default::default() };
    let list = ParagraphProperties { contextual_spacing: Some(true), ..after(120) };
    let normal = word::Style { default: Some(true), primary: Some(true), ..style("Normal", "Normal") };
    let font = word::Style {
        r#type: Some(word::StyleType::Character.into()),
        default: Some(true),
        ..style("DefaultParagraphFont", "Default Paragraph Font")
    };
    let reference = word::Style {
        r#type: Some(word::StyleType::Character.into()),
        based_on: Some("DefaultParagraphFont".to_owned()),
        run_properties: Some(raised.into()),
        ..style("FootnoteReference", "footnote reference")
    };
    let styles = vec![
        normal,
        font,
        derived("Title", "Title", after(240), letters(56, false)),
        derived("Heading1", "heading 1", heading(0), letters(32, true)),
        derived("Heading2", "heading 2", heading(1), letters(26, true)),
        derived("ListParagraph", "List Paragraph", list, RunProperties::default()),
        derived("Header", "header", after(0), letters(18, false)),
        derived("Footer", "footer", after(0), letters(18, false)),
        derived("FootnoteText", "footnote text", after(0), letters(18, false)),
        reference,
    ];
    word::Styles { defaults: Some(defaults), styles, ..Default::default() }
}

/// A paragraph style.
fn style(id: &str, name: &str) -> word::Style {
    word::Style {
        r#type: Some(word::StyleType::Paragraph.into()),
        id: Some(id.to_owned()),
        name: Some(name.to_owned()),
        ..Default::default()
    }
}

/// A paragraph style made from "Normal".
fn derived(id: &str, name: &str, paragraph: ParagraphProperties, run: RunProperties) -> word::Style {
    word::Style {
        based_on: Some("Normal".to_owned()),
        primary: Some(true),
        paragraph_properties: Some(paragraph.into()),
        run_properties: Some(run.into()),
        ..style(id, name)
    }
}
