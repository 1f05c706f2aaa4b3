//! The tokens of XML, compared with those of another parser.

use std::io::Read;

use quick_xml::Reader;
use quick_xml::events::Event as Other;
use recto_testing::{Rng, mutate, random};

use super::tokens::{Token, Tokens};
use crate::limits::Limits;

/// A token by its kind and its text as written.
type Kept = (char, Vec<u8>);

/// All tokens, or what is wrong.
fn ours(source: impl Read) -> Result<Vec<Kept>, String> {
    let mut tokens = Tokens::new(source, &Limits::default());
    let mut kept = Vec::new();
    loop {
        let event = tokens.next().map_err(|error| error.to_string())?;
        let kind = match event.token {
            Token::Start(tag) => {
                for attribute in tag.attributes() {
                    attribute.map_err(|error| error.to_string())?;
                }
                if tag.empty { 'e' } else { 's' }
            }
            Token::End => '/',
            Token::Text(_) => 't',
            Token::Cdata(_) => 'c',
            Token::Comment => '-',
            Token::Instruction => '?',
            Token::Eof => return Ok(kept),
        };
        kept.push((kind, event.raw.to_vec()));
    }
}

/// The same by quick-xml, which is content with less: it does not look into tags.
fn theirs(source: &str) -> Result<Vec<Kept>, String> {
    let mut reader = Reader::from_str(source);
    let mut kept: Vec<Kept> = Vec::new();
    loop {
        let from = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| error.to_string())?;
        let raw = source.as_bytes().get(from..reader.buffer_position() as usize).unwrap_or_default();
        let kind = match event {
            Other::Start(_) => 's',
            Other::Empty(_) => 'e',
            Other::End(_) => '/',
            Other::Text(_) | Other::GeneralRef(_) => 't',
            Other::CData(_) => 'c',
            Other::Comment(_) => '-',
            Other::PI(_) | Other::Decl(_) => '?',
            Other::DocType(_) => return Err("document type".to_owned()),
            Other::Eof => return Ok(kept),
        };
        match kept.last_mut() {
            // It splits texts at references.
            Some((last, text)) if *last == 't' && kind == 't' => text.extend_from_slice(raw),
            _ => kept.push((kind, raw.to_vec())),
        }
    }
}

/// Some random parts, with a name for each.
fn parts() -> impl Iterator<Item = (String, String)> {
    let paths = random::paths();
    (0..300).map(move |seed| {
        let path = &paths[seed * 7 % paths.len()];
        (format!("part {seed}"), random::part(path, seed as u64))
    })
}

#[test]
fn tokens_are_those_of_another_parser() {
    for (name, text) in parts() {
        assert_eq!(ours(text.as_bytes()), theirs(&text), "{name}");
    }
}

#[test]
fn what_is_accepted_is_the_same_to_another_parser() {
    for (name, text) in parts() {
        let mut rng = Rng::new(text.len() as u64);
        for _ in 0..6 {
            let damaged = mutate::markup(text.as_bytes(), &mut rng);
            let Ok(damaged) = String::from_utf8(damaged) else { continue };
            if let Ok(tokens) = ours(damaged.as_bytes()) {
                assert_eq!(Ok(tokens), theirs(&damaged), "{name}: {damaged}");
            }
        }
    }
}

/// Gives what it has in pieces of a size.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(buffer.len());
        let most = buffer.get_mut(..length).unwrap_or_default();
        self.0.read(most)
    }
}

/// The buffer is filled 64 KiB at a time: with spaces in front, its end falls on every byte of a part in turn.
#[test]
fn tokens_do_not_depend_on_where_reads_end() {
    for (name, text) in parts().take(8) {
        let text = text.trim_start();
        let whole = ours(text.as_bytes());
        for size in [61, 1009] {
            assert_eq!(ours(Pieces(text.as_bytes(), size)), whole, "{name} in pieces of {size}");
        }
        let mut padded = vec![b' '; 64 * 1024];
        padded.extend_from_slice(text.as_bytes());
        for end in 0..text.len().min(600) {
            let tokens = ours(&padded[end..]).map(|mut tokens| tokens.split_off(1));
            assert_eq!(tokens, whole, "{name} cut at {end}");
        }
    }
}
