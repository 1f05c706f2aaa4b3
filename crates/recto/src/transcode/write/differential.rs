//! The ways in which a part can be written must not show: with texts copied and usual cells written at once or not, with
//! messages looked through before or taken back.

use proptest::prelude::*;
use recto_schema::fields;
use recto_schema::tables::{Codec, MESSAGES, Message, RowKind, message, root_of_field};

use super::regular_cells::Heads;
use super::repeated::Repeated;
use super::rows::RowTail;
use super::{PartText, Writer};
use crate::limits::Limits;
use crate::transcode::observe::Ignore;
use crate::transcode::read::{Content, PartXml, Reader};
use crate::wire::input::{Field, Fields, Input};
use crate::wire::output::Output;
use crate::wire::{WireType, put_bytes, put_key, put_uint};

/// How a part is written.
#[derive(Clone, Copy, Debug)]
struct Way {
    copying: bool,
    looking_first: bool,
}

const WAYS: [Way; 4] = [
    Way { copying: false, looking_first: true },
    Way { copying: true, looking_first: true },
    Way { copying: false, looking_first: false },
    Way { copying: true, looking_first: false },
];

/// The wire of a part.
fn parsed(xml: &str) -> Vec<u8> {
    let mut observer = Ignore;
    let mut reader = Reader::new(Output::in_memory(Vec::new()), &mut observer, &Limits::default());
    let content = reader.part(&mut xml.as_bytes(), 0, false, PartXml::PART).unwrap();
    assert_eq!(content, Content::Typed, "{xml}");
    std::mem::take(&mut reader.out.bytes)
}

