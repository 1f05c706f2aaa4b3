//! The usual text with the changes of a layout.

use crate::error::Result;
use crate::limits::Limits;
use crate::wire::input::invalid;
use crate::xml::escapes;
use crate::xml::names::{is_blank, is_space};
use crate::xml::tokens::{Token, Tokens};

use super::habits::Habits;
use super::units::{Unit, Units, name};
use super::{Change, EmptyForm, Layout, What, checksum, without_mark};

/// The changes of one unit.
#[derive(Default)]
struct Now<'l> {
    blank: Option<&'l [u8]>,
    empty: Option<EmptyForm>,
    spelling: Option<&'l [u8]>,
}

/// The text that was read, if `usual` is the text for which the layout was made, else `usual`.
///
/// # Errors
/// Where a change would do more than change the layout.
pub(crate) fn apply(usual: &[u8], layout: &Layout, limits: &Limits) -> Result<Vec<u8>> {
    let text = without_mark(usual);
    if checksum(text) != layout.checksum {
        return Ok(usual.to_vec());
    }
    let mut out = Vec::with_capacity(usual.len() + usual.len() / 8);
    out.extend_from_slice(usual.get(..usual.len() - text.len()).unwrap_or_default());
    let mut changes = layout.changes.iter().peekable();
    let mut habits = Habits::default();
    let mut units = Units::new(text, limits);
    let mut since = 0;
    loop {
        let unit = units.next()?;
        let mut now = Now::default();
        while let Some(Change { what, .. }) = changes.next_if(|change| change.skip == since) {
            since = 0;
            match what {
                What::Blank(blank) => now.blank = Some(blank),
                What::Empty(form) => now.empty = Some(*form),
                What::Spelling(text) => now.spelling = Some(text),
            }
        }
        put_blank(unit, &now, &mut habits, &mut out)?;
        put_unit(unit, units.text(), &now, &mut habits, limits, &mut out)?;
        if unit == Unit::Eof {
            return Ok(out);
        }
        since += 1;
    }
}

fn put_blank(unit: Unit, now: &Now<'_>, habits: &mut Habits, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let expected = habits.blank(unit);
    let fits = expected.is_some();
    match (now.blank, expected) {
        (Some(blank), Some(_)) if is_blank(blank) => out.extend_from_slice(blank),
        (Some(_), _) => return Err(invalid("a layout puts text before a tag")),
        (None, expected) => out.extend_from_slice(&expected.unwrap_or_default()),
    }
    habits.note(unit, out.get(start..).filter(|_| fits));
    Ok(())
}

fn put_unit(unit: Unit, text: &[u8], now: &Now<'_>, habits: &mut Habits, limits: &Limits, out: &mut Vec<u8>) -> Result<()> {
    let spelt = now.spelling.unwrap_or(text);
    if now.spelling.is_some() && !says_the_same(unit, text, spelt, limits)? {
        return Err(invalid("a layout changes what is said"));
    }
    match unit {
        Unit::Start => {
            out.push(b'<');
            out.extend_from_slice(spelt);
            out.push(b'>');
        }
        Unit::Empty(_) => {
            let form = now.empty.unwrap_or_else(|| habits.empty(text));
            habits.note_empty(text, form);
            out.push(b'<');
            out.extend_from_slice(spelt);
            match form {
                EmptyForm::Closed => out.extend_from_slice(b"/>"),
                EmptyForm::Spaced => out.extend_from_slice(b" />"),
                EmptyForm::Paired => {
                    out.extend_from_slice(b"></");
                    out.extend_from_slice(name(text));
                    out.push(b'>');
                }
            }
        }
        _ => out.extend_from_slice(spelt),
    }
    Ok(())
}

/// Whether a unit spelt in two ways is the same.
pub(super) fn says_the_same(unit: Unit, one: &[u8], other: &[u8], limits: &Limits) -> Result<bool> {
    Ok(match unit {
        Unit::Start | Unit::Empty(_) => same_tag(one, other, limits)?,
        Unit::End => same_end(one, other),
        Unit::Text => content(one, limits)? == content(other, limits)?,
        Unit::Other | Unit::Eof => one == other,
    })
}

/// Whether two start tags, without their delimiters, have the same name and attributes.
fn same_tag(one: &[u8], other: &[u8], limits: &Limits) -> Result<bool> {
    let attributes = |tag: &[u8]| -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let text = [b"<", tag, b"/>"].concat();
        let mut tokens = Tokens::new(text.as_slice(), limits);
        let event = tokens.next()?;
        let Token::Start(start) = event.token else { return Err(invalid("a layout has no tag where one is")) };
        if event.raw.len() != text.len() {
            return Err(invalid("a layout has more than a tag"));
        }
        let mut list = vec![(start.name.to_vec(), Vec::new())];
        for attribute in start.attributes() {
            let attribute = attribute?;
            let mut value = Vec::new();
            escapes::unescape_attribute(attribute.value, &mut value)?;
            list.push((attribute.name.to_vec(), value));
        }
        if let Some(attributes) = list.get_mut(1..) {
            attributes.sort();
        }
        Ok(list)
    };
    Ok(attributes(one)? == attributes(other)?)
}

/// Whether two end tags have the same name.
fn same_end(usual: &[u8], other: &[u8]) -> bool {
    let name = usual.strip_suffix(b">").unwrap_or_default();
    let spaces = other.strip_prefix(name).and_then(|rest| rest.strip_suffix(b">"));
    spaces.is_some_and(|spaces| spaces.iter().all(|&byte| is_space(byte)))
}

/// The characters of text and CDATA sections.
fn content(raw: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let text = [b"<a>", raw, b"</a>"].concat();
    let mut tokens = Tokens::new(text.as_slice(), limits);
    let mut content = Vec::new();
    tokens.next()?;
    loop {
        match tokens.next()?.token {
            Token::Text(text) => escapes::unescape_text(text, &mut content)?,
            Token::Cdata(text) => content.extend(escapes::normalised_lines(text)),
            Token::End => break,
            _ => return Err(invalid("a layout has more than text")),
        }
    }
    match tokens.next()?.token {
        Token::Eof => Ok(content),
        _ => Err(invalid("a layout has more than text")),
    }
}
