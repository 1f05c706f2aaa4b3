//! Numbers in the plain notation that nearly all files use, straight from a padded buffer.

use std::cmp::Ordering;

use super::numbers::{Decimal, hundredths};
use super::powers::{POWERS, TENS};
use crate::xml::scan::{byte, digit_count, number, word};

/// Up to here a double holds every integer.
const EXACT: u64 = 1 << 53;

/// A number without exponent and without needless zeros: what it is follows from its digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    negative: bool,
    digits: u64,
    /// How many of the digits stand behind the point.
    fraction: u32,
    /// How many digits there are.
    count: u32,
    /// The byte after it.
    pub end: usize,
}

/// Bytes that are looked at: more than the longest plain number has.
const REACH: usize = 32;

/// Adds the digits at `at` to a number: the number, and how many digits it took.
#[inline(always)]
fn take(bytes: &[u8; REACH], at: usize, mut digits: u64) -> (u64, usize) {
    let mut taken = 0;
    loop {
        // Beyond the end are no digits.
        let word = word(bytes, at + taken);
        let count = digit_count(word);
        if count == 8 {
            digits = digits.wrapping_mul(100_000_000).wrapping_add(u64::from(number(word, 8)));
            taken += 8;
            continue;
        }
        return match TENS.get(count).filter(|_| count > 0) {
            Some(scale) => (digits.wrapping_mul(*scale).wrapping_add(u64::from(number(word, count))), taken + count),
            None => (digits, taken),
        };
    }
}

/// A double times a power of ten, in exact arithmetic rounded to an integer; halves go up. Nothing for integers beyond 2^53
/// and for what is too small to be such a product.
#[inline(always)]
fn rounded_product(value: f64, power: u64) -> Option<u64> {
    let bits = value.to_bits();
    let biased = (bits >> 52) as u32 & 0x7FF;
    let shift = 1075u32.checked_sub(biased).filter(|shift| (1..128).contains(shift))?;
    let product = u128::from(bits & ((1 << 52) - 1) | 1 << 52) * u128::from(power);
    Some((product >> shift) as u64 + (product >> (shift - 1) & 1) as u64)
}

impl Plain {
    /// The number at `at`, if it is plain and has 18 digits at most.
    #[inline(always)]
    pub(crate) fn scan(buffer: &[u8], at: usize) -> Option<Self> {
        let bytes = buffer.get(at..)?.first_chunk::<REACH>()?;
        let negative = byte(bytes, 0) == b'-';
        let start = usize::from(negative);
        let (whole, whole_count) = take(bytes, start, 0);
        if whole_count == 0 || (byte(bytes, start) == b'0' && whole_count > 1) {
            return None;
        }
        let mut end = start + whole_count;
        let (mut number, mut fraction) = (whole, 0);
        if byte(bytes, end) == b'.' {
            (number, fraction) = take(bytes, end + 1, whole);
            end += 1 + fraction;
            if fraction == 0 || byte(bytes, end - 1) == b'0' {
                return None;
            }
        }
        let count = whole_count + fraction;
        if count > 18 || (negative && number == 0) {
            return None;
        }
        Some(Plain { negative, digits: number, fraction: fraction as u32, count: count as u32, end: at + end })
    }

    /// The nearest double. Of numbers with more digits than a double holds exactly, only those are known here that are
    /// the 17 digits nearest to a double: no other double is as near to them.
    #[inline(always)]
    pub(crate) fn value(&self) -> Option<f64> {
        let power = *POWERS.get(self.fraction as usize)?;
        // 18 digits fit into 63 bits, and signed numbers take one instruction to convert.
        let estimate = self.digits as i64 as f64 / power;
        let value = if self.digits <= EXACT { Some(estimate) } else { self.nearest(estimate) };
        value.map(|value| if self.negative { -value } else { value })
    }

    /// The double, next to an estimate, whose nearest 17 digits these are.
    #[inline]
    fn nearest(&self, estimate: f64) -> Option<f64> {
        // Of 16 digits, the seventeenth is 0.
        let more = u32::from(self.digits < 10_000_000_000_000_000);
        let digits = if more == 0 { self.digits } else { self.digits * 10 };
        if digits >= 100_000_000_000_000_000 {
            return None;
        }
        let power = *TENS.get((self.fraction + more) as usize)?;
        let next = match rounded_product(estimate, power)?.cmp(&digits) {
            Ordering::Equal => return Some(estimate),
            Ordering::Less => estimate.next_up(),
            Ordering::Greater => estimate.next_down(),
        };
        (rounded_product(next, power)? == digits).then_some(next)
    }

