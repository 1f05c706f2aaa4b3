//! The protobuf wire format: varints, fields, and messages whose length is filled in when they end.

pub(crate) mod input;
pub(crate) mod output;

/// How a field's value is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WireType {
    /// Up to ten bytes of seven bits.
    Varint = 0,
    /// Eight bytes.
    Fixed64 = 1,
    /// A length, and so many bytes.
    Bytes = 2,
    /// Four bytes.
    Fixed32 = 5,
}

/// Appends a varint.
#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The varint of a value below 2^21 as a little-endian word, and how many bytes it takes.
#[inline(always)]
pub(crate) const fn short_varint(value: u32) -> (u32, usize) {
    match value {
        ..0x80 => (value, 1),
        0x80..0x4000 => (value & 0x7f | 0x80 | (value & 0x3f80) << 1, 2),
        _ => (value & 0x7f | 0x8080 | (value & 0x3f80) << 1 | (value & 0x1f_c000) << 2, 3),
    }
}

/// The key of a field whose number is below 16: one byte.
#[inline(always)]
pub(crate) fn short_key(field: u32, wire_type: WireType) -> Option<u8> {
    (field < 16).then_some((field << 3) as u8 | wire_type as u8)
}

/// Appends the key of a field.
#[inline]
pub(crate) fn put_key(out: &mut Vec<u8>, field: u32, wire_type: WireType) {
    put_varint(out, u64::from(field) << 3 | wire_type as u64);
}

/// Appends a varint field.
#[inline]
pub(crate) fn put_uint(out: &mut Vec<u8>, field: u32, value: u64) {
    match short_key(field, WireType::Varint) {
        Some(key) if value < 0x80 => out.extend_from_slice(&[key, value as u8]),
        Some(key) if value < 0x4000 => out.extend_from_slice(&[key, value as u8 | 0x80, (value >> 7) as u8]),
        Some(key) if value < 0x20_0000 => {
            out.extend_from_slice(&[key, value as u8 | 0x80, (value >> 7) as u8 | 0x80, (value >> 14) as u8]);
        }
        _ => {
            put_key(out, field, WireType::Varint);
            put_varint(out, value);
        }
    }
}

/// Appends a double field, by the bits of its value.
#[inline]
pub(crate) fn put_double(out: &mut Vec<u8>, field: u32, bits: u64) {
    let Some(key) = short_key(field, WireType::Fixed64) else {
        put_key(out, field, WireType::Fixed64);
        return out.extend_from_slice(&bits.to_le_bytes());
    };
    append_cut(out, &(u128::from(bits) << 8 | u128::from(key)).to_le_bytes(), 9);
}

/// Appends the first `len` bytes of an array.
#[inline(always)]
fn append_cut<const WIDTH: usize>(out: &mut Vec<u8>, bytes: &[u8; WIDTH], len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(bytes);
    out.truncate(end);
}

/// Appends a string, bytes or complete message field.
#[inline]
pub(crate) fn put_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    put_key(out, field, WireType::Bytes);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// As [`put_bytes`], of a piece of a larger buffer: short pieces are copied with what stands behind them, which is then cut
/// off, as that takes no call and no loop.
#[inline(always)]
pub(crate) fn put_piece(out: &mut Vec<u8>, field: u32, buffer: &[u8], start: usize, end: usize) {
    let length = end.saturating_sub(start);
    let chunk = buffer.get(start..).and_then(|rest| rest.first_chunk::<32>());
    match (short_key(field, WireType::Bytes), chunk) {
        (Some(key), Some(chunk)) if length <= 32 => {
            out.extend_from_slice(&[key, length as u8]);
            append_cut(out, chunk, length);
        }
        _ => put_bytes(out, field, buffer.get(start..end).unwrap_or_default()),
    }
}

/// Appends a string field unless it is empty, as for fields without presence.
pub(crate) fn put_text(out: &mut Vec<u8>, field: u32, text: &[u8]) {
    if !text.is_empty() {
        put_bytes(out, field, text);
    }
}

/// Number of bytes of a varint.
#[inline]
pub(crate) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_fields_are_as_long_ones(field in 1u32..40, value in any::<u64>(), shift in 0..64) {
            let value = value >> shift;
            let (mut out, mut expected) = (vec![7], vec![7]);
            put_uint(&mut out, field, value);
            put_key(&mut expected, field, WireType::Varint);
            put_varint(&mut expected, value);
            prop_assert_eq!(&out, &expected);
            put_double(&mut out, field, value);
            put_key(&mut expected, field, WireType::Fixed64);
            expected.extend(value.to_le_bytes());
            prop_assert_eq!(out, expected);
        }
    }
}
