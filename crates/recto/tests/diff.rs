//! What counts as a difference between two packages, and what does not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{Cursor, Write};

use recto::Limits;
use recto::opc::Archive;
use recto::opc::zip::{Method, ZipWriter};
use recto::report::{Difference, DifferenceKind, diff};

const DOCUMENT: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
    <w:document xmlns:w=\"http://example.org/w\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
    xmlns:w14=\"http://example.org/w14\" mc:Ignorable=\"w14\"><!-- note --><w:body><w:p w:id=\"1\" w14:x=\"2\"><w:t>a &lt; b</w:t></w:p>\
    <w:p><w:t xml:space=\"preserve\"> c</w:t></w:p></w:body></w:document>";

const TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Default Extension=\"png\" ContentType=\"image/png\"/>\
    <Override PartName=\"/word/document.xml\" \
    ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";

const PACKAGE_RELATIONSHIPS: &str = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
    <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
    Target=\"word/document.xml\"/></Relationships>";

const DOCUMENT_RELATIONSHIPS: &str = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
    <Relationship Id=\"rId1\" Type=\"http://example.org/image\" Target=\"media/image1.png\"/>\
    <Relationship Id=\"rId2\" Type=\"http://example.org/link\" Target=\"http://example.org/\" TargetMode=\"External\"/></Relationships>";

type Parts = Vec<(&'static str, Vec<u8>)>;

fn parts() -> Parts {
    vec![
        ("[Content_Types].xml", TYPES.into()),
        ("_rels/.rels", PACKAGE_RELATIONSHIPS.into()),
        ("word/document.xml", DOCUMENT.into()),
        ("word/_rels/document.xml.rels", DOCUMENT_RELATIONSHIPS.into()),
        ("word/media/image1.png", b"\x89PNG".to_vec()),
    ]
}

fn archive(parts: &Parts) -> Archive<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start(name, Method::Stored).unwrap();
        writer.write_all(bytes).unwrap();
    }
    Archive::open(writer.finish().unwrap().into_inner(), &Limits::default()).unwrap()
}

/// The differences after a change to the sample's parts.
fn after(change: impl FnOnce(&mut Parts)) -> Vec<Difference> {
    let mut changed = parts();
    change(&mut changed);
    diff(&archive(&parts()), &archive(&changed), 100).unwrap()
}

fn replace(parts: &mut Parts, part: &str, from: &str, to: &str) {
    let bytes = &mut parts.iter_mut().find(|(name, _)| *name == part).unwrap().1;
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains(from), "{from}");
    *bytes = text.replace(from, to).into_bytes();
}

/// The one difference after a replacement in a part, as text.
fn one(part: &str, from: &str, to: &str) -> String {
    let found = after(|parts| replace(parts, part, from, to));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].to_string()
}

fn document(from: &str, to: &str) -> String {
    let line = one("word/document.xml", from, to);
    line.strip_prefix("word/document.xml: ").unwrap().to_owned()
}

fn equal(from: &str, to: &str) {
    assert_eq!(after(|parts| replace(parts, "word/document.xml", from, to)), [], "{from} -> {to}");
}

#[test]
fn a_package_equals_itself() {
    assert_eq!(after(|_| {}), []);
    assert_eq!(after(|parts| parts.reverse()), []);
}

