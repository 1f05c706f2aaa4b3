//! What a message of the schema has a field for, with expanded names.

use std::collections::BTreeMap;

use recto_schema_build::binding::{self, Binding};
use recto_schema_build::options::{Field, Kind, Schema};

use crate::xsd::Name;

/// The message for subtrees without fields of their own.
const RAW: &str = "recto.RawXml";

/// The fields of one message by what they are bound to.
#[derive(Default)]
pub struct Slots<'a> {
    /// Attributes.
    pub attributes: BTreeMap<Name, &'a Field>,
    /// Child elements, those of the content list too.
    pub children: BTreeMap<Name, Slot<'a>>,
    /// Whether there is a field for the element's own text.
    pub text: bool,
}

/// The field of a child element.
pub struct Slot<'a> {
    /// The field.
    pub field: &'a Field,
    /// What becomes of the child.
    pub form: Form,
    /// Place among the message's children; `None` in a content list, which keeps every order.
    pub place: Option<usize>,
}

/// What becomes of a child element.
pub enum Form {
    /// A message of its own.
    Message(usize),
    /// Kept as it is.
    Raw,
    /// One attribute is the field's value.
    Value(Name),
    /// The text is the field's value.
    Text,
}

impl<'a> Slots<'a> {
    /// Of the message with an index.
    pub fn new(schema: &'a Schema, message: usize) -> Slots<'a> {
        let mut slots = Slots::default();
        for (place, field) in schema.messages[message].fields.iter().enumerate() {
            slots.add(schema, message, field, Some(place));
        }
        slots
    }

    fn add(&mut self, schema: &'a Schema, message: usize, field: &'a Field, place: Option<usize>) {
        let name = |name: &binding::Name| expand(schema, message, name);
        let (child, form) = match (field.binding.as_ref(), field.kind) {
            (Some(Binding::Attribute(attribute)), _) => {
                self.attributes.insert(name(attribute), field);
                return;
            }
            (Some(Binding::Text), _) => {
                self.text = true;
                return;
            }
            (Some(Binding::All), Kind::Message(list)) if schema.messages[list].is_list() => {
                schema.messages[list].fields.iter().for_each(|item| self.add(schema, list, item, None));
                return;
            }
            (Some(Binding::Child(child)), Kind::Message(_)) if schema.is_of(field, RAW) => (child, Form::Raw),
            (Some(Binding::Child(child)), Kind::Message(target)) => (child, Form::Message(target)),
            (Some(Binding::ChildValue(child, value)), _) => (child, Form::Value(name(value))),
            (Some(Binding::ChildText(child)), _) => (child, Form::Text),
            _ => return,
        };
        self.children.insert(name(child), Slot { field, form, place });
    }
}

fn expand(schema: &Schema, message: usize, name: &binding::Name) -> Name {
    let namespaces = &schema.files[schema.messages[message].file].namespaces;
    let uri = namespaces.iter().find(|namespace| namespace.prefix == name.prefix).map(|namespace| namespace.uri.clone());
    let uri = uri.unwrap_or_else(|| match name.prefix.as_str() {
        "xml" => "http://www.w3.org/XML/1998/namespace".to_owned(),
        _ => String::new(),
    });
    Name { uri, local: name.local.clone() }
}

/// The prefixes that the bindings use, by namespace.
pub fn prefixes(schema: &Schema) -> BTreeMap<&str, &str> {
    let all = schema.files.iter().flat_map(|file| &file.namespaces);
    let declared = all.map(|namespace| (namespace.uri.as_str(), namespace.prefix.as_str()));
    declared.chain([("http://www.w3.org/XML/1998/namespace", "xml")]).collect()
}
