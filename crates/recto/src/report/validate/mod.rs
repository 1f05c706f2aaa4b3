//! Whether a package is valid: by the schema, and by what Office expects beyond it.
//!
//! The tables of the schema say which attributes and elements must be there, which values are allowed, in which order children
//! stand, and what may not be there at all. Rules about what the schema cannot say follow, by domain: content types and
//! relationships of the package; styles, lists, notes, comments and cells of documents; sheets, cells, formats, strings
//! and names of workbooks.

mod element;
mod finding;
mod markup;
mod package;
mod place;
mod rules;
mod schema;
mod sheet;
mod traits;
mod walk;
mod word;

use std::io::{Read, Seek};

use crate::error::Result;
use crate::limits::Limits;
use crate::opc::zip::ReadAt;
use crate::package::parse_to_vec;
use crate::wire::input::Input;

pub use finding::{Finding, FindingCode, Findings};

/// Checks whether a document or workbook is valid.
///
/// ```no_run
/// use recto::Limits;
/// use recto::report::validate;
///
/// # fn main() -> recto::Result<()> {
/// for finding in &validate(std::fs::read("letter.docx")?, &Limits::default())? {
///     println!("{finding}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`crate::parse()`]: what cannot be read is not checked.
pub fn validate<S: ReadAt>(source: S, limits: &Limits) -> Result<Findings> {
    let (bin, _) = parse_to_vec(source, limits)?;
    package::check(&mut Input::Slice(&bin), None)
}

/// Checks whether the document or workbook that a `.bin` holds is valid, one part after another.
///
/// # Errors
/// As [`crate::write()`], but for what it says of the output.
pub fn validate_bin<R: Read + Seek>(mut bin: R) -> Result<Findings> {
    package::check(&mut Input::stream(&mut bin)?, None)
}

/// As [`validate_bin`]; what a baseline has, if there is one, is passed over: of findings that differ in nothing but positions, as many as are new.
///
/// # Errors
/// As [`validate_bin`].
pub fn validate_bin_since<R: Read + Seek>(mut bin: R, baseline: Option<&Findings>) -> Result<Findings> {
    package::check(&mut Input::stream(&mut bin)?, baseline)
}
