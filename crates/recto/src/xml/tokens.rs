//! Splits a stream of UTF-8 XML into tokens and checks that tags nest.

use std::io::Read;

use memchr::{memchr, memchr3, memmem};

use super::names::{is_space, split};
use super::scan::{low_bytes, word};
use super::{encoding, malformed};
use crate::error::{MarkupError, Result};
use crate::limits::{Limit, Limits};

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// Zero bytes that are kept behind what has been read, so that words can be loaded up to its end.
pub(crate) const PADDING: usize = 32;

/// A start tag or empty element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    /// The qualified name.
    pub name: &'a [u8],
    /// The length of its prefix, 0 without.
    pub prefix_len: usize,
    /// What stands between the name and the end of the tag.
    pub attributes: &'a [u8],
    /// Whether it is an empty element: no end tag will follow.
    pub empty: bool,
}

impl<'a> Tag<'a> {
    pub(crate) fn prefix(&self) -> &'a [u8] {
        self.name.get(..self.prefix_len).unwrap_or_default()
    }

    pub(crate) fn local(&self) -> &'a [u8] {
        local(self.name, self.prefix_len)
    }

    pub(crate) fn attributes(&self) -> Attributes<'a> {
        Attributes { rest: self.attributes }
    }
}

fn local(name: &[u8], prefix_len: usize) -> &[u8] {
    if prefix_len == 0 { name } else { name.get(prefix_len + 1..).unwrap_or_default() }
}

/// One attribute as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    /// The qualified name.
    pub name: &'a [u8],
    /// The length of its prefix, 0 without.
    pub prefix_len: usize,
    /// The value between the quotes, entities unresolved.
    pub value: &'a [u8],
}

impl<'a> Attribute<'a> {
    pub(crate) fn prefix(&self) -> &'a [u8] {
        self.name.get(..self.prefix_len).unwrap_or_default()
    }

    pub(crate) fn local(&self) -> &'a [u8] {
        local(self.name, self.prefix_len)
    }

    /// The prefix that this attribute declares (empty: the default namespace), if it is a declaration.
    pub(crate) fn declares(&self) -> Option<&'a [u8]> {
        match self.prefix_len {
            0 => (self.name == b"xmlns").then_some(&[]),
            _ => self.name.strip_prefix(b"xmlns:"),
        }
    }
}

/// The attributes of a tag, in order.
pub(crate) struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let spaces = self.rest.iter().take_while(|&&byte| is_space(byte)).count();
        let rest = self.rest.get(spaces..).unwrap_or_default();
        if rest.is_empty() {
            return None;
        }
        let attribute = if spaces == 0 { None } else { attribute(rest) };
        match attribute {
            Some((attribute, length)) => {
                self.rest = rest.get(length..).unwrap_or_default();
                Some(Ok(attribute))
            }
            None => {
                self.rest = &[];
                Some(Err(malformed("malformed attribute")))
            }
        }
    }
}

/// The attribute at the start of `text`, and its length.
#[inline]
fn attribute(text: &[u8]) -> Option<(Attribute<'_>, usize)> {
    let equals = memchr(b'=', text)?;
    let name = text.get(..equals)?.trim_ascii_end();
    let (prefix, _) = split(name)?;
    let after = text.get(equals + 1..)?;
    let spaces = after.iter().take_while(|&&byte| is_space(byte)).count();
    let quote = *after.get(spaces).filter(|&&byte| byte == b'"' || byte == b'\'')?;
    let open = equals + 1 + spaces + 1;
    let length = memchr(quote, text.get(open..)?)?;
    let value = text.get(open..open + length)?;
    if memchr(b'<', value).is_some() {
        return None;
    }
    Some((Attribute { name, prefix_len: prefix.len(), value }, open + length + 1))
}

