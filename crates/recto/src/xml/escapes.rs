//! Character data and attribute values: from XML text to what it stands for, and back.
//!
//! Input and output are UTF-8, whose validity is not checked here; bytes are copied or replaced by whole characters, so
//! that valid input gives valid output.

use super::scan::{run_end, word};
use super::{append_cut, append_piece};
use crate::error::{Error, MarkupError};

/// Text that XML does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EscapeError {
    /// What is wrong with it.
    pub reason: &'static str,
    /// Offset in bytes from the start of the text.
    pub offset: usize,
}

impl From<EscapeError> for Error {
    fn from(error: EscapeError) -> Self {
        MarkupError::Malformed(error.reason.to_owned()).into()
    }
}

type Result<T = ()> = std::result::Result<T, EscapeError>;

/// Appends the text that character data stands for: references resolved (XML 1.0 clauses 4.1 and 4.6), line ends
/// normalised (clause 2.11).
#[inline]
pub(crate) fn unescape_text(raw: &[u8], out: &mut Vec<u8>) -> Result {
    unescape(raw, Place::Text, out)
}

/// Appends the text that an attribute's value, without its quotes, stands for: as [`unescape_text`], and literal white
/// space becomes spaces (XML 1.0 clause 3.3.3).
#[inline]
pub(crate) fn unescape_attribute(raw: &[u8], out: &mut Vec<u8>) -> Result {
    unescape(raw, Place::Attribute, out)
}

/// Text with CR and CRLF as LF.
pub(crate) fn normalised_lines(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    text.iter().enumerate().filter_map(|(at, &byte)| match byte {
        b'\r' if text.get(at + 1) == Some(&b'\n') => None,
        b'\r' => Some(b'\n'),
        _ => Some(byte),
    })
}

/// Appends text as character data. Fails, and appends nothing, if it has characters that XML cannot express.
#[cfg(test)]
pub(crate) fn escape_text(text: &[u8], out: &mut Vec<u8>) -> Result {
    escape(text, Place::Text, out)
}

/// Appends text as an attribute's value without the quotes, which must be `"`. Fails, and appends nothing, if it has
/// characters that XML cannot express.
#[inline]
pub(crate) fn escape_attribute(text: &[u8], out: &mut Vec<u8>) -> Result {
    escape(text, Place::Attribute, out)
}

/// Appends the piece of a buffer from `start` to `end`: as text or as an attribute's value, but short pieces are
/// looked at and copied in whole words, which may reach beyond them.
#[inline(always)]
pub(crate) fn escape_piece(buffer: &[u8], start: usize, end: usize, place: Place, out: &mut Vec<u8>) -> Result {
    let len = end.saturating_sub(start);
    if len == 0 {
        return Ok(());
    }
    if let Some(chunk) = buffer.get(start..).and_then(|rest| rest.first_chunk::<32>())
        && len <= 32
        && (if len <= 8 { specials(word(chunk, 0), place) << (64 - 8 * len) == 0 } else { is_plain_start(chunk, len, place) })
    {
        append_cut(out, chunk, len);
        return Ok(());
    }
    escape_any(buffer.get(start..end).unwrap_or_default(), place, out)
}

#[inline(never)]
fn escape_any(text: &[u8], place: Place, out: &mut Vec<u8>) -> Result {
    if text.len() > 32 && is_plain(text, place) {
        out.extend_from_slice(text);
        return Ok(());
    }
    escape(text, place, out)
}

/// Where text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between tags.
    Text,
    /// In an attribute's value, in double quotes.
    Attribute,
}