    /// Whether the digits, the sign apart, are those of another number.
    #[inline]
    fn is(&self, other: Decimal) -> bool {
        let zeros = -(self.fraction as i32) - other.exponent;
        let Some(&scale) = TENS.get(zeros.unsigned_abs() as usize) else { return false };
        match zeros {
            0.. => self.digits.checked_mul(scale) == Some(other.digits),
            _ => other.digits.checked_mul(scale) == Some(self.digits),
        }
    }

    /// Whether [`write_excel`](super::numbers::write_excel) writes its value so; nothing where that takes writing it.
    #[inline(always)]
    pub(crate) fn is_excel(&self, value: f64) -> Option<bool> {
        if self.fraction == 0 {
            return Some(self.digits < 10_000_000_000_000_000);
        }
        let value = value.abs();
        match hundredths(value) {
            Some(short) => Some(self.is(short)),
            None if !(0.1..1e15).contains(&value) => None,
            // `value` has found them to be its nearest 17 digits.
            None if self.digits > EXACT => Some(true),
            None => Some(self.is(Decimal::rounded_fast(value)?)),
        }
    }

    /// Whether [`write_shortest`](super::numbers::write_shortest) writes its value so; nothing where that takes writing it.
    #[inline(always)]
    pub(crate) fn is_shortest(&self, value: f64) -> Option<bool> {
        let short = self.count <= 15 && (value.abs() >= 1e-4 || self.digits == 0);
        short.then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{write_excel, write_shortest};
    use super::*;
    use proptest::prelude::*;

    fn scan(text: &str) -> Option<Plain> {
        let mut buffer = text.as_bytes().to_vec();
        buffer.push(b'<');
        buffer.resize(buffer.len() + 32, 0);
        Plain::scan(&buffer, 0).filter(|plain| plain.end == text.len())
    }

    /// What is known of a text must be what parsing and writing say.
    fn check(text: &str) {
        let Some(plain) = scan(text) else { return };
        let expected: f64 = text.parse().unwrap();
        let Some(value) = plain.value() else { return };
        assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
        let written = |write: fn(f64, &mut Vec<u8>)| {
            let mut out = Vec::new();
            write(value, &mut out);
            out == text.as_bytes()
        };
        if let Some(known) = plain.is_excel(value) {
            assert_eq!(known, written(write_excel), "excel {text}");
        }
        if let Some(known) = plain.is_shortest(value) {
            assert_eq!(known, written(write_shortest), "shortest {text}");
        }
    }

    #[test]
    fn usual_numbers_are_known() {
        for text in
            ["0", "7", "-7", "0.55", "628.668", "0.5", "44927", "0.69930555555555551", "123456789012345678", "1234.1", "1e5"]
        {
            check(text);
        }
        for text in ["628.668", "0.69930555555555551", "12345678.9", "-0.1"] {
            assert!(scan(text).and_then(|plain| plain.value()).is_some(), "{text}");
        }
        for text in ["", "-", "-0", "007", "1.", ".5", "1.50", "1e5", "+1", " 1", "1,5", "1234567890123456789"] {
            assert!(scan(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_known_is_true(value in any::<f64>(), scale in 0u32..12, whole in any::<i64>()) {
            let mut out = Vec::new();
            for value in [value, whole as f64 / 10f64.powi(scale as i32), (whole % 1_000_000_000) as f64 / 10f64.powi(scale as i32)] {
                for write in [write_excel as fn(f64, &mut Vec<u8>), write_shortest] {
                    out.clear();
                    write(value, &mut out);
                    check(std::str::from_utf8(&out).unwrap());
                }
            }
            check(&format!("{}.{:0width$}", whole / 1000, (whole % 1000).abs(), width = scale as usize));
        }

        #[test]
        fn any_digits_are_safe(text in "-?[0-9]{1,20}(\\.[0-9]{1,20})?") {
            check(&text);
        }
    }
}
