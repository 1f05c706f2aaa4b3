//! What a `.bin` holds and where, and in which order its entries go into the zip.

use recto_schema::fields;
use recto_schema::tables::{Row, root_of_field};

use crate::error::{PackageError, Result};
use crate::opc::names;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, Input, invalid};

use super::FORMAT_VERSION;

/// A part that lists content types or relationships, in memory.
#[derive(Default)]
pub(crate) struct Special {
    /// Its wire: all occurrences of the field, merged.
    pub wire: Vec<u8>,
    /// Index of its entry in the zip, if it is fixed.
    pub entry: Option<u64>,
    /// Name of its entry.
    pub name: String,
    pub stored: bool,
    pub markup: Vec<u8>,
    /// The list itself, merged.
    pub list: Vec<u8>,
    pub epilog: Vec<u8>,
    pub layout: Vec<u8>,
}

/// Field numbers of the two special parts.
pub(super) struct SpecialFields {
    entry: u32,
    name: u32,
    markup: u32,
    list: u32,
    epilog: u32,
    stored: u32,
    layout: u32,
}

pub(super) const CONTENT_TYPES: SpecialFields = SpecialFields {
    entry: fields::content_types_part::ENTRY,
    name: fields::content_types_part::NAME,
    markup: fields::content_types_part::MARKUP,
    list: fields::content_types_part::TYPES,
    epilog: fields::content_types_part::EPILOG,
    stored: fields::content_types_part::STORED,
    layout: fields::content_types_part::LAYOUT,
};

pub(super) const RELATIONSHIPS: SpecialFields = SpecialFields {
    entry: fields::relationships_part::ENTRY,
    name: fields::relationships_part::NAME,
    markup: fields::relationships_part::MARKUP,
    list: fields::relationships_part::LIST,
    epilog: fields::relationships_part::EPILOG,
    stored: fields::relationships_part::STORED,
    layout: fields::relationships_part::LAYOUT,
};

impl Special {
    /// Reads the collected wire.
    fn resolve(mut self, numbers: &SpecialFields, default_name: &str) -> Result<Self> {
        self.name = default_name.to_owned();
        for field in Fields::new(&self.wire) {
            let field = field?;
            let bytes = field.bytes(&self.wire);
            match field.number {
                number if number == numbers.entry => self.entry = Some(field.value),
                number if number == numbers.name => self.name = text(bytes)?,
                number if number == numbers.markup => self.markup.extend_from_slice(bytes),
                number if number == numbers.list => self.list.extend_from_slice(bytes),
                number if number == numbers.epilog => self.epilog = bytes.to_vec(),
                number if number == numbers.stored => self.stored = field.value != 0,
                number if number == numbers.layout => self.layout.extend_from_slice(bytes),
                _ => return Err(invalid("an unknown field in a list of content types or relationships")),
            }
        }
        Ok(self)
    }
}

/// What a part holds.
pub(crate) enum Body {
    /// Bytes.
    Data(Field),
    /// A typed root, in one or more pieces.
    Typed(&'static Row, Vec<Field>),
}

/// One part of the `.bin`.
pub(crate) struct PartPlan {
    pub name: String,
    pub content_type: Option<String>,
    pub stored: bool,
    pub relationships: Option<Special>,
    pub markup: Vec<u8>,
    pub epilog: Vec<u8>,
    pub layout: Vec<u8>,
    pub body: Body,
}

/// All of the `.bin`.
pub(crate) struct Plan {
    pub content_types: Special,
    pub relationships: Option<Special>,
    pub parts: Vec<PartPlan>,
}

/// An entry of the zip to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    ContentTypes,
    PackageRelationships,
    /// The relationships of a part, by its index.
    Relationships(usize),
    /// A part, by its index.
    Part(usize),
}

impl Plan {
    /// Walks over a `.bin`, reading all but the content of parts.
    pub(crate) fn of(input: &mut Input<'_>) -> Result<Self> {
        let (mut header, mut content_types, mut relationships) = (Vec::new(), Special::default(), None::<Special>);
        let mut parts = Vec::new();
        let (mut at, end) = (0, input.len());
        while at < end {
            let field = input.field(at, end).map_err(|_| invalid("not a recto package"))?;
            at = field.end;
            field.expect(WireType::Bytes).map_err(|_| invalid("not a recto package"))?;
            match field.number {
                fields::package::HEADER => header.extend_from_slice(input.bytes(field.start, field.end)?),
                fields::package::CONTENT_TYPES => {
                    content_types.wire.extend_from_slice(input.bytes(field.start, field.end)?);
                }
                fields::package::RELATIONSHIPS => {
                    let wire = &mut relationships.get_or_insert_default().wire;
                    wire.extend_from_slice(input.bytes(field.start, field.end)?);
                }
                fields::package::PARTS => parts.push(part(input, field.start, field.end)?),
                _ => return Err(invalid("not a recto package")),
            }
        }
        check_header(&header)?;
        if parts.is_empty() {
            return Err(invalid("a package without parts"));
        }
        Ok(Plan {
            content_types: content_types.resolve(&CONTENT_TYPES, names::CONTENT_TYPES)?,
            relationships: match relationships {
                Some(list) => Some(list.resolve(&RELATIONSHIPS, names::PACKAGE_RELATIONSHIPS)?),
                None => None,
            },
            parts,
        })
    }

