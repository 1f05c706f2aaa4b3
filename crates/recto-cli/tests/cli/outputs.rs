//! Outputs appear complete or not at all.

use std::fs;

use crate::{Folder, recto, samples, shown};

#[test]
fn a_document_goes_there_and_back() {
    let folder = Folder::new();
    for (name, bytes) in
        [("a.docx", samples::document("x")), ("a.xlsx", samples::workbook()), ("odd.docx", samples::odd_document())]
    {
        let original = folder.file(name, bytes);
        let (bin, back, other) = (folder.join("a.bin"), folder.join("back"), folder.join("other"));
        recto!("parse", original, "-o", bin).exits(0);
        recto!("write", bin, "-o", back).exits(0);
        recto!("roundtrip", original, other).exits(0);
        assert_eq!(fs::read(&back).unwrap(), fs::read(&other).unwrap());
        recto!("diff", original, back).exits(0);
        recto!("diff", original, bin).exits(0);
    }
    assert_eq!(folder.names(), ["a.bin", "a.docx", "a.xlsx", "back", "odd.docx", "other"]);
}

#[test]
fn levels_are_heeded() {
    let folder = Folder::new();
    let original = folder.file("a.docx", samples::document(&"text ".repeat(1000)));
    let size = |level: &str| {
        let out = folder.join(level);
        recto!("roundtrip", original, out, "--level", level).exits(0);
        fs::metadata(out).unwrap().len()
    };
    assert!(size("0") > 2 * size("9"));
}

#[test]
fn a_round_trip_may_go_where_it_came_from() {
    let folder = Folder::new();
    let bytes = samples::document("same");
    let (file, copy) = (folder.file("a.docx", &bytes), folder.file("b.docx", &bytes));
    recto!("roundtrip", file, file).exits(0);
    recto!("diff", file, copy).exits(0);
    assert_eq!(folder.names(), ["a.docx", "b.docx"]);
}

#[test]
fn an_output_of_another_kind_does_not_replace_its_input() {
    let folder = Folder::new();
    let bytes = samples::document("mine");
    let file = folder.file("a.docx", &bytes);
    recto!("parse", file, "-o", folder.join("a.bin")).exits(0);
    for (command, name) in [("parse", "a.docx"), ("write", "a.bin")] {
        let before = fs::read(folder.join(name)).unwrap();
        let ran = recto!(command, folder.join(name), "-o", folder.path().join(".").join(name)).exits(2);
        assert!(ran.stderr.contains("is the input"), "{}", ran.stderr);
        assert!(fs::read(folder.join(name)).unwrap() == before);
    }
    assert_eq!(folder.names(), ["a.bin", "a.docx"]);
}

#[test]
fn failures_leave_what_was_there() {
    let folder = Folder::new();
    // Large enough for some of it to have been handed on when the error comes.
    let long = samples::document_xml("<w:t>text</w:t>")
        .replace("</w:body></w:document>", &"<w:p><w:r><w:t>x</w:t></w:r></w:p>".repeat(20_000));
    let malformed = folder.file("a.docx", samples::document_of(long.as_bytes(), &[]));
    let good = folder.file("b.docx", samples::document("x"));
    let out = folder.file("out", "what was there");
    recto!("parse", malformed, "-o", out).fails(&shown(&malformed), "malformed");
    recto!("roundtrip", malformed, out).fails(&shown(&malformed), "malformed");
    recto!("roundtrip", malformed, malformed).fails(&shown(&malformed), "malformed");
    recto!("parse", malformed, "-o", "-").fails(&shown(&malformed), "malformed");
    let bin = folder.join("b.bin");
    recto!("parse", good, "-o", bin).exits(0);
    let whole = fs::read(&bin).unwrap();
    let cut = folder.file("cut.bin", &whole[..whole.len() - 3]);
    recto!("write", cut, "-o", out).fails(&shown(&cut), "");
    recto!("write", cut, "-o", "-").fails(&shown(&cut), "");
    assert_eq!(fs::read(&out).unwrap(), b"what was there");
    assert_eq!(folder.names(), ["a.docx", "b.bin", "b.docx", "cut.bin", "out"]);
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = Folder::new();
    let file = folder.file("a.docx", samples::document("x"));
    let missing = folder.join("missing/out.bin");
    recto!("parse", file, "-o", missing).fails(&shown(&missing), "No such file");
    recto!("roundtrip", file, missing).fails(&shown(&missing), "No such file");
    let inside = file.join("out.bin");
    recto!("parse", file, "-o", inside).fails(&shown(&inside), "Not a directory");
    recto!("parse", file, "-o", folder.path()).fails(&shown(folder.path()), "is a directory");
    assert_eq!(folder.names(), ["a.docx"]);
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_without_permission_are_left_alone() {
        let folder = Folder::new();
        let file = folder.file("a.docx", samples::document("x"));
        let closed = folder.join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
        // The superuser may write everywhere.
        if fs::write(closed.join("probe"), "").is_err() {
            let out = closed.join("out.bin");
            recto!("parse", file, "-o", out).fails(&shown(&out), "Permission denied");
        }
        fs::set_permissions(&closed, Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn permissions_stay() {
        let folder = Folder::new();
        let file = folder.file("a.docx", samples::document("x"));
        let plain = folder.file("plain", "");
        let (old, new) = (folder.file("old.bin", ""), folder.join("new.bin"));
        fs::set_permissions(&old, Permissions::from_mode(0o640)).unwrap();
        recto!("parse", file, "-o", old).exits(0);
        recto!("parse", file, "-o", new).exits(0);
        assert_eq!(mode(&old), 0o640);
        assert_eq!(mode(&new), mode(&plain));
    }

    #[test]
    fn links_stay_links() {
        let folder = Folder::new();
        let file = folder.file("a.docx", samples::document("x"));
        let (target, link) = (folder.file("real/out.bin", ""), folder.join("link.bin"));
        symlink(&target, &link).unwrap();
        recto!("parse", file, "-o", link).exits(0);
        assert!(link.is_symlink());
        assert!(fs::metadata(&target).unwrap().len() > 0);
    }

    #[test]
    fn devices_are_written_to() {
        let folder = Folder::new();
        let file = folder.file("a.docx", samples::document("x"));
        recto!("parse", file, "-o", "/dev/null").exits(0);
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        if cfg!(target_os = "linux") {
            recto!("parse", file, "-o", "/dev/full").fails("/dev/full", "No space left");
        }
    }
}
