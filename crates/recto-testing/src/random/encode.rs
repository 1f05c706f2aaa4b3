//! Encodings of parts.

use crate::Rng;

/// The bytes of a text that has no XML declaration, in a random encoding with the declaration that it needs.
pub fn encode(text: &str, rng: &mut Rng) -> Vec<u8> {
    let version = |rest: &str| format!("<?xml version=\"1.0\"{rest}?>");
    match rng.below(12) {
        0 => [b"\xef\xbb\xbf", version(" encoding=\"utf-8\"").as_bytes(), text.as_bytes()].concat(),
        1 => wide(&(version(" encoding='UTF-16'") + "\r\n" + text), u16::to_le_bytes, true),
        2 => wide(&(version(" encoding=\"utf-16\" standalone='no'") + text), u16::to_be_bytes, true),
        3 => {
            let plain: String = text.chars().map(|letter| if letter as u32 > 0xff { 'ÿ' } else { letter }).collect();
            let declared = version(" encoding=\"ISO-8859-1\"") + &plain;
            declared.chars().map(|letter| letter as u8).collect()
        }
        4 => text.into(),
        5 => (version("") + "\n" + text).into_bytes(),
        6 => (version(" encoding='UTF-8' standalone='yes'") + "\n\n" + text).into_bytes(),
        _ => (version(" encoding=\"UTF-8\" standalone=\"yes\"") + "\r\n" + text).into_bytes(),
    }
}

fn wide(text: &str, bytes: fn(u16) -> [u8; 2], mark: bool) -> Vec<u8> {
    let mark = mark.then_some(0xfeff).into_iter();
    mark.chain(text.encode_utf16()).flat_map(bytes).collect()
}
