//! How to get to every message of the schema.

use std::collections::VecDeque;

use recto_schema::tables::{MESSAGES, ROOTS, Row, RowKind, message};

/// The way from a part's root to a message.
#[derive(Clone, Debug)]
pub struct Path {
    /// The part's root.
    pub root: &'static Row,
    /// The children to go into, one after the other.
    pub steps: Vec<&'static Row>,
}

impl Path {
    /// The message that it leads to.
    pub fn target(&self) -> u16 {
        self.steps.last().unwrap_or(&self.root).target
    }
}

/// The shortest ways to all messages that stand for elements.
pub fn paths() -> Vec<Path> {
    let mut found: Vec<Option<Path>> = vec![None; MESSAGES.len()];
    let mut queue = VecDeque::new();
    for root in &ROOTS {
        let place = &mut found[usize::from(root.target)];
        if place.is_none() {
            *place = Some(Path { root, steps: Vec::new() });
            queue.push_back(root.target);
        }
    }
    while let Some(index) = queue.pop_front() {
        let path = found[usize::from(index)].clone().unwrap();
        for row in children(index) {
            let place = &mut found[usize::from(row.target)];
            if place.is_none() {
                let mut longer = path.clone();
                longer.steps.push(row);
                *place = Some(longer);
                queue.push_back(row.target);
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// Children that are messages, those of the content list included.
fn children(index: u16) -> impl Iterator<Item = &'static Row> {
    let rows = message(index).rows().iter();
    let items = rows.clone().filter(|row| row.kind == RowKind::List).flat_map(|list| message(list.target).rows());
    rows.chain(items).filter(|row| row.kind == RowKind::Child)
}
