//! Guessing the next name: documents repeat themselves, so what followed the last time mostly follows again.

use recto_schema::tables::Message;

use crate::xml::scan::{Short, byte};

/// Number of places; a power of two.
pub(super) const PLACES: usize = 256;

/// What a name led to.
#[derive(Clone, Copy)]
struct Guess<T> {
    /// The message in which it stood, by address.
    owner: usize,
    /// Slot of what came before it, plus one.
    after: usize,
    /// Which meaning of prefixes it holds for.
    generation: u32,
    name: Short,
    found: T,
}

/// Guesses by what came before.
pub(super) struct Guesses<T> {
    places: Vec<Option<Guess<T>>>,
}

impl<T> Default for Guesses<T> {
    fn default() -> Self {
        Guesses { places: Vec::new() }
    }
}

/// The place of something in a table, by an address and what else tells it from others.
#[inline(always)]
pub(super) fn place(owner: usize, after: usize) -> usize {
    (owner >> 3).wrapping_add(after.wrapping_mul(37)).wrapping_mul(0x9E37_79B9) >> 12 & (PLACES - 1)
}

/// What a part of the schema's tables is told from others by.
#[inline(always)]
pub(super) fn address<T>(part: &'static T) -> usize {
    std::ptr::from_ref(part) as usize
}

impl<T: Copy> Guesses<T> {
    /// What the name at `at` leads to and where it ends, if it is the one that followed the last time.
    #[inline(always)]
    pub(super) fn get(
        &self,
        owner: &'static Message,
        after: usize,
        generation: u32,
        window: &[u8],
        at: usize,
    ) -> Option<(T, usize)> {
        let owner = address(owner);
        let guess = self.places.get(place(owner, after))?.as_ref()?;
        let end = at + guess.name.len;
        let fits = guess.owner == owner
            && guess.after == after
            && guess.generation == generation
            && guess.name.is_at(window, at)
            && matches!(byte(window, end), b' ' | b'>' | b'/' | b'=');
        fits.then_some((guess.found, end))
    }

    /// Remembers what a name led to.
    pub(super) fn set(&mut self, owner: &'static Message, after: usize, generation: u32, name: &[u8], found: T) {
        let Some(name) = Short::of(name) else { return };
        if self.places.is_empty() {
            self.places = vec![None; PLACES];
        }
        let owner = address(owner);
        if let Some(guess) = self.places.get_mut(place(owner, after)) {
            *guess = Some(Guess { owner, after, generation, name, found });
        }
    }
}
