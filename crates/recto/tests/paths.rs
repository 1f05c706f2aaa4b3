//! The token path, which reads all XML, gives the same as the path for regular markup, which is only faster.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use recto::opc::Archive;
use recto::{ErrorFamily, Limits, parse_to_vec, report};
use recto_testing::{Pack, Rng, fixtures};

/// Compares what both paths make of a package, and what they count.
fn agree_on(bytes: &[u8], name: &str) -> bool {
    let both = Limits::default();
    // With so few attributes allowed, all is left to the token path, which counts them.
    let tokens = Limits::default().with_max_attributes(23);
    let measured = |limits| report::measure(&Archive::open(bytes, limits)?, limits).map(|(_, coverage)| format!("{coverage:?}"));
    match parse_to_vec(bytes, &tokens) {
        Ok((bin, _)) => {
            assert!(bin == parse_to_vec(bytes, &both).unwrap().0, "{name}");
            assert_eq!(measured(&tokens).unwrap(), measured(&both).unwrap(), "{name}");
            true
        }
        Err(error) => {
            assert_eq!(error.family(), ErrorFamily::Limit, "{name}");
            false
        }
    }
}

#[test]
fn both_paths_give_the_same() {
    let fixtures = fixtures::good();
    let compared = fixtures.iter().filter(|fixture| agree_on(&fixture.bytes, fixture.path)).count();
    assert!(compared > fixtures.len() / 2);
}

/// What comes again and again in documents, and what looks like it and is something else.
const REPEATED: [&str; 24] = [
    "<w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\"/><w:b/><w:sz w:val=\"22\"/></w:rPr>",
    "<w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\"/><w:i/><w:sz w:val=\"22\"/></w:rPr>",
    "<w:rPr><w:b w:val=\"1\"/></w:rPr>",
    "<w:rPr><w:b w:val=\"true\"/></w:rPr>",
    "<w:rPr><w:sz w:val=\"22\"/><w:b/></w:rPr>",
    "<w:rPr><w:b/><!-- bold --></w:rPr>",
    "<w:rPr>\n<w:b/>\n</w:rPr>",
    "<w:rPr><w:color w:val='FF0000'/></w:rPr>",
    "<w:rPr><w:color w:val=\"FF0000\" w:themeColor=\"accent1\"/></w:rPr>",
    "<w:rPr><w:unknown w:val=\"1\"/></w:rPr>",
    "<w:rPr></w:rPr>",
    "<w:t>the same text</w:t>",
    "<w:t>a&amp;b &lt; c</w:t>",
    "<w:t xml:space=\"preserve\"> the same </w:t>",
    "<w:tab/><w:br w:type=\"page\"/>",
    "<w:fldChar w:fldCharType=\"begin\"/>",
    "<w:object><w:drawing/></w:object>",
    "<x:t xmlns:x=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">the same text</x:t>",
    "<w:t xmlns:w=\"urn:other\">the same text</w:t>",
    "<mc:AlternateContent><mc:Choice Requires=\"wps\"><w:t>the same text</w:t></mc:Choice></mc:AlternateContent>",
    "<w:drawing><wp:inline distT=\"0\"><wp:extent cx=\"1\" cy=\"2\"/><a:graphic xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:graphicData uri=\"urn:x\"/></a:graphic></wp:inline></w:drawing>",
    "<w:drawing><wp:inline distT=\"0\"><wp:extent cx=\"1\" cy=\"2\"/></wp:inline></w:drawing>",
    "<w:ruby><w:rt><w:r><w:rPr><w:b/></w:rPr><w:t>the same text</w:t></w:r></w:rt></w:ruby>",
    "<w:sym w:font=\"Symbol\" w:char=\"F0B7\"/>",
];

