//! Texts of values: usual ones, unusual ones, and ones that are not valid.

use recto_schema::tables::{Row, Scalar, enumeration};

use crate::Rng;

const TEXTS: [&str; 14] =
    ["", "x", "Heading1", " a  b ", "<&>\"'", "\n", "a\tb\r\nc", "é€😀", "0", "true", "rId1", "_x000D_", "urn:x", "]] >"];
const BOOLS: [&str; 14] = ["1", "0", "1", "0", "true", "false", "on", "off", "t", "f", "True", "", "yes", " 1"];
const INTEGERS: [&str; 26] = [
    "0",
    "1",
    "-1",
    "+5",
    "007",
    "-0",
    "127",
    "128",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1.0",
    "1e3",
    "0x10",
    " 5 ",
    "",
    "abc",
];
const DOUBLES: [&str; 30] = [
    "0",
    "-0",
    "1",
    "1.5",
    "0.1",
    "0.10000000000000001",
    "0.29999999999999999",
    "1.0000000000000001E-5",
    "1E5",
    "1e+5",
    "1E-7",
    "123456789012345678",
    "1.7976931348623157E308",
    "1e400",
    "5e-324",
    "4.9406564584124654E-324",
    "NaN",
    "INF",
    "-INF",
    "Infinity",
    ".5",
    "5.",
    "+1",
    "00.50",
    "1,5",
    " 2",
    "",
    "28.01.2007",
    "12pt",
    "9007199254740993",
];

/// The text of a value for a row, before escaping.
pub(super) fn value(rng: &mut Rng, row: &Row) -> String {
    match row.scalar {
        Scalar::String => text(rng),
        Scalar::Bool => (*rng.pick(&BOOLS)).to_owned(),
        Scalar::Uint32 | Scalar::Int32 | Scalar::Int64 | Scalar::Uint64 => integer(rng),
        Scalar::Double => double(rng),
        Scalar::Enum => {
            let Some(texts) = enumeration(row.target) else { return text(rng) };
            let number = 1 + rng.below(usize::from(texts.count));
            match texts.text(number as u64) {
                Some(text) if rng.chance(90) => String::from_utf8_lossy(text).into_owned(),
                Some(text) if rng.chance(50) => String::from_utf8_lossy(text).to_uppercase(),
                _ => text(rng),
            }
        }
    }
}

/// Any text without forbidden characters.
pub(super) fn text(rng: &mut Rng) -> String {
    (0..1 + rng.below(2)).map(|_| *rng.pick(&TEXTS)).collect()
}

pub(super) fn integer(rng: &mut Rng) -> String {
    if rng.chance(70) { rng.below(3000).to_string() } else { (*rng.pick(&INTEGERS)).to_owned() }
}

pub(super) fn double(rng: &mut Rng) -> String {
    let number = f64::from_bits(rng.bits());
    match rng.below(6) {
        0 => format!("{number:?}"),
        1 => format!("{number:.16E}"),
        2 => format!("{:.1$}", rng.below(1_000_000) as f64 / 997.0, rng.below(18)),
        3 => rng.below(100_000).to_string(),
        _ => (*rng.pick(&DOUBLES)).to_owned(),
    }
}
