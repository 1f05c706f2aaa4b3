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

/// Appends `len` bytes of a buffer from `start` on. Up to `WIDTH` bytes are copied as `WIDTH` and cut: a copy of fixed length
/// takes a few instructions, one of any length a call.
#[inline(always)]
pub(crate) fn append_piece<const WIDTH: usize>(out: &mut Vec<u8>, buffer: &[u8], start: usize, len: usize) {
    match buffer.get(start..).and_then(|rest| rest.first_chunk::<WIDTH>()) {
        Some(wide) if len <= WIDTH => append_cut(out, wide, len),
        _ => append_any(out, buffer, start, len),
    }
}

#[cold]
#[inline(never)]
fn append_any(out: &mut Vec<u8>, buffer: &[u8], start: usize, len: usize) {
    out.extend_from_slice(buffer.get(start..start + len).unwrap_or_default());
}

/// Appends the first `len` bytes of an array.
#[inline(always)]
pub(crate) fn append_cut<const WIDTH: usize>(out: &mut Vec<u8>, bytes: &[u8; WIDTH], len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(bytes);
    out.truncate(end);
}

/// Appends the first bytes of three arrays: fewer than 16, fewer than 16, and up to 32.
#[inline(always)]
pub(crate) fn append_pieces(out: &mut Vec<u8>, first: (&[u8; 16], u8), second: (&[u8; 16], u8), third: (&[u8; 32], u8)) {
    let start = out.len();
    out.extend_from_slice(&[0; 64]);
    let (second_at, third_at) = (usize::from(first.1 & 15), usize::from(first.1 & 15) + usize::from(second.1 & 15));
    if let Some(place) = out.last_chunk_mut::<64>() {
        // The compiler knows that all of them fit.
        if let Some(place) = place.get_mut(..16) {
            place.copy_from_slice(first.0);
        }
        if let Some(place) = place.get_mut(second_at..second_at + 16) {
            place.copy_from_slice(second.0);
        }
        if let Some(place) = place.get_mut(third_at..third_at + 32) {
            place.copy_from_slice(third.0);
        }
    }
    out.truncate(start + third_at + usize::from(third.1));
}
