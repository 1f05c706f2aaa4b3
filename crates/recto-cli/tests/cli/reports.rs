//! What inspect, diff and --verbose say.

use crate::{Folder, recto, samples, shown};

#[test]
fn differences_are_shown_and_exit_with_1() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.docx", samples::document("one")), folder.file("b.docx", samples::document("two")));
    let text = recto!("diff", a, b).exits(1).text();
    assert_eq!(text, "word/document.xml: text at document/body[0]/p[0]/r[0]/t[0]/[0]: \"one\" -> \"two\"\n");
    let report = recto!("diff", a, b, "--json").exits(1).json();
    assert_eq!(report["equal"], false);
    assert_eq!(report["differences"][0]["kind"], "text");
    assert_eq!(report["differences"][0]["right"], "two");
    let report = recto!("diff", a, a, "--json").exits(0).json();
    assert_eq!((&report["equal"], report["differences"].as_array().unwrap().len()), (&true.into(), 0));
    assert_eq!(recto!("diff", a, a).exits(0).text(), "");
}

#[test]
fn differences_are_limited() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.docx", samples::document("x")), folder.file("b.xlsx", samples::workbook()));
    let text = recto!("diff", a, b, "--limit", "2").exits(1).text();
    assert_eq!(text.lines().count(), 3);
    assert!(text.ends_with("(there may be more)\n"));
    recto!("diff", a, b, "--limit", "0").exits(1);
}

#[test]
fn parts_are_listed_with_what_is_typed() {
    let folder = Folder::new();
    let file = folder.file("a.docx", samples::odd_document());
    let text = recto!("inspect", file).exits(0).text();
    assert!(text.contains("document, transitional, 3 parts (3 typed)"), "{text}");
    assert!(text.contains("w:document"));
    assert!(!text.contains("<odd>"));
    assert!(recto!("inspect", file, "--coverage").exits(0).text().contains("<odd>"));
    let report = recto!("inspect", file, "--json").exits(0).json();
    assert_eq!(report["kind"], "document");
    assert_eq!(report["conformance"], "transitional");
    let part = &report["parts"][2];
    assert_eq!((&part["name"], &part["root"]), (&"word/document.xml".into(), &"w:document".into()));
    assert_eq!(part["share"]["typed"]["elements"], 4);
    assert_eq!(part["share"]["untyped"]["elements"], 1);
    assert_eq!(part["share"]["untyped"]["attributes"], 1);
    assert!(part["size"].as_u64() > part["compressed_size"].as_u64());
    assert_eq!(report["totals"]["shares"]["WordprocessingML"]["untyped"]["elements"], 1);
    assert!(report.get("coverage").is_none());
    let report = recto!("inspect", file, "--json", "--coverage").exits(0).json();
    let names: Vec<_> = report["coverage"].as_array().unwrap().iter().map(|found| &found["untyped_elements"]["odd"]).collect();
    assert!(names.contains(&&1.into()));
}

#[test]
fn a_round_trip_is_checked_when_asked_for() {
    let folder = Folder::new();
    let (file, out) = (folder.file("a.docx", samples::odd_document()), folder.join("out.docx"));
    assert_eq!(recto!("roundtrip", file, out).exits(0).text(), "");
    let text = recto!("roundtrip", "--check", file, out).exits(0).text();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with(&format!("{}: document, transitional, 3 parts (3 typed)", shown(&file))), "{text}");
    assert!(lines[1].ends_with(" elements and attributes typed"), "{text}");
    let size = std::fs::metadata(&out).unwrap().len();
    assert_eq!(lines[2], format!("{}: {size} bytes, equal", shown(&out)));
    assert!(recto!("roundtrip", "--check", out, out).exits(0).text().ends_with(", equal\n"));
    recto!("roundtrip", "--check", file, "-").exits(2);
}

#[test]
fn opaque_parts_and_their_markup_are_counted() {
    let folder = Folder::new();
    let vml = b"<xml xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:shape style=\"\"/></xml>";
    let others: [(&str, &[u8]); 2] = [("word/blob.bin", b"\0\x01"), ("word/drawing.xml", vml)];
    let file = folder.file("a.docx", samples::document_of(samples::document_xml("").as_bytes(), &others));
    let report = recto!("inspect", file, "--json").exits(0).json();
    let (blob, drawing) = (&report["parts"][3], &report["parts"][4]);
    assert!(blob["root"].is_null() && drawing["root"].is_null());
    assert!(blob["share"]["percent"].is_null());
    assert_eq!(drawing["share"]["untyped"]["elements"], 2);
    assert_eq!(report["totals"]["shares"]["Everything"]["percent"], 100.0);
    assert_eq!(report["totals"]["shares"]["Excluded"]["elements"], 2);
}

#[test]
fn a_bin_is_inspected_like_its_package() {
    let folder = Folder::new();
    let (file, bin) = (folder.file("a.xlsx", samples::workbook()), folder.join("a.bin"));
    recto!("parse", file, "-o", bin).exits(0);
    let names = |path: &std::path::Path| {
        let report = recto!("inspect", path, "--json").exits(0).json();
        assert_eq!(report["kind"], "workbook");
        report["parts"].as_array().unwrap().iter().map(|part| (part["name"].clone(), part["root"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(names(&file), names(&bin));
    assert!(names(&file).contains(&("xl/worksheets/sheet1.xml".into(), "x:worksheet".into())));
}

#[test]
fn diagnostics_are_shown_when_asked_for() {
    let folder = Folder::new();
    let file = folder.file("a.docx", samples::dangling_document());
    for arguments in [["parse", "-o"], ["roundtrip", "--"]] {
        let quiet = recto!(arguments[0], file, arguments[1], folder.join("out"));
        assert_eq!((quiet.status, quiet.stderr.as_str()), (0, ""));
        let verbose = recto!(arguments[0], "--verbose", file, arguments[1], folder.join("out"));
        assert_eq!(verbose.status, 0);
        assert!(
            verbose.stderr.starts_with(&format!("recto: {}: note: word/document.xml, rId0", shown(&file))),
            "{}",
            verbose.stderr
        );
    }
    let report = recto!("inspect", file, "--json").exits(0).json();
    assert_eq!(report["diagnostics"][0]["code"], "dangling-relationship");
    assert_eq!(report["diagnostics"][0]["path"], "rId0");
    assert!(recto!("inspect", file).exits(0).text().contains("[dangling-relationship]"));
}

/// Names of parts are printed; what they would do to a terminal is not.
#[test]
fn control_characters_in_names_are_shown() {
    let folder = Folder::new();
    let with = |name: &str| samples::document_of(samples::document_xml("<w:t>x</w:t>").as_bytes(), &[(name, b"x")]);
    let (one, two) = (folder.file("a.docx", with("a\u{1b}[2J\n\u{7f}.bin")), folder.file("b.docx", samples::document("x")));
    for text in [recto!("inspect", one).exits(0).text(), recto!("diff", one, two).exits(1).text()] {
        assert!(text.contains("a\\u{1b}[2J\\n\\u{7f}.bin") && !text.contains('\u{1b}'), "{text}");
    }
    for json in [recto!("inspect", one, "--json").exits(0), recto!("diff", one, two, "--json").exits(1)] {
        assert!(!json.text().contains('\u{7f}'));
        assert!(json.json().to_string().contains("[2J\\n\u{7f}.bin"), "{}", json.text());
    }
}
