//! Whether markup is spelt as this crate writes it.

use super::tokens::Tag;

/// Whether a start tag is: one space before each attribute, double quotes, nothing before the end, and values as
/// they would be escaped.
pub(crate) fn is_usual_tag(tag: &Tag<'_>) -> bool {
    let mut rest = tag.attributes;
    for attribute in tag.attributes() {
        let Ok(attribute) = attribute else { return false };
        let after = rest.strip_prefix(b" ").and_then(|rest| rest.strip_prefix(attribute.name));
        let after = after.and_then(|rest| rest.strip_prefix(b"=\"")).and_then(|rest| rest.strip_prefix(attribute.value));
        let Some(after) = after.and_then(|rest| rest.strip_prefix(b"\"")) else { return false };
        if !is_usual_value(attribute.value) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Whether a text is: its characters as they would be escaped.
pub(crate) fn is_usual_text(raw: &[u8]) -> bool {
    is_usual(raw, &[b"&amp;", b"&lt;", b"&gt;", b"&#13;"], |byte| matches!(byte, b'>' | b'\r'))
}

fn is_usual_value(raw: &[u8]) -> bool {
    let references: &[&[u8]] = &[b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&#13;", b"&#10;", b"&#9;"];
    is_usual(raw, references, |byte| matches!(byte, b'>' | 0..0x20))
}

/// Whether all references are among these, and nothing stands there as it is that would be one.
fn is_usual(raw: &[u8], references: &[&[u8]], escaped: impl Fn(u8) -> bool) -> bool {
    let mut starts = memchr::memchr_iter(b'&', raw);
    !raw.iter().any(|&byte| escaped(byte))
        && starts.all(|at| raw.get(at..).is_some_and(|rest| references.iter().any(|reference| rest.starts_with(reference))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::limits::Limits;
    use crate::xml::tokens::{Token, Tokens};

    fn usual(text: &str) -> bool {
        let limits = Limits::default();
        let mut tokens = Tokens::new(text.as_bytes(), &limits);
        match tokens.next().unwrap().token {
            Token::Start(tag) => is_usual_tag(&tag),
            _ => false,
        }
    }

    #[test]
    fn tags_are_usual_as_they_are_written() {
        for text in ["<a/>", "<a x=\"1\"/>", "<a x=\"1 &amp; 2\" y=\"\">", "<a x=\"'\"/>"] {
            assert!(usual(text), "{text}");
        }
        for text in ["<a />", "<a  x=\"1\"/>", "<a x='1'/>", "<a x =\"1\"/>", "<a\nx=\"1\"/>", "<a x=\"1\" >", "<a x=\"&#65;\"/>"]
        {
            assert!(!usual(text), "{text}");
        }
        assert!(!usual("<a x=\"1>0\"/>") && !usual("<a x=\"1\n2\"/>"));
    }

    #[test]
    fn texts_are_usual_as_they_are_written() {
        assert!(is_usual_text(b"a &lt; b\n\tc &amp; d &gt; 'e' \"f\""));
        for text in ["a > b", "&quot;", "&#10;", "a\r\nb"] {
            assert!(!is_usual_text(text.as_bytes()), "{text}");
        }
    }
}
