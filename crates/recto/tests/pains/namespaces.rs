//! Namespaces, markup compatibility, and the order of elements.

use recto::part::Content;
use recto::report::{FindingCode, validate};
use recto::sheet::cell::Value;
use recto::word::run_item;
use recto::{Limits, NamespaceDecl, Package, sheet, word};
use recto_testing::Pack;

use crate::books::{
    DECLARATION, DOCUMENT, R, SHEET1, W, WORKBOOK, X, body, cell, document, one_sheet, paragraph, run, set_two, sheet,
    sheet_of_one, text, with_sheets,
};
use crate::trip::{Trip, edited, identical, unchanged};

const MC: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";

/// A workbook as Excel of Office 365 writes it.
fn office_365() -> Pack {
    let main = format!("{DECLARATION}{OFFICE_365}");
    with_sheets(Pack::workbook(main), &[sheet_of_one("")])
}

/// Checks that the root of a part declares every prefix that its `mc:Ignorable` lists.
fn check_ignorable(trip: &Trip, part: &str) {
    let text = trip.text(part);
    let root = text[text.find("?>").unwrap()..].split_once('<').unwrap().1.split_once('>').unwrap().0;
    let list = root.split_once("mc:Ignorable=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(!list.is_empty());
    for prefix in list.split(' ') {
        assert!(root.contains(&format!("xmlns:{prefix}=\"")), "{prefix} in {root}");
    }
}

/// P19: the root lost `mc:Ignorable` and declarations, prefixes became `ns0`, `xr2:uid` was dropped.
#[test]
fn the_root_keeps_its_prefixes_its_declarations_and_what_may_be_ignored() {
    check_ignorable(&identical(&office_365()), WORKBOOK);
    let trip = edited(&office_365(), |package| {
        package.workbook_mut().unwrap().sheets.as_mut().unwrap().sheets[0].name = Some("Renamed".to_owned());
    });
    trip.check_one(WORKBOOK, "S1", "Renamed");
    check_ignorable(&trip, WORKBOOK);
    assert!(trip.text(WORKBOOK).contains("xr2:uid=\"{B0C1159D-33EE-DB47-84B2-FAAEB7E2FFDF}\""));
}

/// P20: children were written with `xmlns=""`.
#[test]
fn new_children_do_not_take_the_default_namespace_back() {
    let pack = one_sheet(sheet_of_one("<futureThing a=\"1\"/>"));
    let trip = edited(&pack, |package| {
        let text =
            sheet::RichText { text: Some(sheet::Text { value: "new".to_owned(), ..Default::default() }), ..Default::default() };
        let formula = sheet::Formula { text: "1+1".to_owned(), ..Default::default() };
        let cells = vec![
            sheet::Cell { value: Some(Value::InlineString(Box::new(text))), ..Default::default() },
            sheet::Cell { formula: Some(Box::new(formula)), ..Default::default() },
        ];
        let data = package.worksheet_mut("S1").unwrap().data.as_mut().unwrap();
        data.rows.push(sheet::Row { cells, ..Default::default() });
    });
    let added = "</row><row><c t=\"inlineStr\"><is><t>new</t></is></c><c><f>1+1</f></c></row>";
    trip.check_only(SHEET1, "</row>", added);
}

/// P21: an extension was written as found, but without the `xmlns:a` of a parent that was made anew.
#[test]
fn raw_fragments_declare_the_prefixes_that_they_inherited() {
    let picture = format!(
        "<w:p xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:odd=\"urn:odd\">{}</w:p>",
        picture_run(
            "<a:extLst><a:ext uri=\"{00000000-0000-4000-8000-000000000000}\"><odd:new><a:ln w=\"1\"/></odd:new></a:ext></a:extLst>"
        )
    );
    let pack =
        document(&picture).extension("png", "image/png").related(DOCUMENT, "rId1", "image", "word/media/image1.png", "png");
    unchanged(&pack);
    let trip = edited(&pack, |package| {
        let old = paragraph(body(package), 0);
        assert!(!old.extras.as_ref().unwrap().namespaces.is_empty());
        *old = word::Paragraph { content: std::mem::take(&mut old.content), ..Default::default() };
    });
    assert!(!trip.text(DOCUMENT).contains("<w:p xmlns"));
    assert_eq!(trip.differences(), [""; 0]);
}

/// P22: a list was inserted with `w16cid:durableId`, which nothing declared; Word did not open the document.
#[test]
fn prefixes_that_an_edit_brings_in_are_declared() {
    let numbering = "word/numbering.xml";
    let list = format!(
        "{DECLARATION}<w:numbering xmlns:w=\"{W}\"><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
    );
    let pack = document("<w:p/>").related(DOCUMENT, "rId1", "numbering", numbering, list);
    let set = |package: &mut Package| {
        let Some(Content::Numbering(list)) = &mut package.part_mut(numbering).unwrap().content else { panic!() };
        list.instances[0].durable_id = Some(7);
    };
    let cid = "http://schemas.microsoft.com/office/word/2016/wordml/cid";
    edited(&pack, set).check_only(
        numbering,
        "<w:num w:numId=\"1\">",
        &format!("<w:num w:numId=\"1\" xmlns:w16cid=\"{cid}\" w16cid:durableId=\"7\">"),
    );
    let undeclared = edited(&pack, |package| {
        let Some(Content::Numbering(list)) = &mut package.part_mut(numbering).unwrap().content else { panic!() };
        list.ignorable_prefixes = Some("w16cid".to_owned());
    });
    let findings = validate(undeclared.file(), &Limits::default()).unwrap();
    assert!(findings.iter().any(|finding| finding.code == FindingCode::UndeclaredPrefix));
    let trip = edited(&pack, |package| {
        set(package);
        let part = package.part_mut(numbering).unwrap();
        let namespaces = &mut part.markup.get_or_insert_default().namespaces;
        let declare =
            |prefix: &str, uri: &str| NamespaceDecl { prefix: prefix.to_owned(), uri: uri.to_owned(), ..Default::default() };
        namespaces.extend([declare("mc", MC), declare("w16cid", cid)]);
        let Some(Content::Numbering(list)) = &mut part.content else { panic!() };
        list.ignorable_prefixes = Some("w16cid".to_owned());
    });
    check_ignorable(&trip, numbering);
    assert!(trip.text(numbering).contains("<w:num w:numId=\"1\" w16cid:durableId=\"7\">"));
}

/// P23: after each part was read and saved, elements of newer Excels were gone or elsewhere.
#[test]
fn children_of_unknown_namespaces_stay_where_they_are() {
    let new = "<xr99:soon xmlns:xr99=\"urn:excel:2099\" a=\"1\"><xr99:x/></xr99:soon>";
    let main = OFFICE_365.replace("<calcPr", &format!("{new}<calcPr"));
    let rows = format!("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>{new}<row r=\"2\">{new}<c r=\"A2\"><v>5</v>{new}</c></row>");
    let pack = with_sheets(Pack::workbook(format!("{DECLARATION}{main}")), &[sheet(&rows, new)]);
    identical(&pack);
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P24: numbering with markup of Word 2010 was damaged.
#[test]
fn markup_of_word_2010_in_numbering_is_kept() {
    let numbering = "word/numbering.xml";
    let list = format!(
        "{DECLARATION}<w:numbering xmlns:mc=\"{MC}\" xmlns:w=\"{W}\" xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" mc:Ignorable=\"w14\"><w:abstractNum w:abstractNumId=\"0\" w14:later=\"1\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:lvlText w:val=\"%1.\"/><w:rPr><w:b/><w14:ligatures w14:val=\"all\"/><w14:later w14:val=\"2\"/></w:rPr></w:lvl></w:abstractNum></w:numbering>"
    );
    let pack = document("<w:p/>").related(DOCUMENT, "rId1", "numbering", numbering, list);
    check_ignorable(&identical(&pack), numbering);
    let trip = edited(&pack, |package| {
        let Some(Content::Numbering(list)) = &mut package.part_mut(numbering).unwrap().content else { panic!() };
        list.definitions[0].levels[0].start = Some(4);
    });
    trip.check_only(numbering, "<w:start w:val=\"1\"/>", "<w:start w:val=\"4\"/>");
}

/// The alternatives of the first run.
fn alternatives(package: &mut Package) -> &mut word::RunAlternate {
    let Some(run_item::Item::AlternateContent(alternatives)) = &mut run(body(package), 0).content[0].item else { panic!() };
    alternatives
}

/// P25: a text box was read from both branches, or one branch was forgotten.
#[test]
fn both_forms_of_a_text_box_are_kept_and_only_one_is_edited() {
    let pack = document(&format!("<w:p><w:r>{TEXT_BOX}</w:r></w:p>"));
    identical(&pack);
    let trip = edited(&pack, |package| {
        let alternatives = alternatives(package);
        assert!(matches!(alternatives.fallback.as_ref().unwrap().content[0].item, Some(run_item::Item::VmlPicture(_))));
        let Some(run_item::Item::Drawing(drawing)) = &mut alternatives.choices[0].content[0].item else { panic!() };
        let data = drawing.inline.as_mut().unwrap().graphic.as_mut().unwrap().data.as_mut().unwrap();
        let text_box = data.shape.as_mut().unwrap().text_box.as_mut().unwrap().content.as_mut().unwrap();
        text(run(&mut text_box.content, 0)).value = "new".to_owned();
    });
    trip.check_only(
        DOCUMENT,
        "<w:t>boxed</w:t></w:r></w:p></w:txbxContent></wps:txbx>",
        "<w:t>new</w:t></w:r></w:p></w:txbxContent></wps:txbx>",
    );
}

/// P26: the branch for a newer chart was taken by a reader that does not know it.
#[test]
fn a_branch_says_which_namespaces_it_requires() {
    let chart = "<w:drawing><wp:inline><wp:extent cx=\"9\" cy=\"9\"/><wp:docPr id=\"1\" name=\"Chart\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"http://schemas.microsoft.com/office/drawing/2014/chartex\"><cx:chart xmlns:cx=\"http://schemas.microsoft.com/office/drawing/2014/chartex\" r:id=\"rId2\"/></a:graphicData></a:graphic></wp:inline></w:drawing>";
    let alternatives_of = |package: &mut Package| alternatives(package).clone();
    let picture = picture_run("").replace("<w:r>", "").replace("</w:r>", "");
    let pack = document(&format!("<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"cx1\">{chart}</mc:Choice><mc:Fallback>{picture}</mc:Fallback></mc:AlternateContent></w:r></w:p>"))
        .extension("png", "image/png")
        .related(DOCUMENT, "rId1", "image", "word/media/image1.png", "png")
        .related(DOCUMENT, "rId2", "chartEx", "word/charts/chartEx1.xml", "<cx:chartSpace xmlns:cx=\"http://schemas.microsoft.com/office/drawing/2014/chartex\"/>");
    let found = alternatives_of(&mut identical(&pack).package());
    assert_eq!(found.choices[0].requires.as_deref(), Some("cx1"));
    let data = |item: &word::RunItem| {
        let Some(run_item::Item::Drawing(drawing)) = &item.item else { panic!() };
        drawing.inline.as_ref().unwrap().graphic.as_ref().unwrap().data.clone().unwrap()
    };
    assert!(data(&found.choices[0].content[0]).extended_chart.is_some());
    assert!(data(&found.fallback.unwrap().content[0]).picture.is_some());
}

/// P27: the fallback was dropped; so were all choices but one.
#[test]
fn all_branches_are_written_again_in_order() {
    let branch = |name: &str| format!("<w:t>{name}</w:t>");
    let all = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"wps wp14\">{}</mc:Choice><mc:Choice Requires=\"wps\">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        branch("one"),
        branch("two"),
        branch("three")
    );
    let mut package = identical(&document(&format!("<w:p><w:r>{all}</w:r></w:p>"))).package();
    let found = alternatives(&mut package);
    let requires: Vec<_> = found.choices.iter().map(|choice| choice.requires.as_deref().unwrap()).collect();
    assert_eq!((requires, found.fallback.is_some()), (vec!["wps wp14", "wps"], true));
}

/// P28: elements with other prefixes than Office's were not read.
#[test]
fn names_are_known_by_namespace_and_not_by_prefix() {
    let main = format!(
        "<x:workbook xmlns:x=\"{X}\" xmlns:ns1=\"{R}\"><x:sheets><x:sheet name=\"S1\" sheetId=\"1\" ns1:id=\"rId1\"/></x:sheets></x:workbook>"
    );
    let other = format!(
        "<ns0:worksheet xmlns:ns0=\"{X}\" xmlns:x=\"urn:other\"><ns0:sheetData><ns0:row r=\"1\"><ns0:c r=\"A1\"><ns0:v>1</ns0:v><x:v>9</x:v></ns0:c></ns0:row></ns0:sheetData></ns0:worksheet>"
    );
    let pack = with_sheets(Pack::workbook(main), &[other]);
    let mut package = identical(&pack).package();
    assert_eq!(cell(&mut package, "S1", 0, 0).value, Some(Value::Number(1.0)));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<ns0:v>1</ns0:v>", "<ns0:v>2</ns0:v>");
}

/// A run with a picture; `extensions` stand in its blip.
fn picture_run(extensions: &str) -> String {
    let blip = if extensions.is_empty() {
        "<a:blip r:embed=\"rId1\"/>".to_owned()
    } else {
        format!("<a:blip r:embed=\"rId1\">{extensions}</a:blip>")
    };
    format!(
        "<w:r><w:drawing><wp:inline><wp:extent cx=\"9525\" cy=\"9525\"/><wp:docPr id=\"1\" name=\"Picture 1\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"1\" name=\"dot.png\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>{blip}<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
}

const TEXT_BOX: &str = r#"<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="914400" cy="457200"/><wp:docPr id="2" name="Text Box 2"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape id="Text Box 2" style="width:72pt;height:36pt"><v:textbox><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent>"#;

const OFFICE_365: &str = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x15 xr xr6 xr10 xr2" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xmlns:xr6="http://schemas.microsoft.com/office/spreadsheetml/2016/revision6" xmlns:xr10="http://schemas.microsoft.com/office/spreadsheetml/2016/revision10" xmlns:xr2="http://schemas.microsoft.com/office/spreadsheetml/2015/revision2"><fileVersion appName="xl" lastEdited="7" lowestEdited="7" rupBuild="10609"/><workbookPr defaultThemeVersion="166925"/><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x15"><x15ac:absPath url="C:\Books\" xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent><xr:revisionPtr revIDLastSave="0" documentId="13_ncr:1_{C7F20162-1C5A-824E-8AA1-05ED4117733A}" xr6:coauthVersionLast="47" xr6:coauthVersionMax="47" xr10:uidLastSave="{00000000-0000-0000-0000-000000000000}"/><bookViews><workbookView xWindow="19160" yWindow="3260" windowWidth="28040" windowHeight="17440" xr2:uid="{B0C1159D-33EE-DB47-84B2-FAAEB7E2FFDF}"/></bookViews><sheets><sheet name="S1" sheetId="1" r:id="rId1"/></sheets><calcPr calcId="191029"/><extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>"#;
