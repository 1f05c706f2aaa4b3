//! Rules for messages and their fields.

use std::collections::BTreeMap;

use super::{CODECS, DECLARES, HIGHEST_NUMBER, LONGEST_TEXT, MOST_ROWS, Report, Violation, lists};
use crate::binding::{Binding, Name};
use crate::options::{Field, File, Kind, Message, Schema};

/// The message whose bound fields are the roots of parts.
const PART: &str = "recto.Part";

/// The other messages that hold the root of a part, and are no elements themselves.
const SPECIAL_PARTS: [&str; 2] = ["recto.ContentTypesPart", "recto.RelationshipsPart"];

/// Messages that stand for an element: bound to one by a field, or with bound fields themselves.
struct Elements {
    /// By message: the field that is bound to it first, as `Message.field`.
    bound_by: BTreeMap<usize, String>,
}

pub(super) fn check(schema: &Schema, violations: &mut Vec<Violation>) {
    let elements = Elements::find(schema);
    for (index, message) in schema.messages.iter().enumerate() {
        let file = &schema.files[message.file];
        let mut report = Report { file: &file.name, violations };
        check_declaration(schema, message, &mut report);
        check_bindings(file, message, &mut report);
        if message.is_list() {
            lists::check(schema, message, &mut report);
        } else if message.name == PART {
            check_roots(schema, message, &mut report);
        } else if elements.contains(index, message) && !SPECIAL_PARTS.contains(&message.name.as_str()) {
            check_element(schema, message, elements.bound_by.get(&index), &mut report);
        }
    }
}

impl Elements {
    fn find(schema: &Schema) -> Elements {
        let mut bound_by = BTreeMap::new();
        for message in &schema.messages {
            for field in &message.fields {
                if let (Some(Binding::Child(_)), Kind::Message(target)) = (&field.binding, field.kind) {
                    bound_by.entry(target).or_insert_with(|| subject(message, field));
                }
            }
        }
        bound_by.retain(|&target, _| schema.messages[target].name != "recto.RawXml");
        Elements { bound_by }
    }

    fn contains(&self, index: usize, message: &Message) -> bool {
        self.bound_by.contains_key(&index) || message.fields.iter().any(|field| field.xml.is_some())
    }
}

pub(super) fn subject(message: &Message, field: &Field) -> String {
    format!("{}.{}", message.short_name(), field.name)
}

/// What holds for every message: comments, numbers, the codec's name.
fn check_declaration(schema: &Schema, message: &Message, report: &mut Report<'_>) {
    if !message.documented {
        report.add(message.line, message.short_name(), "has no comment");
    }
    if let Some(codec) = message.codec.as_deref().filter(|&codec| CODECS.iter().all(|(name, _)| *name != codec)) {
        report.add(message.line, message.short_name(), format!("unknown codec \"{codec}\""));
    }
    if let Some(value) = message.declares.as_deref().filter(|&value| DECLARES.iter().all(|(name, _)| *name != value)) {
        report.add(message.line, message.short_name(), format!("unknown value \"{value}\" of declares"));
    }
    let mut last = 0;
    for field in &message.fields {
        // Extras are the same everywhere; of a root, the message says what it is.
        let explained = field.name == "extras" || (message.name == PART && field.xml.is_some());
        if !field.documented && !explained {
            report.add(field.line, subject(message, field), "has no comment");
        }
        if field.kind == Kind::Foreign {
            report.add(
                field.line,
                subject(message, field),
                "has a type that is not of the schema (maps and groups are not allowed)",
            );
        }
        // Alternatives may enclose the numbers of other fields where no interpreter walks the table.
        if field.number <= last && message.name != PART && message.codec.is_none() {
            let text =
                format!("number {} comes after {last}: the order of declaration must be the order of numbers", field.number);
            report.add(field.line, subject(message, field), text);
        }
        if field.number > HIGHEST_NUMBER {
            report.add(field.line, subject(message, field), format!("number is above {HIGHEST_NUMBER}"));
        }
        last = last.max(field.number);
        check_oneof(schema, message, field, report);
    }
}

/// Two alternatives of a oneof that stand in one document would overwrite each other.
fn check_oneof(schema: &Schema, message: &Message, field: &Field, report: &mut Report<'_>) {
    let package = schema.files[message.file].package.as_str();
    let Some(oneof) = field.oneof.as_deref().filter(|&oneof| oneof != "item") else { return };
    if package != "recto" && message.codec.is_none() && message.fields.iter().any(|field| field.xml.is_some()) {
        let text = format!("is in oneof {oneof}; only list messages have a oneof, and it is called item: use ordinary fields");
        report.add(field.line, subject(message, field), text);
    }
}

/// What holds for every binding: its form, its prefixes, the type of the field, and that it is the only one of its name.
fn check_bindings(file: &File, message: &Message, report: &mut Report<'_>) {
    let mut bound: BTreeMap<(bool, &Name), &str> = BTreeMap::new();
    for field in &message.fields {
        let Some(xml) = &field.xml else { continue };
        let Some(binding) = &field.binding else {
            report.add(field.line, subject(message, field), format!("cannot read the binding \"{xml}\""));
            continue;
        };
        for name in binding.names() {
            if !is_declared(file, &name.prefix) {
                let text = format!("the file declares no namespace with the prefix \"{}\"", name.prefix);
                report.add(field.line, subject(message, field), text);
            }
            if name.local.len() > LONGEST_TEXT {
                report.add(field.line, subject(message, field), format!("the name has more than {LONGEST_TEXT} bytes"));
            }
        }
        let key = match binding {
            Binding::Attribute(name) => Some((true, name)),
            _ => binding.child().map(|name| (false, name)),
        };
        if let Some(other) = key.and_then(|key| bound.insert(key, &field.name)) {
            report.add(field.line, subject(message, field), format!("\"{xml}\" is already bound to the field {other}"));
        }
        check_type(message, field, binding, report);
    }
}

