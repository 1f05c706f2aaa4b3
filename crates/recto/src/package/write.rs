//! `.bin` to OOXML.

use std::io::{self, Read, Seek, Write};

use flate2::Crc;
use recto_schema::tables::{Row, message};
use recto_schema::{fields, messages};

use crate::error::{Result, UsageError};
use crate::layout;
use crate::limits::Limits;
use crate::opc::names;
use crate::opc::zip::{DEFAULT_LEVEL, Method, ZipWriter};
use crate::transcode::List;
use crate::transcode::write::{PartText, Supply, Writer};
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
    /// How many threads compress, the caller's among them. Their number does not change the result.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { level: DEFAULT_LEVEL, threads: 1 }
    }
}

impl WriteOptions {
    /// Sets the deflate level, 0 (none) to 9 (smallest).
    #[must_use]
    pub fn with_level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }

    /// Sets how many threads compress. More than the caller's are started for large parts only, and only where there are
    /// threads; each holds a few MB at most.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
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

fn write_input<W: Write>(input: Input<'_>, output: W, options: &WriteOptions) -> Result<W> {
    write_supplied(input, output, options, &mut [])
}

/// Appends the wire bytes of the next item; says whether there is one.
pub(super) type NextItem<'i> = Box<dyn FnMut(&mut Vec<u8>) -> Result<bool> + 'i>;

/// Items that are written into a list of a part.
pub(super) struct PartSupply<'i> {
    /// Name of the part.
    pub part: String,
    pub list: List,
    pub next: NextItem<'i>,
    pub used: bool,
}

/// As [`write()`], with items that are not in the `.bin`.
pub(super) fn write_supplied<W: Write>(
    mut input: Input<'_>,
    output: W,
    options: &WriteOptions,
    supplies: &mut [PartSupply<'_>],
) -> Result<W> {
    let mut plan = Plan::of(&mut input)?;
    let list = std::mem::take(&mut plan.content_types.list);
    plan.content_types.list = content_types::complete(list, &plan.parts)?;
    let zip = ZipWriter::streaming(output).with_threads(options.threads);
    let mut entries = Entries { zip, level: options.level, buffer: Vec::new(), supplies };
    for item in plan.order() {
        entries.write(&plan, item, &mut input).map_err(|error| error.in_part(plan.name(item)))?;
    }
    entries.zip.finish()
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

/// The entries of the zip that is being written.
struct Entries<'e, 'i, W> {
    zip: ZipWriter<W>,
    level: u32,
    /// Where XML is written first; kept from part to part.
    buffer: Vec<u8>,
    supplies: &'e mut [PartSupply<'i>],
}

impl<W: Write> Entries<'_, '_, W> {
    fn write(&mut self, plan: &Plan, item: Item, input: &mut Input<'_>) -> Result<()> {
        match item {
            Item::ContentTypes => {
                let types = special_root(messages::CONTENT_TYPES_PART, fields::content_types_part::TYPES);
                self.special(&plan.content_types, types?)
            }
            Item::PackageRelationships => self.relationships(plan.relationships.as_ref()),
            Item::Relationships(part) => self.relationships(plan.parts.get(part).and_then(|part| part.relationships.as_ref())),
            Item::Part(part) => match plan.parts.get(part) {
                Some(part) => self.part(part, input),
                None => Ok(()),
            },
        }
    }

    fn relationships(&mut self, relationships: Option<&Special>) -> Result<()> {
        let Some(relationships) = relationships else { return Ok(()) };
        self.special(relationships, special_root(messages::RELATIONSHIPS_PART, fields::relationships_part::LIST)?)
    }

    fn special(&mut self, special: &Special, root: &'static Row) -> Result<()> {
        let end = special.list.len() as u64;
        let whole = Field { number: 0, wire_type: WireType::Bytes, value: 0, start: 0, end };
        let text = PartText { markup: &special.markup, root, roots: &[whole], epilog: &special.epilog };
        self.typed((&special.name, special.stored), &mut Input::Slice(&special.list), &text, &special.layout)
    }

    fn part(&mut self, part: &PartPlan, input: &mut Input<'_>) -> Result<()> {
        match &part.body {
            Body::Data(field) => {
                field.expect(WireType::Bytes)?;
                self.whole((&part.name, part.stored), input.bytes(field.start, field.end)?)
            }
            Body::Typed(root, pieces) => {
                let text = PartText { markup: &part.markup, root, roots: pieces, epilog: &part.epilog };
                match self.supplies.iter().position(|supply| !supply.used && names::equal(&supply.part, &part.name)) {
                    Some(supply) => {
                        // It is never stored: how long it will be is not known.
                        self.zip.start(&part.name, Method::Deflated(self.level))?;
                        self.supplied(input, &text, supply)
                    }
                    None => self.typed((&part.name, part.stored), input, &text, &part.layout),
                }
            }
        }
    }

    /// Writes an entry, and whether it is stored.
    fn whole(&mut self, (name, stored): (&str, bool), bytes: &[u8]) -> Result<()> {
        if stored {
            let mut measured = Measure::default();
            measured.write_all(bytes)?;
            self.zip.start_stored(name, measured.size, measured.crc.sum())?;
        } else {
            self.zip.start(name, Method::Deflated(self.level))?;
        }
        Ok(self.zip.write_all(bytes)?)
    }

    /// Writes the text of a typed part in its layout.
    fn typed(&mut self, (name, stored): (&str, bool), input: &mut Input<'_>, text: &PartText<'_>, layout: &[u8]) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let size: u64 = text.roots.iter().map(|root| root.end - root.start).sum();
        if !layout.is_empty() && size <= layout::LARGEST {
            let layout = layout::parse(layout)?;
            let mut usual = Vec::new();
            self.buffer = Writer::new(&mut usual, buffer).part(input, text)?;
            return self.whole((name, stored), &layout::apply(&usual, &layout, &Limits::default())?);
        }
        let buffer = if stored {
            let mut measured = Measure::default();
            let buffer = Writer::new(&mut measured, buffer).part(input, text)?;
            self.zip.start_stored(name, measured.size, measured.crc.sum())?;
            buffer
        } else {
            self.zip.start(name, Method::Deflated(self.level))?;
            buffer
        };
        self.buffer = Writer::new(&mut self.zip, buffer).part(input, text)?;
        Ok(())
    }

    /// Writes a typed part with items from elsewhere.
    fn supplied(&mut self, input: &mut Input<'_>, text: &PartText<'_>, index: usize) -> Result<()> {
        let Some(supply) = self.supplies.get_mut(index) else { return Ok(()) };
        let supplied = Supply { owner: supply.list.owner, items: supply.list.items, next: &mut supply.next };
        let buffer = std::mem::take(&mut self.buffer);
        let writer = Writer::new(&mut self.zip, buffer).supplied(supplied);
        (self.buffer, supply.used) = writer.supplied_part(input, text)?;
        if supply.used { Ok(()) } else { Err(UsageError::Invalid("the part has no list for these items").into()) }
    }
}

/// What a stored entry's header says of its bytes, found by writing them once before.
#[derive(Default)]
struct Measure {
    size: u64,
    crc: Crc,
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size += bytes.len() as u64;
        self.crc.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn special_root(part: u16, field: u32) -> Result<&'static Row> {
    message(part).field(field).map(|(_, row)| row).ok_or_else(|| invalid("an unknown field in a part"))
}
