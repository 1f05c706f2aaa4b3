//! Numbers as text: parsing, and the two ways in which producers write doubles.

use std::fmt::Write;

use super::digits::{digits, few_places, write_few_places, write_long};
pub(crate) use super::digits::{write_i64, write_u64};
use super::powers::{POWERS, TENS, WIDE_POWERS};

/// The value of an integer's text, and whether printing the value gives the text. White space around it, a plus sign
/// and leading zeros are valid (XML Schema part 2, clause 3.3.13) but not what a writer writes.
#[inline]
pub(crate) fn parse_u64(text: &[u8]) -> Option<(u64, bool)> {
    let (negative, digits, canonical) = integer(text)?;
    if negative { None } else { Some((magnitude(digits)?, canonical)) }
}

/// As [`parse_u64`], in 32 bits.
#[inline]
pub(crate) fn parse_u32(text: &[u8]) -> Option<(u32, bool)> {
    let (value, canonical) = parse_u64(text)?;
    Some((u32::try_from(value).ok()?, canonical))
}

/// As [`parse_u64`], with a sign.
#[inline]
pub(crate) fn parse_i64(text: &[u8]) -> Option<(i64, bool)> {
    let (negative, digits, canonical) = integer(text)?;
    let magnitude = magnitude(digits)?;
    let value = if negative { 0i64.checked_sub_unsigned(magnitude)? } else { i64::try_from(magnitude).ok()? };
    Some((value, canonical && !(negative && magnitude == 0)))
}

/// As [`parse_i64`], in 32 bits.
#[inline]
pub(crate) fn parse_i32(text: &[u8]) -> Option<(i32, bool)> {
    let (value, canonical) = parse_i64(text)?;
    Some((i32::try_from(value).ok()?, canonical))
}

/// Sign, digits, and whether they are as printed.
#[inline]
fn integer(text: &[u8]) -> Option<(bool, &[u8], bool)> {
    let trimmed = trim(text);
    let (negative, digits) = match trimmed {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let first = digits.first()?;
    let printed = trimmed.len() - digits.len() == usize::from(negative) && (*first != b'0' || digits.len() == 1);
    Some((negative, digits, printed && trimmed.len() == text.len()))
}

#[inline]
fn magnitude(digits: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// Without the white space that XML Schema collapses. `trim_ascii` would take the form feed too.
#[inline]
fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\n' | b'\r'] = text {
        text = rest;
    }
    text
}

/// The value of a double's text (XML Schema part 2, clause 3.2.5), white space around it removed. Text whose value is
/// too great for a double has none.
#[inline]
pub(crate) fn parse_double(text: &[u8]) -> Option<f64> {
    let text = trim(text);
    let (negative, number) = match text {
        [b'-', number @ ..] => (true, number),
        [b'+', number @ ..] => (false, number),
        number => (false, number),
    };
    let Some(decimal) = Decimal::parse(number) else { return parse_special(text) };
    let value = match decimal.exact() {
        Some(value) => value,
        None => std::str::from_utf8(number).ok()?.parse().ok().filter(|value: &f64| value.is_finite())?,
    };
    Some(if negative { -value } else { value })
}

#[cold]
fn parse_special(text: &[u8]) -> Option<f64> {
    match text {
        b"INF" => Some(f64::INFINITY),
        b"-INF" => Some(f64::NEG_INFINITY),
        b"NaN" => Some(f64::NAN),
        _ => None,
    }
}

/// A positive number, `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub digits: u64,
    pub exponent: i32,
}

impl Decimal {
    /// Digits that do not fit are not counted: [`Decimal::exact`] gives nothing for a number so long.
    #[inline]
    fn parse(text: &[u8]) -> Option<Self> {
        let mut decimal = Decimal { digits: 0, exponent: 0 };
        let mut rest = text;
        let mut any = false;
        let mut fraction = false;
        while let [byte, tail @ ..] = rest {
            let digit = byte.wrapping_sub(b'0');
            if digit <= 9 {
                any = true;
                decimal.exponent = decimal.exponent.saturating_sub(i32::from(fraction));
                decimal.digits = decimal.digits.saturating_mul(10).saturating_add(u64::from(digit));
            } else if *byte == b'.' && !fraction {
                fraction = true;
            } else {
                break;
            }
            rest = tail;
        }
        if !any {
            return None;
        }
        match rest {
            [] => {}
            [b'e' | b'E', exponent @ ..] => decimal.exponent = decimal.exponent.saturating_add(parse_exponent(exponent)?),
            _ => return None,
        }
        Some(decimal)
    }

