//! What validate says, and corpus of files that must be valid.

use crate::{Folder, recto, samples};

#[test]
fn what_is_not_valid_is_shown_and_exits_with_1() {
    let folder = Folder::new();
    let (good, odd) = (folder.file("a.docx", samples::document("x")), folder.file("b.docx", samples::odd_document()));
    assert_eq!(recto!("validate", good).exits(0).text(), "");
    let report = recto!("validate", good, "--json").exits(0).json();
    assert_eq!((&report["valid"], report["findings"].as_array().unwrap().len()), (&true.into(), 0));

    let line = "word/document.xml, /w:document/w:body/w:p[1]/w:r[1]/w:odd: the element may not stand here [unexpected-element]\n";
    assert_eq!(recto!("validate", odd).exits(1).text(), line);
    let report = recto!("validate", odd, "--json").exits(1).json();
    assert_eq!((&report["valid"], &report["dropped"]), (&false.into(), &0.into()));
    let finding = &report["findings"][0];
    assert_eq!((&finding["code"], &finding["part"]), (&"unexpected-element".into(), &"word/document.xml".into()));
    assert_eq!(finding["path"], "/w:document/w:body/w:p[1]/w:r[1]/w:odd");
}

#[test]
fn a_bin_is_checked_like_its_package() {
    let folder = Folder::new();
    let (file, bin) = (folder.file("a.docx", samples::odd_document()), folder.join("a.bin"));
    recto!("parse", file, "-o", bin).exits(0);
    assert_eq!(recto!("validate", bin).exits(1).text(), recto!("validate", file).exits(1).text());
}

#[test]
fn a_baseline_hides_what_it_has_too() {
    let folder = Folder::new();
    let odd = folder.file("a.docx", samples::odd_document());
    let other = folder.file("b.docx", samples::dangling_document());
    recto!("validate", odd, "--baseline", odd).exits(0);
    let text = recto!("validate", other, "--baseline", odd).exits(1).text();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.ends_with("there is no part \"nowhere.xml\" [dangling-relationship]\n"), "{text}");
    recto!("validate", "-", "--baseline", "-").exits(2);
}

#[test]
fn what_cannot_be_read_exits_with_3() {
    let folder = Folder::new();
    let file = folder.file("a.docx", "text");
    recto!("validate", file).exits(3);
    recto!("validate", folder.join("absent.docx")).exits(3);
}

#[test]
fn files_on_the_list_of_valid_ones_must_be_so() {
    let (folder, lists) = (Folder::new(), Folder::new());
    folder.file("good.docx", samples::document("x"));
    folder.file("odd.docx", samples::odd_document());
    let list = |text: &str| lists.file("list", text);
    let text = recto!("corpus", folder.path(), "--valid", list("good.docx\n")).exits(0).text();
    assert!(text.contains("1 files are valid"), "{text}");
    let text = recto!("corpus", folder.path(), "--valid", list("good.docx\nodd.docx\n")).exits(1).text();
    assert!(text.contains("odd.docx: unexpected-element, expected: valid"), "{text}");
    recto!("corpus", folder.path(), "--valid", list("odd.docx\tunexpected-element\tit is meant to be\n")).exits(0);
    let text = recto!("corpus", folder.path(), "--valid", list("good.docx\tinvalid-value\tno longer\n")).exits(1).text();
    assert!(text.contains("good.docx: valid, expected: invalid-value"), "{text}");
    recto!("corpus", folder.path(), "--valid", list("good.docx\tinvalid-value\n")).exits(3);
}
