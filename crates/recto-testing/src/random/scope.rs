//! Namespaces in scope, and names made of them.

use recto_schema::tables::namespace;

use crate::Rng;

/// Namespaces that no schema knows.
const FOREIGN: [&str; 3] = ["urn:foreign", "http://example.com/a?b=c&d", "urn:schemas-example:é"];

/// Declarations in scope, innermost last.
#[derive(Default)]
pub(super) struct Scope {
    bindings: Vec<(String, String)>,
    fresh: usize,
}

/// The start tag under construction: what its declarations may not change any more.
pub(super) struct Tag {
    /// Where the declarations of this tag begin.
    pub mark: usize,
    used: Vec<String>,
}

impl Scope {
    pub(super) fn tag(&self) -> Tag {
        Tag { mark: self.bindings.len(), used: Vec::new() }
    }

    /// Ends an element.
    pub(super) fn leave(&mut self, mark: usize) {
        self.bindings.truncate(mark);
    }

    /// The declarations of a tag.
    pub(super) fn declared(&self, tag: &Tag) -> Vec<(String, String)> {
        self.bindings[tag.mark..].to_vec()
    }

    fn uri(&self, prefix: &str) -> &str {
        self.bindings.iter().rev().find(|(bound, _)| bound == prefix).map_or("", |(_, uri)| uri)
    }

    /// Prefixes that stand for a URI here.
    fn prefixes(&self, uri: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (prefix, bound) in &self.bindings {
            if bound == uri && self.uri(prefix) == uri && !found.contains(prefix) {
                found.push(prefix.clone());
            }
        }
        found
    }

    /// Some prefix in scope.
    pub(super) fn some_prefix(&self, rng: &mut Rng) -> Option<String> {
        let named: Vec<_> = self.bindings.iter().filter(|(prefix, uri)| !prefix.is_empty() && self.uri(prefix) == uri).collect();
        (!named.is_empty()).then(|| rng.pick(&named).0.clone())
    }

    fn is_free(&self, tag: &Tag, prefix: &str) -> bool {
        !tag.used.iter().any(|used| used == prefix) && !self.bindings[tag.mark..].iter().any(|(bound, _)| bound == prefix)
    }

    /// Declares a prefix on this tag, unless that would change the meaning of a name in it.
    pub(super) fn declare(&mut self, tag: &Tag, prefix: &str, uri: &str) -> bool {
        let free = self.is_free(tag, prefix);
        if free {
            self.bindings.push((prefix.to_owned(), uri.to_owned()));
        }
        free
    }

    /// A qualified name, with what must be declared for it declared.
    pub(super) fn name(&mut self, rng: &mut Rng, tag: &mut Tag, uri: &str, wanted: &str, local: &str, element: bool) -> String {
        if uri == "http://www.w3.org/XML/1998/namespace" {
            return format!("xml:{local}");
        }
        let prefix = if uri.is_empty() { self.none(tag, element) } else { self.prefix(rng, tag, uri, wanted, element) };
        if element || !prefix.is_empty() {
            tag.used.push(prefix.clone());
        }
        if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") }
    }

    /// No namespace: the default one must be taken back for elements.
    fn none(&mut self, tag: &Tag, element: bool) -> String {
        if element && !self.uri("").is_empty() {
            self.declare(tag, "", "");
        }
        String::new()
    }

    fn prefix(&mut self, rng: &mut Rng, tag: &Tag, uri: &str, wanted: &str, element: bool) -> String {
        let mut known = self.prefixes(uri);
        known.retain(|prefix| element || !prefix.is_empty());
        if !known.is_empty() && !rng.chance(3) {
            return rng.pick(&known).clone();
        }
        let default_for_elements = element && rng.chance(15);
        for prefix in [if default_for_elements { "" } else { wanted }, wanted] {
            if (element || !prefix.is_empty()) && self.declare(tag, prefix, uri) {
                return prefix.to_owned();
            }
        }
        self.fresh += 1;
        let prefix = format!("ns{}", self.fresh);
        self.declare(tag, &prefix, uri);
        prefix
    }

    /// A declaration that nothing asks for.
    pub(super) fn declare_oddly(&mut self, rng: &mut Rng, tag: &Tag) {
        let known = namespace(rng.below(recto_schema::tables::NAMESPACES.len()) as u8);
        let uri = if rng.chance(50) { *rng.pick(&FOREIGN) } else { known.uri };
        if uri.is_empty() || uri == "http://www.w3.org/XML/1998/namespace" {
            return;
        }
        let prefix = match rng.below(4) {
            0 => "",
            1 => "p",
            2 => known.binding,
            _ => rng.pick(&["q", "w", "x", "r"]),
        };
        if prefix != "xml" {
            self.declare(tag, prefix, uri);
        }
    }
}

/// A namespace that no schema knows, and now and then one that some other schema knows.
pub(super) fn foreign(rng: &mut Rng) -> (&'static str, &'static str) {
    match rng.below(5) {
        0 => ("", ""),
        1 => {
            let known = namespace(2 + rng.below(recto_schema::tables::NAMESPACES.len() - 2) as u8);
            (known.uri, known.binding)
        }
        _ => (*rng.pick(&FOREIGN), "f"),
    }
}
