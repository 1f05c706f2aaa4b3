//! Whole packages: OOXML to `.bin` and back.

#[cfg(feature = "model")]
mod add;
mod ahead;
#[cfg(feature = "model")]
mod blank;
mod content_types;
#[cfg(feature = "model")]
pub(crate) mod items;
mod parse;
pub(crate) mod plan;
#[cfg(feature = "model")]
mod rows;
mod sinks;
#[cfg(feature = "model")]
pub(crate) mod typed;
mod write;
#[cfg(feature = "model")]
pub(crate) mod writer;

pub use parse::{ParseOptions, Parsed, parse, parse_to_vec, parse_to_vec_with, parse_with};
pub(crate) use parse::{is_unmarked_vml, looks_like_xml};
pub use write::{WriteOptions, write, write_bin};

/// Version of the model in a `.bin`. It rises when a field is added, since older readers would drop it.
pub const FORMAT_VERSION: u32 = 1;
