//! One test for each rule of `proto/README.md`, with the text of its violation.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use recto_schema_build::{Error, generate, lint, options};
use support::{HEADER, errors, root};

/// Declares a test: the body of a file, and all that is wrong with it.
macro_rules! rules {
    ($($name:ident: $body:expr => [$($error:expr),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(errors(stringify!($name), $body), [$($error),*] as [&str; [$($error),*].len()]);
        }
    )*};
}

/// A message without fields, for others to refer to.
const LEAF: &str = "
// A leaf.
message Leaf { Extras extras = 1; }
";

fn with_leaf(body: &str) -> String {
    format!("{LEAF}{body}")
}

#[test]
fn a_schema_that_keeps_all_rules_has_no_errors() {
    let body = r#"
// All forms of bindings.
message All {
  Extras extras = 1;
  // Attribute.
  optional Side side = 2 [(recto.xml) = "@w:side"];
  // Attribute in no namespace.
  optional bool active = 3 [(recto.xml) = "@active"];
  // Attribute of the xml prefix.
  optional string space = 4 [(recto.xml) = "@xml:space"];
  // Flattened.
  optional double size = 5 [(recto.xml) = "w:size/@w:val"];
  optional string title = 6 [(recto.xml) = "x:title/text()"]; // A trailing comment.
  // Raw.
  RawXml raw = 8 [(recto.xml) = "w:raw"];
  // Child.
  Word word = 9 [(recto.xml) = "w:word"];
  // List.
  repeated Item content = 20 [(recto.xml) = "*"];
}
// Text.
message Word {
  Extras extras = 1;
  // Attribute.
  optional int64 id = 2 [(recto.xml) = "@w:id"];
  // Text.
  string value = 3 [(recto.xml) = "text()"];
}
// Items.
message Item {
  // Which.
  oneof item {
    // Words.
    Word word = 1 [(recto.xml) = "w:t"];
    // All others.
    RawXml other = 2 [(recto.xml) = "*"];
  }
}
// Sides.
enum Side {
  SIDE_UNSPECIFIED = 0;
  SIDE_LEFT_HAND = 1;
  SIDE_RIGHT = 2 [(recto.text) = "right-hand"];
}
"#;
    assert_eq!(errors("valid", body), [""; 0]);
}

