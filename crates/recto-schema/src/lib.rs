//! Recto's schema, made from the files under `proto/`: how each message of the model is bound to XML, as static tables
//! ([`tables`]), and the model as structs ([`model`], with the feature of that name).

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// A message may have the name of its package.
#![allow(clippy::module_inception)]

pub mod tables;

// Modules `fields`, `messages` and `enums`: numbers for code that reads and writes the wire by hand.
include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// The model: one module for each package, [`Package`](model::Package) being what a `.bin` holds.
#[cfg(feature = "model")]
pub mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}
