//! The structs are where users look for them, and the wire is the one that the numbers describe.
#![cfg(feature = "model")]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

use prost::Message;
use recto_schema::fields;
use recto_schema::model::{Header, Package, Part, part};

#[test]
fn a_package_is_at_the_root_of_the_model() {
    let package = Package {
        header: Some(Header { format_version: 1, ..Header::default() }),
        parts: vec![Part { name: "a".into(), content: Some(part::Content::Data(vec![1, 2])), ..Part::default() }],
        ..Package::default()
    };
    let bytes = package.encode_to_vec();
    assert_eq!(bytes[0], (fields::package::HEADER << 3 | 2) as u8);
    assert_eq!(Package::decode(bytes.as_slice()).unwrap(), package);
}
