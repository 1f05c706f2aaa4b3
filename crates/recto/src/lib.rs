//! Reads .docx and .xlsx files into one typed protobuf message and writes them back, losing nothing.
//!
//! A [`Package`] holds every part of a document or workbook: those that Recto knows as typed messages ([`word`], [`sheet`],
//! [`drawing`], [`chart`], ...), the others as bytes. What a typed field cannot say about the XML that it came from is
//! kept beside it, so that an unchanged package is written as it was.
//!
//! ```no_run
//! # fn main() -> recto::Result<()> {
//! let mut package = recto::Package::open("letter.docx")?;
//! if let Some(document) = package.document_mut() {
//!     let blocks = document.body.get_or_insert_default().content.len();
//!     println!("{blocks} blocks");
//! }
//! package.save("copy.docx")?;
//! # Ok(())
//! # }
//! ```
//!
//! The same message as bytes is a `.bin`: any protobuf library reads it with the project's `.proto` files. [`parse`] and
//! [`write()`] convert between files and `.bin` without building structs.
//!
//! Features: `model` (default) adds the structs and [`Package`].
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod diagnostics;
pub mod error;
pub mod limits;
pub mod opc;
pub mod report;

mod layout;
mod package;
mod transcode;
mod wire;
mod xml;

pub use diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
pub use error::{Error, ErrorFamily, ErrorKind, Result};
pub use limits::Limits;
pub use package::{
    FORMAT_VERSION, ParseOptions, Parsed, WriteOptions, parse, parse_to_vec, parse_to_vec_with, parse_with, write, write_bin,
};

#[cfg(feature = "model")]
pub use package::items::{Blocks, Items, Rows, blocks, blocks_of_bin, rows, rows_of_bin};
#[cfg(feature = "model")]
pub use package::typed::Package;
#[cfg(feature = "model")]
pub use package::writer::PackageWriter;
#[cfg(feature = "model")]
pub use recto_schema::model::*;
