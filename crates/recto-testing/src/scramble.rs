//! The same protobuf message in other bytes: all that the encoding leaves free to an encoder, done at random.

use std::path::Path;

use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

use crate::Rng;

/// Rewrites `.bin` files so that every decoder finds the same message in them.
pub struct Scrambler {
    package: MessageDescriptor,
}

/// A field on the wire: its number, its wire type and its content without key and length.
struct Field<'a> {
    number: u32,
    wire_type: u8,
    content: &'a [u8],
}

impl Scrambler {
    /// Reads the project's `.proto` files.
    pub fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
        let files = protox::compile([root.join("recto/package.proto")], [root]).unwrap();
        let pool = DescriptorPool::from_file_descriptor_set(files).unwrap();
        Scrambler { package: pool.get_message_by_name("recto.Package").unwrap() }
    }

    /// Other bytes for the same message: fields in another order, messages in several pieces, numbers in more bytes than
    /// they need, lists of numbers packed or not.
    pub fn scramble(&self, bin: &[u8], rng: &mut Rng) -> Vec<u8> {
        message(&self.package, bin, rng)
    }

    /// The bytes of a message in an order that says nothing: what is left are values, and the order of lists that have one.
    /// That of attributes is not kept where they have unusual values; the encoding and the source file are gone on purpose.
    pub fn normalize(&self, bin: &[u8]) -> Vec<u8> {
        normalized(&self.package, bin)
    }
}

impl Default for Scrambler {
    fn default() -> Self {
        Scrambler::new()
    }
}

fn message(descriptor: &MessageDescriptor, wire: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut pieces: Vec<(u32, Vec<u8>)> = Vec::new();
    for field in fields(wire) {
        let known = descriptor.get_field(field.number).unwrap_or_else(|| {
            panic!("{} has no field {}", descriptor.full_name(), field.number);
        });
        scramble_field(&known, &field, rng, &mut pieces);
    }
    shuffled(pieces, rng).concat()
}

fn normalized(descriptor: &MessageDescriptor, wire: &[u8]) -> Vec<u8> {
    let mut pieces: Vec<(u32, Vec<u8>)> = Vec::new();
    for field in fields(wire) {
        let known = descriptor.get_field(field.number).unwrap();
        if matches!(known.full_name(), "recto.Header.fingerprint" | "recto.Markup.encoding") {
            continue;
        }
        let content = match known.kind() {
            Kind::Message(inner) => normalized(&inner, field.content),
            _ => field.content.to_vec(),
        };
        pieces.push((field.number, content));
    }
    match descriptor.full_name() {
        "recto.Extras" => pieces.sort_by(|left, right| {
            let unordered = left.0 == right.0 && matches!(left.0, ATTRIBUTES | LEXICAL);
            if unordered { left.cmp(right) } else { left.0.cmp(&right.0) }
        }),
        _ => pieces.sort_by_key(|(number, _)| *number),
    }
    pieces
        .into_iter()
        .flat_map(|(number, content)| [varint_of(u64::from(number)), varint_of(content.len() as u64), content].concat())
        .collect()
}

/// Fields of `recto.Extras` that stand for attributes.
const ATTRIBUTES: u32 = 2;
const LEXICAL: u32 = 4;

fn scramble_field(known: &FieldDescriptor, field: &Field<'_>, rng: &mut Rng, pieces: &mut Vec<(u32, Vec<u8>)>) {
    let number = field.number;
    match known.kind() {
        Kind::Message(inner) => {
            let scrambled = message(&inner, field.content, rng);
            let whole = !known.is_list() && rng.chance(30);
            let parts = if whole { split(&scrambled, rng) } else { vec![scrambled] };
            pieces.extend(parts.into_iter().map(|part| (number, delimited(number, &part, rng))));
        }
        _ if field.wire_type == 2 && known.is_list() && !matches!(known.kind(), Kind::String | Kind::Bytes) => {
            for values in packed(field.content, rng) {
                let part = match values.as_slice() {
                    [one] if rng.chance(50) => [key(number, 0), varint(*one, rng, 10)].concat(),
                    several => {
                        let content: Vec<u8> = several.iter().flat_map(|&value| varint(value, rng, 10)).collect();
                        delimited(number, &content, rng)
                    }
                };
                pieces.push((number, part));
            }
        }
        _ => pieces.push((number, scalar(field, rng))),
    }
}