fn is_declared(file: &File, prefix: &str) -> bool {
    prefix.is_empty() || prefix == "xml" || file.namespaces.iter().any(|namespace| namespace.prefix == prefix)
}

const SCALARS: [&str; 7] = ["string", "bool", "int32", "uint32", "int64", "uint64", "double"];

/// Whether type and label of a field suit its binding.
fn check_type(message: &Message, field: &Field, binding: &Binding, report: &mut Report<'_>) {
    let mut add = |text: String| report.add(field.line, subject(message, field), text);
    match (binding, field.kind) {
        (_, Kind::Foreign) => {}
        (Binding::Child(name), Kind::Scalar(_) | Kind::Enum(_)) => {
            let (prefix, colon) = (&name.prefix, if name.prefix.is_empty() { "" } else { ":" });
            let child = format!("{prefix}{colon}{}", name.local);
            add(format!("a value needs a place in the element: \"{child}/@…\" or \"{child}/text()\""));
        }
        (Binding::All, Kind::Scalar(_) | Kind::Enum(_)) => add("\"*\" is for messages".to_owned()),
        (Binding::Child(_) | Binding::All, Kind::Message(_)) => {}
        (_, Kind::Message(_)) => add("a message is bound to a child element: \"w:rPr\"".to_owned()),
        (Binding::Text, kind) => {
            if kind != Kind::Scalar("string") || field.optional || field.repeated {
                add("text() must be a plain \"string\", neither optional nor repeated".to_owned());
            }
        }
        (_, Kind::Scalar(name)) if !SCALARS.contains(&name) => {
            add(format!("has the type {name}; allowed are {} and enums", SCALARS.join(" ")));
        }
        (_, Kind::Scalar(_) | Kind::Enum(_)) => {
            if field.repeated {
                add("an attribute or a flattened child cannot be repeated: use a message".to_owned());
            } else if !field.optional && field.oneof.is_none() {
                add("must be optional: absent differs from the default".to_owned());
            }
        }
    }
}

/// The fields of `Part.content` that are bound.
fn check_roots(schema: &Schema, part: &Message, report: &mut Report<'_>) {
    for field in part.fields.iter().filter(|field| field.xml.is_some()) {
        let target = match field.kind {
            Kind::Message(target) => !schema.messages[target].is_list(),
            _ => false,
        };
        if field.oneof.as_deref() != Some("content") || !target || !matches!(field.binding, Some(Binding::Child(_))) {
            report.add(field.line, subject(part, field), "a root is a message in oneof content, bound to an element");
        }
    }
}

/// Rules for messages that stand for an element.
fn check_element(schema: &Schema, message: &Message, bound_by: Option<&String>, report: &mut Report<'_>) {
    check_extras(schema, message, bound_by, report);
    check_order(message, report);
    let bound: Vec<&Field> = message.fields.iter().filter(|field| field.binding.is_some()).collect();
    if bound.len() > MOST_ROWS {
        report.add(message.line, message.short_name(), format!("has {} bound fields; at most {MOST_ROWS}", bound.len()));
    }
    let has = |rank: u8| bound.iter().find(|field| field.binding.as_ref().is_some_and(|binding| binding.rank() == rank));
    if let (Some(_), Some(text), None) = (has(2), has(1), &message.codec) {
        report.add(text.line, subject(message, text), "a message has either text() or children");
    }
    if bound.iter().filter(|field| field.binding == Some(Binding::Text)).count() > 1 {
        report.add(message.line, message.short_name(), "has more than one text()");
    }
    for field in &message.fields {
        if field.xml.is_none() && field.name != "extras" && message.codec.is_none() {
            report.add(field.line, subject(message, field), "has no binding (recto.xml), so it would never be written");
        }
        check_target(schema, message, field, report);
    }
    lists::check_parent(schema, message, report);
}

fn check_extras(schema: &Schema, message: &Message, bound_by: Option<&String>, report: &mut Report<'_>) {
    let fits =
        |field: &Field| field.name == "extras" && field.number == 1 && !field.repeated && schema.is_of(field, "recto.Extras");
    if !message.fields.first().is_some_and(fits) {
        let why = bound_by.map_or(String::new(), |field| format!(" (it stands for an element: {field})"));
        report.add(message.line, message.short_name(), format!("must begin with \"Extras extras = 1;\"{why}"));
    }
}

fn check_order(message: &Message, report: &mut Report<'_>) {
    let mut highest = 0;
    for field in &message.fields {
        let Some(binding) = &field.binding else { continue };
        if binding.rank() < highest {
            let text = "stands too late: first attributes, then text(), then children";
            report.add(field.line, subject(message, field), text);
        }
        highest = highest.max(binding.rank());
    }
}

/// A field bound to a child element must not name a list message.
fn check_target(schema: &Schema, message: &Message, field: &Field, report: &mut Report<'_>) {
    let Kind::Message(target) = field.kind else { return };
    let target = &schema.messages[target];
    if target.is_list() && matches!(field.binding, Some(Binding::Child(_))) {
        let text = format!("{} is a list message, which only a repeated field bound to \"*\" can have", target.short_name());
        report.add(field.line, subject(message, field), text);
    }
}
