//! A small schema against a small XSD file.

use std::collections::BTreeMap;
use std::fs;

use recto_schema_build::options;

use super::exceptions;

const XSD: &str = r#"<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="urn:w" targetNamespace="urn:w"
    elementFormDefault="qualified" attributeFormDefault="qualified">
  <xsd:element name="root" type="CT_Root"/>
  <xsd:element name="other" type="CT_Leaf"/>
  <xsd:group name="EG_Two"><xsd:sequence><xsd:element name="one" type="CT_Leaf"/><xsd:element name="two" type="CT_Leaf"/>
    </xsd:sequence></xsd:group>
  <xsd:attributeGroup name="AG_Id"><xsd:attribute name="id" type="xsd:string"/></xsd:attributeGroup>
  <xsd:complexType name="CT_Base"><xsd:sequence><xsd:element name="zero" type="CT_Leaf"/></xsd:sequence></xsd:complexType>
  <xsd:complexType name="CT_Root"><xsd:complexContent><xsd:extension base="CT_Base">
    <xsd:sequence>
      <xsd:group ref="EG_Two"/>
      <xsd:choice maxOccurs="unbounded"><xsd:element name="b" type="CT_Leaf"/><xsd:element name="a" type="CT_Text"/></xsd:choice>
    </xsd:sequence>
    <xsd:attributeGroup ref="AG_Id"/>
  </xsd:extension></xsd:complexContent></xsd:complexType>
  <xsd:complexType name="CT_Leaf"><xsd:attribute name="val" type="ST_Kind"/><xsd:attribute name="more"/></xsd:complexType>
  <xsd:complexType name="CT_Text"><xsd:simpleContent><xsd:extension base="xsd:string"/></xsd:simpleContent></xsd:complexType>
  <xsd:simpleType name="ST_Kind"><xsd:union memberTypes="ST_Some ST_Rest"/></xsd:simpleType>
  <xsd:simpleType name="ST_Some"><xsd:restriction base="xsd:string"><xsd:enumeration value="first"/></xsd:restriction></xsd:simpleType>
  <xsd:simpleType name="ST_Rest"><xsd:restriction base="xsd:string"><xsd:enumeration value="last"/></xsd:restriction></xsd:simpleType>
</xsd:schema>"#;

const HEADER: &str = r#"syntax = "proto3";
package recto;
import "recto/extras.proto";
import "recto/options.proto";
option (recto.namespace) = { prefix: "w" uri: "urn:w" };
message Part { oneof content { Root root = 1 [(recto.xml) = "w:root"]; } }
enum Kind { KIND_UNSPECIFIED = 0; KIND_FIRST = 1; }
message Leaf { Extras extras = 1; optional Kind value = 2 [(recto.xml) = "@w:val"]; optional string more = 3 [(recto.xml) = "@w:more"]; }
message Text { Extras extras = 1; }
"#;

/// A schema that says more about what is valid.
const STRICT_XSD: &str = r#"<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="urn:w" targetNamespace="urn:w"
    elementFormDefault="qualified" attributeFormDefault="qualified">
  <xsd:element name="root"><xsd:complexType>
    <xsd:sequence>
      <xsd:element name="one" type="CT_Byte"/>
      <xsd:element name="two" type="CT_Byte" minOccurs="0"/>
      <xsd:choice><xsd:element name="three" type="CT_Any"/><xsd:element name="four" type="CT_Any"/></xsd:choice>
    </xsd:sequence>
    <xsd:attribute name="id" type="xsd:string" use="required"/>
  </xsd:complexType></xsd:element>
  <xsd:complexType name="CT_Byte"><xsd:attribute name="val" type="ST_Small"/></xsd:complexType>
  <xsd:complexType name="CT_Any">
    <xsd:choice maxOccurs="unbounded">
      <xsd:element name="one" type="CT_Byte"/><xsd:element name="two" type="CT_Byte"/><xsd:any/>
    </xsd:choice>
  </xsd:complexType>
  <xsd:simpleType name="ST_Small"><xsd:restriction base="xsd:unsignedByte"><xsd:maxExclusive value="10"/></xsd:restriction></xsd:simpleType>
</xsd:schema>"#;

/// The differences between the first XSD file and a root message with these fields, but for what is valid.
fn differences(name: &str, fields: &str) -> Vec<String> {
    differences_from(XSD, name, fields).into_iter().filter(|text| !text.starts_with("valid ")).collect()
}

fn differences_from(xsd: &str, name: &str, fields: &str) -> Vec<String> {
    let root = std::env::temp_dir().join(format!("recto-xsd-coverage-{}-{name}", std::process::id()));
    fs::create_dir_all(root.join("recto")).unwrap();
    let package = format!("{HEADER}message Root {{ Extras extras = 1; {fields} }}");
    for (file, text) in [
        ("options.proto", include_str!("../../../../proto/recto/options.proto")),
        ("extras.proto", include_str!("../../../../proto/recto/extras.proto")),
        ("package.proto", &package),
    ] {
        fs::write(root.join("recto").join(file), text).unwrap();
    }
    let loaded = options::load(&root);
    fs::remove_dir_all(&root).unwrap();
    let loaded = loaded.unwrap();
    assert_eq!(loaded.broken, [""; 0]);
    let findings = super::compare(&loaded.schema, &BTreeMap::from([("w".to_owned(), xsd.to_owned())])).unwrap();
    findings.iter().map(|finding| format!("{} {} {}", finding.kind.word(), finding.context, finding.name)).collect()
}

