//! Which module may name which: data flows from bytes to packages, and nothing below knows what is above it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules, and the modules that each may name beside itself.
const STRATA: [(&str, &[&str]); 10] = [
    ("error", &["limits"]),
    ("limits", &["error"]),
    ("diagnostics", &[]),
    ("opc", &["error", "limits", "diagnostics"]),
    ("xml", &["error", "limits"]),
    ("wire", &["error", "limits"]),
    ("transcode", &["error", "limits", "xml", "wire"]),
    ("layout", &["error", "limits", "xml", "wire"]),
    ("package", &["error", "limits", "diagnostics", "opc", "xml", "wire", "transcode", "layout"]),
    ("report", &["error", "limits", "diagnostics", "opc", "xml", "wire", "transcode", "package"]),
];

#[test]
fn no_module_names_one_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (module, may_name) in STRATA {
        for file in files(&source, module) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let outside = named(&code).into_iter().filter(|name| name != module && !may_name.contains(&name.as_str()));
            found.extend(outside.map(|name| format!("{} names {name}", file.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_module_has_a_stratum() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(name == "lib" || STRATA.iter().any(|(module, _)| *module == name), "{name}");
    }
}

#[test]
fn names_are_found_in_lists() {
    let code = "use crate::error::{Error, Result}; use crate::{\n opc::{names, zip::Zip}, wire, };  x(crate::parse);";
    assert_eq!(named(code).into_iter().collect::<Vec<_>>(), ["error", "opc", "parse", "wire"]);
}

/// The sources of a module: a file or a folder.
fn files(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![source.join(module), source.join(format!("{module}.rs"))];
    while let Some(path) = waiting.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) if path.is_file() => files.push(path),
            Err(_) => {}
        }
    }
    files
}

/// What code names of its crate: the first word of every path, in lists too.
fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => names.extend(word(rest)),
            Some(list) => names.extend(listed(list)),
        }
    }
    names
}

/// First words of the paths of a list that begins here.
fn listed(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 1;
    let mut start = 0;
    for (place, sign) in list.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' => {}
            _ => continue,
        }
        if depth == 0 || (sign == ',' && depth == 1) {
            names.extend(word(list[start..place].trim_start()));
            start = place + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
    (!word.is_empty()).then_some(word)
}
