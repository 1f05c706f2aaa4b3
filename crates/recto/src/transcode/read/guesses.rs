//! Guessing the next name: documents repeat themselves, so what followed the last time mostly follows again.

use recto_schema::tables::Message;

use crate::xml::scan::{byte, low_bytes, word};

/// Number of places; a power of two.
const PLACES: usize = 256;

/// Longest name that is guessed, prefix included.
const LONGEST: usize = 16;

/// What a name led to.
#[derive(Clone, Copy)]
struct Guess<T> {
    /// The message in which it stood, by address.
    owner: usize,
    /// Slot of what came before it, plus one.
    after: usize,
    /// Which meaning of prefixes it holds for.
    generation: u32,
    /// The name, which of two words' bits belong to it, and its length.
    words: [u64; 2],
    masks: [u64; 2],
    len: usize,
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

#[inline(always)]
fn place(owner: usize, after: usize) -> usize {
    (owner >> 3).wrapping_add(after.wrapping_mul(37)).wrapping_mul(0x9E37_79B9) >> 12 & (PLACES - 1)
}

#[inline(always)]
fn address(owner: &'static Message) -> usize {
    std::ptr::from_ref(owner) as usize
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
        let end = at + guess.len;
        let fits = guess.owner == owner
            && guess.after == after
            && guess.generation == generation
            && word(window, at) & guess.masks[0] == guess.words[0]
            && (guess.len <= 8 || word(window, at + 8) & guess.masks[1] == guess.words[1])
            && matches!(byte(window, end), b' ' | b'>' | b'/' | b'=');
        fits.then_some((guess.found, end))
    }

    /// Remembers what a name led to.
    pub(super) fn set(&mut self, owner: &'static Message, after: usize, generation: u32, name: &[u8], found: T) {
        if name.len() > LONGEST {
            return;
        }
        if self.places.is_empty() {
            self.places = vec![None; PLACES];
        }
        let words = [recto_schema::tables::word(name), recto_schema::tables::word(name.get(8..).unwrap_or_default())];
        let masks = [low_bytes(u64::MAX, name.len()), low_bytes(u64::MAX, name.len().saturating_sub(8))];
        let owner = address(owner);
        if let Some(guess) = self.places.get_mut(place(owner, after)) {
            *guess = Some(Guess { owner, after, generation, words, masks, len: name.len(), found });
        }
    }
}