    /// The entries of the zip in order: parts as they come, the special ones at their places.
    pub(super) fn order(&self) -> Vec<Item> {
        let mut order = Vec::new();
        let mut fixed = Vec::new();
        let mut add = |item, special: &Special, order: &mut Vec<Item>| match special.entry {
            Some(entry) => fixed.push((entry, item)),
            None => order.push(item),
        };
        add(Item::ContentTypes, &self.content_types, &mut order);
        if let Some(relationships) = &self.relationships {
            add(Item::PackageRelationships, relationships, &mut order);
        }
        for (index, part) in self.parts.iter().enumerate() {
            if let Some(relationships) = &part.relationships {
                add(Item::Relationships(index), relationships, &mut order);
            }
            order.push(Item::Part(index));
        }
        fixed.sort_by_key(|(entry, _)| *entry);
        merge(order, fixed)
    }
}

/// Puts items with a fixed place among those without.
fn merge(free: Vec<Item>, fixed: Vec<(u64, Item)>) -> Vec<Item> {
    let mut order = Vec::with_capacity(free.len() + fixed.len());
    let (mut free, mut fixed) = (free.into_iter().peekable(), fixed.into_iter().peekable());
    loop {
        let due = fixed.peek().is_some_and(|(entry, _)| *entry <= order.len() as u64) || free.peek().is_none();
        let next = if due { fixed.next().map(|(_, item)| item) } else { free.next() };
        match next {
            Some(item) => order.push(item),
            None => return order,
        }
    }
}

fn check_header(header: &[u8]) -> Result<()> {
    let mut version = 0;
    for field in Fields::new(header) {
        let field = field?;
        if field.number == fields::header::FORMAT_VERSION {
            version = field.value as u32;
        }
    }
    match version {
        0 => Err(invalid("no format version")),
        version if version > FORMAT_VERSION => Err(PackageError::NewerFormat { version }.into()),
        _ => Ok(()),
    }
}

fn text(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| invalid("a string is not UTF-8"))
}

fn part(input: &mut Input<'_>, start: u64, end: u64) -> Result<PartPlan> {
    let (mut name, mut content_type, mut stored) = (String::new(), None, false);
    let mut relationships = None::<Special>;
    let (mut markup, mut epilog, mut layout) = (Vec::new(), Vec::new(), Vec::new());
    let mut body = None;
    let mut at = start;
    while at < end {
        let field = input.field(at, end)?;
        at = field.end;
        match field.number {
            fields::part::NAME => name = text(input.bytes(field.start, field.end)?)?,
            fields::part::CONTENT_TYPE => content_type = Some(text(input.bytes(field.start, field.end)?)?),
            fields::part::RELATIONSHIPS => {
                let wire = &mut relationships.get_or_insert_default().wire;
                wire.extend_from_slice(input.bytes(field.start, field.end)?);
            }
            fields::part::STORED => stored = field.value != 0,
            fields::part::MARKUP => markup.extend_from_slice(input.bytes(field.start, field.end)?),
            fields::part::EPILOG => epilog = input.bytes(field.start, field.end)?.to_vec(),
            fields::part::LAYOUT => layout.extend_from_slice(input.bytes(field.start, field.end)?),
            fields::part::DATA => body = Some(Body::Data(field)),
            number => body = Some(typed(body, number, field)?),
        }
    }
    if name.is_empty() {
        return Err(invalid("a part without name"));
    }
    let relationships = match relationships {
        Some(list) => Some(list.resolve(&RELATIONSHIPS, &names::relationships_of(&name))?),
        None => None,
    };
    let body = body.ok_or_else(|| invalid("a part without content").in_part(&*name))?;
    Ok(PartPlan { name, content_type, stored, relationships, markup, epilog, layout, body })
}

/// Of the alternatives of a `oneof` the last counts; pieces of the same message belong together.
fn typed(body: Option<Body>, number: u32, field: Field) -> Result<Body> {
    let row = root_of_field(number).ok_or_else(|| invalid("an unknown field in a part"))?;
    field.expect(WireType::Bytes)?;
    Ok(match body {
        Some(Body::Typed(known, mut pieces)) if known.field == row.field => {
            pieces.push(field);
            Body::Typed(known, pieces)
        }
        _ => Body::Typed(row, vec![field]),
    })
}
