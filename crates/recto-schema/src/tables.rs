//! The schema as static tables: flat arrays and integer offsets, so that they cost no relocation and no start-up.

/// What a row of a message's table stands for in XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RowKind {
    /// An attribute of the message's own element.
    Attribute,
    /// The text of the message's own element.
    Text,
    /// A child element that is a message of its own.
    Child,
    /// A child element kept as raw XML.
    Raw,
    /// A child element whose one attribute is the value; [`Row::aux`] is an index into [`VALUE_ATTRIBUTES`].
    ChildValue,
    /// A child element whose text is the value.
    ChildText,
    /// The content list: all further children, each wrapped in a list message.
    List,
    /// In a list message: whatever is none of its items, kept as raw XML.
    Other,
}

/// The type of a scalar field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Scalar {
    /// Any text.
    String,
    /// An on/off value.
    Bool,
    /// 32-bit unsigned.
    Uint32,
    /// 32-bit signed.
    Int32,
    /// 64-bit signed.
    Int64,
    /// 64-bit unsigned.
    Uint64,
    /// Double precision.
    Double,
    /// A value of the enum with index [`Row::target`].
    Enum,
}

/// One binding: a field of a message and its place in XML. Rows of a message stand in schema order: attributes,
/// text, children; the index of a row within its message is its *slot*.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Offset in [`POOL`] of the local name; around it stands the whole tag for the canonical prefix:
    /// `</w:rPr>` for elements, ` w:val="` for attributes.
    pub name: u32,
    /// Field number on the wire.
    pub field: u16,
    /// Index of the message ([`MESSAGES`]) or of the enum ([`ENUMS`]).
    pub target: u16,
    /// Index into [`VALUE_ATTRIBUTES`] for [`RowKind::ChildValue`].
    pub aux: u16,
    /// Length of the local name.
    pub len: u8,
    /// Namespace: index into [`NAMESPACES`].
    pub namespace: u8,
    /// What the row stands for.
    pub kind: RowKind,
    /// Type of the value, for kinds that have one.
    pub scalar: Scalar,
    /// Whether the field is repeated.
    pub repeated: bool,
    /// Index into [`FACETS`].
    pub facet: u8,
}

/// What makes a row valid.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// It must be there; if repeated, once at least.
    pub required: bool,
    /// A flattened child may stand without its attribute.
    pub bare: bool,
    /// The least number.
    pub minimum: Option<i64>,
    /// The greatest number.
    pub maximum: Option<i64>,
}

/// A perfect hash over the names of one message's attributes, children, or of one enum's texts.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Odd multiplier, found by the generator.
    pub multiplier: u64,
    /// First of this scope's places in [`SLOTS`].
    pub slots: u32,
    /// Right shift of the product; 64 - log2(number of places), 1 place at the least being two.
    pub shift: u8,
}

/// The table of one message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Index of its first row in [`ROWS`].
    pub rows: u32,
    /// First of its places in [`FIELD_SLOTS`].
    pub fields: u32,
    /// Number of attribute rows.
    pub attributes: u8,
    /// Number of text rows, 0 or 1.
    pub texts: u8,
    /// Number of all rows.
    pub count: u8,
    /// Slot of the content list plus one; 0 without.
    pub list: u8,
    /// In a list message: slot of the `other` item plus one; 0 without.
    pub other: u8,
    /// Highest field number.
    pub highest: u16,
    /// Whether it is written piece by piece, with a length five bytes wide.
    pub streamed: bool,
    /// Whether its field 1 is `Extras`.
    pub extras: bool,
    /// Whether a part with this root is kept as bytes where its XML is malformed.
    pub tolerant: bool,
    /// The hand-written codec it uses.
    pub codec: Codec,
    /// Which namespace its element declares as a habit.
    pub declares: Declares,
    /// Whether its children may stand in any order.
    pub unordered: bool,
    /// Whether elements without a row are valid.
    pub open: bool,
    /// Names of attributes.
    pub attribute_scope: Scope,
    /// Names of child elements, those of the content list's items included.
    pub child_scope: Scope,
}

/// Hand-written readers and writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Codec {
    /// None: the table says all.
    None,
    /// Rows of a sheet: cells refer to their numbers.
    Row,
    /// Cells of a sheet.
    Cell,
}

/// Namespaces that producers declare on an element as a habit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Declares {
    /// Those that it needs and that are not in scope.
    Nothing,
    /// Its own, in scope or not.
    Own,
    /// That of its first typed child, in scope or not.
    Child,
}

/// The table of one enum: numbers 1 to `count`.
#[derive(Clone, Copy, Debug)]
pub struct Enum {
    /// Index in [`ENUM_TEXTS`] of the text of number 1.
    pub texts: u32,
    /// How many values it has, without the unspecified one.
    pub count: u16,
    /// Texts.
    pub scope: Scope,
}

/// A piece of [`POOL`].
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Offset.
    pub at: u32,
    /// Length.
    pub len: u8,
}

