//! The two interpreters of the schema tables: XML to protobuf wire bytes, and back.

pub(crate) mod cells;
mod digits;
pub(crate) mod forms;
pub(crate) mod numbers;
pub(crate) mod observe;
pub(crate) mod plain;
pub(crate) mod read;
pub(crate) mod references;
pub(crate) mod write;

/// How deep typed messages nest before content is kept as raw XML. Decoders stop at 100 nested messages; extras need up
/// to four levels below the innermost typed one.
pub(crate) const MAX_MESSAGE_DEPTH: u32 = 90;

/// Depth of a part's root message: package, part, root.
pub(crate) const ROOT_DEPTH: u32 = 2;
