//! The namespace declarations in scope while a document is read.

use recto_schema::tables::{NO_NAMESPACE, XML_NAMESPACE, namespace, namespace_of, word};

/// Id of a namespace that the schema does not know.
pub(crate) const UNKNOWN: u8 = u8::MAX;

/// One declaration in scope.
#[derive(Default)]
pub(crate) struct Binding {
    /// The prefix; empty for the default namespace.
    pub prefix: Vec<u8>,
    /// Its first eight bytes, to compare it by.
    word: u64,
    /// The URI; empty where the default namespace is taken back.
    pub uri: Vec<u8>,
    /// The schema's namespace, or [`UNKNOWN`].
    pub id: u8,
    /// How many elements were open where it stands; 0: the root.
    pub depth: u32,
    /// How many attributes stand before it in its tag.
    pub after: u32,
    /// What prefixes meant before it.
    before: u32,
}

/// All declarations in scope, the innermost last.
pub(crate) struct Scope {
    bindings: Vec<Binding>,
    /// Those that have gone out of scope, for their memory.
    spare: Vec<Binding>,
    /// The last prefix looked up, for it is mostly asked again: index in `bindings`.
    last: usize,
    /// Says what prefixes mean.
    generation: u32,
    /// The generation that came last.
    newest: u32,
}

impl Scope {
    pub(crate) fn new() -> Self {
        Scope { bindings: Vec::new(), spare: Vec::new(), last: usize::MAX, generation: 1, newest: 1 }
    }

    /// Brings a declaration into scope; `depth` elements are open around the one that it stands on.
    ///
    /// Where both URIs of a namespace, the transitional and the Strict one, are in scope, the inner one counts as unknown:
    /// an id could not tell which of them a name has.
    pub(crate) fn declare(&mut self, prefix: &[u8], uri: &[u8], depth: u32) {
        self.declare_after(prefix, uri, depth, 0);
    }

    /// As [`Scope::declare`]; the declaration stands after so many attributes.
    pub(crate) fn declare_after(&mut self, prefix: &[u8], uri: &[u8], depth: u32, after: u32) {
        let id = match uri {
            [] => NO_NAMESPACE,
            _ => namespace_of(uri).map_or(UNKNOWN, |(id, _)| id),
        };
        let other_class = |(at, other): (usize, &Binding)| {
            other.id == id && other.uri != uri && other.prefix != prefix && !self.is_shadowed(at)
        };
        let ambiguous = id != UNKNOWN && self.bindings.iter().enumerate().any(other_class);
        let id = if ambiguous { UNKNOWN } else { id };
        let Binding { prefix: mut prefix_text, uri: mut uri_text, .. } = self.spare.pop().unwrap_or_default();
        prefix_text.clear();
        prefix_text.extend_from_slice(prefix);
        uri_text.clear();
        uri_text.extend_from_slice(uri);
        let (word, before) = (word(prefix), self.generation);
        self.bindings.push(Binding { prefix: prefix_text, word, uri: uri_text, id, depth, after, before });
        self.renew();
    }

    /// A number that is the same as long as prefixes mean the same, and again when what was declared since is out of scope.
    #[inline]
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    fn renew(&mut self) {
        self.newest = self.newest.wrapping_add(1);
        self.enter(self.newest);
    }

    fn enter(&mut self, generation: u32) {
        self.last = usize::MAX;
        self.generation = generation;
    }

    /// Number of declarations, to come back to with [`Scope::leave`].
    pub(crate) fn mark(&self) -> usize {
        self.bindings.len()
    }

    /// Takes declarations out of scope.
    #[inline]
    pub(crate) fn leave(&mut self, mark: usize) {
        if let Some(first) = self.bindings.get(mark) {
            let before = first.before;
            self.spare.extend(self.bindings.drain(mark..));
            self.enter(before);
        }
    }