rules! {
    extras_come_first: r#"
// M.
message M {
  // A.
  optional string a = 2 [(recto.xml) = "@a"];
}"# => [r#"M: must begin with "Extras extras = 1;""#];

    a_bound_message_has_extras: r#"
// M.
message M {
  Extras extras = 1;
  // N.
  N n = 2 [(recto.xml) = "w:n"];
}
// N.
message N {}"# => [r#"N: must begin with "Extras extras = 1;" (it stands for an element: M.n)"#];

    attributes_come_before_children: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "w:a/@w:val"];
  // B.
  optional string b = 3 [(recto.xml) = "@w:b"];
}"# => ["M.b: stands too late: first attributes, then text(), then children"];

    numbers_ascend: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 3 [(recto.xml) = "@w:a"];
  // B.
  optional string b = 2 [(recto.xml) = "@w:b"];
}"# => ["M.b: number 2 comes after 3: the order of declaration must be the order of numbers"];

    numbers_are_small: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 1001 [(recto.xml) = "@w:a"];
}"# => ["M.a: number is above 1000"];

    scalars_are_optional: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  string a = 2 [(recto.xml) = "@w:a"];
}"# => ["M.a: must be optional: absent differs from the default"];

    flattened_scalars_are_not_repeated: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  repeated string a = 2 [(recto.xml) = "w:a/@w:val"];
}"# => ["M.a: an attribute or a flattened child cannot be repeated: use a message"];

    only_some_scalars: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional float a = 2 [(recto.xml) = "@w:a"];
}"# => ["M.a: has the type float; allowed are string bool int32 uint32 int64 uint64 double and enums"];

    text_is_a_plain_string: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "text()"];
}"# => [r#"M.a: text() must be a plain "string", neither optional nor repeated"#];

    text_excludes_children: &with_leaf(r#"
// M.
message M {
  Extras extras = 1;
  // A.
  string a = 2 [(recto.xml) = "text()"];
  // B.
  Leaf b = 3 [(recto.xml) = "w:b"];
}"#) => ["M.a: a message has either text() or children"];

    a_value_needs_a_place: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional bool a = 2 [(recto.xml) = "w:a"];
}"# => [r#"M.a: a value needs a place in the element: "w:a/@…" or "w:a/text()""#];

    a_message_is_a_child: &with_leaf(r#"
// M.
message M {
  Extras extras = 1;
  // A.
  Leaf a = 2 [(recto.xml) = "@w:a"];
}"#) => [r#"M.a: a message is bound to a child element: "w:rPr""#];

    bindings_are_readable: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "w:a/w:b"];
}"# => [r#"M.a: cannot read the binding "w:a/w:b""#];

    prefixes_are_declared: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "@q:a"];
}"# => [r#"M.a: the file declares no namespace with the prefix "q""#];

    fields_of_elements_are_bound: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "@w:a"];
  // B.
  optional string b = 3;
}"# => ["M.b: has no binding (recto.xml), so it would never be written"];

    names_are_bound_once: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  optional string a = 2 [(recto.xml) = "w:a/@w:val"];
  // B.
  optional string b = 3 [(recto.xml) = "w:a/text()"];
}"# => [r#"M.b: "w:a/text()" is already bound to the field a"#];

    list_items_differ_from_children: &with_leaf(r#"
// M.
message M {
  Extras extras = 1;
  // A.
  Leaf a = 2 [(recto.xml) = "w:a"];
  // All.
  repeated L all = 3 [(recto.xml) = "*"];
}
// L.
message L { oneof item {
  // A.
  Leaf first = 1 [(recto.xml) = "w:a"];
  // Other.
  RawXml other = 2 [(recto.xml) = "*"];
} }"#) => ["M.a: is bound to the same element as the item L.first of all"];

    one_list_in_a_message: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  repeated L a = 2 [(recto.xml) = "*"];
  // B.
  repeated L b = 3 [(recto.xml) = "*"];
}
// L.
message L { oneof item {
  // Other.
  RawXml other = 1 [(recto.xml) = "*"];
} }"# => [r#"M.b: a message has at most one field bound to "*""#];

    a_list_repeats_a_list_message: &with_leaf(r#"
// M.
message M {
  Extras extras = 1;
  // A.
  repeated Leaf a = 2 [(recto.xml) = "*"];
}"#) => [r#"M.a: "*" is for a repeated list message (one with a oneof item)"#];

    a_list_message_is_no_child: r#"
// M.
message M {
  Extras extras = 1;
  // A.
  L a = 2 [(recto.xml) = "w:a"];
}
// L.
message L { oneof item {
  // Other.
  RawXml other = 1 [(recto.xml) = "*"];
} }"# => [r#"M.a: L is a list message, which only a repeated field bound to "*" can have"#];

    a_list_message_ends_with_other: &with_leaf(r#"
// L.
message L { oneof item {
  // A.
  Leaf a = 1 [(recto.xml) = "w:a"];
} }"#) => [r#"L: the last item must be RawXml other = …, bound to "*", and no other one is"#];

    a_list_message_has_only_items: r#"
// L.
message L {
  // A.
  optional string a = 1 [(recto.xml) = "@w:a"];
  oneof item {
    // Other.
    RawXml other = 2 [(recto.xml) = "*"];
  }
}"# => ["L.a: a list message has nothing but its oneof item"];

    items_are_messages: r#"
// L.
message L { oneof item {
  // A.
  string a = 1 [(recto.xml) = "w:a/@w:val"];
  // Other.
  RawXml other = 2 [(recto.xml) = "*"];
} }"# => [r#"L.a: an item is a message bound to a child element; the last one is RawXml other, bound to "*""#];

    oneofs_are_for_lists: &with_leaf(r#"
// M.
message M {
  Extras extras = 1;
  oneof fill {
    // A.
    Leaf a = 2 [(recto.xml) = "w:a"];
  }
}"#) => ["M.a: is in oneof fill; only list messages have a oneof, and it is called item: use ordinary fields"];

    codecs_are_known: r#"
// M.
message M {
  option (recto.codec) = "cells";
  Extras extras = 1;
}"# => [r#"M: unknown codec "cells""#];

    everything_has_a_comment: r#"
message M {
  Extras extras = 1;
  optional E a = 2 [(recto.xml) = "@w:a"];
}
enum E { E_UNSPECIFIED = 0; E_ONE = 1; }"# => ["M: has no comment", "M.a: has no comment", "E: has no comment"];

    enums_begin_unspecified: "
// E.
enum E { E_NONE = 0; E_ONE = 1; }" => ["E: the first value must be the enum's name in capitals, _UNSPECIFIED, = 0"];

    enums_have_no_gaps: "
// E.
enum E { E_UNSPECIFIED = 0; E_ONE = 1; E_THREE = 3; }"
        => ["E.E_THREE: must have the number 2: values count from 1 without gaps"];

    enum_values_are_prefixed: "
// E.
enum E { E_UNSPECIFIED = 0; ONE = 1; }" => ["E.ONE: must begin with the enum's name in capitals"];

    enum_texts_differ: r#"
// E.
enum E { E_UNSPECIFIED = 0; E_ONE = 1; E_TWO = 2 [(recto.text) = "one"]; }"#
        => [r#"E.E_TWO: the text "one" is already that of E_ONE"#];
}

#[test]
fn a_message_has_at_most_120_bound_fields() {
    let fields: String = (2..123).map(|n| format!("// F.\noptional string f{n} = {n} [(recto.xml) = \"@w:f{n}\"];\n")).collect();
    let body = format!("// M.\nmessage M {{ Extras extras = 1;\n{fields} }}");
    assert_eq!(errors("rows", &body), ["M: has 121 bound fields; at most 120"]);
}

#[test]
fn an_enum_has_at_most_250_values() {
    let values: String = (1..252).map(|n| format!("E_V{n} = {n};\n")).collect();
    let body = format!("// E.\nenum E {{ E_UNSPECIFIED = 0; {values} }}");
    assert_eq!(errors("values", &body), ["E: has more than 250 values; make it a string"]);
}

fn in_two_files(name: &str, first: &str, second: &str) -> Vec<String> {
    let file = |namespace: &str| {
        format!(
            "syntax = \"proto3\"; package recto.test; import \"recto/options.proto\"; option (recto.namespace) = {namespace};"
        )
    };
    let root = root(name, &[("a.proto", &file(first)), ("b.proto", &file(second))]);
    lint::check(&options::load(&root).unwrap().schema).iter().map(ToString::to_string).collect()
}

#[test]
fn a_namespace_has_one_prefix() {
    assert_eq!(
        in_two_files("prefix", r#"{ prefix: "w" uri: "urn:w" }"#, r#"{ prefix: "v" uri: "urn:w" }"#),
        ["recto/b.proto:1: namespace \"v\": recto/a.proto declares urn:w with another prefix, strict or default (w)"]
    );
}

#[test]
fn a_prefix_has_one_namespace() {
    assert_eq!(
        in_two_files("uri", r#"{ prefix: "w" uri: "urn:w" }"#, r#"{ prefix: "w" uri: "urn:v" }"#),
        ["recto/b.proto:1: namespace \"w\": recto/a.proto declares this prefix for urn:w"]
    );
}

#[test]
fn packages_are_below_recto() {
    let root = root("package", &[("a.proto", "syntax = \"proto3\"; package other;")]);
    let violations = lint::check(&options::load(&root).unwrap().schema);
    assert_eq!(
        violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["recto/a.proto:1: package: is \"other\"; must be \"recto\" or begin with \"recto.\""]
    );
}

#[test]
fn a_file_that_does_not_compile_hides_no_other() {
    let broken = "syntax = \"proto3\";\npackage recto.test;\nmessage {";
    let importing = "syntax = \"proto3\"; package recto.test; import \"recto/broken.proto\";";
    let wrong = format!("{HEADER}\nmessage M {{}}");
    let root = root("broken", &[("broken.proto", broken), ("importing.proto", importing), ("wrong.proto", &wrong)]);
    let Err(Error::Schema(broken, violations)) = generate(&root, &root) else { panic!("it has errors") };
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken[0].starts_with("recto/broken.proto:3:9: "), "{broken:?}");
    assert_eq!(broken[1], "recto/importing.proto: not checked, because it imports recto/broken.proto");
    assert_eq!(violations.iter().map(ToString::to_string).collect::<Vec<_>>(), ["recto/wrong.proto:8: M: has no comment"]);
}
