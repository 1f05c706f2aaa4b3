//! Whole folders.

use std::fs;

use crate::{Folder, recto, samples};

/// A folder whose files come back equal.
fn good() -> Folder {
    let folder = Folder::new();
    folder.file("b/deep/er.docx", samples::document("b"));
    folder.file("a.xlsx", samples::workbook());
    folder.file("c.odd", samples::odd_document());
    let utf16 = samples::document_xml("<w:t>wide</w:t>").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    folder.file("d.docx", samples::document_of(&[b"\xff\xfe", &utf16[..]].concat(), &[]));
    folder
}

#[test]
fn all_files_at_any_depth_are_checked() {
    let folder = good();
    let report = recto!("corpus", folder.path(), "--json").exits(0).json();
    assert_eq!(report["files"], 4);
    assert_eq!(report["kinds"]["document"]["equal"], 3);
    assert_eq!(report["kinds"]["workbook"]["equal"], 1);
    assert_eq!(report["not_equal"].as_array().unwrap().len(), 0);
    assert!(report.get("shares").is_none());
    let text = recto!("corpus", folder.path(), "--jobs", "3").exits(0).text();
    assert!(text.contains("4 files"), "{text}");
}

#[test]
fn a_file_that_is_not_equal_fails_unless_expected() {
    let folder = good();
    folder.file("bad/broken.docx", samples::malformed_document());
    folder.file("bad/text.docx", "text");
    let lists = Folder::new();
    let report = recto!("corpus", folder.path(), "--json").exits(1).json();
    assert_eq!(report["kinds"]["unread"]["error"], 2);
    let first = &report["not_equal"][0];
    assert!(first["file"].as_str().unwrap().ends_with("bad/broken.docx"));
    assert!(first["details"][0].as_str().unwrap().starts_with("parse: word/document.xml"), "{first}");
    assert_eq!(report["failures"].as_array().unwrap().len(), 2);

    let both = lists.file("both", "# comment\n\nbad/broken.docx\terror\tends early\ntext.docx\terror\tno zip\n");
    recto!("corpus", folder.path(), "--expect", both).exits(0);
    let one = lists.file("one", "bad/broken.docx\terror\tends early\n");
    assert!(recto!("corpus", folder.path(), "--expect", one).exits(1).text().contains("FAILED: "));
    let other = lists.file("other", "broken.docx\tdifferent\tx\ntext.docx\terror\tno zip\n");
    recto!("corpus", folder.path(), "--expect", other).exits(1);
}

#[test]
fn an_expected_failure_must_occur() {
    let (folder, lists) = (good(), Folder::new());
    let list = lists.file("list", "a.xlsx\tdifferent\tno longer\n");
    let text = recto!("corpus", folder.path(), "--expect", list).exits(1).text();
    assert!(text.contains("a.xlsx: equal, expected: different"), "{text}");
    let outside = lists.file("outside", "a.xlsx\toutside\tothers do not see it\nelsewhere.docx\terror\tnot here\n");
    let text = recto!("corpus", folder.path(), "--expect", outside).exits(0).text();
    assert!(text.contains("note: elsewhere.docx"), "{text}");
}

#[test]
fn typed_shares_may_not_fall() {
    let (folder, lists) = (good(), Folder::new());
    let text = recto!("corpus", folder.path(), "--coverage").exits(0).text();
    assert!(text.contains("<odd>") && text.contains("SpreadsheetML     100.00"), "{text}");
    let low = lists.file("low", "# comment\nWordprocessingML 50\nSpreadsheetML\t100.00\n");
    let report = recto!("corpus", folder.path(), "--baseline", low, "--json").exits(0).json();
    assert!(report["shares"]["WordprocessingML"]["percent"].as_f64().unwrap() < 100.0);
    assert_eq!(report["extras"]["files_without"], 4);
    let high = lists.file("high", "WordprocessingML 99.99\n");
    assert!(recto!("corpus", folder.path(), "--baseline", high).exits(1).text().contains("FAILED: WordprocessingML"));
    // A vocabulary of which there is nothing proves nothing.
    let absent = lists.file("absent", "DrawingML 0\n");
    recto!("corpus", folder.path(), "--baseline", absent).exits(1);
}

#[test]
fn lists_must_be_lists() {
    let (folder, lists) = (good(), Folder::new());
    for (option, text) in [("--expect", "a.docx\tdifferent"), ("--expect", "a.docx\tlost\tx"), ("--baseline", "Klingon 99")] {
        let list = lists.file("list", text);
        recto!("corpus", folder.path(), option, list).fails(&crate::shown(&list), "line 1: ");
    }
    recto!("corpus", lists.path(), "--expect", lists.join("missing")).fails(&crate::shown(&lists.join("missing")), "No such");
}

#[test]
fn a_corpus_without_files_proves_nothing() {
    let folder = Folder::new();
    recto!("corpus", folder.path()).fails(&crate::shown(folder.path()), "no files");
}

#[test]
fn pairs_are_kept_for_other_tools() {
    let (folder, out) = (good(), Folder::new());
    folder.file("text.docx", "text");
    let (list, kept) = (out.join("pairs.tsv"), out.join("kept"));
    recto!("corpus", folder.path(), "--write-pairs", list, kept).exits(1);
    let text = fs::read_to_string(&list).unwrap();
    assert_eq!(text.lines().count(), 4);
    for line in text.lines() {
        let (original, written) = line.split_once('\t').unwrap();
        recto!("diff", original, written).exits(0);
    }
}

#[test]
fn bad_files_must_be_noticed() {
    let folder = Folder::new();
    folder.file("text.docx", "text");
    folder.file("cut.docx", &samples::document("x")[..200]);
    folder.file("broken.docx", samples::malformed_document());
    folder.file("dangling.docx", samples::dangling_document());
    let report = recto!("corpus", "--bad", folder.path(), "--json").exits(0).json();
    assert_eq!(report["files"].as_array().unwrap().len(), 4);
    assert!(report["files"][2]["message"].as_str().unwrap().contains("dangling-relationship"));
    let text = recto!("corpus", "--bad", folder.path()).exits(0).text();
    assert!(text.contains("plain text") && text.contains("4 files, 0 failures"), "{text}");

    folder.file("fine.docx", samples::document("x"));
    let text = recto!("corpus", "--bad", folder.path()).exits(1).text();
    assert!(text.contains("fine.docx: silent"), "{text}");
    let lists = Folder::new();
    let list = lists.file("list", "fine.docx\tsilent\tnothing is wrong with it\n");
    recto!("corpus", "--bad", folder.path(), "--expect", list).exits(0);
}
