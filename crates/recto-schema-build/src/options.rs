//! Reads the `.proto` files into a plain description: messages and fields in the order of their declaration, with the
//! options that bind them to XML.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use prost_reflect::{DescriptorPool, DynamicMessage, ExtensionDescriptor, Value};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
use protox::Compiler;

use crate::Error;
use crate::binding::Binding;

/// All files, messages and enums of the schema. Indices into these lists are the indices in the tables.
#[derive(Debug, Default)]
pub struct Schema {
    /// Files, by name.
    pub files: Vec<File>,
    /// Messages, by file and in the order of declaration.
    pub messages: Vec<Message>,
    /// Enums, likewise.
    pub enums: Vec<Enum>,
    /// The same as descriptors, for prost; without `options.proto` and what comes with protobuf.
    pub descriptors: FileDescriptorSet,
}

/// One `.proto` file.
#[derive(Debug)]
pub struct File {
    /// Path below the root: `recto/word/run.proto`.
    pub name: String,
    /// Package: `recto.word`.
    pub package: String,
    /// Whether it says `syntax = "proto3"`.
    pub proto3: bool,
    /// The namespaces that it declares.
    pub namespaces: Vec<Namespace>,
}

/// A declared namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace {
    /// The prefix in bindings.
    pub prefix: String,
    /// The transitional or only URI.
    pub uri: String,
    /// The Strict URI, or empty.
    pub strict: String,
    /// Whether elements are written without a prefix.
    pub default: bool,
}

/// One message.
#[derive(Debug)]
pub struct Message {
    /// Index of its file.
    pub file: usize,
    /// Line of its declaration, 1-based.
    pub line: i32,
    /// Full name without a leading dot.
    pub name: String,
    /// Whether it has a comment.
    pub documented: bool,
    /// Fields in the order of declaration.
    pub fields: Vec<Field>,
    /// Option `streamed`.
    pub streamed: bool,
    /// Option `tolerant`.
    pub tolerant: bool,
    /// Option `declares`.
    pub declares: Option<String>,
    /// Option `codec`.
    pub codec: Option<String>,
    /// Option `unordered`.
    pub unordered: bool,
    /// Option `open`.
    pub open: bool,
}

/// One field.
#[derive(Debug)]
pub struct Field {
    /// Line of its declaration, 1-based.
    pub line: i32,
    /// Name as in the source.
    pub name: String,
    /// Number on the wire.
    pub number: i32,
    /// Whether it has a comment.
    pub documented: bool,
    /// Its type.
    pub kind: Kind,
    /// Whether it is repeated.
    pub repeated: bool,
    /// Whether it says `optional`.
    pub optional: bool,
    /// Name of the oneof that it is in.
    pub oneof: Option<String>,
    /// Option `xml` as written.
    pub xml: Option<String>,
    /// Option `xml` as understood.
    pub binding: Option<Binding>,
    /// What makes it valid.
    pub facet: Facet,
}

/// The options of a field that say what is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facet {
    /// Option `required`.
    pub required: bool,
    /// Option `bare`.
    pub bare: bool,
    /// Option `minimum`.
    pub minimum: Option<i64>,
    /// Option `maximum`.
    pub maximum: Option<i64>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar, by its name in protobuf.
    Scalar(&'static str),
    /// Index of an enum.
    Enum(usize),
    /// Index of a message.
    Message(usize),
    /// A type that is none of the schema's.
    Foreign,
}

/// One enum.
#[derive(Debug)]
pub struct Enum {
    /// Index of its file.
    pub file: usize,
    /// Line of its declaration, 1-based.
    pub line: i32,
    /// Full name without a leading dot.
    pub name: String,
    /// Whether it has a comment.
    pub documented: bool,
    /// Values in the order of declaration.
    pub values: Vec<EnumValue>,
}

/// One value of an enum.
#[derive(Debug)]
pub struct EnumValue {
    /// Line of its declaration, 1-based.
    pub line: i32,
    /// Name as in the source.
    pub name: String,
    /// Number on the wire.
    pub number: i32,
    /// Option `text`.
    pub text: Option<String>,
}

impl Schema {
    /// Index of the message with a full name.
    pub fn message(&self, name: &str) -> Option<usize> {
        self.messages.iter().position(|message| message.name == name)
    }

    /// Whether a field is of the message type with a full name.
    pub fn is_of(&self, field: &Field, name: &str) -> bool {
        matches!(field.kind, Kind::Message(index) if self.messages[index].name == name)
    }
}

impl Message {
    /// Whether it stands for the items of a content list: it has a `oneof item`.
    pub fn is_list(&self) -> bool {
        self.fields.iter().any(|field| field.oneof.as_deref() == Some("item"))
    }

    /// Name without the package.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}

impl Enum {
    /// Name without the package.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }

