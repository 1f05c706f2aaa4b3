//! Open messages.

use recto_schema::tables::Message;

use crate::wire::output::Mark;

use super::repeated::Begun;

/// An element that is a message, while it is open.
pub(super) struct Frame {
    /// Its table.
    pub message: &'static Message,
    /// The namespace of its element.
    pub namespace: u8,
    /// Where it began on the wire.
    pub marks: Marks,
    /// Depth in the wire's messages.
    pub depth: u32,
    /// Declarations in scope around it.
    pub scope: usize,
    /// Where its runs begin.
    pub runs: usize,
    /// Slots of singular children that have come.
    pub seen: u128,
    /// Slot of the last child, plus one.
    pub last: usize,
    /// Whether children came in another order than the schema's.
    pub disordered: bool,
    /// Whether there is any child, comment or text but white space.
    pub has_content: bool,
    /// What few frames have, on the heap, so that the others stay small.
    pub aside: Option<Box<Aside>>,
    /// Whether `xml:space="preserve"` stands on it.
    pub preserves_space: bool,
    /// Whether finished content may be handed on while it is open.
    pub streamed: bool,
    /// Where it began, if it is to be remembered.
    pub begun: Option<Begun>,
}

/// Where a message began on the wire.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    /// Its wrapper in a content list, if it is an item of one.
    pub outer: Option<Mark>,
    /// The message itself.
    pub inner: Mark,
}

/// What is known of an element's content and may still turn out to mean nothing.
#[derive(Default)]
pub(super) struct Aside {
    /// White space so far, as long as there is nothing else.
    pub blank: Vec<u8>,
    /// Declarations that may be those of the first typed child.
    pub held: Vec<Held>,
}

impl Frame {
    /// Whether declarations wait for the first typed child.
    #[inline]
    pub(super) fn holds(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| !aside.held.is_empty())
    }

    /// White space between elements says nothing, unless the element holds nothing else.
    #[inline]
    pub(super) fn keep_blank(&mut self, blank: &[u8]) {
        if !self.has_content {
            self.aside.get_or_insert_default().blank.extend_from_slice(blank);
        }
    }

    /// Forgets white space: something else has come.
    #[inline]
    pub(super) fn forget_blank(&mut self) {
        if let Some(aside) = &mut self.aside {
            aside.blank.clear();
        }
    }
}

/// A declaration whose meaning the first typed child decides.
pub(super) struct Held {
    pub prefix: Vec<u8>,
    pub uri: Vec<u8>,
    pub id: u8,
    pub after: u32,
}

/// The part of a frame that a child changes, kept to undo a child.
#[derive(Clone, Copy)]
pub(super) struct Snapshot {
    pub seen: u128,
    pub last: usize,
    pub disordered: bool,
    pub runs: usize,
    pub run_count: u32,
    pub pending: usize,
    pub pending_len: usize,
    pub out: u64,
}
