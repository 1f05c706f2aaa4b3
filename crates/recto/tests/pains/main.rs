//! What breaks when other programs open and save: public bug reports of the field, each as a test on the smallest package
//! that shows the symptom. A test names the symptom; its comment has the number of the report (P01 to P62).
//!
//! Of these reports only a part applies to reading and regenerating, the rest to edits that Recto leaves to its caller:
//!
//! - P22: a prefix that an edit brings in is declared, but listing it in `mc:Ignorable` and on the root is the caller's.
//! - P25, P26, P57: every branch and level is kept and typed; which one a reader shows is a matter of views.
//! - P44: a value may be edited; that a formula which goes takes the calculation chain with it is the caller's.
//! - P47: white space comes back as it was; `xml:space` for a new text is a field beside it.
//! - P50: what memory a large sheet takes is measured by the benchmarks; here is how it is stored.
//! - P51, P52: nothing searches text over runs or moves cells; here is that an edit changes nothing beside itself.
//! - P62: an edit is validated only if somebody asks for it; a package that cannot be written leaves the file as it was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod books;
mod lost_content;
mod namespaces;
mod package;
mod trip;
mod values;
mod word;
