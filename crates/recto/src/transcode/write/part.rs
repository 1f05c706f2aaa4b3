//! One part: prolog, root, epilog.

use recto_schema::enums::encoding;
use recto_schema::fields;
use recto_schema::tables::Row;

use crate::error::Result;
use crate::transcode::ROOT_DEPTH;
use crate::transcode::forms::{Forms, PROLOG, prolog_text};
use crate::wire::input::{Field, Fields, Input, invalid};
use crate::xml::names::is_blank;
use crate::xml::namespaces::canonical_uri;
use crate::xml::tokens::{Token, Tokens};

use super::Writer;
use super::extras::{Declaration, declaration};
use super::repeated::Repeated;

/// Where the pieces of a typed part stand in the input.
pub(crate) struct PartText<'w> {
    /// The `Markup` message, empty without.
    pub markup: &'w [u8],
    /// The row of the root.
    pub root: &'static Row,
    /// The pieces of the root message, more than one where an encoder split it.
    pub roots: &'w [Field],
    /// The text after the root.
    pub epilog: &'w [u8],
}

/// What a `Markup` says.
struct Markup<'w> {
    prolog: &'w [u8],
    namespaces: Vec<Declaration<'w>>,
    forms: Forms,
    byte_order_mark: bool,
}

impl<'w> Markup<'w> {
    fn of_wire(wire: &'w [u8]) -> Result<Self> {
        let (mut prolog, mut form) = (None, 0);
        let mut markup = Markup { prolog: PROLOG, namespaces: Vec::new(), forms: Forms::default(), byte_order_mark: false };
        for field in Fields::new(wire) {
            let field = field?;
            match field.number {
                fields::markup::PROLOG => prolog = Some(field.bytes(wire)),
                fields::markup::PROLOG_FORM => form = field.value,
                fields::markup::NAMESPACES => markup.namespaces.push(declaration(field.bytes(wire))?),
                fields::markup::BOOL_FORM => markup.forms.bools = field.value as u8,
                fields::markup::TOGGLE_FORM => markup.forms.toggles = field.value as u8,
                fields::markup::NUMBER_FORM => markup.forms.numbers = field.value as u8,
                fields::markup::NUMBER_TYPE_FORM => markup.forms.number_types = field.value as u8,
                fields::markup::ENCODING => markup.byte_order_mark = field.value == encoding::UTF8_BOM,
                _ => return Err(invalid("an unknown field in markup")),
            }
        }
        markup.prolog = prolog.unwrap_or(prolog_text(form));
        Ok(markup)
    }
}

impl Writer<'_> {
    /// Writes one part; gives the buffer back.
    pub(crate) fn part(mut self, input: &mut Input<'_>, part: &PartText<'_>) -> Result<Vec<u8>> {
        self.repeated = Repeated::of_part(part.roots.iter().map(|root| root.end - root.start).sum());
        self.text(input, part)?;
        Ok(self.out)
    }

    /// As [`Writer::part`]; says also whether the supplied items have found their place.
    pub(crate) fn supplied_part(mut self, input: &mut Input<'_>, part: &PartText<'_>) -> Result<(Vec<u8>, bool)> {
        self.text(input, part)?;
        Ok((self.out, self.supply.is_none()))
    }

    /// Writes one part to the sink.
    pub(super) fn text(&mut self, input: &mut Input<'_>, part: &PartText<'_>) -> Result<()> {
        let markup = Markup::of_wire(part.markup)?;
        check_outside(markup.prolog)?;
        check_outside(part.epilog)?;
        self.forms = markup.forms;
        self.row.set(0);
        self.leave(0);
        if markup.byte_order_mark {
            self.out.extend_from_slice("\u{feff}".as_bytes());
        }
        self.out.extend_from_slice(markup.prolog);
        self.strict = false;
        for (at, Declaration { prefix, uri, .. }) in markup.namespaces.iter().enumerate() {
            if markup.namespaces.iter().take(at).any(|earlier| earlier.prefix == *prefix) {
                return Err(invalid("a prefix is declared twice on an element"));
            }
            self.declare(prefix, uri, 0);
            let strict = canonical_uri(part.root.namespace, true);
            self.strict |= *uri == strict && strict != canonical_uri(part.root.namespace, false);
        }
        self.root_scope = self.scope.mark();
        self.declarations = markup.namespaces.iter().map(|it| (it.prefix.to_vec(), it.uri.to_vec(), it.after)).collect();
        match part.roots {
            [root] => self.streamed(input, root.start, root.end, part.root, ROOT_DEPTH)?,
            roots => {
                let mut merged = Vec::new();
                for root in roots {
                    merged.extend_from_slice(input.bytes(root.start, root.end)?);
                }
                let end = merged.len() as u64;
                self.streamed(&mut Input::Slice(&merged), 0, end, part.root, ROOT_DEPTH)?;
            }
        }
        self.out.extend_from_slice(part.epilog);
        self.flush()
    }
}

/// Only comments, instructions and white space may stand outside of the root.
fn check_outside(text: &[u8]) -> Result<()> {
    if text.is_empty() || text == PROLOG {
        return Ok(());
    }
    let limits = crate::limits::Limits::default();
    let mut tokens = Tokens::new(text, &limits);
    loop {
        let event = tokens.next().map_err(|_| invalid("text outside the root element is not well-formed"))?;
        match event.token {
            Token::Eof => return Ok(()),
            Token::Comment | Token::Instruction => {}
            Token::Text(text) if is_blank(text) => {}
            _ => return Err(invalid("text outside the root element")),
        }
    }
}
