//! The smallest documents that once came back changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::LazyLock;

use recto::error::{ErrorKind, PackageError};
use recto::opc::zip::{Method, Zip, ZipWriter};
use recto::{ExtraAttribute, Limits, NamespaceDecl, Package, WriteOptions, parse_to_vec, write_bin};
use recto_testing::gates::Gates;
use recto_testing::{Pack, Rng};

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const W14: &str = "http://schemas.microsoft.com/office/word/2010/wordml";
const STRICT: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";
const X: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Reading the `.proto` files takes longer than all the rest.
static GATES: LazyLock<Gates> = LazyLock::new(Gates::new);

fn check(main: String) {
    let source = Pack::document(main.clone()).bytes();
    for seed in 0..4 {
        assert_eq!(GATES.check(&source, &mut Rng::new(seed)), Ok(()), "{main}");
    }
}

fn sheet(cells: &str) {
    check(format!("<worksheet xmlns='{X}'><sheetData><row r='1'>{cells}</row></sheetData></worksheet>"));
}

#[test]
fn strict_and_transitional_names_on_one_element() {
    check(format!("<w:document xmlns:w='{W}' xmlns:s='{STRICT}'><w:body><w:p s:rsidR='00000001'/><s:p/></w:body></w:document>"));
    check(format!(
        "<w:document xmlns:w='{W}'><w:body><w:p xmlns:s='{STRICT}' s:rsidR='00000001' w:rsidP='00000002'/></w:body></w:document>"
    ));
}

#[test]
fn default_namespace_with_prefixed_attributes_of_the_same() {
    let run = |properties: &str| {
        check(format!("<w:document xmlns:w='{W}'><w:body><w:sdt><w:sdtPr>{properties}</w:sdtPr></w:sdt></w:body></w:document>"));
    };
    let state = "checkedState";
    run(&format!("<checkbox xmlns='{W14}'><{state} xmlns:w14='{W14}' w14:val='2612'>\n</{state}></checkbox>"));
    run(&format!("<w14:checkbox xmlns:w14='{W14}'><{state} xmlns='{W14}' w14:val='2612'/></w14:checkbox>"));
    run(&format!("<x:checkbox xmlns:x='{W14}'><x:{state} xmlns='{W14}' xmlns:w14='{W14}' w14:val='2612'/></x:checkbox>"));
}

#[test]
fn attributes_of_the_default_namespace_on_elements_of_another() {
    check(format!(
        "<document xmlns='{W}'><body><sdt><sdtPr><w15:color xmlns:w15='http://schemas.microsoft.com/office/word/2012/wordml' xmlns:w='{W}' w:val='FF0000'/></sdtPr></sdt></body></document>"
    ));
}

#[test]
fn values_that_declare_their_own_namespace() {
    let run = |properties: &str| {
        check(format!(
            "<w:document xmlns:w='{W}'><w:body><w:p><w:r><w:rPr>{properties}</w:rPr></w:r></w:p></w:body></w:document>"
        ));
    };
    run(&format!("<w14:ligatures xmlns:w14='{W14}' w14:val='all'/>"));
    run(&format!(
        "<w14:ligatures xmlns:w14='{W14}' w14:val='all'/><w14:numForm xmlns:w14='{W14}' w14:val='lining'></w14:numForm>"
    ));
    run(&format!("<w14:ligatures xmlns:w14='{W14}' w14:val='all' w14:more=''/><w14:numForm xmlns:w14='{W14}'>1</w14:numForm>"));
    run(&format!("<w14:ligatures w14:val='all' xmlns:w14='{W14}'/><other:numForm xmlns:other='{W14}' other:val='lining'/>"));
    run(&format!("<w14:ligatures xmlns:w14='{W14}' xmlns:w='{W}' w14:val='all' w:val='none'/>"));
    run(&format!("<w14:ligatures xmlns:w14='{W14}' w14:val='all'><w14:a/></w14:ligatures><w:b xmlns:w='{W}'/>"));
}

#[test]
fn texts_that_declare_their_own_namespace() {
    const CORE: &str = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
    const DC: &str = "http://purl.org/dc/elements/1.1/";
    let properties = |content: &str| {
        let root = format!("<cp:coreProperties xmlns:cp='{CORE}'>{content}</cp:coreProperties>");
        let content_type = "application/vnd.openxmlformats-package.core-properties+xml";
        let pack = Pack::document(format!("<w:document xmlns:w='{W}'/>")).part("docProps/core.xml", content_type, root);
        let source = pack.bytes();
        assert_eq!(GATES.check(&source, &mut Rng::new(1)), Ok(()), "{content}");
    };
    properties(&format!("<dc:title xmlns:dc='{DC}'>a</dc:title><dc:creator xmlns:dc='{DC}'/><cp:revision>1</cp:revision>"));
    properties(&format!("<dc:title xmlns:dc='{DC}' dc:more=''>a</dc:title><dc:creator xmlns:dc='{DC}'>b<dc:c/></dc:creator>"));
    properties(&format!("<title xmlns='{DC}'>a</title><x:creator xmlns:x='{DC}'>b</x:creator><cp:revision xmlns:cp='{CORE}'/>"));
}

#[test]
fn cells_of_unknown_type_keep_it() {
    sheet("<c r='A1' t='odd'><v>1</v></c><c r='B1' t=''><v>2</v></c><c r='C1' t='N'><v>3</v></c>");
}

