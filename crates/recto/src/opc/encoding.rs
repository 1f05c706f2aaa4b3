//! Character encodings of XML parts (XML 1.0, appendix F): everything above this module sees UTF-8.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::{Error, MarkupError, Result};

/// The encoding of an XML part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8 without byte order mark; includes US-ASCII.
    #[default]
    Utf8,
    /// UTF-8 with byte order mark.
    Utf8Bom,
    /// UTF-16, little end first, with or without byte order mark.
    Utf16Le,
    /// UTF-16, big end first, with or without byte order mark.
    Utf16Be,
    /// An encoding of one byte a character: ISO 8859 and Windows code pages. ISO 8859-1 is read as Windows-1252, as
    /// browsers do.
    Latin1,
}

/// Bytes at the start of a part that are looked at for a byte order mark and an XML declaration.
const HEAD: usize = 1024;

/// The smallest buffer into which is decoded without a detour.
const SMALL: usize = 64;

/// What the start of a part tells.
struct Detected {
    encoding: Encoding,
    /// None: UTF-8, to be passed on.
    codec: Option<&'static encoding_rs::Encoding>,
    /// Length of the byte order mark.
    mark: usize,
    /// Whether the declaration contradicts the bytes.
    mismatch: bool,
}

impl Detected {
    fn new(encoding: Encoding, mark: usize, declared: Option<&[u8]>) -> Self {
        let codec = match encoding {
            Encoding::Utf16Le => Some(UTF_16LE),
            Encoding::Utf16Be => Some(UTF_16BE),
            _ => None,
        };
        let mismatch = declared.is_some_and(|label| {
            let wide = label.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"utf-16"));
            wide != codec.is_some()
        });
        Detected { encoding, codec, mark, mismatch }
    }
}

fn detect(head: &[u8]) -> Result<Detected> {
    let narrow = |start: usize| declared(head.get(start..).unwrap_or_default());
    let wide = |start: usize| {
        let readable: Vec<u8> = head.iter().skip(start).copied().filter(|&byte| byte != 0).collect();
        declared(&readable).map(<[u8]>::to_vec)
    };
    Ok(match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [b'<', 0, 0, 0, ..] | [0, 0, 0, b'<', ..] => {
            return Err(MarkupError::Encoding("utf-32 is not supported".to_owned()).into());
        }
        [0xef, 0xbb, 0xbf, ..] => Detected::new(Encoding::Utf8Bom, 3, narrow(3)),
        [0xff, 0xfe, ..] => Detected::new(Encoding::Utf16Le, 2, wide(2).as_deref()),
        [0xfe, 0xff, ..] => Detected::new(Encoding::Utf16Be, 2, wide(2).as_deref()),
        [b'<', 0, ..] => Detected::new(Encoding::Utf16Le, 0, wide(0).as_deref()),
        [0, b'<', ..] => Detected::new(Encoding::Utf16Be, 0, wide(0).as_deref()),
        _ => match narrow(0) {
            Some(label) => by_label(label)?,
            None => Detected::new(Encoding::Utf8, 0, None),
        },
    })
}

/// What a declaration in readable bytes names. It cannot be UTF-16: the bytes are believed.
fn by_label(label: &[u8]) -> Result<Detected> {
    let unknown = || {
        let label = String::from_utf8_lossy(label);
        Error::from(MarkupError::Encoding(format!("{label:?} is not supported")))
    };
    if [b"us-ascii".as_slice(), b"ascii"].iter().any(|ascii| label.eq_ignore_ascii_case(ascii)) {
        return Ok(Detected::new(Encoding::Utf8, 0, None));
    }
    if label.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"utf-16")) {
        return Ok(Detected::new(Encoding::Utf8, 0, Some(label)));
    }
    let codec = encoding_rs::Encoding::for_label(label).ok_or_else(unknown)?;
    match codec {
        _ if codec == UTF_8 => Ok(Detected::new(Encoding::Utf8, 0, Some(label))),
        _ if codec.is_single_byte() => Ok(Detected { encoding: Encoding::Latin1, codec: Some(codec), mark: 0, mismatch: false }),
        _ => Err(unknown()),
    }
}

/// The encoding that an XML declaration names.
fn declared(head: &[u8]) -> Option<&[u8]> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = declaration.get(..memchr::memmem::find(declaration, b"?>")?)?;
    let after = declaration.get(memchr::memmem::find(declaration, b"encoding")? + 8..)?;
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, value) = value.split_first()?;
    let label = value.get(..memchr::memchr(quote, value)?)?;
    b"\"'".contains(&quote).then_some(label)
}

/// Whether a part is in UTF-8 without byte order mark, so that nothing has to be decoded. Its bytes may still violate it.
pub(crate) fn is_plain(part: &[u8]) -> bool {
    let detected = detect(part.get(..HEAD).unwrap_or(part));
    detected.is_ok_and(|detected| detected.encoding == Encoding::Utf8 && detected.codec.is_none() && detected.mark == 0)
}

