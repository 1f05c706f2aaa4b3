//! What the option `(recto.xml)` of a field says.

/// A name in a binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The prefix; empty for no namespace.
    pub prefix: String,
    /// The local name.
    pub local: String,
}

/// The place of a field in XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `@w:val`: an attribute of the message's own element.
    Attribute(Name),
    /// `text()`: the text of the message's own element.
    Text,
    /// `w:rPr`: a child element.
    Child(Name),
    /// `w:jc/@w:val`: the attribute of a child element.
    ChildValue(Name, Name),
    /// `x:v/text()`: the text of a child element.
    ChildText(Name),
    /// `*`: all further children.
    All,
}

impl Binding {
    /// Reads the option's text; `None` if it has none of the forms above.
    pub fn parse(text: &str) -> Option<Binding> {
        match text {
            "text()" => return Some(Binding::Text),
            "*" => return Some(Binding::All),
            _ => {}
        }
        if let Some(attribute) = text.strip_prefix('@') {
            return Name::parse(attribute).map(Binding::Attribute);
        }
        match text.split_once('/') {
            None => Name::parse(text).map(Binding::Child),
            Some((child, "text()")) => Name::parse(child).map(Binding::ChildText),
            Some((child, value)) => Some(Binding::ChildValue(Name::parse(child)?, Name::parse(value.strip_prefix('@')?)?)),
        }
    }

    /// The name of the child element, if it is bound to one.
    pub fn child(&self) -> Option<&Name> {
        match self {
            Binding::Child(name) | Binding::ChildValue(name, _) | Binding::ChildText(name) => Some(name),
            Binding::Attribute(_) | Binding::Text | Binding::All => None,
        }
    }

    /// All names in it.
    pub fn names(&self) -> Vec<&Name> {
        match self {
            Binding::Attribute(name) | Binding::Child(name) | Binding::ChildText(name) => vec![name],
            Binding::ChildValue(child, value) => vec![child, value],
            Binding::Text | Binding::All => Vec::new(),
        }
    }

    /// Rank in the order that a message's fields must have: attributes, text, children.
    pub fn rank(&self) -> u8 {
        match self {
            Binding::Attribute(_) => 0,
            Binding::Text => 1,
            _ => 2,
        }
    }
}

impl Name {
    fn parse(text: &str) -> Option<Name> {
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let fits = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let well_formed = fits(prefix) && fits(local) && !local.is_empty() && !text.starts_with(':');
        well_formed.then(|| Name { prefix: prefix.to_owned(), local: local.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(prefix: &str, local: &str) -> Name {
        Name { prefix: prefix.to_owned(), local: local.to_owned() }
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(Binding::parse("@w:val"), Some(Binding::Attribute(name("w", "val"))));
        assert_eq!(Binding::parse("@Id"), Some(Binding::Attribute(name("", "Id"))));
        assert_eq!(Binding::parse("text()"), Some(Binding::Text));
        assert_eq!(Binding::parse("w:rPr"), Some(Binding::Child(name("w", "rPr"))));
        assert_eq!(Binding::parse("w:jc/@w:val"), Some(Binding::ChildValue(name("w", "jc"), name("w", "val"))));
        assert_eq!(Binding::parse("x:v/text()"), Some(Binding::ChildText(name("x", "v"))));
        assert_eq!(Binding::parse("*"), Some(Binding::All));
    }

    #[test]
    fn other_forms_are_refused() {
        for text in ["", "@", ":a", "w:", "w:a/b", "w:a/", "a b", "w:a/@", "w:a/@b/@c", "a:b:c", "w:a/*"] {
            assert_eq!(Binding::parse(text), None, "{text}");
        }
    }
}
