//! XML as text: tokens, names, namespaces in scope, escapes. Nothing here knows what an element means.

#[cfg(test)]
mod differential;
pub(crate) mod escapes;
pub(crate) mod names;
pub(crate) mod namespaces;
pub(crate) mod scan;
pub(crate) mod spelling;
pub(crate) mod tokens;

use crate::error::{Error, MarkupError};

/// The error for XML that is not well-formed.
#[cold]
pub(crate) fn malformed(reason: &str) -> Error {
    MarkupError::Malformed(reason.to_owned()).into()
}

/// The error for text in a wrong encoding.
#[cold]
pub(crate) fn encoding(reason: &str) -> Error {
    MarkupError::Encoding(reason.to_owned()).into()
}
