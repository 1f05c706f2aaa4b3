//! XML that was kept as written.

use recto_schema::fields;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::wire::input::{Fields, invalid};
use crate::xml::escapes;
use crate::xml::tokens::{Tag, Token, Tokens};

use super::Writer;
use super::extras::{Declaration, declaration};

/// A `RawXml`.
#[derive(Clone, Default)]
pub(super) struct Raw<'w> {
    namespaces: Vec<Declaration<'w>>,
    xml: &'w [u8],
}

impl<'w> Raw<'w> {
    /// Adds one occurrence of the field.
    pub(super) fn add(&mut self, wire: &'w [u8]) -> Result<()> {
        for field in Fields::new(wire) {
            let field = field?;
            match field.number {
                fields::raw_xml::NAMESPACES => self.namespaces.push(declaration(field.bytes(wire))?),
                fields::raw_xml::XML => self.xml = field.bytes(wire),
                _ => return Err(invalid("an unknown field in raw XML")),
            }
        }
        Ok(())
    }

    /// The XML as it was read.
    pub(super) fn text(&self) -> &'w [u8] {
        self.xml
    }

    fn namespace(&self, prefix: &[u8]) -> Option<&'w [u8]> {
        self.namespaces.iter().find(|known| known.prefix == prefix).map(|known| known.uri)
    }
}

impl Writer<'_> {
    /// Writes raw XML from the wire.
    pub(super) fn raw_wire(&mut self, wire: &[u8]) -> Result<()> {
        let mut raw = Raw::default();
        raw.add(wire)?;
        self.raw(&raw)
    }

    /// Writes raw XML. It must be well-formed, and its prefixes must mean here what they meant where it was read; those
    /// that do not are declared on its outermost elements.
    pub(super) fn raw(&mut self, raw: &Raw<'_>) -> Result<()> {
        self.settle();
        let limits = Limits::default();
        let mut tokens = Tokens::new(raw.xml, &limits);
        let (mut scopes, mut missing) = (Vec::new(), Vec::new());
        let around = self.scope.mark();
        let mut outermost = None;
        let mut text = Vec::new();
        loop {
            let event = tokens.next().map_err(|error| unfit(&error))?;
            match event.token {
                Token::Eof => break,
                Token::Start(tag) => {
                    if scopes.is_empty() {
                        self.finish_outermost(&mut outermost, &mut missing)?;
                        outermost = Some((event.raw.to_vec(), tag.name.len()));
                    } else if let Some((collected, _)) = &mut outermost {
                        collected.extend_from_slice(event.raw);
                    }
                    let scope = self.scope.mark();
                    self.check_tag(&tag, raw, around, &mut missing)?;
                    if tag.empty {
                        self.scope.leave(scope);
                    } else {
                        scopes.push(scope);
                    }
                }
                other => {
                    if let Token::Text(escaped) = other {
                        text.clear();
                        escapes::unescape_text(escaped, &mut text)?;
                    }
                    match &mut outermost {
                        Some((collected, _)) => collected.extend_from_slice(event.raw),
                        None => self.out.extend_from_slice(event.raw),
                    }
                    if let Token::End = other
                        && let Some(scope) = scopes.pop()
                    {
                        self.scope.leave(scope);
                    }
                }
            }
        }
        self.finish_outermost(&mut outermost, &mut missing)
    }

    /// Writes an outermost element (and what follows it) with the declarations that it misses.
    fn finish_outermost(
        &mut self,
        outermost: &mut Option<(Vec<u8>, usize)>,
        missing: &mut Vec<(Vec<u8>, Vec<u8>)>,
    ) -> Result<()> {
        let Some((text, name_len)) = outermost.take() else { return Ok(()) };
        let (name, rest) = text.split_at((name_len + 1).min(text.len()));
        self.out.extend_from_slice(name);
        for (prefix, uri) in missing.drain(..) {
            self.declaration(&prefix, &uri)?;
        }
        self.out.extend_from_slice(rest);
        Ok(())
    }

    fn check_tag(&mut self, tag: &Tag<'_>, raw: &Raw<'_>, around: usize, missing: &mut Vec<(Vec<u8>, Vec<u8>)>) -> Result<()> {
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| unfit(&error))?;
            if let Some(prefix) = attribute.declares() {
                let mut uri = Vec::new();
                escapes::unescape_attribute(attribute.value, &mut uri)?;
                self.scope.declare(prefix, &uri, 1);
            }
        }
        self.check_prefix(tag.prefix(), raw, around, missing)?;
        for attribute in tag.attributes() {
            let attribute = attribute?;
            if attribute.declares().is_none() && attribute.prefix_len > 0 {
                self.check_prefix(attribute.prefix(), raw, around, missing)?;
            }
        }
        Ok(())
    }

    fn check_prefix(&mut self, prefix: &[u8], raw: &Raw<'_>, around: usize, missing: &mut Vec<(Vec<u8>, Vec<u8>)>) -> Result<()> {
        let position = self.scope.position(prefix);
        if prefix == b"xml" || (position >= around && position != usize::MAX) {
            return Ok(());
        }
        let wanted = self.meant(prefix, raw.namespace(prefix));
        let bound = self.scope.find(prefix).map(|binding| binding.uri.clone());
        match (wanted, bound) {
            (wanted, bound) if wanted == bound => Ok(()),
            (Some(wanted), _) => {
                if missing.iter().all(|(known, _)| known != prefix) {
                    missing.push((prefix.to_vec(), wanted));
                }
                Ok(())
            }
            (None, _) if prefix.is_empty() => {
                // It was in no namespace.
                missing.push((Vec::new(), Vec::new()));
                Ok(())
            }
            (None, _) => Err(invalid("raw XML uses an undeclared prefix")),
        }
    }
}

#[cold]
fn unfit(_: &Error) -> Error {
    invalid("raw XML is not well-formed")
}
