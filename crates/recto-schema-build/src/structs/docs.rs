//! Turns the comments of the `.proto` files into docs: makes them safe as Markdown, and adds the place in XML.

use std::collections::BTreeMap;

use prost_types::source_code_info::Location;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

use crate::options::Schema;

/// What is said about declarations by their full name, besides their comments.
struct Remarks {
    /// A line that follows the comment.
    notes: BTreeMap<String, String>,
}

/// The descriptors with docs as comments.
pub(super) fn documented(schema: &Schema) -> FileDescriptorSet {
    let remarks = Remarks::new(schema);
    let mut descriptors = schema.descriptors.clone();
    for file in &mut descriptors.file {
        let names = names(file);
        let locations = file.source_code_info.iter_mut().flat_map(|info| &mut info.location);
        for location in locations {
            if let Some(name) = names.get(&location.path) {
                rewrite(location, name, &remarks);
            }
            location.leading_detached_comments.clear();
        }
    }
    descriptors
}

impl Remarks {
    fn new(schema: &Schema) -> Remarks {
        let mut notes = BTreeMap::new();
        for message in &schema.messages {
            for field in &message.fields {
                if let Some(xml) = field.xml.as_deref().filter(|xml| *xml != "*") {
                    notes.insert(format!("{}.{}", message.name, field.name), format!("XML: `{xml}`"));
                }
            }
        }
        for declared in schema.enums.iter().filter(|declared| schema.files[declared.file].package != "recto") {
            for value in declared.values.iter().skip(1) {
                if let Some(text) = declared.text(value) {
                    notes.insert(format!("{}.{}", declared.name, value.name), format!("XML: `{text}`"));
                }
            }
        }
        Remarks { notes }
    }
}

/// Full names of all declarations of a file, by path in the descriptor.
fn names(file: &FileDescriptorProto) -> BTreeMap<Vec<i32>, String> {
    let mut names = BTreeMap::new();
    for (at, message) in file.message_type.iter().enumerate() {
        add_message(&mut names, file.package(), vec![4, at as i32], message);
    }
    for (at, declared) in file.enum_type.iter().enumerate() {
        add_enum(&mut names, file.package(), vec![5, at as i32], declared);
    }
    names
}

fn below(path: &[i32], kind: i32, at: usize) -> Vec<i32> {
    path.iter().copied().chain([kind, at as i32]).collect()
}

fn add_message(names: &mut BTreeMap<Vec<i32>, String>, scope: &str, path: Vec<i32>, message: &DescriptorProto) {
    let name = format!("{scope}.{}", message.name());
    for (at, field) in message.field.iter().enumerate() {
        names.insert(below(&path, 2, at), format!("{name}.{}", field.name()));
    }
    for (at, oneof) in message.oneof_decl.iter().enumerate() {
        names.insert(below(&path, 8, at), format!("{name}.{}", oneof.name()));
    }
    for (at, nested) in message.nested_type.iter().enumerate() {
        add_message(names, &name, below(&path, 3, at), nested);
    }
    for (at, nested) in message.enum_type.iter().enumerate() {
        add_enum(names, &name, below(&path, 4, at), nested);
    }
    names.insert(path, name);
}

fn add_enum(names: &mut BTreeMap<Vec<i32>, String>, scope: &str, path: Vec<i32>, declared: &EnumDescriptorProto) {
    let name = format!("{scope}.{}", declared.name());
    for (at, value) in declared.value.iter().enumerate() {
        names.insert(below(&path, 2, at), format!("{name}.{}", value.name()));
    }
    names.insert(path, name);
}

fn rewrite(location: &mut Location, name: &str, remarks: &Remarks) {
    let comments = [location.leading_comments.take(), location.trailing_comments.take()];
    let mut paragraphs: Vec<String> = comments.into_iter().flatten().map(|comment| markdown(&comment)).collect();
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    let note = remarks.notes.get(name);
    if paragraphs.is_empty() && note.is_none() {
        paragraphs.push(default(name).to_owned());
    }
    paragraphs.extend(note.map(|note| format!(" {note}\n")));
    location.leading_comments = Some(paragraphs.join("\n"));
}

/// For what needs no comment of its own.
fn default(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("extras") => " What the other fields cannot say about the element.\n",
        Some("item" | "content" | "value") => " Which of the alternatives it is.\n",
        Some(value) if value.ends_with("_UNSPECIFIED") => " No value.\n",
        _ => " As its name says.\n",
    }
}

/// Plain text as Markdown: nothing in it becomes a link, a tag, emphasis, a heading or indented code. What stands between
/// backticks remains code.
fn markdown(comment: &str) -> String {
    let mut out = String::new();
    let paired = comment.matches('`').count().is_multiple_of(2);
    let mut code = false;
    for line in comment.lines() {
        let line = line.trim();
        out.push(' ');
        if line.starts_with(['#', '=', '+']) || line.starts_with("- ") {
            out.push('\\');
        }
        for letter in line.chars() {
            code ^= letter == '`' && paired;
            if !code && (matches!(letter, '[' | ']' | '<' | '>' | '*' | '\\' | '|') || (letter == '`' && !paired)) {
                out.push('\\');
            }
            out.push(letter);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_taken_for_markup() {
        assert_eq!(markdown(" A list [1] of <w:b/>, 2*3*4.\n"), " A list \\[1\\] of \\<w:b/\\>, 2\\*3\\*4.\n");
        assert_eq!(markdown("     indented\n # no heading\n"), " indented\n \\# no heading\n");
    }

    #[test]
    fn code_stays_code() {
        assert_eq!(markdown(" See `[x] <y>` here.\n"), " See `[x] <y>` here.\n");
        assert_eq!(markdown(" A lone ` here [x].\n"), " A lone \\` here \\[x\\].\n");
    }
}