/// Reads an XML part as UTF-8 without byte order mark, whatever its encoding. What comes out is valid UTF-8: a violation is an
/// error, with its offset in the part.
///
/// Pieces end at any byte, also within a character.
pub struct Utf8Reader<R> {
    input: Input<R>,
    encoding: Encoding,
    mismatch: bool,
    mode: Mode,
    /// Decoded bytes that did not fit into a small buffer, and how many of them are gone.
    spare: Vec<u8>,
    spare_at: usize,
}

enum Mode {
    /// The start of a character whose rest is still to come.
    Utf8 {
        pending: Vec<u8>,
    },
    Transcode {
        decoder: Box<Decoder>,
        raw: Vec<u8>,
        raw_at: usize,
        end: bool,
    },
}

/// The head that has been read ahead, and the rest.
struct Input<R> {
    inner: R,
    head: Vec<u8>,
    head_at: usize,
    /// Offset in the part of the next byte.
    offset: u64,
}

impl<R: Read> Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.head.get(self.head_at..).unwrap_or_default();
        let count = if rest.is_empty() {
            loop {
                match self.inner.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other?,
                }
            }
        } else {
            let count = (&mut &*rest).read(buffer)?;
            self.head_at += count;
            count
        };
        self.offset += count as u64;
        Ok(count)
    }
}

impl<R: Read> Utf8Reader<R> {
    /// Reads the start of a part and finds its encoding.
    ///
    /// # Errors
    /// A markup error if the encoding is not supported, or whatever reading meets.
    pub fn new(mut inner: R) -> Result<Self> {
        let mut head = Vec::new();
        inner.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let detected = detect(&head)?;
        let mode = match detected.codec {
            None => Mode::Utf8 { pending: Vec::new() },
            Some(codec) => {
                let decoder = Box::new(codec.new_decoder_without_bom_handling());
                Mode::Transcode { decoder, raw: Vec::new(), raw_at: 0, end: false }
            }
        };
        let input = Input { inner, head, head_at: detected.mark, offset: detected.mark as u64 };
        let (encoding, mismatch) = (detected.encoding, detected.mismatch);
        Ok(Utf8Reader { input, encoding, mismatch, mode, spare: Vec::new(), spare_at: 0 })
    }

    /// The encoding that was found.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the XML declaration names another encoding than the bytes have; the bytes are believed.
    pub fn is_mismatched(&self) -> bool {
        self.mismatch
    }

    /// The reader of the raw bytes.
    pub fn get_ref(&self) -> &R {
        &self.input.inner
    }

    /// Decodes into a buffer of at least [`SMALL`] bytes.
    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.mode {
            Mode::Utf8 { pending } => pass(&mut self.input, pending, buffer),
            Mode::Transcode { decoder, raw, raw_at, end } => transcode(&mut self.input, decoder, (raw, raw_at, end), buffer),
        }
    }
}

fn invalid(encoding: &str, offset: u64) -> io::Error {
    Error::from(MarkupError::Encoding(format!("invalid {encoding}"))).at(offset).into_io()
}

/// Passes whole characters on, keeping back the start of one that is cut.
fn pass<R: Read>(input: &mut Input<R>, pending: &mut Vec<u8>, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let kept = pending.len();
        let Some((start, rest)) = buffer.split_at_mut_checked(kept) else { return Ok(0) };
        start.copy_from_slice(pending);
        let begin = input.offset - kept as u64;
        let count = input.read(rest)?;
        if count == 0 {
            return if kept == 0 { Ok(0) } else { Err(invalid("utf-8", begin)) };
        }
        pending.clear();
        let filled = buffer.get(..kept + count).unwrap_or_default();
        let valid = whole_characters(filled).map_err(|at| invalid("utf-8", begin + at as u64))?;
        pending.extend_from_slice(filled.get(valid..).unwrap_or_default());
        if valid > 0 {
            return Ok(valid);
        }
    }
}

/// Length of the text up to a character that is cut, or where it is not UTF-8.
fn whole_characters(text: &[u8]) -> std::result::Result<usize, usize> {
    // Most text is from US-ASCII, which is found out in larger steps.
    if text.is_ascii() {
        return Ok(text.len());
    }
    match std::str::from_utf8(text) {
        Ok(_) => Ok(text.len()),
        Err(error) if error.error_len().is_none() => Ok(error.valid_up_to()),
        Err(error) => Err(error.valid_up_to()),
    }
}

