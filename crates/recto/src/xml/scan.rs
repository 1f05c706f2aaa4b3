//! Finding the ends of names, values and texts eight bytes at a time.
//!
//! All of these take a buffer that ends in zero bytes: at zero every search stops, so that none needs to watch the end.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Eight bytes of a buffer, little-endian; zero beyond its end.
#[inline(always)]
pub(crate) fn word(buffer: &[u8], at: usize) -> u64 {
    match buffer.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => 0,
    }
}

/// A byte of a buffer; zero beyond its end.
#[inline(always)]
pub(crate) fn byte(buffer: &[u8], at: usize) -> u8 {
    buffer.get(at).copied().unwrap_or(0)
}

/// A word of eight times the same byte.
#[inline(always)]
const fn repeat(byte: u8) -> u64 {
    LOW * byte as u64
}

/// The high bits of the bytes below `limit`, which is 128 at most; bits above the lowest one found may be wrong.
#[inline(always)]
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(repeat(limit)) & !word & HIGH
}

/// The high bits of the bytes that are one of these, which are US-ASCII; bits above the lowest one found may be wrong.
#[inline(always)]
fn any<const COUNT: usize>(word: u64, bytes: [u8; COUNT]) -> u64 {
    let found = bytes.iter().fold(0, |found, &byte| found | (word ^ repeat(byte)).wrapping_sub(LOW));
    found & !word & HIGH
}

/// The index of the first byte marked.
#[inline(always)]
fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The low `count` bytes of a word.
#[inline(always)]
pub(crate) fn low_bytes(word: u64, count: usize) -> u64 {
    if count >= 8 { word } else { word & ((1 << (8 * count)) - 1) }
}

/// Up to sixteen bytes that are looked for in a padded buffer again and again.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    words: [u64; 2],
    /// Which bits of the words count.
    masks: [u64; 2],
    pub len: usize,
}

impl Short {
    /// Nothing for longer texts.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        use recto_schema::tables::word;
        let len = text.len();
        let words = [word(text), word(text.get(8..).unwrap_or_default())];
        let masks = [low_bytes(u64::MAX, len), low_bytes(u64::MAX, len.saturating_sub(8))];
        (len <= 16).then_some(Short { words, masks, len })
    }

    /// What stands at a place of a padded buffer: up to sixteen bytes.
    #[inline]
    pub(crate) fn at(buffer: &[u8], at: usize, len: usize) -> Self {
        let masks = [low_bytes(u64::MAX, len), low_bytes(u64::MAX, len.saturating_sub(8))];
        Short { words: [word(buffer, at) & masks[0], word(buffer, at + 8) & masks[1]], masks, len }
    }

    /// Whether they stand at a place.
    #[inline(always)]
    pub(crate) fn is_at(&self, buffer: &[u8], at: usize) -> bool {
        word(buffer, at) & self.masks[0] == self.words[0]
            && (self.len <= 8 || word(buffer, at + 8) & self.masks[1] == self.words[1])
    }
}

/// Whether the same `length` bytes stand at two places of a buffer.
#[inline(always)]
pub(crate) fn same(buffer: &[u8], one: usize, other: usize, length: usize) -> bool {
    low_bytes(word(buffer, one) ^ word(buffer, other), length) == 0
        && (length <= 8 || buffer.get(one + 8..one + length) == buffer.get(other + 8..other + length))
}

/// Where a name that begins at `at` ends: at a byte that is no letter, digit, `_`, `-`, `.` or part of a wide character.
#[inline(always)]
pub(crate) fn name_end(buffer: &[u8], mut at: usize) -> usize {
    loop {
        let word = word(buffer, at);
        // Below '0' stand space, quotes, '/', '-' and '.'; the others that end a name are ':', '=' and '>'.
        let mut marks = below(word, b'0') | any(word, [b'>', b'=', b':']);
        while marks != 0 {
            let end = at + first(marks);
            if !matches!(byte(buffer, end), b'-' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80..) {
                return end;
            }
            marks &= marks - 1;
        }
        at += 8;
    }
}

/// Where a value in double quotes ends, or something in it that needs more than copying stands: an entity, a line break
/// or tab, `<`, the end of the buffer.
#[inline(always)]
pub(crate) fn value_end(buffer: &[u8], mut at: usize) -> usize {
    loop {
        let word = word(buffer, at);
        let marks = any(word, [b'"', b'&', b'<']) | below(word, 0x20);
        if marks != 0 {
            return at + first(marks);
        }
        at += 8;
    }
}

/// Where a text ends, or something in it that needs more than copying stands: an entity, a carriage return, `]`, `>`, the
/// end of the buffer.
#[inline(always)]
pub(crate) fn text_end(buffer: &[u8], mut at: usize) -> usize {
    loop {
        let word = word(buffer, at);
        let marks = any(word, [b'<', b'&', b']']) | below(word, 0x20);
        let mut left = marks;
        while left != 0 {
            let end = at + first(left);
            if !matches!(byte(buffer, end), b'\n' | b'\t') && matches!(byte(buffer, end), b'<' | b'&' | b']' | 0..0x20) {
                return end;
            }
            left &= left - 1;
        }
        at += 8;
    }
}

