//! Random XML for every message of the schema: valid as far as the tables know, and then odd in all the ways that XML allows.
//!
//! A seed and a [`Path`] name a document; the same ones give the same bytes everywhere.

mod attributes;
mod element;
mod encode;
mod paths;
mod scope;
mod values;

pub use encode::encode;
pub use paths::{Path, paths};

use crate::{Pack, Rng};

/// A part with a random tree around the message at the end of a path, as UTF-8.
pub fn part(path: &Path, seed: u64) -> String {
    element::Generator::new(seed).part(path)
}

/// A document with [`part`] in an encoding that follows from the seed too, as its one part besides the main one.
pub fn package(path: &Path, seed: u64) -> Vec<u8> {
    let text = part(path, seed);
    let bytes = encode(&text, &mut Rng::new(seed ^ 0x5eed));
    Pack::document(MAIN).part(PART, "application/xml", bytes).bytes()
}

/// Name of the random part.
pub const PART: &str = "word/random.xml";

const MAIN: &str = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body/></w:document>";
