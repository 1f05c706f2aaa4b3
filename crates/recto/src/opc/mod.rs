//! The package under a document: a zip file of parts, with their content types and relationships (ECMA-376 part 2).
//!
//! [`Archive::open`] finds out what a file is; [`zip`] reads and writes its entries. Nothing here knows what a part means.
//!
//! ```no_run
//! use recto::Limits;
//! use recto::opc::{Archive, zip::Seekable};
//!
//! # fn main() -> recto::Result<()> {
//! let archive = Archive::open(Seekable::new(std::fs::File::open("report.docx")?)?, &Limits::default())?;
//! println!("{:?}, main part {}", archive.kind(), archive.main_part());
//! for entry in archive.zip().entries() {
//!     println!("{}: {} bytes", entry.name, entry.size);
//! }
//! # Ok(())
//! # }
//! ```

mod archive;
pub mod content_types;
pub mod encoding;
mod markup;
pub mod names;
pub mod relationships;
pub mod sniff;
pub mod zip;

pub use archive::{Archive, Kind};
