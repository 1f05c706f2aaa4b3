//! Names (XML 1.0 clause 2.3, Namespaces in XML clause 4).

/// Byte classes: 1 may start a name, 2 may only continue one.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler
static CLASSES: [u8; 128] = {
    let mut classes = [0u8; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => 1,
            b'0'..=b'9' | b'-' | b'.' => 2,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(byte as usize).copied().unwrap_or(0)
}

fn wide_may_start(character: char) -> bool {
    matches!(character as u32,
        0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x2FF | 0x370..=0x37D | 0x37F..=0x1FFF | 0x200C..=0x200D | 0x2070..=0x218F
        | 0x2C00..=0x2FEF | 0x3001..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFFD | 0x10000..=0xEFFFF)
}

fn wide_may_continue(character: char) -> bool {
    wide_may_start(character) || matches!(character as u32, 0xB7 | 0x300..=0x36F | 0x203F..=0x2040)
}

/// Whether the bytes are a name without colon.
pub(crate) fn is_ncname(name: &[u8]) -> bool {
    let Some((&first, rest)) = name.split_first() else { return false };
    if class(first) == 1 && rest.iter().all(|&byte| class(byte) != 0) {
        return true;
    }
    let Ok(text) = std::str::from_utf8(name) else { return false };
    let mut characters = text.chars();
    let starts = characters.next().is_some_and(|first| match first.is_ascii() {
        true => class(first as u8) == 1,
        false => wide_may_start(first),
    });
    starts
        && characters.all(|character| match character.is_ascii() {
            true => class(character as u8) != 0,
            false => wide_may_continue(character),
        })
}

/// Splits a qualified name into prefix (empty without) and local name; `None` where it is not one.
pub(crate) fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    match memchr::memchr(b':', name) {
        None => is_ncname(name).then_some((&[][..], name)),
        Some(colon) => {
            let (prefix, local) = (name.get(..colon)?, name.get(colon + 1..)?);
            (is_ncname(prefix) && is_ncname(local)).then_some((prefix, local))
        }
    }
}

/// White space in the sense of XML.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether there is nothing but white space.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|&byte| is_space(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_split_at_their_one_colon() {
        assert_eq!(split(b"w:p"), Some((&b"w"[..], &b"p"[..])));
        assert_eq!(split(b"row"), Some((&b""[..], &b"row"[..])));
        for bad in [&b""[..], b":p", b"w:", b"a:b:c", b"1a", b"a b", b"w:1", b"a<"] {
            assert_eq!(split(bad), None, "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn names_may_hold_letters_of_all_scripts() {
        assert!(is_ncname("Élément".as_bytes()));
        assert!(is_ncname("表".as_bytes()));
        assert!(!is_ncname("×".as_bytes()));
    }
}
