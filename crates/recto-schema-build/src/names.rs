//! Numbers of fields, messages and enum values as named constants, for code that reads and writes the wire by hand.

use std::fmt::Write;

use crate::options::{Enum, EnumValue, Field, Message, Schema};

/// Words of Rust that names of messages may be.
const KEYWORDS: [&str; 14] =
    ["box", "break", "const", "continue", "do", "else", "for", "if", "macro", "match", "move", "ref", "static", "type"];

/// The Rust source of the modules `fields`, `messages` and `enums`.
pub fn source(schema: &Schema) -> String {
    let mut fields = Module::default();
    let mut messages = Module::default();
    for (index, message) in schema.messages.iter().enumerate() {
        let package = path(schema, message.file);
        fields.at(&package).children.push(fields_of(message));
        let name = screaming(message.short_name());
        let items = &mut messages.at(&package).items;
        let _ = writeln!(items, "/// Index of `{}`.\npub const {name}: u16 = {index};", message.name);
    }
    let mut enums = Module::default();
    for (index, declared) in schema.enums.iter().enumerate() {
        let module = enums.at(&path(schema, declared.file));
        let name = screaming(declared.short_name());
        let _ = writeln!(module.items, "/// Index of `{}`.\npub const {name}: u16 = {index};", declared.name);
        module.children.push(values_of(declared));
    }
    let mut out = String::new();
    fields.write(&mut out, "fields", "Field numbers.");
    messages.write(&mut out, "messages", "Indices of messages in the tables.");
    enums.write(&mut out, "enums", "Indices of enums in the tables, and numbers of their values.");
    out
}

/// The modules of a package below the root: `recto.word` is `word`.
fn path(schema: &Schema, file: usize) -> Vec<String> {
    schema.files[file].package.split('.').skip(1).map(str::to_owned).collect()
}

/// A module to be written.
#[derive(Default)]
struct Module {
    name: String,
    doc: String,
    items: String,
    children: Vec<Module>,
}

impl Module {
    fn at(&mut self, path: &[String]) -> &mut Module {
        let Some((first, rest)) = path.split_first() else { return self };
        let position = self.children.iter().position(|child| child.name == *first).unwrap_or_else(|| {
            let doc = format!("Package `{first}`.");
            self.children.push(Module { name: first.clone(), doc, ..Module::default() });
            self.children.len() - 1
        });
        self.children[position].at(rest)
    }

    fn write(&self, out: &mut String, name: &str, doc: &str) {
        let raw = if KEYWORDS.contains(&name) { "r#" } else { "" };
        let _ = writeln!(out, "/// {doc}\npub mod {raw}{name} {{\n{}", self.items);
        for child in &self.children {
            child.write(out, &child.name, &child.doc);
        }
        out.push_str("}\n");
    }
}

fn fields_of(message: &Message) -> Module {
    let constant = |field: &Field| {
        let (name, full) = (field.name.to_ascii_uppercase(), &message.name);
        format!("/// Number of `{full}.{}`.\npub const {name}: u32 = {};\n", field.name, field.number)
    };
    Module {
        name: snake(message.short_name()),
        doc: format!("Of `{}`.", message.name),
        items: message.fields.iter().map(constant).collect(),
        children: Vec::new(),
    }
}

fn values_of(declared: &Enum) -> Module {
    let constant = |value: &EnumValue| {
        let stripped = declared.stripped(value).unwrap_or(&value.name);
        let digit = if stripped.starts_with(|first: char| first.is_ascii_digit()) { "N" } else { "" };
        format!("/// `{}`.\npub const {digit}{stripped}: u64 = {};\n", value.name, value.number)
    };
    Module {
        name: snake(declared.short_name()),
        doc: format!("Of `{}`.", declared.name),
        items: declared.values.iter().map(constant).collect(),
        children: Vec::new(),
    }
}

fn screaming(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let starts_word = before.is_some_and(|before| !before.is_ascii_uppercase())
            || letters.get(index + 1).is_some_and(|after| after.is_ascii_lowercase());
        if letter.is_ascii_uppercase() && before.is_some() && starts_word {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_snake_case() {
        assert_eq!(snake("ContentTypesPart"), "content_types_part");
        assert_eq!(snake("RawXml"), "raw_xml");
        assert_eq!(snake("XMLPart"), "xml_part");
        assert_eq!(screaming("Shape3D"), "SHAPE3_D");
    }
}
