//! Which messages are kept behind a `Box` in the message that they are a field of.

use crate::options::{Field, Kind, Message, Schema};

/// Messages whose struct is larger than this many bytes are boxed: most fields of most messages are absent, and an absent
/// box is a pointer.
const LARGEST: usize = 64;
/// Fields that are boxed whatever their size: nearly every message has them, or every cell, and hardly any file uses them.
const RARE: [&str; 3] = ["extras", "extension_list", "number_text"];
const POINTER: usize = 8;
/// A `String` or a `Vec`.
const VECTOR: usize = 24;

/// The paths of all fields to be boxed, as `prost_build::Config::boxed` takes them.
pub(super) fn paths(schema: &Schema) -> Vec<String> {
    let mut sizes = Sizes { schema, known: vec![Size::Unknown; schema.messages.len()] };
    let mut paths = Vec::new();
    for message in &schema.messages {
        for field in &message.fields {
            if sizes.is_boxed(field) {
                paths.push(path(message, field));
            }
        }
    }
    paths
}

fn path(message: &Message, field: &Field) -> String {
    match &field.oneof {
        Some(oneof) => format!(".{}.{oneof}.{}", message.name, field.name),
        None => format!(".{}.{}", message.name, field.name),
    }
}

#[derive(Clone, Copy)]
enum Size {
    Unknown,
    /// Being computed: whoever asks is inside the message, which is therefore recursive.
    Open,
    Known(usize),
}

/// Estimates of the structs' sizes in bytes.
struct Sizes<'a> {
    schema: &'a Schema,
    known: Vec<Size>,
}

impl Sizes<'_> {
    fn is_boxed(&mut self, field: &Field) -> bool {
        let Kind::Message(target) = field.kind else { return false };
        !field.repeated && (RARE.contains(&field.name.as_str()) || self.message(target).is_none_or(|size| size > LARGEST))
    }

    fn message(&mut self, index: usize) -> Option<usize> {
        match self.known[index] {
            Size::Known(size) => return Some(size),
            Size::Open => return None,
            Size::Unknown => self.known[index] = Size::Open,
        }
        let message = &self.schema.messages[index];
        let mut oneofs: Vec<(&str, usize)> = Vec::new();
        let mut size = 0;
        for field in &message.fields {
            let own = self.field(field);
            match &field.oneof {
                None => size += own,
                Some(oneof) => match oneofs.iter_mut().find(|(name, _)| name == oneof) {
                    Some((_, largest)) => *largest = own.max(*largest),
                    None => oneofs.push((oneof, own)),
                },
            }
        }
        size += oneofs.iter().map(|(_, largest)| largest + POINTER).sum::<usize>();
        self.known[index] = Size::Known(size);
        Some(size)
    }

    fn field(&mut self, field: &Field) -> usize {
        if field.repeated {
            return VECTOR;
        }
        match field.kind {
            Kind::Message(_) if self.is_boxed(field) => POINTER,
            Kind::Message(target) => self.message(target).map_or(POINTER, |size| size + POINTER),
            Kind::Scalar("string" | "bytes") => VECTOR,
            Kind::Scalar("bool") => 1,
            Kind::Scalar("double" | "int64" | "uint64") => {
                if field.optional {
                    16
                } else {
                    8
                }
            }
            Kind::Scalar(_) | Kind::Enum(_) | Kind::Foreign => 8,
        }
    }
}
