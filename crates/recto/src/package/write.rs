//! `.bin` to OOXML.

use std::io::{Read, Seek, Write};

use recto_schema::tables::{Row, message};
use recto_schema::{fields, messages};

use crate::error::Result;
use crate::layout;
use crate::limits::Limits;
use crate::opc::zip::{DEFAULT_LEVEL, Method, ZipWriter};
use crate::transcode::write::{PartText, Writer};
use crate::wire::WireType;
use crate::wire::input::{Field, Input, invalid};

use super::content_types;
use super::plan::{Body, Item, PartPlan, Plan, Special};

/// How a package is written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Deflate level, 0 to 9.
    pub level: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { level: DEFAULT_LEVEL }
    }
}

impl WriteOptions {
    /// Sets the deflate level, 0 (none) to 9 (smallest).
    #[must_use]
    pub fn with_level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }
}

/// Writes the package that a `.bin` holds, reading it piece by piece.
///
/// # Errors
/// A package error if it is not a `.bin`, is of a newer version, or does not make a package; an I/O error.
pub fn write<R: Read + Seek, W: Write>(mut bin: R, output: W, options: &WriteOptions) -> Result<W> {
    write_input(Input::stream(&mut bin)?, output, options)
}

/// As [`write()`], from memory.
///
/// # Errors
/// As [`write()`].
pub fn write_bin<W: Write>(bin: &[u8], output: W, options: &WriteOptions) -> Result<W> {
    write_input(Input::Slice(bin), output, options)
}

fn write_input<W: Write>(mut input: Input<'_>, output: W, options: &WriteOptions) -> Result<W> {
    let mut plan = Plan::of(&mut input)?;
    let list = std::mem::take(&mut plan.content_types.list);
    plan.content_types.list = content_types::complete(list, &plan.parts)?;
    let mut zip = ZipWriter::streaming(output);
    for item in plan.order() {
        let name = plan.name(item).to_owned();
        write_item(&plan, item, &mut input, &mut zip, options).map_err(|error| error.in_part(name))?;
    }
    zip.finish()
}

impl Plan {
    fn name(&self, item: Item) -> &str {
        match item {
            Item::ContentTypes => &self.content_types.name,
            Item::PackageRelationships => self.relationships.as_ref().map_or("", |list| &list.name),
            Item::Relationships(part) => {
                self.parts.get(part).and_then(|part| part.relationships.as_ref()).map_or("", |list| &list.name)
            }
            Item::Part(part) => self.parts.get(part).map_or("", |part| &part.name),
        }
    }
}

fn write_item<W: Write>(
    plan: &Plan,
    item: Item,
    input: &mut Input<'_>,
    zip: &mut ZipWriter<W>,
    options: &WriteOptions,
) -> Result<()> {
    let types = || special_root(messages::CONTENT_TYPES_PART, fields::content_types_part::TYPES);
    let list = || special_root(messages::RELATIONSHIPS_PART, fields::relationships_part::LIST);
    match item {
        Item::ContentTypes => write_special(&plan.content_types, types()?, zip, options),
        Item::PackageRelationships => match &plan.relationships {
            Some(relationships) => write_special(relationships, list()?, zip, options),
            None => Ok(()),
        },
        Item::Relationships(part) => match plan.parts.get(part).and_then(|part| part.relationships.as_ref()) {
            Some(relationships) => write_special(relationships, list()?, zip, options),
            None => Ok(()),
        },
        Item::Part(part) => match plan.parts.get(part) {
            Some(part) => write_part(part, input, zip, options),
            None => Ok(()),
        },
    }
}

fn special_root(part: u16, field: u32) -> Result<&'static Row> {
    message(part).field(field).map(|(_, row)| row).ok_or_else(|| invalid("an unknown field in a part"))
}

fn method(stored: bool, options: &WriteOptions) -> Method {
    if stored { Method::Stored } else { Method::Deflated(options.level) }
}

fn write_special<W: Write>(special: &Special, root: &'static Row, zip: &mut ZipWriter<W>, options: &WriteOptions) -> Result<()> {
    zip.start(&special.name, method(special.stored, options))?;
    let end = special.list.len() as u64;
    let whole = Field { number: 0, wire_type: WireType::Bytes, value: 0, start: 0, end };
    let text = PartText { markup: &special.markup, root, roots: &[whole], epilog: &special.epilog };
    write_xml(&mut Input::Slice(&special.list), &text, &special.layout, zip)
}

/// Writes the text of a typed part in its layout.
fn write_xml<W: Write>(input: &mut Input<'_>, text: &PartText<'_>, layout: &[u8], zip: &mut ZipWriter<W>) -> Result<()> {
    let size: u64 = text.roots.iter().map(|root| root.end - root.start).sum();
    if layout.is_empty() || size > layout::LARGEST {
        return Writer::new(zip).part(input, text);
    }
    let layout = layout::parse(layout)?;
    let mut usual = Vec::new();
    Writer::new(&mut usual).part(input, text)?;
    Ok(zip.write_all(&layout::apply(&usual, &layout, &Limits::default())?)?)
}

fn write_part<W: Write>(part: &PartPlan, input: &mut Input<'_>, zip: &mut ZipWriter<W>, options: &WriteOptions) -> Result<()> {
    zip.start(&part.name, method(part.stored, options))?;
    match &part.body {
        Body::Data(field) => {
            field.expect(WireType::Bytes)?;
            Ok(zip.write_all(input.bytes(field.start, field.end)?)?)
        }
        Body::Typed(root, pieces) => {
            let text = PartText { markup: &part.markup, root, roots: pieces, epilog: &part.epilog };
            write_xml(input, &text, &part.layout, zip)
        }
    }
}
