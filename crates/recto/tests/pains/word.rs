//! The structure of documents.

use std::io::Cursor;

use recto::part::Content;
use recto::report::{FindingCode, validate};
use recto::word::{self, block, header_footer_reference, inline, row_item, run_item, table_item};
use recto::{ErrorFamily, Limits, Package};

use crate::books::{DECLARATION, DOCUMENT, W, body, document, one_sheet, paragraph, run, sheet_of_one, text};
use crate::trip::{edited, identical, unchanged};

/// Sets the first text of the block with an index.
fn set(package: &mut Package, block: usize, value: &str) {
    text(run(body(package), block)).value = value.to_owned();
}

/// P53: field characters, which are empty elements, were dropped, so that a table of contents became plain text.
#[test]
fn the_runs_of_a_field_keep_their_order() {
    let of = |content: &str| format!("<w:r>{content}</w:r>");
    let field = [
        of("<w:fldChar w:fldCharType=\"begin\" w:dirty=\"1\"/>"),
        of("<w:instrText xml:space=\"preserve\"> TOC \\o \"1-3\" </w:instrText>"),
        of("<w:fldChar w:fldCharType=\"separate\"/>"),
        of("<w:t>Chapter</w:t><w:tab/><w:t>3</w:t><w:soon/>"),
        of("<w:fldChar w:fldCharType=\"end\"/>"),
    ];
    let control = "<w:sdtPr><w:tag w:val=\"twice\"/><w:id w:val=\"5\"/><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/></w:docPartObj><w:tag w:val=\"again\"/></w:sdtPr>";
    let table = "<w:tbl><w:tblPr><w:tblStyle w:val=\"Grid\"/></w:tblPr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let pack = document(&format!(
        "<w:p><w:r><w:t>Title</w:t></w:r></w:p><w:p>{}</w:p><w:sdt>{control}<w:sdtContent><w:p/></w:sdtContent></w:sdt>{table}",
        field.concat()
    ));
    let mut package = identical(&pack).package();
    let kinds: Vec<_> = paragraph(body(&mut package), 1)
        .content
        .iter()
        .map(|inline| {
            let Some(inline::Item::Run(run)) = &inline.item else { panic!() };
            match run.content[0].item.as_ref().unwrap() {
                run_item::Item::FieldCharacter(_) => "character",
                run_item::Item::FieldCode(_) => "code",
                run_item::Item::Text(_) => "text",
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(kinds, ["character", "code", "character", "text", "character"]);
    edited(&pack, |package| set(package, 0, "New")).check_only(DOCUMENT, "<w:t>Title</w:t>", "<w:t>New</w:t>");
}

/// P54: the headers of all sections were taken from the last one.
#[test]
fn each_section_has_its_own_headers() {
    let section = |reference: &str| format!("<w:sectPr>{reference}<w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr>");
    let header = |id: &str| section(&format!("<w:headerReference w:type=\"default\" r:id=\"{id}\"/>"));
    let blocks =
        format!("<w:p><w:pPr>{}</w:pPr></w:p><w:p><w:pPr>{}</w:pPr></w:p>{}", header("rId1"), section(""), header("rId2"));
    let part = |text: &str| format!("{DECLARATION}<w:hdr xmlns:w=\"{W}\"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:hdr>");
    let pack = document(&blocks).related(DOCUMENT, "rId1", "header", "word/header1.xml", part("first")).related(
        DOCUMENT,
        "rId2",
        "header",
        "word/header2.xml",
        part("last"),
    );
    let mut package = identical(&pack).package();
    let ids = |section: &word::SectionProperties| -> Vec<String> {
        let headers = section.headers_and_footers.iter().map(|reference| match &reference.item {
            Some(header_footer_reference::Item::Header(link)) => link.relationship_id.clone().unwrap(),
            other => panic!("{other:?}"),
        });
        headers.collect()
    };
    let last = ids(package.document().unwrap().body.as_ref().unwrap().section.as_ref().unwrap());
    let mut of = |index: usize| ids(paragraph(body(&mut package), index).properties.as_ref().unwrap().section.as_ref().unwrap());
    assert_eq!((of(0), of(1), last), (vec!["rId1".to_owned()], vec![], vec!["rId2".to_owned()]));
    assert!(matches!(package.related(DOCUMENT, "rId2").unwrap().content, Some(Content::PageHeader(_))));
}

/// P55: what was built, written and read again was not what had been built.
#[test]
fn a_built_document_is_read_as_it_was_built() {
    let mut built = Package::new_document();
    let value = word::Text { value: "Title".to_owned(), ..Default::default() };
    let item = word::RunItem { item: Some(run_item::Item::Text(value)) };
    let bold = word::RunProperties { bold: Some(true), ..Default::default() };
    let run = word::Run { properties: Some(bold.into()), content: vec![item], ..Default::default() };
    let title = paragraph(body(&mut built), 0);
    title.properties = Some(word::ParagraphProperties { style_id: Some("Title".to_owned()), ..Default::default() }.into());
    title.content.push(word::Inline { item: Some(inline::Item::Run(run.into())) });
    let file = built.to_vec().unwrap();
    let mut read = Package::read(Cursor::new(&file)).unwrap();
    assert_eq!(read.document(), built.document());
    assert_eq!(read.to_vec().unwrap(), file);
    assert_eq!(*paragraph(body(&mut read), 0), *paragraph(body(&mut built), 0));
}

/// P56: of a document only the first line was left, and pictures were empty.
#[test]
fn an_edit_of_the_first_line_keeps_the_others_and_the_pictures() {
    let picture = "<w:p><w:r><w:drawing><wp:inline><wp:extent cx=\"9525\" cy=\"9525\"/><wp:docPr id=\"1\" name=\"Picture 1\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"1\" name=\"dot.png\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rId1\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>";
    let bytes: Vec<u8> = (0..=255).rev().collect();
    let pack = document(&format!(
        "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>{picture}<w:soon>three</w:soon>"
    ))
    .extension("png", "image/png")
    .related(DOCUMENT, "rId1", "image", "word/media/image1.png", bytes.clone());
    identical(&pack);
    let trip = edited(&pack, |package| set(package, 0, "first"));
    trip.check_only(DOCUMENT, "<w:t>one</w:t>", "<w:t>first</w:t>");
    assert_eq!(trip.bytes("word/media/image1.png"), bytes);
    assert_eq!(body(&mut trip.package()).len(), 4);
}

/// P57: text within content controls was not read.
#[test]
fn content_controls_are_typed_at_every_level() {
    let control =
        |content: &str| format!("<w:sdt><w:sdtPr><w:id w:val=\"1\"/></w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>");
    let of = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let line = |content: &str| format!("<w:p>{content}</w:p>");
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    let table = |rows: &str| format!("<w:tbl>{rows}</w:tbl>");
    let row = |cells: &str| format!("<w:tr>{cells}</w:tr>");
    let blocks = [
        control(&line(&of("around a paragraph"))),
        line(&control(&of("around a run"))),
        control(&table(&row(&cell(&line(&of("around a table")))))),
        table(&control(&row(&cell(&line(&of("around a row")))))),
        table(&row(&control(&cell(&line(&of("around a cell")))))),
        table(&row(&cell(&control(&line(&of("within a cell")))))),
    ];
    let mut package = identical(&document(&blocks.concat())).package();
    let texts: Vec<_> = body(&mut package).iter_mut().map(|block| text_of(std::slice::from_mut(block))).collect();
    let expected = ["around a paragraph", "around a run", "around a table", "around a row", "around a cell", "within a cell"];
    assert_eq!(texts, expected);
}

/// The text of the first block, through whatever holds it.
fn text_of(blocks: &mut [word::Block]) -> String {
    match blocks[0].item.as_mut().unwrap() {
        block::Item::Paragraph(paragraph) => match paragraph.content[0].item.as_mut().unwrap() {
            inline::Item::Run(run) => text(run).value.clone(),
            inline::Item::ContentControl(control) => {
                let Some(inline::Item::Run(run)) = &mut control.content.as_mut().unwrap().content[0].item else { panic!() };
                text(run).value.clone()
            }
            other => panic!("{other:?}"),
        },
        block::Item::ContentControl(control) => text_of(&mut control.content.as_mut().unwrap().content),
        block::Item::Table(table) => {
            let row = match table.content[0].item.as_mut().unwrap() {
                table_item::Item::ContentControl(control) => control.content.as_mut().unwrap().content[0].item.as_mut().unwrap(),
                row => row,
            };
            let table_item::Item::Row(row) = row else { panic!("{row:?}") };
            let cell = match row.content[0].item.as_mut().unwrap() {
                row_item::Item::ContentControl(control) => control.content.as_mut().unwrap().content[0].item.as_mut().unwrap(),
                cell => cell,
            };
            let row_item::Item::Cell(cell) = cell else { panic!("{cell:?}") };
            text_of(&mut cell.content)
        }
        other => panic!("{other:?}"),
    }
}

/// P58: text boxes and indents by characters were dropped.
#[test]
fn text_boxes_and_indents_by_characters_survive_an_edit() {
    let shape = "<w:drawing><wp:inline><wp:extent cx=\"9\" cy=\"9\"/><wp:docPr id=\"1\" name=\"Box\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\"><wps:wsp><wps:cNvSpPr txBox=\"1\"/><wps:spPr/><wps:txbx><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>";
    let pack = document(&format!(
        "<w:p><w:pPr><w:ind w:firstLineChars=\"200\" w:firstLine=\"420\"/></w:pPr><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r>{shape}</w:r></w:p>"
    ));
    let mut package = identical(&pack).package();
    let indentation = paragraph(body(&mut package), 0).properties.as_ref().unwrap().indentation.clone().unwrap();
    assert_eq!((indentation.first_line_characters, indentation.first_line), (Some(200), Some(420)));
    edited(&pack, |package| set(package, 0, "two")).check_only(DOCUMENT, "<w:t>one</w:t>", "<w:t>two</w:t>");
}

/// P59: of an insertion that another author deleted, the first author was lost, and a second export differed.
#[test]
fn a_deletion_within_an_insertion_keeps_both_authors() {
    let by = |id: u8, author: &str| format!("w:id=\"{id}\" w:author=\"{author}\" w:date=\"2024-02-29T12:00:00Z\"");
    let pack = document(&format!(
        "<w:p><w:ins {}><w:del {}><w:r><w:delText>gone</w:delText></w:r></w:del></w:ins></w:p>",
        by(1, "A"),
        by(2, "B")
    ));
    let trip = identical(&pack);
    let mut package = trip.package();
    let Some(inline::Item::Inserted(outer)) = &paragraph(body(&mut package), 0).content[0].item else { panic!() };
    let Some(inline::Item::Deleted(inner)) = &outer.content[0].item else { panic!() };
    assert_eq!((outer.author.as_deref(), inner.author.as_deref()), (Some("A"), Some("B")));
    assert_eq!(package.to_vec().unwrap(), trip.file());
}

/// P60: lists that share a definition but start anew went on counting.
#[test]
fn lists_that_share_a_definition_stay_apart() {
    let numbering = "word/numbering.xml";
    let num = |id: u8, start: &str| format!("<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"7\"/>{start}</w:num>");
    let restart = "<w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"1\"/></w:lvlOverride>";
    let list = format!(
        "{DECLARATION}<w:numbering xmlns:w=\"{W}\"><w:abstractNum w:abstractNumId=\"7\"><w:multiLevelType w:val=\"hybridMultilevel\"/><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl></w:abstractNum>{}{}{}</w:numbering>",
        num(3, ""),
        num(5, restart),
        num(4, restart)
    );
    let item = |number: u8| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"{number}\"/></w:numPr></w:pPr><w:r><w:t>{number}</w:t></w:r></w:p>"
        )
    };
    let pack = document(&[item(3), item(5), item(3)].concat()).related(DOCUMENT, "rId1", "numbering", numbering, list);
    let package = identical(&pack).package();
    let Some(Content::Numbering(parsed)) = &package.part(numbering).unwrap().content else { panic!() };
    let lists: Vec<_> =
        parsed.instances.iter().map(|one| (one.id.unwrap(), one.definition_id.unwrap(), one.overrides.len())).collect();
    assert_eq!(lists, [(3, 7, 0), (5, 7, 1), (4, 7, 1)]);
    edited(&pack, |package| set(package, 1, "new")).check_only(DOCUMENT, "<w:t>5</w:t>", "<w:t>new</w:t>");
}

