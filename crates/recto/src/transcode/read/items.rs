//! The items of a part's long list, one after the other: rows of a sheet, blocks of a document.

use std::io::Read;

use recto_schema::tables::{Message, message};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::transcode::List;
use crate::transcode::observe::Ignore;
use crate::wire::input::Fields;
use crate::xml::tokens::Tokens;

use super::{PartXml, Reader};

/// The items of a list, from XML. Only what has been read ahead of the item at hand is in memory: a buffer's worth.
pub(crate) struct Items<R> {
    reader: Reader<'static, Ignore>,
    tokens: Tokens<R>,
    list: List,
    state: State,
    /// Fields of the list's owner that are complete, and how much of them has been given.
    ready: Vec<u8>,
    given: usize,
    /// What went wrong behind the items that are ready.
    failure: Option<Error>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The list has not begun.
    Before,
    Within,
    After,
}

impl<R: Read> Items<R> {
    /// The items of a list in an XML part, which must be UTF-8; `None` if the part has another root.
    pub(crate) fn open(source: R, list: List, limits: &Limits) -> Result<Option<Self>> {
        let mut reader = Reader::unobserved(limits);
        let mut tokens = Tokens::trusted(source, limits, Vec::new());
        let begun = reader.begin_document(&mut tokens, 0, true, PartXml::PART)?;
        if begun.is_none() || reader.root.is_none_or(|root| u32::from(root.field) != list.root) {
            return Ok(None);
        }
        let state = if reader.frames.is_empty() { State::After } else { State::Before };
        // Beyond the root and one child there is nothing to see before the list begins.
        reader.pause = 2;
        Ok(Some(Items { reader, tokens, list, state, ready: Vec::new(), given: 0, failure: None }))
    }

    /// The wire bytes of the next item.
    pub(crate) fn next(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        loop {
            if self.give(item)? {
                return Ok(true);
            }
            match self.state {
                State::Before => self.find()?,
                State::Within => self.read(),
                State::After => return self.failure.take().map_or(Ok(false), Err),
            }
        }
    }

    /// Gives an item that is ready.
    fn give(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        let ready = self.ready.get(self.given..).unwrap_or_default();
        for field in Fields::new(ready) {
            let field = field?;
            if field.number == self.list.items {
                item.clear();
                item.extend_from_slice(field.bytes(ready));
                self.given += field.end as usize;
                return Ok(true);
            }
        }
        self.ready.clear();
        self.given = 0;
        Ok(false)
    }

    /// Reads on towards the list.
    fn find(&mut self) -> Result<()> {
        self.reader.step(&mut self.tokens)?;
        let owner: *const Message = message(self.list.owner);
        let open = self.reader.frames.get(1);
        if let Some(frame) = open.filter(|frame| std::ptr::eq(frame.message, owner)) {
            self.forget(frame.marks.inner.at);
            self.state = State::Within;
            self.reader.pause = 1;
        } else if self.reader.frames.is_empty() {
            self.state = State::After;
        } else if open.is_none() {
            self.forget(self.reader.out.position());
        }
        Ok(())
    }

    /// Lets go of what stands before a position.
    fn forget(&mut self, before: u64) {
        self.reader.out.take(before, &mut self.ready);
        self.ready.clear();
    }

    /// Reads on in the list, up to its end.
    fn read(&mut self) {
        self.failure = self.reader.step(&mut self.tokens).err();
        let (out, frames) = (&self.reader.out, &self.reader.frames);
        let complete = match frames.get(2) {
            Some(item) => out.start_of(item.marks.outer.unwrap_or(item.marks.inner), self.list.items),
            None => out.position(),
        };
        if frames.len() < 2 || self.failure.is_some() {
            self.state = State::After;
        }
        self.reader.out.take(complete, &mut self.ready);
    }
}
