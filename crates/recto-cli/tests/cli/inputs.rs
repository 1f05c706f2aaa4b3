//! What inputs may be, and what is said of those that are none.

use std::ffi::OsStr;

use crate::{Folder, recto, run, samples, shown};

#[test]
fn missing_files_fail() {
    let folder = Folder::new();
    let (missing, out) = (folder.join("missing.docx"), folder.join("out"));
    for arguments in [
        vec!["parse", "IN", "-o", "OUT"],
        vec!["write", "IN", "-o", "OUT"],
        vec!["roundtrip", "IN", "OUT"],
        vec!["inspect", "IN"],
    ] {
        let argument = |word: &&str| match *word {
            "IN" => missing.clone().into_os_string(),
            "OUT" => out.clone().into_os_string(),
            word => word.into(),
        };
        let arguments: Vec<_> = arguments.iter().map(argument).collect();
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
        run(&arguments, &[]).fails(&shown(&missing), "No such file");
    }
    let there = folder.file("a.docx", samples::document("x"));
    recto!("diff", there, missing).fails(&shown(&missing), "No such file");
    recto!("diff", missing, there).fails(&shown(&missing), "No such file");
    recto!("corpus", missing).fails(&shown(&missing), "No such file");
    assert_eq!(folder.names(), ["a.docx"]);
}

#[test]
fn folders_and_empty_files_fail() {
    let folder = Folder::new();
    let (empty, out) = (folder.file("empty.docx", ""), folder.join("out"));
    recto!("parse", folder.path(), "-o", out).fails(&shown(folder.path()), "is a directory");
    recto!("inspect", folder.path()).fails(&shown(folder.path()), "is a directory");
    recto!("parse", empty, "-o", out).fails(&shown(&empty), "an empty file");
    recto!("roundtrip", empty, out).fails(&shown(&empty), "an empty file");
    recto!("inspect", empty).fails(&shown(&empty), "an empty file");
    recto!("write", empty, "-o", out).fails(&shown(&empty), "");
    assert_eq!(folder.names(), ["empty.docx"]);
}

#[test]
fn what_is_something_else_is_named() {
    let folder = Folder::new();
    let text = folder.file("a.docx", "plain text\n");
    recto!("parse", text, "-o", "-").fails(&shown(&text), "plain text");
    recto!("write", text, "-o", "-").fails(&shown(&text), "");
    let malformed = folder.file("b.docx", samples::malformed_document());
    recto!("inspect", malformed).fails(&shown(&malformed), "word/document.xml, byte ");
}

#[test]
fn standard_input_is_read() {
    let document = samples::document("piped");
    let dash = |arguments: &[&str], input: &[u8]| run(&arguments.iter().map(OsStr::new).collect::<Vec<_>>(), input);
    let bin = dash(&["parse", "-", "-o", "-"], &document).exits(0).stdout;
    let written = dash(&["write", "-", "-o", "-"], &bin).exits(0).stdout;
    assert_eq!(dash(&["roundtrip", "-", "-"], &document).exits(0).stdout, written);
    for input in [&document, &bin, &written] {
        assert!(dash(&["inspect", "-"], input).exits(0).text().starts_with("standard input: document"));
        let folder = Folder::new();
        let original = folder.file("a.docx", &document);
        dash(&["diff", "-", &shown(&original)], input).exits(0);
    }
    dash(&["parse", "-", "-o", "-"], b"plain").fails("standard input", "plain text");
}

#[test]
fn limits_apply_unless_lifted() {
    let folder = Folder::new();
    let deep = "<w:p>".repeat(20_001) + &"</w:p>".repeat(20_001);
    let file = folder.file("a.docx", samples::document_of(samples::document_xml(&deep).as_bytes(), &[]));
    recto!("parse", file, "-o", "-").fails(&shown(&file), "max_depth");
    recto!("parse", file, "-o", "-", "--no-limits").exits(0);
}