/// P61: the same document was written with other bytes each time.
#[test]
fn the_same_package_gives_the_same_bytes() {
    for pack in [document("<w:p/>"), one_sheet(sheet_of_one(""))] {
        let (first, second) = (unchanged(&pack), unchanged(&pack));
        assert!(first.file() == second.file());
        let edit = || edited(&pack, |_| ()).file().to_vec();
        assert!(edit() == edit());
        // The date of a local header (APPNOTE 4.4.6): 1 January 1980, midnight.
        assert_eq!(first.file()[10..14], [0, 0, 0x21, 0]);
    }
}

/// P62: a change was reported as failed, and was in the file all the same.
#[test]
fn a_package_that_cannot_be_written_leaves_the_file_as_it_was() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pains");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("kept.docx");
    let before = document("<w:p><w:r><w:t>kept</w:t></w:r></w:p>").bytes();
    std::fs::write(&path, &before).unwrap();
    let mut package = Package::open(&path).unwrap();
    set(&mut package, 0, "a control character: \u{1}");
    let error = package.save(&path).unwrap_err();
    assert_eq!((error.family(), error.part()), (ErrorFamily::Markup, Some(DOCUMENT)), "{error}");
    assert!(std::fs::read(&path).unwrap() == before);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// P62, for elements that stand in the wrong order: they are read, reported to who asks, and stay where they are.
#[test]
fn properties_out_of_order_are_kept_and_edited_in_place() {
    let pack = document("<w:p><w:pPr><w:shd w:val=\"clear\" w:fill=\"FF0000\"/><w:pStyle w:val=\"Old\"/></w:pPr></w:p>");
    let findings = validate(pack.bytes(), &Limits::default()).unwrap();
    assert!(findings.iter().any(|finding| finding.code == FindingCode::WrongOrder));
    identical(&pack);
    edited(&pack, |package| {
        paragraph(body(package), 0).properties.as_mut().unwrap().style_id = Some("New".to_owned());
    })
    .check_only(DOCUMENT, "w:val=\"Old\"", "w:val=\"New\"");
}