/// Where a run of text ends that stands for itself: at `<`, `&`, `>`, a carriage return, the end of the buffer.
#[inline(always)]
pub(crate) fn run_end(buffer: &[u8], mut at: usize) -> usize {
    loop {
        let word = word(buffer, at);
        // One bit tells `<` from `>`.
        let mut marks = any(word | repeat(b'<' ^ b'>'), [b'>']) | any(word, [b'&']) | below(word, 0x20);
        while marks != 0 {
            let end = at + first(marks);
            if matches!(byte(buffer, end), b'<' | b'&' | b'>' | b'\r' | 0) {
                return end;
            }
            marks &= marks - 1;
        }
        at += 8;
    }
}

/// How many digits a word begins with.
#[inline(always)]
pub(crate) fn digit_count(word: u64) -> usize {
    let flipped = word ^ repeat(b'0');
    // A byte is no digit if it is above 9 now; adding 118 sets the high bit then. Carries only go upwards.
    first((flipped.wrapping_add(repeat(118)) | flipped) & HIGH)
}

/// The number that the first `count` bytes of a word say, which are one to eight digits.
#[inline(always)]
pub(crate) fn number(word: u64, count: usize) -> u32 {
    let padded = word << ((64 - 8 * count as u32) & 63);
    // Pairs, then fours, then all eight: each step multiplies by the weights and keeps the upper half.
    let pairs = ((padded & repeat(0x0f)).wrapping_mul(2561) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(42_949_672_960_001) >> 32) as u32
}

/// The number that one to eight digits say.
#[inline(always)]
pub(crate) fn digits(buffer: &[u8], at: usize, count: usize) -> Option<u32> {
    let word = word(buffer, at);
    ((1..=8).contains(&count) && digit_count(word) >= count).then(|| number(word, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut buffer = text.as_bytes().to_vec();
        buffer.resize(buffer.len() + 32, 0);
        buffer
    }

    #[test]
    fn names_end_where_names_end() {
        for (text, end) in
            [("rPr>", 3), ("a-b.c_1 x", 7), ("w:p", 1), ("x=\"\"", 1), ("é/>", 2), ("abcdefghijklm/>", 13), ("abc", 3)]
        {
            assert_eq!(name_end(&padded(text), 0), end, "{text}");
        }
        assert_eq!(name_end(&padded("abcdefgh-ijklmnop.qr\""), 0), 20);
    }

    #[test]
    fn values_and_texts_stop_at_what_is_not_plain() {
        assert_eq!(value_end(&padded("Times New Roman\" x"), 0), 15);
        assert_eq!(value_end(&padded("a&amp;b\""), 0), 1);
        assert_eq!(value_end(&padded("long long line\nbreak\""), 0), 14);
        assert_eq!(text_end(&padded("two\nlines\tand more of it</w:t>"), 0), 24);
        assert_eq!(text_end(&padded("a]]>"), 0), 1);
        assert_eq!(text_end(&padded("a\rb<"), 0), 1);
        assert_eq!(text_end(&padded("unfinished"), 0), 10);
        for (text, end) in [("two\nlines]] &amp;", 12), ("wide \u{fc}\u{bc}>", 9), ("a\rb<", 1), ("unfinished", 10)] {
            assert_eq!(run_end(&padded(text), 0), end, "{text}");
        }
    }

    #[test]
    fn short_texts_are_found_where_they_stand() {
        let buffer = padded("abcdefghijklmnopq");
        for len in 0..=16 {
            let short = Short::of(&buffer[..len]).unwrap();
            assert!(short.is_at(&buffer, 0) && short.len == len);
            assert_eq!(short.is_at(&buffer, 1), len == 0);
            assert!(Short::at(&buffer, 0, len).is_at(&buffer, 0) && Short::at(&buffer, 1, len).is_at(&buffer, 1));
            assert_eq!(Short::at(&buffer, 1, len).is_at(&buffer, 0), len == 0);
            assert!(short.is_at(&padded(&"abcdefghijklmnopq"[..len]), 0));
        }
        assert!(Short::of(&buffer[..17]).is_none());
    }

    #[test]
    fn up_to_eight_digits_at_once() {
        for text in ["0", "7", "42", "999", "1234567", "12345678"] {
            assert_eq!(digits(&padded(text), 0, text.len()), text.parse().ok());
        }
        for text in ["", "x", "1x", "-1", "1234:678", "1/", "123456789"] {
            assert_eq!(digits(&padded(text), 0, text.len()), None, "{text}");
        }
    }
}
