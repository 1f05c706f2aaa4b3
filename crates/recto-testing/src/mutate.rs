//! Small damage, as disks, programs and enemies do it.

use crate::Rng;

/// Changes a few bytes: flips bits, cuts, repeats, inserts.
pub fn bytes(source: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = source.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        let length = (1 + rng.below(16)).min(bytes.len() - at);
        match rng.below(6) {
            0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
            2 if !bytes.is_empty() => bytes[at] = rng.bits() as u8,
            3 => {
                bytes.drain(at..at + length);
            }
            4 => {
                let piece = bytes[at..at + length].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            _ => {
                let fresh: Vec<u8> = (0..length).map(|_| rng.bits() as u8).collect();
                bytes.splice(at..at, fresh);
            }
        }
    }
    if rng.chance(10) {
        bytes.truncate(rng.below(bytes.len() + 1));
    }
    bytes
}

/// Changes XML where it hurts: its delimiters, names and references.
pub fn markup(source: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 30] = [
        "<",
        ">",
        "/",
        "/>",
        "</",
        "=",
        "\"",
        "'",
        "&",
        ";",
        "&#0;",
        "&#x110000;",
        "&lt",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<!DOCTYPE a>",
        "xmlns=\"\"",
        " xmlns:w=\"urn:x\"",
        ":",
        "<w:p>",
        "</w:p>",
        "<a/>",
        " ",
        "\u{0}",
        "\u{FFFE}",
        "é",
    ];
    let mut bytes = source.to_vec();
    for _ in 0..1 + rng.below(3) {
        let marks: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| b"<>\"'=/&:! ".contains(byte)).map(|(place, _)| place).collect();
        let at = if marks.is_empty() { rng.below(bytes.len() + 1) } else { *rng.pick(&marks) };
        let at = (at + rng.below(2)).min(bytes.len());
        match rng.below(4) {
            0 if at < bytes.len() => {
                bytes.remove(at);
            }
            1 => {
                let end = (at + 1 + rng.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            2 => {
                let end = (at + 1 + rng.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                bytes.splice(at..at, rng.pick(&PIECES).bytes());
            }
        }
    }
    bytes
}
