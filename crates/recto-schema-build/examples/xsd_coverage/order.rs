//! Whether the children of a message stand in the order of the schema's sequences.

use crate::model::Slots;
use crate::xsd::{Child, Content, Name};

/// Pairs of children whose fields stand the other way round than the schema's sequences: the first must come first.
pub fn violations(slots: &Slots<'_>, content: &Content<'_>) -> Vec<(Name, Name)> {
    let mut fields: Vec<(usize, &Name)> = slots
        .children
        .iter()
        .filter_map(|(name, slot)| Some((slot.place?, name)))
        .filter(|(_, name)| places(content, name).next().is_some())
        .collect();
    fields.sort();
    let mut found = Vec::new();
    for (index, (_, later)) in fields.iter().enumerate() {
        let wrong = fields.iter().take(index).find(|(_, earlier)| must_precede(content, later, earlier));
        found.extend(wrong.map(|(_, earlier)| ((*earlier).clone(), (*later).clone())));
    }
    found
}

fn places<'c, 'a>(content: &'c Content<'a>, name: &Name) -> impl Iterator<Item = &'c Child<'a>> {
    content.children.iter().filter(move |child| child.name == *name)
}

/// Whether every place of one child comes before every place of another.
fn must_precede(content: &Content<'_>, one: &Name, other: &Name) -> bool {
    places(content, one).all(|first| places(content, other).all(|second| comes_before(first, second)))
}

fn comes_before(first: &Child<'_>, second: &Child<'_>) -> bool {
    for (one, other) in first.place.iter().zip(&second.place) {
        if !one.ordered {
            return false;
        }
        if one.index != other.index {
            return one.index < other.index;
        }
    }
    false
}