/// The attribute of a flattened child.
#[derive(Clone, Copy, Debug)]
pub struct ValueAttribute {
    /// As [`Row::name`].
    pub name: u32,
    /// Length of the local name.
    pub len: u8,
    /// Index into [`NAMESPACES`].
    pub namespace: u8,
}

/// A namespace that the schema knows.
#[derive(Clone, Copy, Debug)]
pub struct Namespace {
    /// The prefix that elements are written with where a part does not say otherwise; empty for no namespace, and for one
    /// that is then the default namespace.
    pub prefix: &'static str,
    /// The prefix in bindings, which attributes are written with: the default namespace does not apply to them.
    pub binding: &'static str,
    /// The transitional or only URI.
    pub uri: &'static str,
    /// The Strict URI, or empty.
    pub strict: &'static str,
}

/// Index of "no namespace" in [`NAMESPACES`].
pub const NO_NAMESPACE: u8 = 0;
/// Index of the `xml` prefix's namespace in [`NAMESPACES`].
pub const XML_NAMESPACE: u8 = 1;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// What a child element's name leads to.
#[derive(Clone, Copy, Debug)]
pub enum Child {
    /// A row of the message itself, with its slot.
    Own(usize, &'static Row),
    /// An item of the content list: the slot of the list in the parent, and the item's row in the list message.
    Item(usize, &'static Row),
}

/// The first eight bytes of a name as a little-endian number; zeros where it is shorter.
#[inline(always)]
pub fn word(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*chunk);
    }
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two overlap where the name has fewer than eight bytes, with the same bytes.
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
    }
    let byte = |at: usize| bytes.get(at).map_or(0, |&byte| u64::from(byte) << (8 * at));
    byte(0) | byte(1) | byte(2)
}

/// The hash that the generator uses too: first eight bytes, last eight if it is longer, those between, length, namespace.
#[inline(always)]
fn hash(namespace: u8, name: &[u8]) -> u64 {
    let tail = name.last_chunk::<8>().map_or(0, |chunk| if name.len() > 8 { u64::from_le_bytes(*chunk) } else { 0 });
    let middle = if name.len() > 16 { between(name) } else { 0 };
    word(name) ^ tail.rotate_left(23) ^ middle ^ ((name.len() as u64) << 32) ^ (u64::from(namespace) << 40)
}

/// The bytes of a long name between its first and last eight, folded into one word.
#[cold]
fn between(name: &[u8]) -> u64 {
    let bytes = name.get(8..name.len().saturating_sub(8)).unwrap_or_default();
    bytes.chunks(8).fold(0, |folded: u64, chunk| folded.rotate_left(29) ^ word(chunk).rotate_left(41))
}

impl Scope {
    #[inline]
    fn find(&self, namespace: u8, name: &[u8]) -> usize {
        let place = hash(namespace, name).wrapping_mul(self.multiplier) >> self.shift;
        SLOTS.get(self.slots as usize + place as usize).map_or(0, |&slot| slot as usize)
    }
}

impl Row {
    /// The local name.
    pub fn local(&self) -> &'static [u8] {
        let at = self.name as usize;
        POOL.get(at..at + self.len as usize).unwrap_or_default()
    }

    /// The namespace.
    pub fn namespace(&self) -> &'static Namespace {
        namespace(self.namespace)
    }

    /// What makes it valid.
    pub fn facet(&self) -> Facet {
        const ANY: Facet = Facet { required: false, bare: false, minimum: None, maximum: None };
        FACETS.get(usize::from(self.facet)).copied().unwrap_or(ANY)
    }

    #[inline(always)]
    fn is(&self, namespace: u8, name: &[u8]) -> bool {
        self.namespace == namespace && self.len as usize == name.len() && pool_is(self.name, name)
    }
}

/// Whether a name stands at an offset of the pool.
#[inline(always)]
fn pool_is(at: u32, name: &[u8]) -> bool {
    let at = at as usize;
    if name.len() > 8 {
        return POOL.get(at..at + name.len()) == Some(name);
    }
    // Behind every name in the pool stand more than eight bytes.
    let Some(stored) = POOL.get(at..).and_then(|rest| rest.first_chunk::<8>()) else { return false };
    let unused = 64 - 8 * name.len() as u32;
    let difference = u64::from_le_bytes(*stored) ^ word(name);
    name.is_empty() || difference << unused == 0
}

impl ValueAttribute {
    /// Whether an attribute's name is this one.
    #[inline]
    pub fn is(&self, namespace: u8, name: &[u8]) -> bool {
        self.namespace == namespace && self.local() == name
    }

    /// The local name.
    pub fn local(&self) -> &'static [u8] {
        let at = self.name as usize;
        POOL.get(at..at + self.len as usize).unwrap_or_default()
    }
}

