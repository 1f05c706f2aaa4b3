//! Reads .docx and .xlsx files into one typed protobuf message and writes them back, losing nothing.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod diagnostics;
pub mod error;
pub mod limits;
pub mod opc;

mod package;
mod transcode;
mod wire;
mod xml;

pub use diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
pub use error::{Error, Result};
pub use limits::Limits;
pub use package::{FORMAT_VERSION, Parsed, WriteOptions, parse, parse_to_vec, write, write_bin};