#[test]
fn rich_text_in_cells_of_another_type_or_none() {
    sheet("<c r='A1'><is><t>x</t></is></c><c r='B1' t='s'><is><t>y</t></is></c><c r='C1' t='odd'><is><t>z</t></is></c>");
    sheet("<c r='A1' t='b'><v>x</v><v>y</v></c><c r='B1' t='s'><v>INF</v><is><t>y</t></is></c>");
}

#[test]
fn preserved_space_that_is_said_with_a_reference() {
    check(format!("<w:document xmlns:w='{W}'><w:body xml:space='preser&#x76;e'>\n<w:p/>\n</w:body></w:document>"));
}

/// Changes the package of a small document and writes it.
fn written(change: impl Fn(&mut Package)) -> Result<Vec<u8>, &'static str> {
    let source = Pack::document(format!("<w:document xmlns:w='{W}'><w:body/></w:document>")).bytes();
    let mut package = Package::from_bin(&recto::parse_to_vec(source, &Limits::default()).unwrap().0).unwrap();
    change(&mut package);
    package.to_vec().map_err(|error| match error.into_kind() {
        ErrorKind::Package(PackageError::InvalidBin(reason)) => reason,
        other => panic!("{other}"),
    })
}

#[test]
fn a_prefix_taken_for_something_else_on_the_root() {
    let taken = written(|package| {
        let markup = package.parts[0].markup.get_or_insert_default();
        markup.namespaces = vec![NamespaceDecl { prefix: "w".to_owned(), uri: "urn:x".to_owned(), ..Default::default() }];
    });
    assert_eq!(taken, Err("a prefix is declared twice on an element"));
}

#[test]
fn an_attribute_among_the_extras_and_the_fields() {
    let twice = written(|package| {
        let document = package.document_mut().unwrap();
        let attribute = ExtraAttribute { name: "odd".to_owned(), value: "1".to_owned(), ..Default::default() };
        document.extras.get_or_insert_default().attributes = vec![attribute.clone(), attribute];
    });
    assert_eq!(twice, Err("an attribute stands twice on an element"));
}

/// SheetJS, Java and LibreOffice cannot tell where a stored entry ends whose sizes stand behind it.
#[test]
fn stored_parts_of_any_size_have_no_data_descriptor() {
    let mut rng = Rng::new(1);
    let picture: Vec<u8> = (0..700_000).map(|_| rng.below(256) as u8).collect();
    let paragraphs = "<w:p><w:r><w:t>many of them</w:t></w:r></w:p>".repeat(20_000);
    let document = |blank: &str| {
        format!(
            "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
             <w:body>{blank}{paragraphs}</w:body></w:document>"
        )
    };
    for blank in ["", "\n "] {
        let mut writer = ZipWriter::streaming(Vec::new());
        let source = Pack::document(document(blank)).bytes();
        let zip = Zip::open(source.as_slice(), &Limits::default()).unwrap();
        for (index, entry) in zip.entries().iter().enumerate() {
            let method = if entry.name == "word/document.xml" { Method::Stored } else { Method::Deflated(6) };
            writer.write_entry(&entry.name, method, &zip.read_entry(index).unwrap()).unwrap();
        }
        writer.write_entry("word/media/image1.bin", Method::Stored, &picture).unwrap();
        let (bin, _) = parse_to_vec(writer.finish().unwrap(), &Limits::default()).unwrap();
        for threads in [1, 2] {
            let written = write_bin(&bin, Vec::new(), &WriteOptions::default().with_threads(threads)).unwrap();
            let stored: Vec<_> = written.windows(10).filter(|head| head.starts_with(b"PK\x03\x04") && head[8] == 0).collect();
            assert_eq!(stored.len(), 2);
            assert!(stored.iter().all(|head| head[6] & 8 == 0));
            let again = Zip::open(written.as_slice(), &Limits::default()).unwrap();
            let last = again.entries().len() - 1;
            assert!(again.read_entry(last).unwrap() == picture);
        }
    }
}

/// What has no typed value is written behind what has one; read again, it gives the same.
#[test]
fn attributes_that_move_give_the_same_bin_again() {
    let parsed = |source: Vec<u8>| {
        let (bin, _) = parse_to_vec(source, &Limits::default()).unwrap();
        let mut package = Package::from_bin(&bin).unwrap();
        package.header = None;
        for part in &mut package.parts {
            part.layout = None;
        }
        (bin, package)
    };
    for cells in [
        "<c r='$A1' s='01'><v>1</v></c>",
        "<c r='a1' s='01'/>",
        "<c r='A01' s='01'/>",
        "<c r='' s='01'/>",
        "<c r='$A1' s='1' cm='01'/>",
        "<c s='x' cm='y' r='A1' vm='01'/>",
    ] {
        let sheet = format!("<worksheet xmlns='{X}'><sheetData><row r='1'>{cells}</row></sheetData></worksheet>");
        let pack = Pack::workbook(format!("<workbook xmlns='{X}'/>"));
        let source = pack.related("xl/workbook.xml", "rId1", "worksheet", "xl/worksheets/sheet1.xml", sheet).bytes();
        let (bin, first) = parsed(source);
        let (_, second) = parsed(write_bin(&bin, Vec::new(), &WriteOptions::default()).unwrap());
        assert!(first == second, "{cells}");
    }
}
