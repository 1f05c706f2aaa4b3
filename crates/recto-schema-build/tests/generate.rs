//! What is written for a small schema.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::path::Path;

use recto_schema_build::generate_with_structs;
use support::{HEADER, root};

const BODY: &str = r#"
// A paragraph of [text] in <p>.
message Paragraph {
  option (recto.streamed) = true;
  Extras extras = 1;
  // Which side.
  optional Side side = 2 [(recto.xml) = "@w:side"];
  // Flattened.
  optional Side aligned = 4 [(recto.xml) = "w:jc/@w:val"];
  // In the default namespace.
  optional uint32 count = 6 [(recto.xml) = "x:count/text()"];
  // Attribute of such a namespace.
  optional bool own = 7 [(recto.xml) = "x:own/@x:val"];
  // Recursive.
  Paragraph inner = 8 [(recto.xml) = "w:inner"];
  // Runs and whatever else.
  repeated Item content = 9 [(recto.xml) = "*"];
}
// A child.
message Item {
  oneof item {
    // A paragraph.
    Paragraph paragraph = 1 [(recto.xml) = "w:p"];
    // Anything.
    RawXml other = 2 [(recto.xml) = "*"];
  }
}
// Sides.
enum Side {
  SIDE_UNSPECIFIED = 0;
  SIDE_LEFT_HAND = 1;
  SIDE_RIGHT = 2 [(recto.text) = "r"];
}
"#;

fn generated(name: &str) -> impl Fn(&str) -> String {
    let root = root(name, &[("test.proto", &format!("{HEADER}{BODY}"))]);
    generate_with_structs(&root, &root).unwrap();
    move |file| fs::read_to_string(Path::new(&root).join(file)).unwrap()
}

/// The lines of one static.
fn list<'a>(tables: &'a str, name: &str) -> Vec<&'a str> {
    let start = tables.find(&format!("pub static {name}: ")).unwrap();
    let lines = tables[start..].lines().skip(1);
    lines.take_while(|line| *line != "];").map(|line| line.trim().trim_end_matches(',')).collect()
}

#[test]
fn tables_hold_rows_pool_and_namespaces() {
    let tables = generated("tables")("tables.rs");
    let pool =
        r#"*b" w:side=\" w:val=\"</w:jc></count> x:val=\"</own></w:inner></w:p>leftHandr\x00\x00\x00\x00\x00\x00\x00\x00";"#;
    assert!(tables.lines().nth(1).unwrap().ends_with(pool), "{}", tables.lines().nth(1).unwrap());
    assert_eq!(
        list(&tables, "NAMESPACES"),
        [
            r#"Namespace { prefix: "", binding: "", uri: "", strict: "" }"#,
            r#"Namespace { prefix: "xml", binding: "xml", uri: "http://www.w3.org/XML/1998/namespace", strict: "" }"#,
            r#"Namespace { prefix: "w", binding: "w", uri: "urn:w", strict: "urn:w-strict" }"#,
            r#"Namespace { prefix: "", binding: "x", uri: "urn:x", strict: "" }"#,
        ]
    );
    let rows = list(&tables, "ROWS");
    let kinds: Vec<&str> =
        rows.iter().map(|row| row.split("kind: RowKind::").nth(1).unwrap().split(',').next().unwrap()).collect();
    assert_eq!(kinds, ["Attribute", "ChildValue", "ChildText", "ChildValue", "Child", "List", "Child", "Other"]);
    assert_eq!(
        list(&tables, "MESSAGE_NAMES").into_iter().filter(|name| name.contains("test")).collect::<Vec<_>>(),
        [r#""recto.test.Paragraph""#, r#""recto.test.Item""#]
    );
    assert!(list(&tables, "MESSAGES").iter().any(|message| message.contains("list: 6, other: 0, highest: 9, streamed: true")));
}

#[test]
fn structs_have_safe_docs_and_boxes() {
    let read = generated("structs");
    let model = read("recto.test.rs");
    for part in [
        "/// A paragraph of \\[text\\] in \\<p\\>.",
        "/// XML: `w:jc/@w:val`",
        "pub extras: ::core::option::Option<::prost::alloc::boxed::Box<super::Extras>>",
        "pub inner: ::core::option::Option<::prost::alloc::boxed::Box<Paragraph>>",
        "/// XML: `leftHand`",
    ] {
        assert!(model.contains(part), "{part} in {model}");
    }
    assert!(read("model.rs").contains("pub mod test {"));
}

#[test]
fn names_are_constants() {
    let names = generated("names")("names.rs");
    assert!(names.contains("pub mod raw_xml {"), "{names}");
    assert!(names.contains("pub const NAMESPACES: u32 = 1;"), "{names}");
}

#[test]
fn the_same_schema_gives_the_same_bytes() {
    let (first, second) = (generated("first"), generated("second"));
    for file in ["tables.rs", "names.rs", "model.rs", "recto.rs", "recto.test.rs"] {
        assert_eq!(first(file), second(file), "{file}");
    }
}
