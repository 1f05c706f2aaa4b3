//! One part: what stands before its root, the root, and what stands after it.

use std::io::Read;

use recto_schema::fields;
use recto_schema::tables::{Row, message, root};

use crate::error::Result;
use crate::transcode::ROOT_DEPTH;
use crate::transcode::forms::{Forms, PROLOG, prolog_form};
use crate::transcode::observe::Observer;
use crate::wire::output::put_message;
use crate::wire::{put_bytes, put_uint};
use crate::xml::malformed;
use crate::xml::names::is_blank;
use crate::xml::namespaces::UNKNOWN;
use crate::xml::spelling::is_usual_tag;
use crate::xml::tokens::{Event, Tag, Token, Tokens};

use super::Reader;
use super::attributes::is_strict;
use super::capture::undeclared;
use super::elements::Opening;
use super::extras::put_declaration;

/// What a part turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Its root is typed; everything was written.
    Typed,
    /// Not a typed part; nothing was written.
    Untyped,
}

/// The fields that a typed part's messages use, for parts proper and for the two special ones.
#[derive(Clone, Copy)]
pub(crate) struct PartXml {
    /// Field number of the `Markup`.
    pub markup: u32,
    /// Field number of the text after the root.
    pub epilog: u32,
    /// Field number of the `Layout`.
    pub layout: u32,
    /// The root's row, if the part can only have one; its field number counts.
    pub root: Option<&'static Row>,
}

impl PartXml {
    /// A part of the package.
    pub(crate) const PART: PartXml =
        PartXml { markup: fields::part::MARKUP, epilog: fields::part::EPILOG, layout: fields::part::LAYOUT, root: None };
}