/// A document of few different pieces, nested in many ways.
fn document(rng: &mut Rng) -> String {
    let mut text = String::from(concat!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" ",
        "xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" ",
        "xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"><w:body>",
    ));
    let pieces: Vec<&str> = (0..1 + rng.below(12)).map(|_| *rng.pick(&REPEATED)).collect();
    let mut open = Vec::new();
    for _ in 0..150 {
        match rng.below(10) {
            0 if open.len() < 12 => {
                text.push_str("<w:tbl><w:tr><w:tc><w:tcPr><w:tcW w:w=\"100\" w:type=\"dxa\"/></w:tcPr>");
                open.push("</w:tc></w:tr></w:tbl>");
            }
            1 => text.push_str(open.pop().unwrap_or("<w:p/>")),
            2 => text.push_str("<w:p><w:pPr><w:jc w:val=\"both\"/></w:pPr></w:p>"),
            _ => {
                text.push_str("<w:p><w:pPr><w:jc w:val=\"both\"/></w:pPr>");
                for _ in 0..rng.below(4) {
                    let piece = rng.pick(&pieces);
                    text.push_str(&format!("<w:r>{piece}{}</w:r>", rng.pick(&pieces)));
                }
                text.push_str("</w:p>");
            }
        }
    }
    while let Some(end) = open.pop() {
        text.push_str(end);
    }
    text + "</w:body></w:document>"
}

#[test]
fn what_repeats_is_copied_only_where_it_means_the_same() {
    for seed in 0..300 {
        let text = document(&mut Rng::new(seed));
        assert!(agree_on(&Pack::document(text).bytes(), &format!("seed {seed}")));
    }
}

/// Rows and cells without numbers follow the one before: the same bytes mean something else each time.
#[test]
fn rows_that_look_the_same_have_other_numbers() {
    let row = "<row><c><v>1</v></c><c s=\"1\"/></row>";
    let numbered = "<row r=\"7\"><c r=\"A7\"><v>1</v></c></row>";
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{}{numbered}{}</sheetData></worksheet>",
        row.repeat(30),
        row.repeat(30)
    );
    assert!(agree_on(&workbook_of(sheet), "rows"));
}

/// What stands behind a cell's reference, in cells that resemble each other and differ in what counts.
const FORMATS: [&str; 14] = [
    "",
    " s=\"1\"",
    " s=\"12\"",
    " s=\"01\"",
    " t=\"s\"",
    " s=\"1\" t=\"s\"",
    " t=\"b\"",
    " s=\"4\" t=\"str\"",
    " t=\"e\"",
    " t=\"n\"",
    " t=\"d\"",
    " t=\"inlineStr\"",
    " cm=\"1\"",
    " s='1'",
];

const FORMULAS: [&str; 11] = [
    "",
    "<f>A1+1</f>",
    "<f>IF(A1,\"paid &amp; closed\",\"\")</f>",
    "<f>[1]Sheet!A1&amp;[2]Sheet!A1</f>",
    "<f>A1 > B1</f>",
    "<f>&quot;a&quot;&amp;\n&#10;b</f>",
    "<f t=\"shared\" si=\"0\"/>",
    "<f t=\"shared\" ref=\"A1:A9\" si=\"0\">A1+1</f>",
    "<f t=\"shared\" si=\"123456789\" ca=\"1\" del1=\"1\"/>",
    "<f></f>",
    "<f/>",
];

const VALUES: [&str; 24] = [
    "",
    "<v>0</v>",
    "<v>1</v>",
    "<v>12345678</v>",
    "<v>123456789</v>",
    "<v>007</v>",
    "<v>0.5</v>",
    "<v>-0</v>",
    "<v>628.668</v>",
    "<v>0.69930555555555551</v>",
    "<v>0.1190000000000000013</v>",
    "<v>1E-5</v>",
    "<v> 1 </v>",
    "<v>TRUE</v>",
    "<v>open</v>",
    "<v>paid &amp; closed</v>",
    "<v>a > b &amp; c</v>",
    "<v>]] &lt;</v>",
    "<v>&#x41;</v>",
    "<v></v>",
    "<v/>",
    "<v xml:space=\"preserve\"> a</v>",
    "<v>1</v><extLst/>",
    "<is><t>inline</t></is>",
];

/// The letters of a column.
fn letters(column: usize) -> String {
    let last = char::from(b'A' + (column % 26) as u8);
    if column < 26 { last.to_string() } else { letters(column / 26 - 1) + &last.to_string() }
}

