//! What can be said about packages: how two of them differ.

pub mod diff;
mod infoset;

pub use diff::{Difference, DifferenceKind, diff};