impl Message {
    /// Rows in schema order; the index is the slot.
    #[inline]
    pub fn rows(&self) -> &'static [Row] {
        let at = self.rows as usize;
        ROWS.get(at..at + self.count as usize).unwrap_or_default()
    }

    /// The row of an attribute of this message's element, with its slot.
    #[inline]
    pub fn attribute(&self, namespace: u8, name: &[u8]) -> Option<(usize, &'static Row)> {
        let slot = self.attribute_scope.find(namespace, name).checked_sub(1)?;
        let row = self.rows().get(slot)?;
        row.is(namespace, name).then_some((slot, row))
    }

    /// What a child element is.
    #[inline]
    pub fn child(&self, namespace: u8, name: &[u8]) -> Option<Child> {
        let found = self.child_scope.find(namespace, name).checked_sub(1)?;
        let rows = self.rows();
        let (child, row) = match rows.get(found) {
            Some(row) => (Child::Own(found, row), row),
            None => {
                let list = (self.list as usize).checked_sub(1)?;
                let row = message(rows.get(list)?.target).rows().get(found - rows.len())?;
                (Child::Item(list, row), row)
            }
        };
        row.is(namespace, name).then_some(child)
    }

    /// The row of a field number, with its slot.
    #[inline]
    pub fn field(&self, number: u32) -> Option<(usize, &'static Row)> {
        if number > u32::from(self.highest) {
            return None;
        }
        let slot = (*FIELD_SLOTS.get(self.fields as usize + number as usize)? as usize).checked_sub(1)?;
        // Slots in FIELD_SLOTS are of rows of this message.
        Some((slot, ROWS.get(self.rows as usize + slot)?))
    }

    /// The row of the text, if the element has text.
    #[inline]
    pub fn text(&self) -> Option<&'static Row> {
        if self.texts == 0 { None } else { self.rows().get(self.attributes as usize) }
    }
}

impl Enum {
    /// The XML text of a number.
    #[inline]
    pub fn text(&self, number: u64) -> Option<&'static [u8]> {
        let text = self.number_text(number)?;
        POOL.get(text.at as usize..text.at as usize + text.len as usize)
    }

    /// Where the XML text of a number stands in [`POOL`].
    #[inline]
    pub fn number_text(&self, number: u64) -> Option<&'static Text> {
        let index = number.checked_sub(1).filter(|&index| index < u64::from(self.count))?;
        ENUM_TEXTS.get(self.texts as usize + index as usize)
    }

    /// The number of an XML text.
    pub fn number(&self, text: &[u8]) -> Option<u64> {
        let number = self.scope.find(NO_NAMESPACE, text) as u64;
        (self.text(number)? == text).then_some(number)
    }
}

static NOTHING: Message = Message {
    rows: 0,
    fields: 0,
    attributes: 0,
    texts: 0,
    count: 0,
    list: 0,
    other: 0,
    highest: 0,
    streamed: false,
    extras: false,
    tolerant: false,
    codec: Codec::None,
    declares: Declares::Nothing,
    unordered: false,
    open: false,
    attribute_scope: Scope { multiplier: 1, slots: 0, shift: 63 },
    child_scope: Scope { multiplier: 1, slots: 0, shift: 63 },
};

/// The message with an index, as rows name it.
#[inline]
pub fn message(index: u16) -> &'static Message {
    MESSAGES.get(index as usize).unwrap_or(&NOTHING)
}

/// Index of the message with a full name: `recto.word.Paragraph`.
pub fn message_named(full: &str) -> Option<u16> {
    MESSAGE_NAMES.iter().position(|&name| name == full).and_then(|index| u16::try_from(index).ok())
}

/// The enum with an index, as rows name it.
#[inline]
pub fn enumeration(index: u16) -> Option<&'static Enum> {
    ENUMS.get(index as usize)
}

/// The namespace with an index.
#[inline]
pub fn namespace(index: u8) -> &'static Namespace {
    static NONE: Namespace = Namespace { prefix: "", binding: "", uri: "", strict: "" };
    NAMESPACES.get(index as usize).unwrap_or(&NONE)
}

/// Index of a namespace by URI, transitional and Strict alike, and whether it is the Strict one.
pub fn namespace_of(uri: &[u8]) -> Option<(u8, bool)> {
    if uri.is_empty() {
        return None;
    }
    NAMESPACES
        .iter()
        .position(|namespace| namespace.uri.as_bytes() == uri)
        .map(|at| (at as u8, false))
        .or_else(|| NAMESPACES.iter().position(|namespace| namespace.strict.as_bytes() == uri).map(|at| (at as u8, true)))
}

/// The typed root with this name: a row of `Part.content`.
pub fn root(namespace: u8, name: &[u8]) -> Option<&'static Row> {
    ROOTS.iter().find(|row| row.is(namespace, name))
}

/// The typed root of a field of `Part`.
pub fn root_of_field(field: u32) -> Option<&'static Row> {
    ROOTS.iter().find(|row| u32::from(row.field) == field)
}
