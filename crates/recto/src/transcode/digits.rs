//! Digits of integers, and of numbers with few decimal places.

use crate::xml::{append_cut, append_piece};

/// Appends an integer.
#[inline]
pub(crate) fn write_u64(value: u64, out: &mut Vec<u8>) {
    match u32::try_from(value) {
        Ok(value @ 0..10) => out.push(b'0' + value as u8),
        Ok(value @ 0..100_000_000) => {
            let digits = eight_digits(value);
            let zeros = digits.trailing_zeros() / 8;
            append_cut(out, &((digits | ZEROS) >> (8 * zeros)).to_le_bytes(), 8 - zeros as usize);
        }
        _ => out.extend_from_slice(digits(value, &mut [0; 20])),
    }
}

/// Eight times the digit zero.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The digits, as numbers, of a value below 10^8: the first one is the lowest byte.
#[inline(always)]
fn eight_digits(value: u32) -> u64 {
    // Each step splits every number by a division, as a multiplication, and puts the remainders above the quotients.
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// As [`write_u64`], with a sign.
#[inline]
pub(crate) fn write_i64(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_u64(value.unsigned_abs(), out);
}

/// The digits of the numbers up to 99.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut at = 0;
    while at < 100 {
        pairs[at] = [b'0' + at as u8 / 10, b'0' + at as u8 % 10];
        at += 1;
    }
    pairs
};

/// The decimal digits of a value, at the end of the buffer.
#[inline]
pub(super) fn digits(mut value: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut start = buffer.len();
    for place in buffer.rchunks_exact_mut(2) {
        place.copy_from_slice(PAIRS.get((value % 100) as usize).unwrap_or(&[b'0'; 2]));
        start -= 2;
        if value < 100 {
            start += usize::from(value < 10);
            break;
        }
        value /= 100;
    }
    buffer.get(start..).unwrap_or_default()
}

/// A positive value that is no integer as an integer and a number of decimal places, if both are small. A double has at most
/// one name of up to 15 digits, so that these are the shortest ones.
#[inline(always)]
pub(super) fn few_places(value: f64) -> Option<(u32, u32)> {
    for (places, power) in [(1, 1e1), (2, 1e2), (3, 1e3), (4, 1e4)] {
        let scaled = value * power;
        if scaled >= 1e8 {
            return None;
        }
        let number = (scaled + 0.5) as u32;
        // The product is rounded: it may be next to the integer that it should be.
        if (f64::from(number) - scaled).abs() < 1e-7 && f64::from(number) / power == value {
            return Some((number, places));
        }
    }
    None
}

/// Appends a number with `places` decimal places, the last of which is no zero, and eight digits at most.
#[inline(always)]
pub(super) fn write_few_places(number: u32, places: u32, out: &mut Vec<u8>) {
    let digits = eight_digits(number);
    let whole = 8 - places;
    let zeros = (digits.trailing_zeros() / 8).min(whole - 1);
    let digits = digits | ZEROS;
    append_cut(out, &(digits >> (8 * zeros)).to_le_bytes(), (whole - zeros) as usize);
    out.push(b'.');
    append_cut(out, &(digits >> (8 * whole)).to_le_bytes(), places as usize);
}

/// Appends a number of 17 digits, the last of which may be zeros that are not written, times ten to the power of `exponent`.
/// Nothing, and `false`, if it has another number of digits, no decimal places, or more than one zero before its digits.
#[inline]
pub(super) fn write_long(digits: u64, exponent: i32, out: &mut Vec<u8>) -> bool {
    const EIGHT: u64 = 100_000_000;
    let first = digits / (EIGHT * EIGHT);
    if !(1..10).contains(&first) || !(-17..0).contains(&exponent) {
        return false;
    }
    let (middle, last) = (digits / EIGHT % EIGHT, digits % EIGHT);
    let (middle, last) = (eight_digits(middle as u32), eight_digits(last as u32));
    let zeros = match last {
        0 => 8 + middle.leading_zeros() / 8,
        _ => last.leading_zeros() / 8,
    };
    // The digits behind a zero, which is written where all of them are decimal places.
    let mut text = [0; 64];
    text[0] = b'0';
    text[1] = b'0' + first as u8;
    text[2..10].copy_from_slice(&(middle | ZEROS).to_le_bytes());
    text[10..18].copy_from_slice(&(last | ZEROS).to_le_bytes());
    let point = (18 + exponent) as usize;
    let end = 18 - zeros as usize;
    if end <= point {
        return false;
    }
    let start = usize::from(point > 1);
    append_piece::<32>(out, &text, start, point - start);
    out.push(b'.');
    append_piece::<32>(out, &text, point, end - point);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_are_written_like_the_standard_library_does(value in any::<u64>(), shift in 0..64) {
            let value = value >> shift;
            let mut out = b"x".to_vec();
            write_u64(value, &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), format!("x{value}"));
        }

        #[test]
        fn long_numbers_have_their_point_in_place(digits in 10_000_000_000_000_000u64..100_000_000_000_000_000, zeros in 0u32..17, exponent in -17i32..0) {
            let digits = digits / 10u64.pow(zeros) * 10u64.pow(zeros);
            let mut out = b"x".to_vec();
            let written = write_long(digits, exponent, &mut out);
            let text = format!("{digits:018}");
            let (whole, fraction) = text.split_at((18 + exponent) as usize);
            let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
            prop_assert_eq!(written, !fraction.is_empty());
            let expected = format!("x{}.{fraction}", if whole.is_empty() { "0" } else { whole });
            prop_assert_eq!(String::from_utf8(out).unwrap(), if written { expected } else { "x".to_owned() });
        }
    }
}