impl<O: Observer> Reader<'_, O> {
    /// Reads an XML part; the source must give valid UTF-8. `encoding` is the number of the `Encoding` that it was in, 0 for plain UTF-8.
    /// Finished content of a large part may be handed on before the part ends.
    ///
    /// # Errors
    ///
    /// Where the XML is not well-formed or a limit is exceeded; what has been written must then be taken back.
    pub(crate) fn part(&mut self, source: &mut dyn Read, encoding: u8, large: bool, fields: PartXml) -> Result<Content> {
        self.reset();
        let mut tokens = Tokens::trusted(source, &self.limits, std::mem::take(&mut self.buffer));
        let content = self.tokens(&mut tokens, encoding, large, fields);
        self.buffer = tokens.into_buffer();
        content
    }

    /// As [`Reader::part`], a small part that is in memory, without byte order mark at the start of a buffer. Nothing if it has
    /// to go the long way, which knows what is wrong with its characters.
    pub(crate) fn whole(&mut self, buffer: &mut Vec<u8>, length: usize, fields: PartXml) -> Option<Result<Content>> {
        self.reset();
        let none: &mut dyn Read = &mut std::io::empty();
        match Tokens::whole(none, &self.limits, std::mem::take(buffer), length) {
            Ok(mut tokens) => {
                let content = self.tokens(&mut tokens, 0, false, fields);
                *buffer = tokens.into_buffer();
                Some(content)
            }
            Err(back) => {
                *buffer = back;
                None
            }
        }
    }

    fn tokens(&mut self, tokens: &mut Tokens<&mut dyn Read>, encoding: u8, large: bool, fields: PartXml) -> Result<Content> {
        if !large {
            tokens.count_brackets();
        }
        self.document(tokens, encoding, large, fields)
    }

    fn document(&mut self, tokens: &mut Tokens<&mut dyn Read>, encoding: u8, large: bool, fields: PartXml) -> Result<Content> {
        let Some(forms) = self.begin_document(tokens, encoding, large, fields)? else { return Ok(Content::Untyped) };
        while !self.frames.is_empty() {
            self.step(tokens)?;
        }
        self.patch_forms(forms)?;
        let content = self.epilog(tokens, fields.epilog)?;
        self.unusual |= tokens.has_bare_bracket();
        Ok(content)
    }

    /// Reads up to the start tag of a typed root; gives the position of the forms, which are known at the end.
    pub(super) fn begin_document<R: Read>(
        &mut self,
        tokens: &mut Tokens<R>,
        encoding: u8,
        large: bool,
        fields: PartXml,
    ) -> Result<Option<u64>> {
        let mut prolog = Vec::with_capacity(PROLOG.len());
        loop {
            let event = tokens.next()?;
            match event.token {
                Token::Start(tag) => {
                    let offset = event.offset;
                    let Some(row) = self.root_row(&tag, fields.root).map_err(|error| error.at(offset))? else {
                        return Ok(None);
                    };
                    self.root = Some(row);
                    self.unusual = !is_usual_tag(&tag);
                    self.in_pieces = large && !message(row.target).tolerant;
                    let forms = self.start_part(&tag, row, &prolog, encoding, fields).map_err(|error| error.at(offset))?;
                    return Ok(Some(forms));
                }
                Token::Eof => return Err(malformed("no root element").at(event.offset)),
                _ => prolog.extend_from_slice(outside(&event).map_err(|error| error.at(event.offset))?),
            }
        }
    }

    /// Forgets the part that was read last.
    pub(crate) fn reset(&mut self) {
        self.root = None;
        self.scope.leave(0);
        self.frames.clear();
        self.runs.clear();
        self.pending.clear();
        self.leaf = None;
        self.capture = None;
        self.forms = Forms::default();
        self.repeated.clear();
        self.habits.clear();
        self.row = 0;
        self.unusual = false;
    }

    /// The typed root that a tag is; brings its declarations into scope.
    fn root_row(&mut self, tag: &Tag<'_>, only: Option<&'static Row>) -> Result<Option<&'static Row>> {
        self.declare(tag, 0)?;
        let Some(namespace) = self.scope.element(tag.prefix()) else { return Err(undeclared(tag.prefix())) };
        if namespace == UNKNOWN {
            return Ok(None);
        }
        self.strict = self.scope.find(tag.prefix()).is_some_and(|binding| is_strict(&binding.uri));
        Ok(match only {
            Some(row) => (row.namespace == namespace && row.local() == tag.local()).then_some(row),
            None => root(namespace, tag.local()),
        })
    }

    /// Writes the markup and the start of the root; gives the position of the forms, which are known at the end.
    fn start_part(&mut self, tag: &Tag<'_>, row: &'static Row, prolog: &[u8], encoding: u8, fields: PartXml) -> Result<u64> {
        let forms = self.markup_message(prolog, encoding, fields.markup)?;
        let opening = Opening { slot: 0, row, list: None, scope: self.scope.mark() };
        let child = message(row.target);
        self.begin(&opening, child, ROOT_DEPTH);
        if let Some(frame) = self.frames.last_mut() {
            frame.streamed = child.streamed;
        }
        self.start_message(tag)?;
        if tag.empty {
            self.end_frame()?;
        }
        Ok(forms)
    }

    fn markup_message(&mut self, prolog: &[u8], encoding: u8, field: u32) -> Result<u64> {
        let mark = self.out.begin(field);
        let declared = if encoding > 1 { declared_utf8(prolog) } else { Vec::new() };
        let prolog = if encoding > 1 { &declared } else { prolog };
        let prolog_form = prolog_form(prolog);
        let out = &mut self.out.bytes;
        if prolog_form.is_none() && prolog != PROLOG {
            put_bytes(out, fields::markup::PROLOG, prolog);
        }
        for binding in self.scope.since(0) {
            put_message(out, fields::markup::NAMESPACES, |out| {
                put_declaration(out, &binding.prefix, &binding.uri, binding.after);
            });
        }
        for form in FORM_FIELDS {
            put_uint(out, form, 0);
        }
        let forms_end = out.len();
        if encoding != 0 {
            put_uint(out, fields::markup::ENCODING, u64::from(encoding));
        }
        if let Some(form) = prolog_form {
            put_uint(out, fields::markup::PROLOG_FORM, form);
        }
        let width = (2 * FORM_FIELDS.len() + out.len() - forms_end) as u64;
        self.out.end(mark)?;
        Ok(self.out.position() - width)
    }

    /// Reads on inside the root: what is regular in the buffer, and a token that may not be.
    pub(super) fn step<R: Read>(&mut self, tokens: &mut Tokens<R>) -> Result<()> {
        let (window, open) = tokens.window();
        let length = self.regular(window, open)?;
        tokens.consume(length);
        if length > 0 && self.frames.len() <= self.pause {
            return Ok(());
        }
        let event = tokens.next()?;
        let offset = event.offset;
        self.event(event).map_err(|error| error.at(offset))
    }

    /// Fills in how values are written.
    fn patch_forms(&mut self, at: u64) -> Result<()> {
        let Forms { bools, toggles, numbers, number_types } = self.forms;
        for (index, form) in [bools, toggles, numbers, number_types].into_iter().enumerate() {
            self.out.patch(at + 2 * index as u64 + 1, &[form])?;
        }
        Ok(())
    }

    fn epilog(&mut self, tokens: &mut Tokens<&mut dyn Read>, field: u32) -> Result<Content> {
        let mut epilog = Vec::new();
        loop {
            let event = tokens.next()?;
            match event.token {
                Token::Eof => break,
                Token::Start(_) => return Err(malformed("second root element").at(event.offset)),
                _ => epilog.extend_from_slice(outside(&event).map_err(|error| error.at(event.offset))?),
            }
        }
        if !epilog.is_empty() {
            put_bytes(&mut self.out.bytes, field, &epilog);
        }
        Ok(Content::Typed)
    }
}

/// Fields of `Markup` that say how values are written, in the order of [`Forms`].
const FORM_FIELDS: [u32; 4] =
    [fields::markup::BOOL_FORM, fields::markup::TOGGLE_FORM, fields::markup::NUMBER_FORM, fields::markup::NUMBER_TYPE_FORM];

/// What may stand outside of the root: comments, instructions and white space.
fn outside<'a>(event: &Event<'a>) -> Result<&'a [u8]> {
    match event.token {
        Token::Comment | Token::Instruction => Ok(event.raw),
        Token::Text(text) if is_blank(text) => Ok(event.raw),
        _ => Err(malformed("text outside the root element")),
    }
}

/// A prolog whose declaration says UTF-8, as the part will be written.
fn declared_utf8(prolog: &[u8]) -> Vec<u8> {
    let end = memchr::memmem::find(prolog, b"?>").unwrap_or(0);
    let declaration = prolog.get(..end).unwrap_or_default();
    let value = memchr::memmem::find(declaration, b"encoding").and_then(|at| {
        let open = at + declaration.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
        let quote = *declaration.get(open)?;
        let length = memchr::memchr(quote, declaration.get(open + 1..)?)?;
        Some(open + 1..open + 1 + length)
    });
    let Some(value) = value else { return prolog.to_vec() };
    let mut text = prolog.get(..value.start).unwrap_or_default().to_vec();
    text.extend_from_slice(b"UTF-8");
    text.extend_from_slice(prolog.get(value.end..).unwrap_or_default());
    text
}