/// A token and its text as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    /// What it is.
    pub token: Token<'a>,
    /// The whole of it as written.
    pub raw: &'a [u8],
    /// Offset in the part.
    pub offset: u64,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'a> {
    /// A start tag or empty element.
    Start(Tag<'a>),
    /// An end tag; its name is that of the start tag.
    End,
    /// Text, entities unresolved.
    Text(&'a [u8]),
    /// The text of a CDATA section.
    Cdata(&'a [u8]),
    /// A comment.
    Comment,
    /// A processing instruction or the XML declaration.
    Instruction,
    /// The end of the document.
    Eof,
}

#[derive(Clone, Copy)]
enum Kind {
    Start,
    End,
    Text,
    Cdata,
    Comment,
    Instruction,
    Eof,
}

/// Names of the open elements.
#[derive(Default)]
pub(crate) struct OpenNames {
    open: Vec<OpenName>,
    /// What is longer than eight bytes of the names, one after the other.
    rest: Vec<u8>,
}

#[derive(Clone, Copy)]
struct OpenName {
    length: usize,
    /// The first eight bytes.
    word: u64,
    /// Where the others stand.
    rest: usize,
}

impl OpenNames {
    /// Number of open elements.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, name: &[u8]) {
        self.open.push(OpenName { length: name.len(), word: recto_schema::tables::word(name), rest: self.rest.len() });
        if let Some(rest) = name.get(8..) {
            self.rest.extend_from_slice(rest);
        }
    }

    /// Whether this is the name of the innermost open element.
    fn is_last(&self, name: &[u8]) -> bool {
        self.open.last().is_some_and(|open| {
            open.length == name.len()
                && open.word == recto_schema::tables::word(name)
                && self.rest.get(open.rest..) == Some(name.get(8..).unwrap_or_default())
        })
    }

    /// Where the name of the innermost open element ends, if it stands at a place of a padded buffer.
    #[inline(always)]
    pub(crate) fn last_at(&self, buffer: &[u8], at: usize) -> Option<usize> {
        let open = self.open.last()?;
        let end = at + open.length;
        let fits = low_bytes(word(buffer, at), open.length) == open.word
            && (open.length <= 8 || self.rest.get(open.rest..) == buffer.get(at + 8..end));
        fits.then_some(end)
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        if let Some(open) = self.open.pop() {
            self.rest.truncate(open.rest);
        }
    }
}

/// The token stream of one part.
pub(crate) struct Tokens<R> {
    source: R,
    /// What has been read, and padding.
    buffer: Vec<u8>,
    /// The end of what has been read.
    filled: usize,
    /// The current token: `buffer[start..next]`.
    start: usize,
    next: usize,
    /// How far the buffer is known to be UTF-8 without forbidden characters.
    valid: usize,
    /// Whether the source only gives UTF-8.
    trusted: bool,
    /// The first bytes of a character whose rest is still to come.
    cut: [u8; 4],
    /// Offset in the part of `buffer[0]`.
    offset: u64,
    ended: bool,
    /// What the source failed with after the last bytes.
    failure: Option<std::io::Error>,
    /// Whether the angle brackets so far are counted, and by how much more close than open.
    brackets: Option<i64>,
    open: OpenNames,
    limits: Limits,
}

impl<R: Read> Tokens<R> {
    /// Tokens of UTF-8 text (a byte order mark must be gone).
    pub(crate) fn new(source: R, limits: &Limits) -> Self {
        Tokens {
            source,
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            next: 0,
            valid: 0,
            trusted: false,
            cut: [0; 4],
            offset: 0,
            ended: false,
            failure: None,
            brackets: None,
            open: OpenNames::default(),
            limits: limits.clone(),
        }
    }

    /// As [`Tokens::new`], from a source that only gives UTF-8, and with the buffer of another part.
    pub(crate) fn trusted(source: R, limits: &Limits, buffer: Vec<u8>) -> Self {
        Tokens { trusted: true, buffer, ..Tokens::new(source, limits) }
    }

    /// Tokens of text that is all there: so many bytes at the start of a buffer that has room for [`PADDING`] behind them. For
    /// bytes that are not UTF-8 or have characters that XML does not allow, the buffer comes back.
    pub(crate) fn whole(source: R, limits: &Limits, mut buffer: Vec<u8>, length: usize) -> std::result::Result<Self, Vec<u8>> {
        let text = buffer.get(..length).unwrap_or_default();
        if !is_printable(text) && (std::str::from_utf8(text).is_err() || forbidden(text).is_some()) {
            return Err(buffer);
        }
        match buffer.get_mut(length..length + PADDING) {
            Some(padding) => padding.fill(0),
            None => buffer.resize(length + PADDING, 0),
        }
        Ok(Tokens { buffer, filled: length, valid: length, ended: true, ..Tokens::trusted(source, limits, Vec::new()) })
    }

    /// The buffer, for another part.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Counts angle brackets, those that have been read and all that come.
    pub(crate) fn count_brackets(&mut self) {
        self.brackets = Some(surplus(self.buffer.get(..self.valid).unwrap_or_default()));
    }

    /// Whether `>` stood somewhere without ending a tag, if they were counted.
    pub(crate) fn has_bare_bracket(&self) -> bool {
        self.brackets.is_some_and(|more| more != 0)
    }

    /// What has been read and is not yet consumed, with [`PADDING`] zero bytes behind it; and the names of open elements.
    pub(crate) fn window(&mut self) -> (&[u8], &mut OpenNames) {
        (self.buffer.get(self.next..self.valid + PADDING).unwrap_or_default(), &mut self.open)
    }

    /// Consumes bytes of the window: whole tokens.
    pub(crate) fn consume(&mut self, length: usize) {
        self.next += length;
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Event<'_>> {
        self.start = self.next;
        let kind = self.find().map_err(|error| error.at(self.offset + self.start as u64))?;
        let offset = self.offset + self.start as u64;
        self.event(kind, offset).map_err(|error| error.at(offset))
    }

    /// Finds the end of the token at `start`, reading on until it is complete.
    fn find(&mut self) -> Result<Kind> {
        let mut scanned = 0;
        loop {
            let rest = self.buffer.get(self.start..self.valid).unwrap_or_default();
            if let Some((kind, length)) = complete(rest, scanned)? {
                self.next = self.start + length;
                return Ok(kind);
            }
            if self.ended {
                return self.last();
            }
            // What has been searched in a text need not be searched again; tags are short.
            scanned = if rest.first() == Some(&b'<') { 0 } else { rest.len() };
            self.fill()?;
        }
    }

    /// What the input's end leaves over.
    fn last(&mut self) -> Result<Kind> {
        let rest = self.buffer.get(self.start..self.valid).unwrap_or_default();
        if self.valid < self.filled {
            return Err(encoding("not UTF-8"));
        }
        self.next = self.valid;
        match rest.first() {
            None if self.open.depth() == 0 => Ok(Kind::Eof),
            Some(&byte) if byte != b'<' => Ok(Kind::Text),
            _ => Err(malformed("unexpected end")),
        }
    }

    fn fill(&mut self) -> Result<()> {
        if let Some(error) = self.failure.take() {
            return Err(error.into());
        }
        let cut = self.filled - self.valid;
        if let (Some(place), Some(kept)) = (self.buffer.get_mut(self.valid..self.filled), self.cut.get(..cut)) {
            place.copy_from_slice(kept);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.offset += self.start as u64;
            self.valid -= self.start;
            self.filled -= self.start;
            self.next = 0;
            self.start = 0;
        }
        let length = self.filled;
        self.limits.check(Limit::TokenSize, length as u64)?;
        // Room grows with the token at hand, so that a long one is not copied over and over.
        let wanted = length + CHUNK.max(length);
        if self.buffer.len() < wanted + PADDING {
            self.buffer.resize(wanted + PADDING, 0);
        }
        while let Some(space) = self.buffer.get_mut(self.filled..wanted).filter(|space| !space.is_empty()) {
            match self.source.read(space) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(read) => {
                    self.filled += read;
                    // Whatever came is worked on at once, unless it is so little that starting again costs more.
                    if self.filled - length >= CHUNK / 16 {
                        break;
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // What came before it is worked on first, however much came at once.
                Err(error) if self.filled > length => {
                    self.failure = Some(error);
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.validate()?;
        if let Some(padding) = self.buffer.get_mut(self.valid..self.valid + PADDING) {
            // What is behind `valid` is the start of a character at most: it is kept aside while padding stands there.
            self.cut = [0; 4];
            let cut = self.filled - self.valid;
            if let (Some(place), Some(kept)) = (self.cut.get_mut(..cut), padding.get(..cut)) {
                place.copy_from_slice(kept);
            }
            padding.fill(0);
        }
        Ok(())
    }

    /// Checks what has been read: UTF-8, and only characters that XML allows (clause 2.2).
    fn validate(&mut self) -> Result<()> {
        let fresh = self.buffer.get(self.valid..self.filled).unwrap_or_default();
        let length = if self.trusted {
            fresh.len()
        } else {
            match std::str::from_utf8(fresh) {
                Ok(_) => fresh.len(),
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(error) => {
                    let at = self.offset + (self.valid + error.valid_up_to()) as u64;
                    return Err(encoding("not UTF-8").at(at));
                }
            }
        };
        let fresh = fresh.get(..length).unwrap_or_default();
        if let Some(at) = forbidden(fresh) {
            return Err(malformed("character not allowed in XML").at(self.offset + (self.valid + at) as u64));
        }
        if let Some(more) = &mut self.brackets {
            *more += surplus(fresh);
        }
        self.valid += length;
        Ok(())
    }

    fn event(&mut self, kind: Kind, offset: u64) -> Result<Event<'_>> {
        let raw = self.buffer.get(self.start..self.next).unwrap_or_default();
        let token = match kind {
            Kind::Start => {
                let tag = tag(raw)?;
                if !tag.empty {
                    self.limits.check(Limit::Depth, self.open.depth() as u64 + 1)?;
                    self.open.push(tag.name);
                }
                Token::Start(tag)
            }
            Kind::End => {
                let name = raw.get(2..raw.len().saturating_sub(1)).unwrap_or_default().trim_ascii_end();
                if !self.open.is_last(name) {
                    return Err(malformed("end tag does not match its start tag"));
                }
                self.open.pop();
                Token::End
            }
            Kind::Text if memmem::find(raw, b"]]>").is_some() => return Err(malformed("']]>' in text")),
            Kind::Text => Token::Text(raw),
            Kind::Cdata => Token::Cdata(raw.get(9..raw.len() - 3).unwrap_or_default()),
            Kind::Comment => {
                let text = raw.get(4..raw.len() - 3).unwrap_or_default();
                if memmem::find(text, b"--").is_some() || text.last() == Some(&b'-') {
                    return Err(malformed("'--' in comment"));
                }
                Token::Comment
            }
            Kind::Instruction => {
                let text = raw.get(2..raw.len() - 2).unwrap_or_default();
                let name = text.split(|&byte| is_space(byte)).next().unwrap_or_default();
                if !super::names::is_ncname(name) || (name.eq_ignore_ascii_case(b"xml") && offset > 0) {
                    return Err(malformed("misplaced XML declaration or processing instruction without name"));
                }
                if name == b"xml" && !is_declaration(text.get(3..).unwrap_or_default())? {
                    return Err(malformed("malformed XML declaration"));
                }
                Token::Instruction
            }
            Kind::Eof => Token::Eof,
        };
        Ok(Event { token, raw, offset })
    }
}

/// Whether this is what follows the name in an XML declaration (XML 1.0 clause 2.8): version, encoding and standalone, in
/// this order.
fn is_declaration(text: &[u8]) -> Result<bool> {
    let attributes = Attributes { rest: text }.collect::<Result<Vec<_>>>()?;
    let mut rest = attributes.iter().map(|attribute| (attribute.name, attribute.value)).peekable();
    let mut take = |name: &[u8]| rest.next_if(|(found, _)| *found == name).map(|(_, value)| value);
    let minor = take(b"version").and_then(|version| version.strip_prefix(b"1."));
    let version = minor.is_some_and(|minor| !minor.is_empty() && minor.iter().all(u8::is_ascii_digit));
    let encoding = take(b"encoding").is_none_or(|encoding| encoding.first().is_some_and(u8::is_ascii_alphabetic));
    let standalone = take(b"standalone").is_none_or(|standalone| matches!(standalone, b"yes" | b"no"));
    Ok(version && encoding && standalone && rest.next().is_none())
}

/// By how many there are more `>` than `<`.
fn surplus(text: &[u8]) -> i64 {
    let count = |bracket| memchr::memchr_iter(bracket, text).count() as i64;
    count(b'>') - count(b'<')
}

/// Whether this is a control character that XML does not allow.
fn control(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// Whether there are control characters that XML does not allow, and all bits of the bytes.
fn characters(text: &[u8]) -> (bool, u8) {
    // Blocks without branches and counters let the compiler use wide registers. Nearly all have nothing but what is from
    // space up and below the characters of more than one byte, which are negative here: that takes one comparison.
    let is_plain = |bytes: &[u8; 64]| !bytes.iter().fold(false, |found, &byte| found | ((byte as i8) < 0x20));
    let block = |bytes: &[u8]| bytes.iter().fold((false, 0), |(found, all), &byte| (found | control(byte), all | byte));
    let (blocks, rest) = text.as_chunks::<64>();
    blocks
        .iter()
        .filter(|bytes| !is_plain(bytes))
        .map(|bytes| block(bytes))
        .fold(block(rest), |(found, all), (more, bits)| (found | more, all | bits))
}

/// Whether all characters are from US-ASCII and allowed, which is so in most parts.
fn is_printable(text: &[u8]) -> bool {
    let (found, all) = characters(text);
    !found && all < 0x80
}

/// Position of a character that XML does not allow.
fn forbidden(text: &[u8]) -> Option<usize> {
    let (found, all) = characters(text);
    if found {
        return text.iter().position(|&byte| control(byte));
    }
    if all < 0x80 {
        return None;
    }
    let mut from = 0;
    while let Some(at) = memmem::find(text.get(from..)?, b"\xEF\xBF") {
        if matches!(text.get(from + at + 2), Some(0xBE | 0xBF)) {
            return Some(from + at);
        }
        from += at + 2;
    }
    None
}

/// The kind and length of the token that `rest` begins with, or `None` where it is not complete.
fn complete(rest: &[u8], scanned: usize) -> Result<Option<(Kind, usize)>> {
    let closed = |kind, from: usize, end: &[u8]| {
        let inner = rest.get(from..)?;
        memmem::find(inner, end).map(|at| (kind, from + at + end.len()))
    };
    let Some(&first) = rest.first() else { return Ok(None) };
    if first != b'<' {
        let unseen = rest.get(scanned..).unwrap_or_default();
        return Ok(memchr(b'<', unseen).map(|at| (Kind::Text, scanned + at)));
    }
    let Some(&second) = rest.get(1) else { return Ok(None) };
    Ok(match second {
        b'/' => memchr(b'>', rest).map(|at| (Kind::End, at + 1)),
        b'?' => closed(Kind::Instruction, 2, b"?>"),
        b'!' if rest.starts_with(b"<!--") => closed(Kind::Comment, 4, b"-->"),
        b'!' if rest.starts_with(b"<![CDATA[") => closed(Kind::Cdata, 9, b"]]>"),
        b'!' if b"<!--".starts_with(rest) || b"<![CDATA[".starts_with(rest) => None,
        b'!' if rest.starts_with(b"<!DOCTYPE") => return Err(MarkupError::Doctype.into()),
        b'!' if b"<!DOCTYPE".starts_with(rest) => None,
        b'!' => return Err(malformed("unknown declaration")),
        _ => tag_length(rest).map(|length| (Kind::Start, length)),
    })
}

/// Length of a start tag; `>` in quotes does not end it.
#[inline]
fn tag_length(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        let unseen = rest.get(at..)?;
        let found = memchr3(b'>', b'"', b'\'', unseen)?;
        match unseen.get(found) {
            Some(b'>') => return Some(at + found + 1),
            Some(&quote) => at += found + 1 + memchr(quote, unseen.get(found + 1..)?)? + 1,
            None => return None,
        }
    }
}

#[inline]
fn tag(raw: &[u8]) -> Result<Tag<'_>> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let (inner, empty) = match inner.strip_suffix(b"/") {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let length = inner.iter().position(|&byte| is_space(byte)).unwrap_or(inner.len());
    let (name, attributes) = inner.split_at(length);
    let Some((prefix, _)) = split(name) else { return Err(malformed("malformed tag")) };
    Ok(Tag { name, prefix_len: prefix.len(), attributes, empty })
}
