//! Makes the two forms of Recto's schema from its `.proto` files: static tables, which bind every message to XML,
//! and prost structs. Runs in the build script of `recto-schema`.
//!
//! The descriptors are read with their custom options ([`options`]), checked against the rules of `proto/README.md`
//! ([`lint`]), and turned into Rust source ([`tables`], [`names`], [`structs`]).

// A generator runs before there is any input: its indices come from the descriptors, which `lint` has checked.
#![allow(clippy::indexing_slicing, clippy::expect_used)]

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub mod binding;
pub mod lint;
pub mod names;
pub mod options;
#[cfg(feature = "structs")]
pub mod structs;
pub mod tables;

use lint::Violation;
use options::Schema;

/// Why the schema could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    Io(PathBuf, io::Error),
    /// The sources are not valid: what is wrong with each `.proto` file that does not compile, and each rule broken
    /// by those that do.
    Schema(Vec<String>, Vec<Violation>),
    /// The sources are valid, but the tables cannot hold them.
    Tables(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Error::Schema(broken, violations) => {
                write!(f, "the schema has {} errors:", broken.len() + violations.len())?;
                broken.iter().try_for_each(|error| write!(f, "\n{error}"))?;
                violations.iter().try_for_each(|violation| write!(f, "\n{violation}"))
            }
            Error::Tables(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Error {}

/// Reads `proto_root/recto/**/*.proto` and writes `tables.rs` and `names.rs` to `out_dir`.
///
/// # Errors
///
/// All errors in the sources at once, or the first failure to read or write.
pub fn generate(proto_root: &Path, out_dir: &Path) -> Result<(), Error> {
    write_tables(&load(proto_root)?, out_dir)
}

/// As [`generate`], and writes `model.rs` with the files that it includes.
///
/// # Errors
///
/// As [`generate`].
#[cfg(feature = "structs")]
pub fn generate_with_structs(proto_root: &Path, out_dir: &Path) -> Result<(), Error> {
    let schema = load(proto_root)?;
    write_tables(&schema, out_dir)?;
    structs::write(&schema, out_dir)
}

fn write_tables(schema: &Schema, out_dir: &Path) -> Result<(), Error> {
    write(&out_dir.join("tables.rs"), &tables::source(schema)?)?;
    write(&out_dir.join("names.rs"), &names::source(schema))
}

fn load(proto_root: &Path) -> Result<Schema, Error> {
    let loaded = options::load(proto_root)?;
    let violations = lint::check(&loaded.schema);
    if !loaded.broken.is_empty() || !violations.is_empty() {
        return Err(Error::Schema(loaded.broken, violations));
    }
    Ok(loaded.schema)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::Io(path.to_owned(), error))
}