fn transcode<R: Read>(
    input: &mut Input<R>,
    decoder: &mut Decoder,
    (raw, raw_at, end): (&mut Vec<u8>, &mut usize, &mut bool),
    buffer: &mut [u8],
) -> io::Result<usize> {
    loop {
        if *raw_at >= raw.len() && !*end {
            raw.resize(8 << 10, 0);
            let count = input.read(raw)?;
            raw.truncate(count);
            *raw_at = 0;
            *end = count == 0;
        }
        let bytes = raw.get(*raw_at..).unwrap_or_default();
        let before = input.offset - bytes.len() as u64;
        let (result, read, written, malformed) = decoder.decode_to_utf8(bytes, buffer, *end);
        if malformed {
            return Err(invalid(decoder.encoding().name(), before));
        }
        *raw_at += read;
        if written > 0 {
            return Ok(written);
        }
        if *end && result == CoderResult::InputEmpty {
            // A decoder that has been told of the end may not be asked again.
            *decoder = decoder.encoding().new_decoder_without_bom_handling();
            return Ok(0);
        }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.spare_at >= self.spare.len() {
            if buffer.len() >= SMALL {
                return self.decode(buffer);
            }
            let mut spare = std::mem::take(&mut self.spare);
            spare.resize(SMALL, 0);
            let count = self.decode(&mut spare)?;
            spare.truncate(count);
            self.spare = spare;
            self.spare_at = 0;
        }
        let count = self.spare.get(self.spare_at..).unwrap_or_default().read(buffer)?;
        self.spare_at += count;
        Ok(count)
    }
}

/// A whole part in UTF-8 without byte order mark, and the encoding that it had.
///
/// # Errors
/// A markup error if the encoding is not supported or violated.
pub fn decode(bytes: &[u8]) -> Result<(String, Encoding)> {
    let mut reader = Utf8Reader::new(bytes)?;
    let mut text = Vec::with_capacity(bytes.len());
    reader.read_to_end(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| MarkupError::Encoding("invalid utf-8".to_owned()))?;
    Ok((text, reader.encoding()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Grüße, 世界 😀</a>";

    fn utf16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect()
    }

    #[test]
    fn p35_byte_order_mark_goes() {
        let (text, encoding) = decode("\u{feff}<a/>".as_bytes()).unwrap();
        assert_eq!((text.as_str(), encoding), ("<a/>", Encoding::Utf8Bom));
    }

    #[test]
    fn utf16_with_and_without_mark() {
        for mark in [true, false] {
            assert_eq!(decode(&utf16(XML, mark, u16::to_le_bytes)).unwrap(), (XML.to_owned(), Encoding::Utf16Le));
            assert_eq!(decode(&utf16(XML, mark, u16::to_be_bytes)).unwrap(), (XML.to_owned(), Encoding::Utf16Be));
        }
    }

    #[test]
    fn single_byte_encodings_by_declaration() {
        let (text, encoding) = decode(b"<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\xfc</a>").unwrap();
        assert!(text.ends_with("<a>ü</a>"));
        assert_eq!(encoding, Encoding::Latin1);
        let (text, _) = decode(b"<?xml version='1.0' encoding='windows-1251'?><a>\xc4</a>").unwrap();
        assert!(text.ends_with("<a>Д</a>"));
    }

    #[test]
    fn bytes_are_believed_over_the_declaration() {
        let reader = Utf8Reader::new(XML.as_bytes()).unwrap();
        assert_eq!((reader.encoding(), reader.is_mismatched()), (Encoding::Utf8, true));
        let plain = Utf8Reader::new(&b"<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>"[..]).unwrap();
        assert!(!plain.is_mismatched());
    }

    #[test]
    fn violations_have_an_offset() {
        let error = decode(b"<a>\xff</a>").unwrap_err();
        assert_eq!(error.to_string(), "byte 3: encoding: invalid utf-8");
        assert_eq!(decode(b"<a>\xe4\xb8").unwrap_err().offset(), Some(3));
        assert!(decode(b"<?xml version='1.0' encoding='klingon'?><a/>").unwrap_err().to_string().contains("klingon"));
        assert!(decode(b"\xff\xfe<").is_err());
        assert!(decode(b"<\0\0\0").is_err());
    }

    /// Gives its bytes in small pieces.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn chunking_makes_no_difference() {
        let text = XML.replace("</a>", &"é世😀x".repeat(5000)) + "</a>";
        for source in [text.clone().into_bytes(), utf16(&text, true, u16::to_le_bytes)] {
            for (piece, room) in [(1, 1), (3, 7), (5, 64), (1000, 100), (70_000, 3), (70_000, 65)] {
                let mut reader = Utf8Reader::new(Pieces(&source, piece)).unwrap();
                let mut out = Vec::new();
                let mut buffer = vec![0; room];
                loop {
                    let count = reader.read(&mut buffer).unwrap();
                    if count == 0 {
                        break;
                    }
                    out.extend_from_slice(&buffer[..count]);
                }
                assert!(out == text.as_bytes(), "{piece} {room}");
                assert_eq!(reader.read(&mut buffer).unwrap(), 0);
            }
        }
    }
}