    /// The declaration that a prefix means; the empty prefix is the default namespace.
    #[inline]
    pub(crate) fn find(&mut self, prefix: &[u8]) -> Option<&Binding> {
        let word = word(prefix);
        let is = |binding: &Binding| {
            binding.word == word && binding.prefix.len() == prefix.len() && (prefix.len() <= 8 || binding.prefix == prefix)
        };
        if !self.bindings.get(self.last).is_some_and(is) {
            self.last = self.bindings.iter().rposition(is)?;
        }
        self.bindings.get(self.last)
    }

    /// Where the declaration of a prefix stands among those in scope.
    pub(crate) fn position(&mut self, prefix: &[u8]) -> usize {
        if self.find(prefix).is_some() { self.last } else { usize::MAX }
    }

    /// The namespace of an element's prefix.
    #[inline]
    pub(crate) fn element(&mut self, prefix: &[u8]) -> Option<u8> {
        match self.find(prefix) {
            Some(binding) => Some(binding.id),
            None if prefix.is_empty() => Some(NO_NAMESPACE),
            None => (prefix == b"xml").then_some(XML_NAMESPACE),
        }
    }

    /// The namespace of an attribute's prefix.
    #[inline]
    pub(crate) fn attribute(&mut self, prefix: &[u8]) -> Option<u8> {
        match prefix {
            [] => Some(NO_NAMESPACE),
            b"xml" => Some(XML_NAMESPACE),
            _ => self.find(prefix).map(|binding| binding.id),
        }
    }

    /// The declarations since a mark.
    pub(crate) fn since(&self, mark: usize) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().skip(mark)
    }

    /// Takes the declarations since a mark out of scope for a while.
    pub(crate) fn hide(&mut self, mark: usize) -> Vec<Binding> {
        self.renew();
        self.bindings.split_off(mark.min(self.bindings.len()))
    }

    /// Brings hidden declarations back.
    pub(crate) fn unhide(&mut self, hidden: Vec<Binding>) {
        self.renew();
        self.bindings.extend(hidden);
    }

    /// The prefix that an element of a namespace is written with, if one is in scope.
    pub(crate) fn element_prefix(&self, id: u8) -> Option<&[u8]> {
        self.prefix_of(id, namespace(id).prefix.as_bytes(), |_| true)
    }

    /// The prefix that an attribute of a namespace is written with, if one is in scope.
    pub(crate) fn attribute_prefix(&self, id: u8) -> Option<&[u8]> {
        self.prefix_of(id, namespace(id).binding.as_bytes(), |prefix| !prefix.is_empty())
    }

    /// The preferred prefix where it is in scope, else the outermost: a further one changes nothing for open elements.
    fn prefix_of(&self, id: u8, preferred: &[u8], fit: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
        let mut found = None;
        for (at, binding) in self.bindings.iter().enumerate() {
            if binding.id != id || !fit(&binding.prefix) || self.is_shadowed(at) {
                continue;
            }
            if binding.prefix == preferred {
                return Some(&binding.prefix);
            }
            found = found.or(Some(&*binding.prefix));
        }
        found
    }

    fn is_shadowed(&self, at: usize) -> bool {
        let mut later = self.bindings.iter().skip(at);
        let Some(binding) = later.next() else { return true };
        later.any(|other| other.prefix == binding.prefix)
    }
}

/// The prefix that the writer gives to an element's namespace by itself.
pub(crate) fn canonical_prefix(id: u8) -> &'static [u8] {
    namespace(id).prefix.as_bytes()
}

/// The prefix that the writer gives to an attribute's namespace by itself.
pub(crate) fn binding_prefix(id: u8) -> &'static [u8] {
    namespace(id).binding.as_bytes()
}

/// The URI of a namespace in a part of either conformance class.
pub(crate) fn canonical_uri(id: u8, strict: bool) -> &'static [u8] {
    let namespace = namespace(id);
    if strict && !namespace.strict.is_empty() { namespace.strict.as_bytes() } else { namespace.uri.as_bytes() }
}