/// The text of a part, or what is wrong with it.
fn written(wire: &[u8], way: Way) -> Result<String, String> {
    let (mut markup, mut epilog, mut roots, mut root) = (&[][..], &[][..], Vec::new(), None);
    for field in Fields::new(wire) {
        let field = field.map_err(|error| error.to_string())?;
        match field.number {
            fields::part::MARKUP => markup = field.bytes(wire),
            fields::part::EPILOG => epilog = field.bytes(wire),
            number => match root_of_field(number) {
                Some(row) if field.wire_type == WireType::Bytes => {
                    root = Some(row);
                    roots.push(field);
                }
                _ => {}
            },
        }
    }
    let Some(root) = root else { return Err("no root".to_owned()) };
    let mut text = Vec::new();
    let mut writer = Writer::new(&mut text, Vec::new());
    if way.copying {
        writer.repeated = Repeated::of_part(u64::MAX);
    } else {
        (writer.heads, writer.row_tail) = (Heads::never(), RowTail::never());
    }
    writer.taken_back = if way.looking_first { usize::MAX } else { 0 };
    let written = writer.text(&mut Input::Slice(wire), &PartText { markup, root, roots: &roots, epilog });
    match written {
        Ok(()) => Ok(String::from_utf8(text).unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

fn all_ways_agree(wire: &[u8]) -> Result<String, String> {
    let [first, others @ ..] = WAYS;
    let expected = written(wire, first);
    for way in others {
        assert_eq!(written(wire, way), expected, "{way:?}");
    }
    expected
}

/// The fields of a message in another order, some of them twice, and so are those of the messages in it; `dice` gives
/// numbers to decide by.
fn scrambled(wire: &[u8], table: &'static Message, dice: &mut impl FnMut() -> usize) -> Vec<u8> {
    let mut fields: Vec<Vec<u8>> = Fields::new(wire).map(|field| reencoded(wire, &field.unwrap(), table, dice)).collect();
    if dice().is_multiple_of(8) && !fields.is_empty() {
        let (from, to) = (dice() % fields.len(), dice() % fields.len());
        fields.swap(from, to);
    }
    if dice().is_multiple_of(16) && !fields.is_empty() {
        let again = fields[dice() % fields.len()].clone();
        fields.push(again);
    }
    fields.concat()
}

fn reencoded(wire: &[u8], field: &Field, table: &'static Message, dice: &mut impl FnMut() -> usize) -> Vec<u8> {
    let mut out = Vec::new();
    let row = table.field(field.number).map(|(_, row)| row);
    match field.wire_type {
        WireType::Bytes => match row.filter(|row| matches!(row.kind, RowKind::Child | RowKind::List)) {
            Some(row) => put_bytes(&mut out, field.number, &scrambled(field.bytes(wire), message(row.target), dice)),
            None => put_bytes(&mut out, field.number, field.bytes(wire)),
        },
        WireType::Varint => put_uint(&mut out, field.number, field.value),
        _ => {
            put_key(&mut out, field.number, field.wire_type);
            out.extend_from_slice(&wire[field.start as usize..field.end as usize]);
        }
    }
    out
}

/// The part with its root scrambled.
fn scrambled_part(wire: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut dice = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize
    };
    let mut out = Vec::new();
    for field in Fields::new(wire) {
        let field = field.unwrap();
        match root_of_field(field.number) {
            Some(row) => put_bytes(&mut out, field.number, &scrambled(field.bytes(wire), message(row.target), &mut dice)),
            None => put_bytes(&mut out, field.number, field.bytes(wire)),
        }
    }
    out
}

const DOCUMENT: &str = r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:x="urn:x" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w:body>{}</w:body></w:document>"#;
const STRICT: &str = r#"<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:x="urn:x" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><body>{}</body></document>"#;
const SHEET: &str =
    r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>"#;
const STRINGS: &str = r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</sst>"#;

/// Content of paragraphs; the same pieces come again and again.
const INLINES: [&str; 14] = [
    r#"<w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:b/><w:sz w:val="22"/></w:rPr><w:t>a &amp; b</w:t></w:r>"#,
    r#"<w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:b w:val="true"/><w:sz w:val="+22"/></w:rPr><w:t/></w:r>"#,
    r#"<w:r w:rsidRPr="00A77B3E"><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:b w:val="0"/></w:rPr><w:tab/></w:r>"#,
    r#"<w:r><w:rPr><w:b/><w:rFonts w:hAnsi="Calibri" w:ascii="Calibri"/><w:unknown/></w:rPr><w:t xml:space="preserve"> t </w:t></w:r>"#,
    r#"<w:r x:note="1"><w:t>text of more than thirty-two bytes, &lt;escaped&gt; &#13;</w:t><!-- c --></w:r>"#,
    r#"<x:thing x:a="1">raw</x:thing>"#,
    r#"<w:r xmlns:y="urn:y"><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><y:z/></w:rPr><w:t>a</w:t></w:r>"#,
    r#"<w:r xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr></w:r>"#,
    r#"<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" distT="0" distB="0"><wp:extent cx="914400" cy="914400"/><wp:docPr id="1" name="Picture 1"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"#,
    r#"<w:r><w:rPr><w14:shadow w14:blurRad="0" w14:dist="0"/><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr></w:r>"#,
    r#"<w:r><w:rPr><w:rPr/></w:rPr><w:rPr><w:b/></w:rPr></w:r>"#,
    r#"<w:hyperlink w:anchor="there" w:history="1"><w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr><w:t>link</w:t></w:r></w:hyperlink>"#,
    r#"<w:bookmarkStart w:id="0" w:name="there"/><w:bookmarkEnd w:id="0"/>"#,
    r#"<w:ins w:id="7" w:author="a &quot;b&quot;"><w:r><w:t>in</w:t></w:r></w:ins>"#,
];

const ROWS: [&str; 10] = [
    r#"<row r="1" spans="1:3"><c r="A1" s="12" t="s"><v>1234</v></c><c r="B1"><v>0.29999999999999999</v></c></row>"#,
    r#"<row><c><v>1</v></c><c t="inlineStr"><is><t>rich</t></is></c></row>"#,
    r#"<row r="5" spans="1:3"><c r="A5" t="str"><f>IF(H1,"paid &amp; closed","")</f><v>paid &amp; closed</v></c></row>"#,
    r#"<row r="5" ht="12.75" customHeight="1"><c r="XFD5" s="3"/><c r="B5" t="e"><v>#N/A</v></c></row>"#,
    r#"<row spans="1:3"><c r="A7" t="b"><f t="shared" ref="A1:A9" si="0">IF(H1,"paid &amp; closed","")</f><v>1</v></c></row>"#,
    r#"<row><c s="1"><f>IF(H1,"paid &amp; closed","")</f><v>x</v></c></row>"#,
    r#"<row r="9"><c r="A9" unknown="1"><v>1.50</v><v>2</v></c><unknown/></row>"#,
    r#"<row r="10" spans="1:3" ht="15"><c r="A10" t="d"><f t="shared" si="0"/><v>2026-12-01</v></c><c r="B10" s="1234567"><v>-1E-05</v></c></row>"#,
    r#"<row r="10" spans="1:3" ht="15"><c r="ZZ10" t="inlineStr"><f/><is><t>a</t></is></c><c r="AB10" t="b"><v>0</v></c><extLst><ext uri="u"/></extLst></row>"#,
    r#"<row/>"#,
];

const STRING_ITEMS: [&str; 6] = [
    r#"<si><t>a</t></si>"#,
    r#"<si><t xml:space="preserve"> two words and more than thirty-two bytes in all </t></si>"#,
    r#"<si><r><rPr><b/><sz val="11"/><rFont val="Calibri"/><family val="2"/></rPr><t>b</t></r><r><rPr><b/><sz val="11"/><rFont val="Calibri"/><family val="2"/></rPr><t xml:space="preserve">c </t></r></si>"#,
    r#"<si/>"#,
    r#"<si><t/></si>"#,
    r#"<si><t>&lt;&amp;&gt;</t><phoneticPr fontId="1"/><unknown/></si>"#,
];

fn part(frame: &str, pieces: &[&str], chosen: &[usize]) -> String {
    let content: String = chosen.iter().map(|&at| pieces[at % pieces.len()]).collect();
    frame.replace("{}", &content)
}

fn paragraphs(frame: &str, chosen: &[usize]) -> String {
    let mut text = String::new();
    for (at, inlines) in chosen.chunks(3).enumerate() {
        let properties =
            r#"<w:pPr><w:pStyle w:val="Normal"/><w:spacing w:before="120" w:after="240"/><w:jc w:val="both"/></w:pPr>"#;
        let paragraph = part("<w:p>{}</w:p>", &INLINES, inlines);
        let paragraph = if at % 3 == 0 { paragraph } else { paragraph.replacen("<w:p>", &format!("<w:p>{properties}"), 1) };
        let cell = r#"<w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>"#;
        match at % 4 {
            3 => text.push_str(&format!("<w:tbl><w:tr><w:tc>{cell}{paragraph}</w:tc><w:tc>{cell}<w:p/></w:tc></w:tr></w:tbl>")),
            _ => text.push_str(&paragraph),
        }
    }
    frame.replace("{}", &text)
}

fn any_part() -> impl Strategy<Value = String> {
    (0..4, prop::collection::vec(0usize..32, 1..60)).prop_map(|(kind, chosen)| match kind {
        0 => paragraphs(DOCUMENT, &chosen),
        1 => paragraphs(STRICT, &chosen),
        2 => part(SHEET, &ROWS, &chosen),
        _ => part(STRINGS, &STRING_ITEMS, &chosen),
    })
}

proptest! {
    #[test]
    fn parts_come_back(xml in any_part()) {
        let text = all_ways_agree(&parsed(&xml)).unwrap();
        prop_assert!(text.len() * 3 > xml.len(), "{}", text);
    }

    #[test]
    fn fields_may_come_in_any_order(xml in any_part(), seed in any::<u64>()) {
        let _ = all_ways_agree(&scrambled_part(&parsed(&xml), seed));
    }

    #[test]
    fn damage_is_found_in_all_ways(xml in any_part(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut wire = parsed(&xml);
        let at = at.index(wire.len());
        wire[at] = byte;
        let _ = all_ways_agree(&wire);
    }
}

/// Taking back what stands in what is taken back takes no longer with every level.
#[test]
fn nested_messages_out_of_order_are_not_written_again_and_again() {
    let mut xml = "<w:r/>".to_owned();
    for level in 0..60 {
        // What comes late among the children is found at the end.
        xml = format!(r#"<w:ins w:id="{level}">{xml}<x:late/><w:r/></w:ins>"#);
    }
    let wire = parsed(&DOCUMENT.replace("{}", &format!("<w:p>{xml}</w:p>")));
    for seed in 0..20 {
        let _ = all_ways_agree(&scrambled_part(&wire, seed));
    }
}

/// Rows count themselves, so that messages with rows in them are neither copied nor taken back.
#[test]
fn only_streamed_messages_have_rows() {
    let mut with_rows: Vec<bool> = MESSAGES.iter().map(|message| message.codec != Codec::None).collect();
    loop {
        let before = with_rows.clone();
        for (at, message) in MESSAGES.iter().enumerate() {
            let below = |row: &recto_schema::tables::Row| matches!(row.kind, RowKind::Child | RowKind::List);
            if message.rows().iter().any(|row| below(row) && with_rows[usize::from(row.target)]) {
                with_rows[at] = true;
            }
        }
        if with_rows == before {
            break;
        }
    }
    for (at, message) in MESSAGES.iter().enumerate().filter(|(at, _)| with_rows[*at]) {
        assert!(message.streamed || message.codec != Codec::None, "{}", recto_schema::tables::MESSAGE_NAMES[at]);
    }
}