    /// The XML text of a value: its option, or else its name without the enum's, in lowerCamelCase. `None` if the name
    /// does not begin with the enum's.
    pub fn text(&self, value: &EnumValue) -> Option<String> {
        value.text.clone().or_else(|| self.stripped(value).map(lower_camel))
    }

    /// A value's name without the enum's: `START` of `JUSTIFICATION_START`.
    pub fn stripped<'a>(&self, value: &'a EnumValue) -> Option<&'a str> {
        let mut rest = value.name.as_str();
        for letter in self.short_name().chars().map(|letter| letter.to_ascii_uppercase()) {
            rest = rest.strip_prefix(letter).or_else(|| rest.strip_prefix('_')?.strip_prefix(letter))?;
        }
        rest.strip_prefix('_').filter(|rest| !rest.is_empty())
    }
}

fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn lower_camel(name: &str) -> String {
    let mut text = String::new();
    for (index, word) in name.split('_').enumerate() {
        let lower = word.to_ascii_lowercase();
        let mut letters = lower.chars();
        match letters.next() {
            Some(first) if index > 0 => text.extend([first.to_ascii_uppercase()]),
            Some(first) => text.push(first),
            None => {}
        }
        text.push_str(letters.as_str());
    }
    text
}

/// What could be read.
#[derive(Debug)]
pub struct Loaded {
    /// The files that compile.
    pub schema: Schema,
    /// What is wrong with the others, one text for each.
    pub broken: Vec<String>,
}

