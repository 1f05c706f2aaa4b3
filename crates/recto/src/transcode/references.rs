//! Cell references in A1 notation.

use crate::xml::append_cut;

/// Columns of a sheet: A to XFD.
pub(crate) const COLUMNS: u32 = 16_384;
/// Rows of a sheet.
pub(crate) const ROWS: u32 = 1_048_576;

/// Column and row, both counted from 1, of a reference such as `BC17`: capital letters, then digits without a leading
/// zero, within the limits of a sheet. Anything else, `$` signs among them, is not what a cell's `r` says.
#[inline]
pub(crate) fn parse_cell(text: &[u8]) -> Option<(u32, u32)> {
    let letters = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (letters, digits) = text.split_at_checked(letters)?;
    if !(1..=3).contains(&letters.len()) || !(1..=7).contains(&digits.len()) || digits.first() == Some(&b'0') {
        return None;
    }
    let column = letters.iter().fold(0, |column, &letter| column * 26 + u32::from(letter - b'A') + 1);
    let mut row = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        row = row * 10 + u32::from(digit - b'0');
    }
    (column <= COLUMNS && row <= ROWS).then_some((column, row))
}

/// Appends the letters of a column, counted from 1; nothing for 0.
#[inline]
pub(crate) fn write_column(column: u32, out: &mut Vec<u8>) {
    let (mut letters, mut len, mut rest) = (0u64, 0, column);
    while rest > 0 {
        rest -= 1;
        letters = letters << 8 | u64::from(b'A' + (rest % 26) as u8);
        rest /= 26;
        len += 1;
    }
    // Of the greatest number, seven letters.
    append_cut(out, &letters.to_le_bytes(), len);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_canonical_references_only() {
        assert_eq!(parse_cell(b"A1"), Some((1, 1)));
        assert_eq!(parse_cell(b"Z10"), Some((26, 10)));
        assert_eq!(parse_cell(b"AA2"), Some((27, 2)));
        assert_eq!(parse_cell(b"XFD1048576"), Some((COLUMNS, ROWS)));
        for text in ["", "A", "1", "A0", "A01", "a1", "$A$1", "A1:B2", "XFE1", "A1048577", "AAAA1", "A12345678", "A1 ", "A-1"] {
            assert_eq!(parse_cell(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn every_column_comes_back() {
        for column in 1..=COLUMNS {
            let mut text = Vec::new();
            write_column(column, &mut text);
            text.push(b'7');
            assert_eq!(parse_cell(&text), Some((column, 7)));
        }
        let mut text = Vec::new();
        write_column(0, &mut text);
        write_column(u32::MAX, &mut text);
        assert_eq!(text, b"MWLQKWU");
    }
}
