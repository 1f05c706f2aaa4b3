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

/// Appends the key of a field.
#[inline]
pub(crate) fn put_key(out: &mut Vec<u8>, field: u32, wire_type: WireType) {
    put_varint(out, u64::from(field) << 3 | wire_type as u64);
}

/// Appends a varint field.
#[inline]
pub(crate) fn put_uint(out: &mut Vec<u8>, field: u32, value: u64) {
    put_key(out, field, WireType::Varint);
    put_varint(out, value);
}

/// Appends a string, bytes or complete message field.
#[inline]
pub(crate) fn put_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    put_key(out, field, WireType::Bytes);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
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
