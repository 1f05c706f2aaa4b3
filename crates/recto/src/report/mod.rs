//! What can be said about packages: how two of them differ, what is in them, how much of it is typed, and whether they
//! are valid.

pub mod coverage;
pub mod diff;
pub mod identity;
mod infoset;
pub mod inspect;
pub mod validate;

pub use coverage::{Count, Coverage, NamespaceCoverage, Share, Vocabulary};
pub use diff::{Difference, DifferenceKind, diff};
pub use identity::{DifferentEntry, EntryDifference, Identity, identity};
pub use inspect::{Inspection, PartInspection, inspect, inspect_bin, measure};
pub use validate::{Finding, FindingCode, Findings, validate, validate_bin, validate_bin_since};
