//! XML text as units: start tags, empty elements (however they are written), end tags, and whole texts.

use std::io::Read;

use crate::error::Result;
use crate::limits::Limits;
use crate::xml::names::is_space;
use crate::xml::tokens::{Token, Tokens};

use super::EmptyForm;

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A start tag; its text is what stands between `<` and `>`.
    Start,
    /// An element without content; its text is what stands between `<` and the end of the start tag.
    Empty(EmptyForm),
    /// An end tag, whole.
    End,
    /// Text and CDATA sections up to the next tag, as written.
    Text,
    /// A comment or processing instruction.
    Other,
    /// The end of the document.
    Eof,
}

/// The units of a text.
pub(super) struct Units<R> {
    tokens: Tokens<R>,
    /// The unit at hand.
    text: Vec<u8>,
    /// The token after it, if it has been read.
    ahead: Option<Unit>,
    ahead_text: Vec<u8>,
}

impl<R: Read> Units<R> {
    pub(super) fn new(source: R, limits: &Limits) -> Self {
        Units { tokens: Tokens::new(source, limits), text: Vec::new(), ahead: None, ahead_text: Vec::new() }
    }

    /// The text of the unit that was read last.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The next unit.
    pub(super) fn next(&mut self) -> Result<Unit> {
        match self.ahead.take() {
            Some(unit) => {
                std::mem::swap(&mut self.text, &mut self.ahead_text);
                self.complete(unit)
            }
            None => {
                let unit = token(&mut self.tokens, &mut self.text)?;
                self.complete(unit)
            }
        }
    }

    /// Adds what belongs to a unit although it is a token of its own.
    fn complete(&mut self, unit: Unit) -> Result<Unit> {
        match unit {
            Unit::Start => {
                let next = self.look_ahead()?;
                let name = name(&self.text);
                let end = self.ahead_text.strip_prefix(b"</").and_then(|end| end.strip_suffix(b">"));
                if next == Unit::End && end == Some(name) {
                    self.ahead = None;
                    return Ok(Unit::Empty(EmptyForm::Paired));
                }
                Ok(unit)
            }
            Unit::Text => {
                while self.look_ahead()? == Unit::Text {
                    self.text.extend_from_slice(&self.ahead_text);
                }
                Ok(unit)
            }
            _ => Ok(unit),
        }
    }

    fn look_ahead(&mut self) -> Result<Unit> {
        let unit = token(&mut self.tokens, &mut self.ahead_text)?;
        self.ahead = Some(unit);
        Ok(unit)
    }
}

fn token<R: Read>(tokens: &mut Tokens<R>, text: &mut Vec<u8>) -> Result<Unit> {
    let event = tokens.next()?;
    text.clear();
    if let Token::Start(tag) = event.token {
        let (unit, end) = match event.raw {
            _ if !tag.empty => (Unit::Start, 1),
            [.., b' ', b'/', b'>'] => (Unit::Empty(EmptyForm::Spaced), 3),
            _ => (Unit::Empty(EmptyForm::Closed), 2),
        };
        text.extend_from_slice(event.raw.get(1..event.raw.len().saturating_sub(end)).unwrap_or_default());
        return Ok(unit);
    }
    text.extend_from_slice(event.raw);
    Ok(match event.token {
        Token::Start(_) => Unit::Start,
        Token::End => Unit::End,
        Token::Text(_) | Token::Cdata(_) => Unit::Text,
        Token::Comment | Token::Instruction => Unit::Other,
        Token::Eof => Unit::Eof,
    })
}

/// The name in a start tag without its delimiters.
pub(super) fn name(tag: &[u8]) -> &[u8] {
    let end = tag.iter().position(|&byte| is_space(byte)).unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}