fn scalar(field: &Field<'_>, rng: &mut Rng) -> Vec<u8> {
    match field.wire_type {
        0 => [key(field.number, 0), varint(read_varint(field.content).0, rng, 10)].concat(),
        2 => delimited(field.number, field.content, rng),
        other => [key(field.number, other), field.content.to_vec()].concat(),
    }
}

/// A message in two or three pieces that make it up when merged.
fn split(wire: &[u8], rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new(); 2 + rng.below(2)];
    let mut at = 0;
    for field in fields(wire) {
        // Later fields may only go to later pieces: the order within a repeated field counts.
        while at + 1 < parts.len() && rng.chance(30) {
            at += 1;
        }
        let content = match field.wire_type {
            2 => [varint_of(field.content.len() as u64), field.content.to_vec()].concat(),
            _ => field.content.to_vec(),
        };
        parts[at].extend([key(field.number, field.wire_type), content].concat());
    }
    parts
}

/// Cuts a packed list into several.
fn packed(mut content: &[u8], rng: &mut Rng) -> Vec<Vec<u64>> {
    let mut lists = vec![Vec::new()];
    while !content.is_empty() {
        let (value, length) = read_varint(content);
        content = &content[length..];
        if rng.chance(30) {
            lists.push(Vec::new());
        }
        lists.last_mut().unwrap().push(value);
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// Fields in a random order that keeps those of one number in theirs.
fn shuffled(pieces: Vec<(u32, Vec<u8>)>, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut numbers: Vec<u32> = pieces.iter().map(|(number, _)| *number).collect();
    if rng.chance(70) {
        rng.shuffle(&mut numbers);
    }
    let mut rest: Vec<Option<(u32, Vec<u8>)>> = pieces.into_iter().map(Some).collect();
    let mut first: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for (place, piece) in rest.iter().enumerate().rev() {
        first.entry(piece.as_ref().unwrap().0).or_default().push(place);
    }
    let mut take = |number| rest[first.get_mut(&number).unwrap().pop().unwrap()].take().unwrap().1;
    numbers.into_iter().map(&mut take).collect()
}

fn key(number: u32, wire_type: u8) -> Vec<u8> {
    varint_of(u64::from(number) << 3 | u64::from(wire_type))
}

fn delimited(number: u32, content: &[u8], rng: &mut Rng) -> Vec<u8> {
    [key(number, 2), varint(content.len() as u64, rng, 5), content.to_vec()].concat()
}

fn varint_of(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A varint with more bytes than it needs, now and then.
fn varint(value: u64, rng: &mut Rng, most: usize) -> Vec<u8> {
    let mut bytes = varint_of(value);
    if rng.chance(10) && bytes.len() < most {
        let extra = 1 + rng.below(most - bytes.len());
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.extend(vec![0x80; extra - 1]);
        bytes.push(0);
    }
    bytes
}

fn read_varint(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0;
    for (place, byte) in bytes.iter().enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return (value, place + 1);
        }
    }
    panic!("a varint without end");
}

fn fields(mut wire: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !wire.is_empty() {
        let (key, length) = read_varint(wire);
        wire = &wire[length..];
        let (skip, length) = match key & 7 {
            0 => (0, read_varint(wire).1),
            1 => (0, 8),
            2 => {
                let (length, skip) = read_varint(wire);
                (skip, length as usize)
            }
            5 => (0, 4),
            other => panic!("wire type {other}"),
        };
        found.push(Field { number: (key >> 3) as u32, wire_type: (key & 7) as u8, content: &wire[skip..skip + length] });
        wire = &wire[skip + length..];
    }
    found
}
