//! Checks the schema: `lint PROTO_ROOT [SUBFOLDER]` prints what is wrong with the files under `PROTO_ROOT/recto`, or only
//! with those under `PROTO_ROOT/recto/SUBFOLDER`, and fails if anything is.

use std::path::Path;
use std::process::ExitCode;

use recto_schema_build::options::{Kind, Schema};
use recto_schema_build::{Error, lint, options};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(root) = arguments.first() else {
        eprintln!("usage: lint PROTO_ROOT [SUBFOLDER]");
        return ExitCode::FAILURE;
    };
    let prefix = format!("recto/{}", arguments.get(1).map_or("", String::as_str));
    match run(Path::new(root), &prefix) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(count) => {
            println!("{count} errors");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints everything and counts the errors.
fn run(root: &Path, prefix: &str) -> Result<usize, Error> {
    let loaded = options::load(root)?;
    let mut lines: Vec<String> = loaded.broken.into_iter().filter(|text| text.contains(prefix)).collect();
    let violations = lint::check(&loaded.schema);
    lines.extend(violations.iter().filter(|violation| violation.file.starts_with(prefix)).map(|violation| violation.to_string()));
    for line in &lines {
        println!("{line}");
    }
    print_counts(&loaded.schema, prefix);
    print_unused(&loaded.schema, prefix);
    Ok(lines.len())
}

fn print_counts(schema: &Schema, prefix: &str) {
    for (index, file) in schema.files.iter().enumerate().filter(|(_, file)| file.name.starts_with(prefix)) {
        let messages: Vec<_> = schema.messages.iter().filter(|message| message.file == index).collect();
        let bound = messages.iter().flat_map(|message| &message.fields).filter(|field| field.binding.is_some()).count();
        let enums = schema.enums.iter().filter(|declared| declared.file == index).count();
        println!("{}: {} messages, {bound} bound fields, {enums} enums", file.name, messages.len());
    }
}

/// Messages of which no field is. Not an error: a part's root is declared last.
#[allow(clippy::indexing_slicing, reason = "a message has the index of its file")]
fn print_unused(schema: &Schema, prefix: &str) {
    let fields = schema.messages.iter().flat_map(|message| &message.fields);
    let used: Vec<usize> =
        fields.filter_map(|field| if let Kind::Message(target) = field.kind { Some(target) } else { None }).collect();
    for (index, message) in schema.messages.iter().enumerate() {
        let file = &schema.files[message.file].name;
        if !used.contains(&index) && file.starts_with(prefix) && message.name != "recto.Package" {
            println!("note: {file}:{}: no field has the type {}", message.line, message.short_name());
        }
    }
}
