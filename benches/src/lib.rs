//! What Recto costs: files to measure, the operations on them, and the clocks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod inputs;
pub mod limits;
pub mod measure;
pub mod operation;
#[cfg(feature = "peers")]
pub mod peers;
pub mod table;
#[cfg(feature = "structs")]
pub mod typed;

/// Results here say in words what went wrong; nobody takes them apart.
pub type Result<T = (), E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;
