//! What is asked of every element and follows from its table alone.

use std::sync::LazyLock;

use recto_schema::tables::{MESSAGES, Message, Row, RowKind};

use super::place::is_compatibility;

/// Facts about a message.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    /// It is of VML, of which no schema is complete, or holds such elements.
    pub vml: bool,
    /// It has attributes of markup compatibility.
    pub compatibility: bool,
    /// Something is required, or has a range.
    pub facets: bool,
}

static TRAITS: LazyLock<Vec<Traits>> = LazyLock::new(|| MESSAGES.iter().map(Traits::new).collect());

impl Traits {
    /// Of the message with an index.
    pub(super) fn of(message: u16) -> Traits {
        TRAITS.get(usize::from(message)).copied().unwrap_or_default()
    }

    fn new(table: &Message) -> Traits {
        let rows = table.rows();
        Traits {
            vml: is_vml_table(table),
            compatibility: rows.iter().any(names_prefixes),
            facets: rows.iter().any(|row| row.facet != 0),
        }
    }
}

/// Whether the value of an attribute is a list of prefixes.
pub(super) fn names_prefixes(row: &Row) -> bool {
    row.kind == RowKind::Attribute && (is_compatibility(row) || row.local() == b"Requires")
}

/// Whether an element is one of VML, or holds such elements.
pub(super) fn is_vml_table(table: &Message) -> bool {
    table.rows().iter().any(|row| is_vml(row.namespace().uri.as_bytes()))
}

/// Whether a namespace is one of VML.
pub(super) fn is_vml(uri: &[u8]) -> bool {
    uri.starts_with(b"urn:schemas-microsoft-com:")
}
