//! What Recto's tests share: documents made for them ([`fixtures`]), random ones from the schema's tables ([`random`]), and
//! ways to disturb what is good ([`scramble`], [`mutate`], [`ShortReads`]).
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// Whatever is wrong here is a failed test, and a panic says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod fixtures;
pub mod gates;
pub mod mutate;
pub mod random;
pub mod scramble;

mod kinds;
pub mod pack;
mod rng;
mod short_reads;

pub use pack::Pack;
pub use rng::Rng;
pub use short_reads::ShortReads;
