//! Small schemas in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};

use recto_schema_build::{lint, options};

/// What every file of a test begins with.
pub const HEADER: &str = r#"syntax = "proto3";
package recto.test;
import "recto/extras.proto";
import "recto/options.proto";
option (recto.namespace) = { prefix: "w" uri: "urn:w" strict: "urn:w-strict" };
option (recto.namespace) = { prefix: "x" uri: "urn:x" default: true };
"#;

/// Writes files below `recto/` beside the real `options.proto` and `extras.proto`; returns the root.
pub fn root(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/recto");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("recto")).unwrap();
    for file in ["options.proto", "extras.proto"] {
        fs::copy(real.join(file), root.join("recto").join(file)).unwrap();
    }
    for (file, text) in files {
        fs::write(root.join("recto").join(file), text).unwrap();
    }
    root
}

/// What is wrong with one file that begins with [`HEADER`], without file names and lines.
#[allow(dead_code, reason = "each test crate uses a part of this module")]
pub fn errors(name: &str, body: &str) -> Vec<String> {
    let root = root(name, &[("test.proto", &format!("{HEADER}{body}"))]);
    let loaded = options::load(&root).unwrap();
    assert_eq!(loaded.broken, [""; 0]);
    lint::check(&loaded.schema).into_iter().map(|violation| format!("{}: {}", violation.subject, violation.text)).collect()
}
