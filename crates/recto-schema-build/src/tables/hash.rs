//! Perfect hashes: for each scope a multiplier under which no two of its names share a place.

use std::collections::BTreeMap;

use crate::Error;

/// A name in a scope, with what its place holds: a slot or a number, plus one or from one, so that 0 is an empty place.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub namespace: u8,
    pub name: String,
    pub value: u8,
}

/// A scope as the tables have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub multiplier: u64,
    pub slots: usize,
    pub shift: u32,
}

/// The places of all scopes.
#[derive(Debug)]
pub(super) struct Slots {
    places: Vec<u8>,
}

/// Multipliers tried for one size before it is doubled.
const TRIES: u64 = 4000;

impl Slots {
    pub fn new() -> Slots {
        // The first two places are those of all empty scopes.
        Slots { places: vec![0; 2] }
    }

    pub fn places(&self) -> &[u8] {
        &self.places
    }

    /// Adds a scope; `owner` is for the error, when two names have the same hash.
    pub fn add(&mut self, owner: &str, keys: &[Key]) -> Result<Scope, Error> {
        if keys.is_empty() {
            return Ok(Scope { multiplier: 1, slots: 0, shift: 63 });
        }
        let mut hashes = BTreeMap::new();
        for key in keys {
            if let Some(other) = hashes.insert(hash(key.namespace, key.name.as_bytes()), key) {
                let text = format!("{owner}: the names {} and {} have the same hash", other.name, key.name);
                return Err(Error::Tables(text));
            }
        }
        let hashes: Vec<(u64, u8)> = hashes.into_iter().map(|(hash, key)| (hash, key.value)).collect();
        // Below this size a random multiplier fits too rarely to be worth trying.
        let mut bits = (keys.len() * keys.len() / 12).max(keys.len()).max(2).next_power_of_two().trailing_zeros();
        loop {
            if let Some((multiplier, places)) = search(&hashes, bits) {
                let slots = self.places.len();
                self.places.extend(places);
                return Ok(Scope { multiplier, slots, shift: 64 - bits });
            }
            bits += 1;
        }
    }
}

/// The first multiplier of a fixed sequence that separates all hashes, with the places it leads to.
fn search(hashes: &[(u64, u8)], bits: u32) -> Option<(u64, Vec<u8>)> {
    let mut places = vec![0; 1 << bits];
    (0..TRIES).map(|index| mixed(index) | 1).find_map(|multiplier| {
        places.fill(0);
        let free = hashes.iter().all(|&(hash, value)| {
            let place = &mut places[(hash.wrapping_mul(multiplier) >> (64 - bits)) as usize];
            std::mem::replace(place, value) == 0
        });
        free.then(|| (multiplier, places.clone()))
    })
}

/// SplitMix64: well distributed bits for successive indices.
fn mixed(index: u64) -> u64 {
    let mut bits = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The hash that the tables' look-up computes: first eight bytes, last eight if it is longer, those between, length,
/// namespace.
fn hash(namespace: u8, name: &[u8]) -> u64 {
    let tail = if name.len() > 8 { word(&name[name.len() - 8..]) } else { 0 };
    let between = name.get(8..name.len().saturating_sub(8)).unwrap_or_default();
    let middle = between.chunks(8).fold(0, |folded: u64, chunk| folded.rotate_left(29) ^ word(chunk).rotate_left(41));
    word(name) ^ tail.rotate_left(23) ^ middle ^ ((name.len() as u64) << 32) ^ (u64::from(namespace) << 40)
}

/// The first eight bytes, or all of a shorter name, as a little-endian number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<Key> {
        names.iter().zip(1..).map(|(name, value)| Key { namespace: 2, name: (*name).to_owned(), value }).collect()
    }

    #[test]
    fn every_name_has_its_own_place() {
        let names: Vec<String> = (0..200).map(|index| format!("name{}", index * 7)).collect();
        let keys = keys(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut slots = Slots::new();
        let scope = slots.add("test", &keys).expect("no two hashes are the same");
        for key in &keys {
            let place = hash(key.namespace, key.name.as_bytes()).wrapping_mul(scope.multiplier) >> scope.shift;
            assert_eq!(slots.places()[scope.slots + place as usize], key.value);
        }
    }

    #[test]
    fn empty_scopes_share_two_empty_places() {
        let mut slots = Slots::new();
        let scope = slots.add("test", &[]).expect("nothing to collide");
        assert_eq!((scope.slots, scope.shift, slots.places()), (0, 63, &[0, 0][..]));
    }

    #[test]
    fn all_bytes_of_a_long_name_count() {
        let names = ["tblStyleRowBandSize", "tblStyleColBandSize", "abcdefgh1ijklmnop", "abcdefgh2ijklmnop"];
        assert!(Slots::new().add("TableProperties", &keys(&names)).is_ok());
    }

    #[test]
    fn the_same_name_twice_is_refused() {
        let error = Slots::new().add("Run", &keys(&["rPr", "t", "rPr"])).expect_err("same hash");
        assert_eq!(error.to_string(), "Run: the names rPr and rPr have the same hash");
    }
}
