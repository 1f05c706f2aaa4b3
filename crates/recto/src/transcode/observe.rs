//! Counting what becomes typed and what is merely carried.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// An element.
    Element,
    /// An attribute; one without prefix counts for the namespace of its element.
    Attribute,
}

/// Is told of every element and attribute that the reader meets.
pub(crate) trait Observer {
    /// Whether it listens at all.
    const LISTENS: bool = true;

    /// One that ended in a typed field; its namespace is the schema's.
    fn typed(&mut self, item: Item, namespace: u8);
    /// One that was reported as typed and is not: the element around it had to be kept as it is.
    fn retracted(&mut self, item: Item, namespace: u8);
    /// One that is carried in extras or raw XML.
    fn untyped(&mut self, item: Item, uri: &[u8], local: &[u8]);
    /// One that lies deeper than messages can nest, and is therefore carried in raw XML.
    fn too_deep(&mut self, item: Item);
}

/// Counts nothing.
pub(crate) struct Ignore;

impl Observer for Ignore {
    const LISTENS: bool = false;

    #[inline]
    fn typed(&mut self, _: Item, _: u8) {}
    #[inline]
    fn retracted(&mut self, _: Item, _: u8) {}
    #[inline]
    fn untyped(&mut self, _: Item, _: &[u8], _: &[u8]) {}
    #[inline]
    fn too_deep(&mut self, _: Item) {}
}