/// Reads all `.proto` files under `recto` in a folder. A file that does not compile does not hide the others.
///
/// # Errors
///
/// If the folder cannot be read, or if `options.proto` does not compile.
pub fn load(root: &Path) -> Result<Loaded, Error> {
    let mut paths = Vec::new();
    collect(&root.join("recto"), &mut paths)?;
    paths.sort();
    let fatal = |error: String| Error::Schema(vec![error], Vec::new());
    let mut compiler = Compiler::new([root]).map_err(|error| fatal(error.to_string()))?;
    compiler.include_imports(true).include_source_info(true);
    let broken = open(&mut compiler, root, &paths);
    // Only this encoding keeps custom options.
    let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).map_err(|e| fatal(e.to_string()))?;
    let Some(extensions) = Extensions::find(&pool) else {
        return Err(Error::Schema(broken, Vec::new()));
    };
    Ok(Loaded { schema: describe(&pool, &extensions), broken })
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |error| Error::Io(folder.to_owned(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Compiles each file by itself; the errors of an imported file are reported once.
fn open(compiler: &mut Compiler, root: &Path, paths: &[PathBuf]) -> Vec<String> {
    let mut broken: Vec<String> = Vec::new();
    for path in paths {
        let Err(error) = compiler.open_file(path) else { continue };
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        // Only this form says where in the file.
        let text = format!("{error:?}");
        let imported = error.file().filter(|&file| file != name);
        let text = if imported.is_none() && !text.starts_with(&name) { format!("{name}: {text}") } else { text };
        if !broken.contains(&text) {
            broken.push(text);
        }
        if let Some(imported) = imported {
            broken.push(format!("{name}: not checked, because it imports {imported}"));
        }
    }
    broken
}

/// The options of `options.proto`.
struct Extensions {
    namespace: ExtensionDescriptor,
    streamed: ExtensionDescriptor,
    codec: ExtensionDescriptor,
    declares: ExtensionDescriptor,
    tolerant: ExtensionDescriptor,
    unordered: ExtensionDescriptor,
    open: ExtensionDescriptor,
    xml: ExtensionDescriptor,
    required: ExtensionDescriptor,
    bare: ExtensionDescriptor,
    minimum: ExtensionDescriptor,
    maximum: ExtensionDescriptor,
    text: ExtensionDescriptor,
}

impl Extensions {
    fn find(pool: &DescriptorPool) -> Option<Extensions> {
        let find = |name: &str| pool.all_extensions().find(|extension| extension.full_name() == name);
        Some(Extensions {
            namespace: find("recto.namespace")?,
            streamed: find("recto.streamed")?,
            codec: find("recto.codec")?,
            declares: find("recto.declares")?,
            tolerant: find("recto.tolerant")?,
            unordered: find("recto.unordered")?,
            open: find("recto.open")?,
            xml: find("recto.xml")?,
            required: find("recto.required")?,
            bare: find("recto.bare")?,
            minimum: find("recto.minimum")?,
            maximum: find("recto.maximum")?,
            text: find("recto.text")?,
        })
    }
}

fn string(options: &DynamicMessage, extension: &ExtensionDescriptor) -> Option<String> {
    options.has_extension(extension).then(|| options.get_extension(extension).as_str().map(str::to_owned))?
}

fn flag(options: &DynamicMessage, extension: &ExtensionDescriptor) -> bool {
    options.has_extension(extension) && options.get_extension(extension).as_bool() == Some(true)
}

fn number(options: &DynamicMessage, extension: &ExtensionDescriptor) -> Option<i64> {
    options.has_extension(extension).then(|| options.get_extension(extension).as_i64())?
}

fn facet(options: &DynamicMessage, extensions: &Extensions) -> Facet {
    Facet {
        required: flag(options, &extensions.required),
        bare: flag(options, &extensions.bare),
        minimum: number(options, &extensions.minimum),
        maximum: number(options, &extensions.maximum),
    }
}

fn namespaces(options: &DynamicMessage, extension: &ExtensionDescriptor) -> Vec<Namespace> {
    let value = options.get_extension(extension);
    let text = |message: &DynamicMessage, name: &str| {
        message.get_field_by_name(name).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let messages = value.as_list().unwrap_or_default().iter().filter_map(Value::as_message);
    messages
        .map(|message| Namespace {
            prefix: text(message, "prefix"),
            uri: text(message, "uri"),
            strict: text(message, "strict"),
            default: message.get_field_by_name("default").and_then(|value| value.as_bool()).unwrap_or_default(),
        })
        .collect()
}

/// Line and comment of every declaration of a file, by its path in the descriptor.
type Locations = BTreeMap<Vec<i32>, (i32, bool)>;

fn locations(file: &FileDescriptorProto) -> Locations {
    let all = file.source_code_info.iter().flat_map(|info| &info.location);
    all.map(|location| {
        let comments = [&location.leading_comments, &location.trailing_comments];
        let documented = comments.into_iter().flatten().any(|comment| !comment.trim().is_empty());
        (location.path.clone(), (location.span.first().map_or(0, |line| line + 1), documented))
    })
    .collect()
}

/// A message or enum as found, before types are resolved.
struct Found<'a, T> {
    file: usize,
    name: String,
    path: Vec<i32>,
    descriptor: &'a T,
}

fn describe(pool: &DescriptorPool, extensions: &Extensions) -> Schema {
    let mut files: Vec<_> = pool
        .files()
        .map(|file| (file.file_descriptor_proto().clone(), namespaces(&file.options(), &extensions.namespace)))
        .filter(|(file, _)| file.name().starts_with("recto/") && file.name() != "recto/options.proto")
        .collect();
    files.sort_by(|(one, _), (other, _)| one.name().cmp(other.name()));

    let (mut messages, mut enums) = (Vec::new(), Vec::new());
    for (index, (file, _)) in files.iter().enumerate() {
        for (at, message) in file.message_type.iter().enumerate() {
            find_messages(index, file.package(), vec![4, at as i32], message, &mut messages, &mut enums);
        }
        for (at, descriptor) in file.enum_type.iter().enumerate() {
            let name = format!("{}.{}", file.package(), descriptor.name());
            enums.push(Found { file: index, name, path: vec![5, at as i32], descriptor });
        }
    }
    enums.sort_by_key(|found| found.file);

    let locations: Vec<Locations> = files.iter().map(|(file, _)| locations(file)).collect();
    let types = Types {
        messages: messages.iter().enumerate().map(|(index, found)| (format!(".{}", found.name), index)).collect(),
        enums: enums.iter().enumerate().map(|(index, found)| (format!(".{}", found.name), index)).collect(),
    };
    let described_messages =
        messages.iter().map(|found| describe_message(found, pool, extensions, &types, &locations[found.file])).collect();
    let described_enums = enums.iter().map(|found| describe_enum(found, pool, extensions, &locations[found.file])).collect();
    let described_files = files
        .iter()
        .map(|(file, namespaces)| File {
            name: file.name().to_owned(),
            package: file.package().to_owned(),
            proto3: file.syntax() == "proto3",
            namespaces: namespaces.clone(),
        })
        .collect();
    let descriptors = FileDescriptorSet { file: files.into_iter().map(|(file, _)| file).collect() };
    Schema { files: described_files, messages: described_messages, enums: described_enums, descriptors }
}

fn find_messages<'a>(
    file: usize,
    scope: &str,
    path: Vec<i32>,
    descriptor: &'a DescriptorProto,
    messages: &mut Vec<Found<'a, DescriptorProto>>,
    enums: &mut Vec<Found<'a, EnumDescriptorProto>>,
) {
    let name = format!("{scope}.{}", descriptor.name());
    let below = |kind: i32, at: usize| path.iter().copied().chain([kind, at as i32]).collect::<Vec<_>>();
    for (at, nested) in descriptor.enum_type.iter().enumerate() {
        enums.push(Found { file, name: format!("{name}.{}", nested.name()), path: below(4, at), descriptor: nested });
    }
    let nested: Vec<_> = descriptor.nested_type.iter().enumerate().map(|(at, nested)| (below(3, at), nested)).collect();
    messages.push(Found { file, name: name.clone(), path, descriptor });
    for (path, nested) in nested {
        find_messages(file, &name, path, nested, messages, enums);
    }
}

/// Indices by full name with a leading dot.
struct Types {
    messages: BTreeMap<String, usize>,
    enums: BTreeMap<String, usize>,
}

impl Types {
    fn kind(&self, field: &FieldDescriptorProto) -> Kind {
        let named = || {
            let message = self.messages.get(field.type_name()).map(|&index| Kind::Message(index));
            message.or_else(|| self.enums.get(field.type_name()).map(|&index| Kind::Enum(index))).unwrap_or(Kind::Foreign)
        };
        match field.r#type() {
            Type::Message | Type::Enum | Type::Group => named(),
            Type::String => Kind::Scalar("string"),
            Type::Bool => Kind::Scalar("bool"),
            Type::Uint32 => Kind::Scalar("uint32"),
            Type::Int32 => Kind::Scalar("int32"),
            Type::Int64 => Kind::Scalar("int64"),
            Type::Uint64 => Kind::Scalar("uint64"),
            Type::Double => Kind::Scalar("double"),
            Type::Bytes => Kind::Scalar("bytes"),
            Type::Float => Kind::Scalar("float"),
            Type::Fixed32 => Kind::Scalar("fixed32"),
            Type::Fixed64 => Kind::Scalar("fixed64"),
            Type::Sfixed32 => Kind::Scalar("sfixed32"),
            Type::Sfixed64 => Kind::Scalar("sfixed64"),
            Type::Sint32 => Kind::Scalar("sint32"),
            Type::Sint64 => Kind::Scalar("sint64"),
        }
    }
}