/// A sheet whose cells are of few kinds.
fn sheet(rng: &mut Rng, rows: usize) -> String {
    let cells: Vec<_> = (0..1 + rng.below(6)).map(|_| (*rng.pick(&FORMATS), *rng.pick(&FORMULAS), *rng.pick(&VALUES))).collect();
    let attributes: Vec<_> =
        (0..2).map(|_| *rng.pick(&[" spans=\"1:9\"", " ht=\"15\" customHeight=\"1\"", "", " ht=\"1.50\""])).collect();
    let mut text = String::from("<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>");
    let (start, first) = (*rng.pick(&[0, 20, 690, 16_370]), *rng.pick(&[1, 95, 99_990, 1_048_500]));
    for row in first..first + rows {
        let number = if rng.below(50) == 0 { row + 1 } else { row };
        text.push_str(&format!("<row r=\"{number}\"{}>", rng.pick(&attributes)));
        for column in 0..rng.below(20) {
            if rng.below(4) > 0 {
                let (format, formula, value) = cells[(column + rng.below(8) / 7) % cells.len()];
                let end = if formula.len() + value.len() == 0 { "/>".to_owned() } else { format!(">{formula}{value}</c>") };
                text.push_str(&format!("<c r=\"{}{row}\"{format}{end}", letters(start + column)));
            }
        }
        text.push_str("</row>");
    }
    text + "</sheetData></worksheet>"
}

#[test]
fn cells_that_begin_alike_may_go_on_in_other_ways() {
    for seed in 0..200 {
        let text = sheet(&mut Rng::new(seed), if seed % 50 == 0 { 1_000 } else { 20 });
        assert!(agree_on(&workbook_of(text), &format!("seed {seed}")));
    }
}

/// A workbook that has one sheet, of this text.
fn workbook_of(sheet: String) -> Vec<u8> {
    let pack = Pack::workbook("<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"/>");
    pack.related("xl/workbook.xml", "rId1", "worksheet", "xl/worksheets/sheet1.xml", sheet).bytes()
}

/// What is tried and taken back made the text of a part unusual, so that it was kept beside the model.
#[test]
fn elements_that_are_taken_back_leave_no_trace() {
    const X: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    for row in [
        "<row r=\"1\"><c r=\"A1\"><f><!-- c --></f></c></row>",
        "<row r=\"1\"><c r=\"A1\"><f><!-- c -->A2</f><v>1</v></c></row>",
        "<row r=\"1\"><c r=\"A1\"><v><!-- c --></v></c></row>",
        "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t><![CDATA[a]]></t></is></c></row>",
    ] {
        let text = format!("<worksheet xmlns=\"{X}\"><sheetData>{row}</sheetData></worksheet>");
        assert!(agree_on(&workbook_of(text), row));
    }
    for body in [
        "<w:p><w:r><w:t><!-- c --></w:t></w:r></w:p>",
        "<w:p><w:r><w:t><!-- c -->a</w:t></w:r></w:p>",
        "<w:p><w:pPr ><w:x/></w:pPr></w:p>",
    ] {
        let text = format!("<w:document xmlns:w=\"{W}\"><w:body>{body}</w:body></w:document>");
        assert!(agree_on(&Pack::document(text).bytes(), body));
    }
}

/// A name may not begin with a colon, also where the default namespace would make something of it.
#[test]
fn names_do_not_begin_with_a_colon() {
    const X: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let sheet = |rows: &str| format!("<worksheet xmlns=\"{X}\"><sheetData>{rows}</sheetData></worksheet>");
    let refused = |bytes: Vec<u8>, what: &str| match parse_to_vec(bytes, &Limits::default()) {
        Ok(_) => panic!("{what}"),
        Err(error) => assert_eq!(error.family(), ErrorFamily::Markup, "{what}"),
    };
    for rows in [
        "<row r=\"1\" :ht=\"15\"/>",
        "<row :r=\"1\"/>",
        "<:row r=\"1\"/>",
        "<row r=\"1\"><c r=\"A1\"><f t=\"shared\" :si=\"1\"/><v>1</v></c></row>",
        "<row r=\"1\"><c r=\"A1\"><:f>1</:f><v>1</v></c></row>",
    ] {
        refused(workbook_of(sheet(rows)), rows);
    }
    for body in ["<:p/>", "<p><:pPr></:pPr></p>", "<p><r><:t>x</:t></r></p>", "<:tbl/>"] {
        refused(Pack::document(format!("<document xmlns=\"{W}\"><body>{body}</body></document>")).bytes(), body);
    }
}