#[test]
fn missing_names_and_values_are_found_through_groups_and_bases() {
    let found = differences("missing", r#"Leaf one = 2 [(recto.xml) = "w:one"]; Text a = 3 [(recto.xml) = "w:a"];"#);
    assert_eq!(
        found,
        [
            "missing /Part w:other",
            "missing CT_Root/Root @w:id",
            "missing CT_Root/Root w:b",
            "missing CT_Root/Root w:two",
            "missing CT_Root/Root w:zero",
            "missing CT_Text/Text text()",
            "value ST_Kind/Kind \"last\"",
        ]
    );
}

#[test]
fn order_counts_in_sequences_but_not_in_repeated_choices() {
    let found = differences(
        "order",
        r#"optional string id = 2 [(recto.xml) = "@w:id"]; Text a = 3 [(recto.xml) = "w:a"]; Leaf b = 4 [(recto.xml) = "w:b"];
        Leaf two = 5 [(recto.xml) = "w:two"]; Leaf one = 6 [(recto.xml) = "w:one"]; Leaf zero = 7 [(recto.xml) = "w:zero"];"#,
    );
    let order: Vec<&String> = found.iter().filter(|text| text.starts_with("order")).collect();
    assert_eq!(
        order,
        ["order CT_Root/Root w:one before w:a", "order CT_Root/Root w:two before w:a", "order CT_Root/Root w:zero before w:a",]
    );
}

#[test]
fn raw_flattened_and_unknown_fields_are_found() {
    let found = differences(
        "forms",
        r#"RawXml one = 2 [(recto.xml) = "w:one"]; optional Kind two = 3 [(recto.xml) = "w:two/@w:val"];
        optional string five = 4 [(recto.xml) = "w:five/@w:val"];"#,
    );
    let forms: Vec<&String> =
        found.iter().filter(|text| !text.starts_with("missing CT_Root/Root @") && !text.contains("/Part")).collect();
    assert_eq!(
        forms,
        [
            "missing CT_Root/Root w:a",
            "missing CT_Root/Root w:b",
            "missing CT_Root/Root w:zero",
            "missing CT_Root/Root/w:two @w:more",
            "raw CT_Root/Root w:one",
            "value ST_Kind/Kind \"last\"",
            "unknown CT_Root/Root w:five",
        ]
    );
}

#[test]
fn options_must_say_what_is_valid() {
    let valid = |name: &str, fields: &str| {
        let found = differences_from(STRICT_XSD, name, fields);
        found.into_iter().filter(|text| text.starts_with("valid ")).collect::<Vec<_>>()
    };
    let fields = |id: &str, one: &str, any: &str| {
        format!(
            r#"optional string id = 2 [(recto.xml) = "@w:id"{id}]; optional uint32 one = 3 [(recto.xml) = "w:one/@w:val"{one}];
            Any three = 5 [(recto.xml) = "w:three"]; Any four = 6 [(recto.xml) = "w:four"]; }}
            message Any {{ {any} Extras extras = 1; Leaf one = 2 [(recto.xml) = "w:one"]; Leaf two = 3 [(recto.xml) = "w:two"];"#
        )
    };
    let any = "option (recto.unordered) = true; option (recto.open) = true;";
    let one = ", (recto.required) = true, (recto.bare) = true, (recto.maximum) = 9";
    assert_eq!(valid("said", &fields(", (recto.required) = true", one, any)), [""; 0]);
    assert_eq!(
        valid("unsaid", &fields("", ", (recto.minimum) = 1", "")),
        [
            "valid (root)/Root @w:id required",
            "valid (root)/Root w:one/@w:val bare",
            "valid (root)/Root w:one/@w:val maximum 9",
            "valid (root)/Root w:one/@w:val no minimum",
            "valid (root)/Root w:one/@w:val required",
            "valid CT_Any/Any open",
            "valid CT_Any/Any unordered",
        ]
    );
}

#[test]
fn exceptions_need_a_reason_and_may_end_with_a_star() {
    let path = std::env::temp_dir().join(format!("recto-xsd-exceptions-{}", std::process::id()));
    fs::write(&path, "# a list\nmissing\tw\tCT_Root/Root\tw:*\tSaid elsewhere.\n").unwrap();
    let list = exceptions::read(&path).unwrap();
    fs::write(&path, "missing\tw\tCT_Root/Root\tw:one\n").unwrap();
    let refused = exceptions::read(&path);
    fs::remove_file(&path).unwrap();
    let finding = |name: &str| crate::Finding {
        kind: crate::walk::Difference::Missing,
        schema: "w".to_owned(),
        context: "CT_Root/Root".to_owned(),
        name: name.to_owned(),
        path: String::new(),
    };
    assert!(list[0].covers(&finding("w:one")));
    assert!(!list[0].covers(&finding("@w:id")));
    assert!(refused.is_err_and(|error| error.contains(":1: ")));
}