#[test]
fn notation_does_not_count() {
    equal("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "");
    equal("w:id=\"1\" w14:x=\"2\"", "w14:x='2'\n w:id = '1' ");
    equal("a &lt; b", "&#97; <![CDATA[< ]]>b");
    equal("</w:p>", "</w:p >\n");
    equal("<!-- note -->", "\n<!--note-->");
    let found = after(|parts| {
        replace(parts, "word/document.xml", "w:", "v:");
        replace(parts, "word/document.xml", ":w=", ":v=");
        replace(parts, "word/document.xml", "w14:", "x:");
        replace(parts, "word/document.xml", ":w14=", ":x=");
        replace(parts, "word/document.xml", "Ignorable=\"w14\"", "Ignorable=\"x\"");
    });
    assert_eq!(found, []);
}

#[test]
fn encoding_does_not_count() {
    let found = after(|parts| {
        let text = DOCUMENT.replace("UTF-8", "UTF-16");
        parts[2].1 = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    });
    assert_eq!(found, []);
}

#[test]
fn attributes() {
    assert_eq!(document("w:id=\"1\"", "w:id=\"2\""), "attribute at document/body[1]/p[0]/@id: \"1\" -> \"2\"");
    assert_eq!(document("w:id=\"1\"", "w:id=\"1 \""), "attribute at document/body[1]/p[0]/@id: \"1\" -> \"1 \"");
    assert_eq!(document(" w14:x=\"2\"", ""), "attribute at document/body[1]/p[0]/@x: \"2\" -> \"(absent)\"");
    let line =
        document("xmlns:w14=\"http://example.org/w14\" mc:", "xmlns:w14=\"http://example.org/w14\" xmlns:q=\"q\" w:y=\"q\" mc:");
    assert_eq!(line, "attribute at document/@y: \"(absent)\" -> \"q\"");
    let line = document("Ignorable=\"w14\"", "Ignorable=\"w14 w\"");
    let both = "{http://example.org/w14} {http://example.org/w}";
    assert_eq!(line, format!("attribute at document/@Ignorable: \"{{http://example.org/w14}}\" -> \"{both}\""));
}

#[test]
fn content() {
    assert_eq!(document("a &lt; b", "a &lt; c"), "text at document/body[1]/p[0]/t[0]/[0]: \"a < b\" -> \"a < c\"");
    assert_eq!(document("> c<", ">c<"), "text at document/body[1]/p[1]/t[0]/[0]: \" c\" -> \"c\"");
    assert_eq!(document("<!-- note -->", ""), "children at document/[0]: \"<!--note-->\" -> \"<body>\"");
    assert_eq!(document("note", "other"), "comment-or-pi at document/[0]: \"note\" -> \"other\"");
    assert_eq!(document("</w:document>", "</w:document><?x?>"), "children at /[1]: \"(end of the part)\" -> \"<?x ?>\"");
    assert_eq!(document("</w:body>", "<w:q/></w:body>"), "children at document/body[1]/[2]: \"(end of the element)\" -> \"<q>\"");
    assert_eq!(
        document("<w:t>a &lt; b</w:t>", "<w:t></w:t>"),
        "children at document/body[1]/p[0]/t[0]/[0]: \"text a < b\" -> \"(end of the element)\""
    );
    let line = document("<w:t>a &lt; b</w:t>", "<w14:t>a &lt; b</w14:t>");
    assert_eq!(line, "element at document/body[1]/p[0]/[0]: \"{http://example.org/w}t\" -> \"{http://example.org/w14}t\"");
}

#[test]
fn order_of_children() {
    let (first, second) =
        ("<w:p w:id=\"1\" w14:x=\"2\"><w:t>a &lt; b</w:t></w:p>", "<w:p><w:t xml:space=\"preserve\"> c</w:t></w:p>");
    let found = after(|parts| replace(parts, "word/document.xml", &format!("{first}{second}"), &format!("{second}{first}")));
    assert!(found.iter().any(|difference| difference.kind == DifferenceKind::Text), "{found:?}");
}

#[test]
fn comparison_goes_on_after_a_difference() {
    let found = after(|parts| {
        replace(parts, "word/document.xml", "<w:t>a", "<w:b><w:t/></w:b><w:t>a");
        replace(parts, "word/document.xml", " c", " d");
    });
    let kinds: Vec<_> = found.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [DifferenceKind::Element, DifferenceKind::Text]);
}

#[test]
fn blank_text() {
    equal("<w:body>", "<w:body>\n  ");
    assert_eq!(document("<w:t>a &lt; b</w:t>", "<w:t> </w:t>"), "text at document/body[1]/p[0]/t[0]/[0]: \"a < b\" -> \" \"");
    let line = document("<w:t xml:space=\"preserve\"> c", "<w:t xml:space=\"preserve\"> c<w:b/> ");
    assert_eq!(line, "children at document/body[1]/p[1]/t[0]/[1]: \"(end of the element)\" -> \"<b>\"");
}

