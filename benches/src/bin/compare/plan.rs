//! Which operations are measured on which inputs.

/// The operations on one input.
pub struct Plan {
    /// Name of the input.
    pub input: &'static str,
    /// Names of the operations; those of peers are left out where they are not built in.
    pub operations: &'static [&'static str],
    /// A single run takes seconds.
    pub is_long: bool,
    /// What stands below the table.
    pub about: &'static str,
}

const SHEET: &[&str] = &[
    "inflate",
    "parse",
    "parse@2",
    "structs",
    "items",
    "from-bin",
    "to-bin",
    "deflate-3",
    "write-3",
    "deflate-6",
    "write-6",
    "round-trip-6",
    "typed-round-trip-6",
    "tokens",
    "calamine",
    "umya",
    "sdk-xlsx",
    "sdk-xlsx-round-trip",
];

const DOCUMENT: &[&str] = &[
    "inflate",
    "parse",
    "structs",
    "items",
    "from-bin",
    "to-bin",
    "deflate-3",
    "write-3",
    "deflate-6",
    "write-6",
    "round-trip-6",
    "typed-round-trip-6",
    "tokens",
    "docx-rs",
    "docx-rust",
    "sdk-docx",
    "sdk-docx-round-trip",
];

const SMALL_WORKBOOK: &[&str] = &[
    "inflate",
    "parse",
    "structs",
    "deflate",
    "write",
    "round-trip",
    "round-trip-6",
    "calamine",
    "umya",
    "sdk-xlsx",
    "sdk-xlsx-round-trip",
];

const SMALL_DOCUMENT: &[&str] = &[
    "inflate",
    "parse",
    "structs",
    "deflate",
    "write",
    "round-trip",
    "round-trip-6",
    "docx-rs",
    "docx-rust",
    "sdk-docx",
    "sdk-docx-round-trip",
];

const SHEETS: &[&str] =
    &["inflate", "parse", "parse@2", "deflate-3", "write-3", "write-3@2", "deflate-6", "write-6", "write-6@2"];

const FILES: &[&str] = &["inflate", "parse-file", "write-file"];

const fn plan(input: &'static str, operations: &'static [&'static str]) -> Plan {
    Plan { input, operations, is_long: false, about: "" }
}

const fn long(input: &'static str, operations: &'static [&'static str]) -> Plan {
    Plan { input, operations, is_long: true, about: "" }
}

/// In the order in which they run.
pub const PLANS: [Plan; 10] = [
    plan("numbers", SHEET),
    plan("mixed", SHEET),
    plan("sheets", SHEETS),
    plan("document", DOCUMENT),
    plan("small-xlsx", SMALL_WORKBOOK),
    plan("small-docx", SMALL_DOCUMENT),
    Plan {
        about: "The structs of this input are what a cell without value costs in memory.",
        ..long("empties", &["inflate", "parse", "parse-file", "structs", "write-file", "calamine", "sdk-xlsx"])
    },
    long("cells-5m", FILES),
    long("cells-10m", FILES),
    long("cells-20m", FILES),
];

/// The operation that an operation is compared with in its row. Those that start from memory that is no package have none.
pub fn limit(operation: &str) -> Option<String> {
    let (operation, _) = operation.split_once('@').unwrap_or((operation, ""));
    match operation {
        "inflate" | "from-bin" | "to-bin" | "write-file" => None,
        _ if operation.starts_with("deflate") || operation.contains("round-trip") => None,
        _ => match operation.strip_prefix("write") {
            Some(level) => Some(format!("deflate{level}")),
            None => Some("inflate".to_owned()),
        },
    }
}