/// Copies plain runs and hands each special byte, with what follows it, to `resolve`, which says how many bytes it used.
/// `out` is left as it was on an error.
#[inline]
fn replace<F>(text: &[u8], place: Place, out: &mut Vec<u8>, mut resolve: F) -> Result
where
    F: FnMut(&[u8], usize, &mut Vec<u8>) -> Result<usize>,
{
    let start = out.len();
    let mut done = 0;
    while let Some(rest) = text.get(done..) {
        let plain = plain_len(rest, place);
        out.extend_from_slice(rest.get(..plain).unwrap_or(rest));
        if plain == rest.len() {
            break;
        }
        done += plain;
        match resolve(text, done, out) {
            Ok(used) => done += used,
            Err(error) => {
                out.truncate(start);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// As [`unescape_text`], of the text in a padded buffer that begins at `start` and has its first `&`, `]` or carriage return
/// at `special`: where it ends, which is at `<`. Nothing if something in it but usual references to `&`, `<` and `>` needs
/// attention; some of it may have been appended then.
#[inline]
pub(crate) fn unescape_usual(buffer: &[u8], start: usize, special: usize, out: &mut Vec<u8>) -> Option<usize> {
    if memchr::memchr(b'>', buffer.get(start..special)?).is_some() {
        return None;
    }
    let (mut at, mut end) = (start, special);
    loop {
        append_piece::<32>(out, buffer, at, end - at);
        let (byte, length) = match buffer.get(end..)? {
            [b'<', ..] => return Some(end),
            [b'&', b'a', b'm', b'p', b';', ..] => (b'&', 5),
            [b'&', b'l', b't', b';', ..] => (b'<', 4),
            [b'&', b'g', b't', b';', ..] => (b'>', 4),
            // Without `>`, it does not matter.
            [b']', ..] => (b']', 1),
            _ => return None,
        };
        out.push(byte);
        at = end + length;
        end = run_end(buffer, at);
    }
}

fn unescape(raw: &[u8], place: Place, out: &mut Vec<u8>) -> Result {
    replace(raw, place, out, |raw, at, out| {
        let rest = raw.get(at..).unwrap_or_default();
        let fail = |reason| Err(EscapeError { reason, offset: at });
        match rest {
            [b'&', ..] => match reference(rest) {
                Ok((char, used)) => {
                    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    Ok(used)
                }
                Err(reason) => fail(reason),
            },
            [b'<', ..] => fail("'<' in text"),
            [b'\r', b'\n', ..] => {
                out.push(if place == Place::Text { b'\n' } else { b' ' });
                Ok(2)
            }
            [b'\r' | b'\n' | b'\t', ..] if place == Place::Attribute => {
                out.push(b' ');
                Ok(1)
            }
            [b'\r', ..] => {
                out.push(b'\n');
                Ok(1)
            }
            [b'>', ..] if place == Place::Text && raw.get(..at).is_some_and(|before| before.ends_with(b"]]")) => {
                fail("']]>' in text")
            }
            _ => copy_valid(rest, at, out),
        }
    })
}

#[inline(never)]
fn escape(text: &[u8], place: Place, out: &mut Vec<u8>) -> Result {
    replace(text, place, out, |text, at, out| {
        let rest = text.get(at..).unwrap_or_default();
        let escaped: &[u8] = match rest.first() {
            Some(b'&') => b"&amp;",
            Some(b'<') => b"&lt;",
            Some(b'>') => b"&gt;",
            Some(b'\r') => b"&#13;",
            Some(b'"') if place == Place::Attribute => b"&quot;",
            Some(b'\n') if place == Place::Attribute => b"&#10;",
            Some(b'\t') if place == Place::Attribute => b"&#9;",
            _ => return copy_valid(rest, at, out),
        };
        out.extend_from_slice(escaped);
        Ok(1)
    })
}

/// Copies the first byte of `rest`, unless it is, or begins, a character that XML 1.0 (clause 2.2) forbids.
#[inline]
fn copy_valid(rest: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize> {
    match rest {
        [0xEF, 0xBF, 0xBE | 0xBF, ..] => Err(EscapeError { reason: "character U+FFFE or U+FFFF", offset: at }),
        [byte, ..] if *byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r') => {
            out.push(*byte);
            Ok(1)
        }
        _ => Err(EscapeError { reason: "control character", offset: at }),
    }
}

/// The character that the reference at the start of `rest` stands for, and the reference's length.
fn reference(rest: &[u8]) -> std::result::Result<(char, usize), &'static str> {
    const ENTITIES: [(&[u8], char); 5] = [(b"&amp;", '&'), (b"&lt;", '<'), (b"&gt;", '>'), (b"&quot;", '"'), (b"&apos;", '\'')];
    match rest {
        [b'&', b'#', b'x', digits @ ..] => character(digits, 16).map(|(char, len)| (char, len + 3)),
        [b'&', b'#', digits @ ..] => character(digits, 10).map(|(char, len)| (char, len + 2)),
        _ => ENTITIES
            .iter()
            .find(|(name, _)| rest.starts_with(name))
            .map(|&(name, char)| (char, name.len()))
            .ok_or("unknown entity or '&' in text"),
    }
}

/// The character with the number that `digits` begins with, and the length up to and including the semicolon.
fn character(digits: &[u8], radix: u32) -> std::result::Result<(char, usize), &'static str> {
    const INVALID: &str = "invalid character reference";
    let mut number = 0u32;
    for (at, &byte) in digits.iter().enumerate() {
        if byte == b';' && at > 0 {
            return char::from_u32(number).filter(|&char| is_xml_char(char)).map(|char| (char, at + 1)).ok_or(INVALID);
        }
        let digit = char::from(byte).to_digit(radix).ok_or(INVALID)?;
        number = number.saturating_mul(radix).saturating_add(digit);
    }
    Err(INVALID)
}

fn is_xml_char(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..)
}

/// How many bytes at the start of `text` need no attention, whatever is done with it.
#[inline]
fn plain_len(text: &[u8], place: Place) -> usize {
    let mut words = text.chunks_exact(8);
    let mut at = 0;
    for word in words.by_ref() {
        let found = specials(word.try_into().map_or(0, u64::from_le_bytes), place);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + words.remainder().iter().position(|&byte| special_bit(byte, place) != 0).unwrap_or(words.remainder().len())
}

/// The bits in which `&` may differ from a byte that needs attention: between tags, a quote needs none.
#[inline(always)]
const fn ampersand_bits(place: Place) -> u8 {
    match place {
        Place::Text => 0,
        Place::Attribute => b'"' ^ b'&',
    }
}

/// Whether a text of more than 32 bytes needs no attention.
fn is_plain(text: &[u8], place: Place) -> bool {
    let (chunks, _) = text.as_chunks::<32>();
    let is_plain = |chunk: &[u8; 32]| is_plain_start(chunk, 32, place);
    chunks.iter().all(is_plain) && text.last_chunk::<32>().is_some_and(is_plain)
}

/// Whether the first `len` bytes need no attention. Without branches in the loop, it becomes a few vector instructions.
#[inline(always)]
fn is_plain_start(chunk: &[u8; 32], len: usize, place: Place) -> bool {
    let special = |special, (at, &byte): (u8, &u8)| special | special_bit(byte, place) & u8::from(at < len as u8);
    (0..).zip(chunk).fold(0, special) == 0
}

/// 1 for markup, white space other than the space, forbidden control characters, and the first byte of U+FFFE and U+FFFF.
#[inline(always)]
fn special_bit(byte: u8, place: Place) -> u8 {
    let below = u8::from(byte < 0x20);
    let markup = u8::from(byte | ampersand_bits(place) == b'&') | u8::from(byte | (b'<' ^ b'>') == b'>');
    below | markup | u8::from(byte == 0xEF)
}

/// [`special_bit`] for eight bytes at once: the high bit of each special byte is set. A bit above the lowest may be set
/// for a byte that is not special, because subtraction borrows upwards.
#[inline]
fn specials(word: u64, place: Place) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let equal = |word: u64, byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    // `"` and `&` differ in one bit, and so do `<` and `>`.
    let quote_or_ampersand = equal(word | (ONES * u64::from(ampersand_bits(place))), b'&');
    let angle = equal(word | (ONES * u64::from(b'<' ^ b'>')), b'>');
    (below(word, 0x20) | quote_or_ampersand | angle | equal(word, 0xEF)) & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(function: fn(&[u8], &mut Vec<u8>) -> Result, input: &str) -> std::result::Result<String, (&'static str, usize)> {
        let mut out = b"x".to_vec();
        let result = function(input.as_bytes(), &mut out);
        let text = String::from_utf8(out).unwrap();
        match result {
            Ok(()) => Ok(text[1..].to_owned()),
            Err(error) => {
                assert_eq!(text, "x", "nothing is appended on an error");
                Err((error.reason, error.offset))
            }
        }
    }

    #[test]
    fn unescapes_text() {
        for (raw, text) in [
            ("", ""),
            ("plain text, longer than eight", "plain text, longer than eight"),
            ("&lt;a&gt; &amp;amp; &quot;&apos;", "<a> &amp; \"'"),
            ("&#65;&#x42;&#x1F600;&#0000000000000000000067;", "AB\u{1F600}C"),
            ("a\r\nb\rc\r\r\nd\te", "a\nb\nc\n\nd\te"),
            ("&#13;&#xA;&#9;", "\r\n\t"),
            ("\u{FFFD}\u{FF0C}\u{7F}\u{85}", "\u{FFFD}\u{FF0C}\u{7F}\u{85}"),
            ("]] > \">", "]] > \">"),
        ] {
            assert_eq!(run(unescape_text, raw).as_deref(), Ok(text), "{raw:?}");
        }
    }

    #[test]
    fn unescapes_attributes() {
        for (raw, text) in [("a\r\nb\rc\nd\te", "a b c d e"), ("&#13;&#10;&#9;", "\r\n\t"), ("]]>'", "]]>'"), ("\r\r\n", "  ")] {
            assert_eq!(run(unescape_attribute, raw).as_deref(), Ok(text), "{raw:?}");
        }
    }

    #[test]
    fn refuses_what_is_not_well_formed() {
        for (raw, offset) in [
            ("0123456789 & b", 11),
            ("&nbsp;", 0),
            ("a&amp", 1),
            ("&#;", 0),
            ("&#x;", 0),
            ("&#X41;", 0),
            ("&#+65;", 0),
            ("&#0;", 0),
            ("&#11;", 0),
            ("&#xD800;", 0),
            ("&#xFFFE;", 0),
            ("&#x110000;", 0),
            ("&#99999999999999999999;", 0),
            ("a<b", 1),
            ("ab\u{1}", 2),
            ("12345678\u{0}", 8),
            ("\u{FFFE}", 0),
            ("\u{FFFF}", 0),
        ] {
            assert_eq!(run(unescape_text, raw).map_err(|error| error.1), Err(offset), "{raw:?}");
            assert_eq!(run(unescape_attribute, raw).map_err(|error| error.1), Err(offset), "{raw:?}");
        }
        assert_eq!(run(unescape_text, "a]]>"), Err(("']]>' in text", 3)));
    }

    #[test]
    fn escapes() {
        assert_eq!(run(escape_text, "a&b<c>d\"e\tf\ng\r").as_deref(), Ok("a&amp;b&lt;c&gt;d\"e\tf\ng&#13;"));
        assert_eq!(run(escape_attribute, "a&b<c>d\"e\tf\ng\r").as_deref(), Ok("a&amp;b&lt;c&gt;d&quot;e&#9;f&#10;g&#13;"));
        assert_eq!(run(escape_text, "ok\u{8}"), Err(("control character", 2)));
        assert_eq!(run(escape_attribute, "\u{FFFF}"), Err(("character U+FFFE or U+FFFF", 0)));
    }

    #[test]
    fn eight_bytes_at_once_agree_with_one() {
        for byte in 0..=255u8 {
            for len in 1..80 {
                for at in 0..len {
                    let mut text = [b'a'; 120];
                    text[at] = byte;
                    text[len] = 0;
                    let mut out = Vec::new();
                    let result = escape_piece(&text, 0, len, Place::Attribute, &mut out);
                    let mut expected = Vec::new();
                    assert_eq!(result, escape_attribute(&text[..len], &mut expected));
                    assert_eq!(out, expected, "{byte:#x} at {at} of {len}");
                }
            }
            for place in 0..8 {
                let mut text = [b'a'; 11];
                text[place] = byte;
                for context in [Place::Text, Place::Attribute] {
                    let quote = byte == b'"' && context == Place::Attribute;
                    let special = byte < 0x20 || matches!(byte, b'&' | b'<' | b'>' | 0xEF) || quote;
                    assert_eq!(plain_len(&text, context), if special { place } else { 11 }, "{byte:#x} at {place}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn unescape_inverts_escape(text in "[\\x09\\x0a\\x0d\\x20-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*|[&<>\"'\\]\r\n\t a]*") {
            prop_assert_eq!(run(unescape_text, &run(escape_text, &text).unwrap()).unwrap(), text.clone());
            prop_assert_eq!(run(unescape_attribute, &run(escape_attribute, &text).unwrap()).unwrap(), text);
        }

        #[test]
        fn any_input_is_safe(text in "[&#x;amp0-9<>\r\n\\]\u{0}-\u{1F}\u{FFFD}-\u{10001}]*") {
            for function in [unescape_text, unescape_attribute, escape_text, escape_attribute] {
                let _ = run(function, &text);
            }
        }
    }
}