#[test]
fn relationships() {
    let part = "word/_rels/document.xml.rels";
    let link =
        "<Relationship Id=\"rId2\" Type=\"http://example.org/link\" Target=\"http://example.org/\" TargetMode=\"External\"/>";
    assert_eq!(
        one(part, link, ""),
        "word/_rels/document.xml.rels: relationship-lost: \"rId2 http://example.org/link http://example.org/ External\" -> \"\""
    );
    let found = after(|parts| replace(parts, part, "image1", "image2"));
    let kinds: Vec<_> = found.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [DifferenceKind::RelationshipLost, DifferenceKind::RelationshipAdded]);
    assert_eq!(after(|parts| replace(parts, part, "image1.png\"", "image1.png\" TargetMode='Internal'")), []);
    let found = after(|parts| {
        replace(parts, part, link, "");
        replace(parts, part, "</Relationships>", &format!("{link}</Relationships>"));
    });
    assert_eq!(found, []);
}

#[test]
fn parts_and_types() {
    let found = after(|parts| parts[4].0 = "word/media/image2.png");
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["word/media/image1.png: part-lost", "word/media/image2.png: part-added"]);
    assert_eq!(after(|parts| parts[4].0 = "Word\\Media\\image1.png"), []);
    let found = after(|parts| parts.push(("word/media/image1.png", b"again".to_vec())));
    assert_eq!(found[0].to_string(), "word/media/image1.png: part-added");
    let line = one("[Content_Types].xml", "image/png", "image/x-png");
    assert_eq!(line, "word/media/image1.png: content-type: \"image/png\" -> \"image/x-png\"");
    let found = after(|parts| parts[4].1.push(0));
    assert_eq!(found[0].to_string(), "word/media/image1.png: bytes: \"4 bytes\" -> \"5 bytes\"");
}

#[test]
fn malformed_xml_is_compared_as_bytes() {
    let line = document("</w:body>", "</w:bod>");
    assert!(line.starts_with("xml-not-wellformed: \"\" -> \"byte"), "{line}");
    let mut broken = parts();
    replace(&mut broken, "word/document.xml", "w:id=\"1\"", "w:id=1");
    let mut other = broken.clone();
    assert_eq!(diff(&archive(&broken), &archive(&other), 10).unwrap(), []);
    replace(&mut other, "word/document.xml", "</w:document>", "</w:document>\n");
    let found = diff(&archive(&broken), &archive(&other), 10).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, DifferenceKind::MalformedBytes);
}

#[test]
fn no_more_than_asked_for() {
    let mut other = parts();
    replace(&mut other, "word/document.xml", "a &lt; b", "x");
    replace(&mut other, "word/document.xml", " c", "y");
    other[4].1.push(0);
    for limit in 0..4 {
        assert_eq!(diff(&archive(&parts()), &archive(&other), limit).unwrap().len(), limit);
    }
}

#[test]
fn depth_costs_no_stack() {
    let nested = |text: &str| format!("{}{text}{}", "<a>".repeat(300_000), "</a>".repeat(300_000)).into_bytes();
    let (mut one, mut other) = (parts(), parts());
    one[2].1 = nested("x");
    other[2].1 = nested("y");
    let found = diff(&archive(&one), &archive(&other), 10).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].path.len() < 200, "{}", found[0].path);
}

#[test]
fn long_texts_are_shortened_around_the_difference() {
    let found = after(|parts| replace(parts, "word/document.xml", "a &lt; b", &"é".repeat(1000)));
    assert!(found[0].right.chars().count() < 100);
    let (mut one, mut other) = (parts(), parts());
    replace(&mut one, "word/document.xml", "a &lt; b", &("é".repeat(1000) + "left"));
    replace(&mut other, "word/document.xml", "a &lt; b", &("é".repeat(1000) + "right"));
    let found = diff(&archive(&one), &archive(&other), 10).unwrap();
    assert!(found[0].left.ends_with("left") && found[0].right.ends_with("right"), "{}", found[0]);
}