    /// Without trailing zeros.
    #[inline]
    pub(super) fn trimmed(mut self) -> Self {
        for (divisor, zeros) in [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)] {
            while self.digits != 0 && self.digits.is_multiple_of(divisor) {
                self.digits /= divisor;
                self.exponent += zeros;
            }
        }
        self
    }

    /// The nearest double, where one rounding of exact operands gives it (Clinger's fast path).
    #[inline]
    fn exact(self) -> Option<f64> {
        if self.digits > 1 << 53 {
            return None;
        }
        let power = *POWERS.get(self.exponent.unsigned_abs() as usize)?;
        Some(if self.exponent < 0 { self.digits as f64 / power } else { self.digits as f64 * power })
    }

    /// The number of 17 digits nearest to a positive, finite value; halves go up, as they do in Excel.
    #[inline]
    fn rounded(value: f64) -> Self {
        Self::rounded_fast(value).unwrap_or_else(|| Self::from_format(format_args!("{value:.16e}")))
    }

    /// In integers of 128 bits, for values that are neither very great nor very small. All halves are among them:
    /// half of the 17th digit at 10^-k takes a multiple of 5^k with 18 digits, so k is below 26.
    #[inline]
    pub(super) fn rounded_fast(value: f64) -> Option<Self> {
        let bits = value.to_bits();
        let biased = (bits >> 52) as i32 & 0x7FF;
        let significand = if biased == 0 { return None } else { bits & ((1 << 52) - 1) | 1 << 52 };
        let zeros = significand.trailing_zeros();
        let significand = significand >> zeros;
        let shift = u32::try_from(1075 - biased - zeros as i32).ok()?;
        // The binary exponent times log10(2) = 1292913986 / 2^32: one too low at most.
        let mut magnitude = ((i64::from(biased) - 1023) * 1_292_913_986) >> 32;
        loop {
            let power = usize::try_from(16 - magnitude).ok()?;
            let scaled = match TENS.get(power) {
                Some(&power) => u128::from(significand) * u128::from(power),
                None => u128::from(significand).checked_mul(*WIDE_POWERS.get(power)?)?,
            };
            let whole = scaled.checked_shr(shift)?;
            if whole >= 100_000_000_000_000_000 {
                magnitude += 1;
                continue;
            }
            let up = shift > 0 && scaled >> (shift - 1) & 1 == 1;
            return Some(Decimal { digits: whole as u64 + u64::from(up), exponent: magnitude as i32 - 16 });
        }
    }

    /// The shortest number from which a positive, finite value comes back.
    #[inline]
    fn shortest(value: f64) -> Self {
        // A double has at most one name of up to 15 digits, so one that comes back is the shortest.
        let hundredths = value * 100.0;
        if hundredths < 1e15 && hundredths.trunc() == hundredths && hundredths / 100.0 == value {
            return Decimal { digits: hundredths as u64, exponent: -2 };
        }
        if let Some(long) = Self::rounded_fast(value) {
            let short = Decimal { digits: (long.digits + 50) / 100, exponent: long.exponent + 2 }.trimmed();
            if short.exact() == Some(value) {
                return short;
            }
        }
        Self::from_format(format_args!("{value:e}"))
    }

    fn from_format(text: std::fmt::Arguments<'_>) -> Self {
        let mut buffer = Buffer { bytes: [0; 32], len: 0 };
        // A double in this form has at most 24 characters.
        let _ = buffer.write_fmt(text);
        buffer.bytes.get(..buffer.len).and_then(Self::parse).unwrap_or(Decimal { digits: 0, exponent: 0 })
    }

    /// Appends the number: with an exponent if that of the first digit is outside of `plain`.
    #[inline]
    fn write(self, style: &Style, out: &mut Vec<u8>) {
        if style.plain.contains(&(self.exponent + 16)) && write_long(self.digits, self.exponent, out) {
            return;
        }
        let Decimal { digits: number, exponent } = self.trimmed();
        let mut buffer = [0; 20];
        let digits = digits(number, &mut buffer);
        let magnitude = exponent + digits.len() as i32 - 1;
        if !style.plain.contains(&magnitude) {
            write_point(digits, 1, out);
            out.extend_from_slice(if magnitude < 0 { style.minus } else { style.plus });
            if style.two_digits && magnitude.unsigned_abs() < 10 {
                out.push(b'0');
            }
            write_u64(u64::from(magnitude.unsigned_abs()), out);
        } else if magnitude < 0 {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', magnitude.unsigned_abs() as usize - 1));
            out.extend_from_slice(digits);
        } else {
            write_point(digits, magnitude as usize + 1, out);
            out.extend(std::iter::repeat_n(b'0', usize::try_from(exponent).unwrap_or(0)));
        }
    }
}

