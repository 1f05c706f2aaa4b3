//! How much of two packages is the same to the byte.

use crate::error::Result;
use crate::opc::Archive;
use crate::opc::zip::{Entry, ReadAt};

use super::diff::is_xml;

/// What is the same in two packages whose entries are paired in the order of their zips.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Entries of the left package that are XML, also those with content types and relationships.
    pub xml: u64,
    /// How many of them are the same.
    pub same_xml: u64,
    /// Other entries of the left package.
    pub binary: u64,
    /// How many of them are the same.
    pub same_binary: u64,
    /// The entries that are not the same, in the order of the zip.
    pub different: Vec<DifferentEntry>,
    /// Whether the packages have the same entries in the same order, each with the same name, method (stored or deflated) and
    /// content. What may differ then is how well they are compressed, time stamps, and extra fields.
    pub same_package: bool,
}

/// An entry that is not the same in both packages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferentEntry {
    /// Its name in the left package, or in the right one if only that has it.
    pub name: String,
    /// What is not the same.
    pub what: EntryDifference,
}

/// What is not the same about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryDifference {
    /// The left package has another entry at this place, or none.
    Name,
    /// The content, from this offset on.
    Content(u64),
    /// The entry cannot be read on one side.
    Unreadable,
    /// Only the method: stored here, deflated there.
    Method,
}

/// Compares packages byte by byte.
pub fn identity<L: ReadAt, R: ReadAt>(left: &Archive<L>, right: &Archive<R>) -> Identity {
    let (ours, theirs) = (left.zip().entries(), right.zip().entries());
    let mut found = Identity::default();
    for index in 0..ours.len().max(theirs.len()) {
        let (Some(one), Some(other)) = (ours.get(index), theirs.get(index)) else {
            let name = ours.get(index).or(theirs.get(index)).map_or(String::new(), |entry| entry.name.clone());
            if let Some(entry) = ours.get(index) {
                let content = left.zip().read_entry(index).unwrap_or_default();
                found.count(is_xml(left.content_types().of(&entry.name).unwrap_or_default(), &content), false);
            }
            found.different.push(DifferentEntry { name, what: EntryDifference::Name });
            continue;
        };
        let contents = (left.zip().read_entry(index), right.zip().read_entry(index));
        let content = contents.0.as_deref().unwrap_or_default();
        let is_xml = one.name.ends_with(".rels") || is_xml(left.content_types().of(&one.name).unwrap_or_default(), content);
        let what = difference(one, other, &contents);
        let same = matches!(what, None | Some(EntryDifference::Method));
        found.count(is_xml, same);
        found.different.extend(what.map(|what| DifferentEntry { name: one.name.clone(), what }));
    }
    found.same_package = found.different.is_empty();
    found
}

impl Identity {
    fn count(&mut self, is_xml: bool, same: bool) {
        let (all, alike) = match is_xml {
            true => (&mut self.xml, &mut self.same_xml),
            false => (&mut self.binary, &mut self.same_binary),
        };
        *all += 1;
        *alike += u64::from(same);
    }
}

fn difference(one: &Entry, other: &Entry, contents: &(Result<Vec<u8>>, Result<Vec<u8>>)) -> Option<EntryDifference> {
    if one.name != other.name {
        return Some(EntryDifference::Name);
    }
    let (Ok(ours), Ok(theirs)) = contents else { return Some(EntryDifference::Unreadable) };
    if ours != theirs {
        let at = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
        return Some(EntryDifference::Content(at as u64));
    }
    (one.is_stored() != other.is_stored()).then_some(EntryDifference::Method)
}