fn describe_message(
    found: &Found<'_, DescriptorProto>,
    pool: &DescriptorPool,
    extensions: &Extensions,
    types: &Types,
    locations: &Locations,
) -> Message {
    // The raw descriptor has the order of declaration; the reflected one goes by number.
    let reflected = pool.get_message_by_name(&found.name);
    let options = reflected.as_ref().map(|message| message.options());
    let (line, documented) = locations.get(&found.path).copied().unwrap_or_default();
    let oneofs = &found.descriptor.oneof_decl;
    let fields = found.descriptor.field.iter().enumerate().map(|(at, field)| {
        let path: Vec<i32> = found.path.iter().copied().chain([2, at as i32]).collect();
        let (line, documented) = locations.get(&path).copied().unwrap_or_default();
        let options = reflected.as_ref().and_then(|message| message.get_field(field.number() as u32)).map(|f| f.options());
        let xml = options.as_ref().and_then(|options| string(options, &extensions.xml));
        let oneof = field.oneof_index.filter(|_| !field.proto3_optional());
        Field {
            line,
            name: field.name().to_owned(),
            number: field.number(),
            documented,
            kind: types.kind(field),
            repeated: field.label() == Label::Repeated,
            optional: field.proto3_optional(),
            oneof: oneof.and_then(|index| oneofs.get(index as usize)).map(|oneof| oneof.name().to_owned()),
            binding: xml.as_deref().and_then(Binding::parse),
            xml,
            facet: options.map(|options| facet(&options, extensions)).unwrap_or_default(),
        }
    });
    Message {
        file: found.file,
        line,
        name: found.name.clone(),
        documented,
        fields: fields.collect(),
        streamed: options.as_ref().is_some_and(|options| flag(options, &extensions.streamed)),
        tolerant: options.as_ref().is_some_and(|options| flag(options, &extensions.tolerant)),
        codec: options.as_ref().and_then(|options| string(options, &extensions.codec)),
        unordered: options.as_ref().is_some_and(|options| flag(options, &extensions.unordered)),
        open: options.as_ref().is_some_and(|options| flag(options, &extensions.open)),
        declares: options.as_ref().and_then(|options| string(options, &extensions.declares)),
    }
}

fn describe_enum(
    found: &Found<'_, EnumDescriptorProto>,
    pool: &DescriptorPool,
    extensions: &Extensions,
    locations: &Locations,
) -> Enum {
    let reflected = pool.get_enum_by_name(&found.name);
    let (line, documented) = locations.get(&found.path).copied().unwrap_or_default();
    let values = found.descriptor.value.iter().enumerate().map(|(at, value)| {
        let path: Vec<i32> = found.path.iter().copied().chain([2, at as i32]).collect();
        let text = reflected.as_ref().and_then(|reflected| reflected.get_value(value.number()));
        EnumValue {
            line: locations.get(&path).map_or(0, |(line, _)| *line),
            name: value.name().to_owned(),
            number: value.number(),
            text: text.and_then(|value| string(&value.options(), &extensions.text)),
        }
    });
    Enum { file: found.file, line, name: found.name.clone(), documented, values: values.collect() }
}