/// Appends digits with a point after the first `whole` of them, if more follow.
#[inline]
fn write_point(digits: &[u8], whole: usize, out: &mut Vec<u8>) {
    match digits.split_at_checked(whole) {
        Some((whole, fraction @ [_, ..])) => {
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
        _ => out.extend_from_slice(digits),
    }
}

/// The exponent after the `e`. One far out of a double's range keeps its sign and is far out still.
#[inline]
fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut exponent = 0i32;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit));
    }
    Some(if negative { -exponent } else { exponent })
}

/// A place on the stack to format a double in.
struct Buffer {
    bytes: [u8; 32],
    len: usize,
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let place = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// How numbers are laid out.
struct Style {
    /// Exponents of the first digit for which a number is written without one.
    plain: std::ops::Range<i32>,
    plus: &'static [u8],
    minus: &'static [u8],
    two_digits: bool,
}

/// As Python prints, and with it openpyxl and XlsxWriter: the commonest style of those who write shortest numbers.
const SHORTEST: Style = Style { plain: -4..16, plus: b"e+", minus: b"e-", two_digits: true };
const EXCEL: Style = Style { plain: -1..16, plus: b"E+", minus: b"E-", two_digits: false };

/// Appends the shortest text from which the value comes back: `0.1`, `1e-05`, `1.5e+16`; integers without a point.
#[inline]
pub(crate) fn write_shortest(value: f64, out: &mut Vec<u8>) {
    if let Some(value) = write_simple(value, out) {
        match few_places(value) {
            Some((number, places)) => write_few_places(number, places, out),
            None => Decimal::shortest(value).write(&SHORTEST, out),
        }
    }
}

/// Appends the text that Excel writes: integers and values of two decimal places short (`0.11`), all others rounded to 17
/// digits (`0.11899999999999999` for 0.119), with an exponent below 0.1 and from 10^16
/// (`1.0000000000000001E-5`).
///
/// The rule was measured on Excel's files. "Two decimal places" means that the value would fit the RK form of
/// \[MS-XLS\] 2.5.122 as an integer of hundredths; hundredths from 2^21 up that are themselves doubles with the low 34
/// bits clear, which is RK's other form, come out long.
#[inline]
pub(crate) fn write_excel(value: f64, out: &mut Vec<u8>) {
    if let Some(value) = write_simple(value, out) {
        match hundredths(value).map(|short| (short, few_places(value))) {
            Some((_, Some((number, places)))) => write_few_places(number, places, out),
            Some((short, None)) => short.write(&SHORTEST, out),
            None => Decimal::rounded(value).write(&EXCEL, out),
        }
    }
}

/// Whether [`write_shortest`] gives this text.
#[cold]
pub(crate) fn is_shortest(value: f64, text: &[u8]) -> bool {
    is_written(value, text, write_shortest)
}

/// Whether [`write_excel`] gives this text.
#[cold]
pub(crate) fn is_excel(value: f64, text: &[u8]) -> bool {
    is_written(value, text, write_excel)
}

fn is_written(value: f64, text: &[u8], write: fn(f64, &mut Vec<u8>)) -> bool {
    let mut written = Vec::with_capacity(24);
    write(value, &mut written);
    written == text
}

/// Writes what both ways agree on: integers below 10^16 and special values. Of anything else it writes the sign, and
/// returns the absolute value.
#[inline]
fn write_simple(value: f64, out: &mut Vec<u8>) -> Option<f64> {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
        return None;
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let value = value.abs();
    if value.is_infinite() {
        out.extend_from_slice(b"INF");
        return None;
    }
    // Not `trunc`, which is a call where the processor may lack an instruction for it.
    let whole = value as u64;
    if value < 1e16 && whole as f64 == value {
        write_u64(whole, out);
        return None;
    }
    Some(value)
}

#[inline(always)]
pub(super) fn hundredths(value: f64) -> Option<Decimal> {
    let hundredths = value * 100.0;
    if hundredths >= f64::from(1 << 29) || f64::from(hundredths as u32) != hundredths || hundredths / 100.0 != value {
        return None;
    }
    let hundredths = hundredths as u32;
    let significant_bits = 32 - hundredths.leading_zeros() - hundredths.trailing_zeros();
    if hundredths >= 1 << 21 && significant_bits <= 19 {
        return None;
    }
    Some(Decimal { digits: hundredths.into(), exponent: -2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(write: fn(f64, &mut Vec<u8>), value: f64) -> String {
        let mut out = Vec::new();
        write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(parse_u64(b"18446744073709551615"), Some((u64::MAX, true)));
        assert_eq!(parse_u64(b"18446744073709551616"), None);
        assert_eq!(parse_i64(b"-9223372036854775808"), Some((i64::MIN, true)));
        assert_eq!(parse_i64(b"-9223372036854775809"), None);
        assert_eq!(parse_i64(b"9223372036854775808"), None);
        assert_eq!(parse_u32(b"4294967296"), None);
        assert_eq!(parse_i32(b"2147483648"), None);
        assert_eq!(parse_i32(b"-2147483648"), Some((i32::MIN, true)));
        assert_eq!(parse_u32(b"0"), Some((0, true)));
        for other in ["+5", "05", " 5", "5\t", "\r\n+005 "] {
            assert_eq!(parse_u32(other.as_bytes()), Some((5, false)), "{other:?}");
        }
        assert_eq!(parse_i32(b"-05"), Some((-5, false)));
        assert_eq!(parse_i32(b"-0"), Some((0, false)));
        for invalid in ["", " ", "-", "+", "1.0", "1e3", "--1", "1 2", "0x1", "\u{c}1"] {
            assert_eq!(parse_i64(invalid.as_bytes()), None, "{invalid:?}");
        }
        assert_eq!(parse_u32(b"-1"), None);
    }

    #[test]
    fn doubles() {
        for (text, value) in [
            ("1.", 1.0),
            (".5", 0.5),
            ("+1.5E3", 1500.0),
            (" 7 ", 7.0),
            ("1e400000000000", f64::NAN),
            ("0e400000000000", 0.0),
            ("1e-400000000000", 0.0),
            ("INF", f64::INFINITY),
            ("-INF", f64::NEG_INFINITY),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("0.30000000000000004", 0.1 + 0.2),
        ] {
            assert_eq!(parse_double(text.as_bytes()), Some(value).filter(|value| !value.is_nan()), "{text}");
        }
        assert!(parse_double(b"NaN").is_some_and(f64::is_nan));
        for invalid in ["", ".", "-", "e5", "1e", "1e+", "1.2.3", "0x10", "inf", "nan", "+INF", "Infinity", "1,5", "28.01.2007"] {
            assert_eq!(parse_double(invalid.as_bytes()), None, "{invalid}");
        }
    }

    #[allow(clippy::excessive_precision)] // halves, written out
    #[test]
    fn as_excel_writes() {
        for (value, expected) in [
            (0.1 + 0.2, "0.30000000000000004"),
            (0.1, "0.1"),
            (0.119, "0.11899999999999999"),
            (0.29, "0.28999999999999998"),
            (1.0 / 3.0, "0.33333333333333331"),
            (1e-5, "1.0000000000000001E-5"),
            (0.05, "0.05"),
            (0.055, "5.5E-2"),
            (0.001, "1E-3"),
            (1e15, "1000000000000000"),
            (1e16, "1E+16"),
            (1e21, "1E+21"),
            (f64::from(29.4f32), "29.399999618530273"),
            (-0.0, "-0"),
            (f64::MAX, "1.7976931348623157E+308"),
            (5e-324, "4.9406564584124654E-324"),
            (19.99, "19.989999999999998"),
            (-5368709.1, "-5368709.0999999996"),
            (2787747.6, "2787747.6"),
            // Half of the 17th digit goes up.
            (93.2916412353515625, "93.291641235351563"),
            (2.98023223876953125e-8, "2.9802322387695313E-8"),
            // Hundredths in RK's other form.
            (16093.44, "16093.44"),
            (62368.56, "62368.56"),
            (33423.36, "33423.360000000001"),
            (160934.4, "160934.39999999999"),
        ] {
            assert_eq!(text(write_excel, value), expected);
        }
    }

    #[test]
    fn as_short_as_can_be() {
        for (value, expected) in [
            (0.1 + 0.2, "0.30000000000000004"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-10, "1.5e-10"),
            (1e15, "1000000000000000"),
            (1e16, "1e+16"),
            (-1.5e300, "-1.5e+300"),
            (f64::from(29.4f32), "29.399999618530273"),
            (-0.0, "-0"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-INF"),
            (123456.789, "123456.789"),
            (9007199254740993.0, "9007199254740992"),
        ] {
            assert_eq!(text(write_shortest, value), expected);
        }
    }

    fn doubles_of_all_kinds() -> impl Strategy<Value = f64> {
        let finite = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite());
        let decimal = (any::<i64>(), 0..18).prop_map(|(digits, places)| digits as f64 / 10f64.powi(places));
        let binary = (-1_000_000i64..1_000_000, 0..60).prop_map(|(digits, places)| digits as f64 / 2f64.powi(places));
        prop_oneof![finite, decimal, binary, -100.0..100.0, -1e17..1e17]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn doubles_come_back(value in doubles_of_all_kinds()) {
            for write in [write_shortest, write_excel] {
                let text = text(write, value);
                prop_assert_eq!(parse_double(text.as_bytes()).map(f64::to_bits), Some(value.to_bits()), "{}", text);
            }
        }

        #[test]
        fn few_places_are_written_as_they_are(number in 1u32..200_000_000, places in 1u32..7) {
            let value = f64::from(number) / 10f64.powi(places as i32);
            prop_assume!(value >= 1e-4);
            prop_assert_eq!(text(write_shortest, value), format!("{value}"));
        }

        #[test]
        fn digits_are_those_of_the_standard_library(value in doubles_of_all_kinds()) {
            prop_assume!(value != 0.0);
            let value = value.abs();
            let shortest = Decimal::from_format(format_args!("{value:e}")).trimmed();
            prop_assert_eq!(Decimal::shortest(value).trimmed(), shortest);
            let rounded = Decimal::from_format(format_args!("{value:.16e}")).trimmed();
            // The standard library rounds halves to even.
            let half = Decimal::from_format(format_args!("{value:.17e}")).digits % 10 == 5;
            if !half {
                prop_assert_eq!(Decimal::rounded(value).trimmed(), rounded);
            }
        }

        #[test]
        fn text_to_double_is_that_of_the_standard_library(text in "[+-]?[0-9]{1,22}(\\.[0-9]{0,22})?(e[+-]?[0-9]{1,3})?") {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(parse_double(text.as_bytes()), Some(expected).filter(|value| value.is_finite()));
        }

        #[test]
        fn integers_come_back(value: i64, shift in 0..64u32) {
            let value = value >> shift;
            let mut text = Vec::new();
            write_i64(value, &mut text);
            prop_assert_eq!(String::from_utf8_lossy(&text), value.to_string());
            prop_assert_eq!(parse_i64(&text), Some((value, true)));
            prop_assert_eq!(parse_u64(&text).map(|(value, _)| value), u64::try_from(value).ok());
        }

        #[test]
        fn canonical_means_that_printing_gives_the_text(text in "[ +-]?[0-9]{1,21} ?") {
            if let Some((value, canonical)) = parse_i64(text.as_bytes()) {
                prop_assert_eq!(canonical, value.to_string() == text);
            }
        }
    }
}
