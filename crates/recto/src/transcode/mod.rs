//! The two interpreters of the schema tables: XML to protobuf wire bytes, and back.

pub(crate) mod cells;
mod digits;
pub(crate) mod forms;
pub(crate) mod numbers;
pub(crate) mod observe;
pub(crate) mod plain;
mod powers;
pub(crate) mod read;
pub(crate) mod references;
pub(crate) mod usual_cell;
pub(crate) mod write;

/// How deep typed messages nest before content is kept as raw XML. Decoders stop at 100 nested messages; extras need up
/// to four levels below the innermost typed one.
pub(crate) const MAX_MESSAGE_DEPTH: u32 = 90;

/// Depth of a part's root message: package, part, root.
pub(crate) const ROOT_DEPTH: u32 = 2;

/// A long list of a part that can be read and written item by item: a repeated field of a child of the root.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "model"), expect(dead_code, reason = "only the structs name lists"))]
pub(crate) struct List {
    /// Number of the root in `Part`.
    pub root: u32,
    /// Number of the child that holds the list, in the root.
    pub child: u32,
    /// Index of the child's message.
    pub owner: u16,
    /// Number of the list, in the child.
    pub items: u32,
}
