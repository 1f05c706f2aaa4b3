//! Random documents for every message of the schema, through all gates.
//!
//! `RECTO_SEEDS=100..200` tries other documents than the usual ones, `RECTO_MESSAGE=recto.word.Run` those of one message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ops::Range;

use recto_testing::gates::Gates;
use recto_testing::{Rng, random};

fn seeds() -> Range<u64> {
    let Ok(given) = std::env::var("RECTO_SEEDS") else { return 0..1 };
    let (from, to) = given.split_once("..").expect("RECTO_SEEDS must be like 0..10");
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn random_documents_pass_all_gates() {
    let gates = Gates::new();
    let wanted = std::env::var("RECTO_MESSAGE").ok();
    let mut failures = Vec::new();
    for path in random::paths() {
        let name = recto_schema::tables::MESSAGE_NAMES[usize::from(path.target())];
        if wanted.as_ref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        for seed in seeds() {
            let package = random::package(&path, seed);
            if let Err(failure) = gates.check(&package, &mut Rng::new(seed)) {
                failures.push(format!("RECTO_MESSAGE={name} RECTO_SEEDS={seed}..{}\n  {failure}", seed + 1));
                if wanted.is_some() {
                    let path = std::env::temp_dir().join("recto-failure.docx");
                    std::fs::write(&path, &package).unwrap();
                    failures.push(format!("kept as {}", path.display()));
                }
            }
        }
    }
    let shown = failures.len().min(std::env::var("RECTO_SHOWN").map_or(20, |shown| shown.parse().unwrap()));
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures[..shown].join("\n"));
}

/// A part with so many spaces before its root that reads end at other places in it.
fn parsed_behind(spaces: usize, text: &str) -> recto::Package {
    let main = [" ".repeat(spaces).as_bytes(), text.as_bytes()].concat();
    let source = recto_testing::Pack::document(main).bytes();
    let (bin, _) = recto::parse_to_vec(source, &recto::Limits::default()).unwrap();
    let mut package = recto::Package::from_bin(&bin).unwrap();
    package.header = None;
    let markup = package.parts[0].markup.get_or_insert_default();
    (markup.prolog, markup.prolog_form) = (None, None);
    package
}

/// Parts over 1 MiB are read in pieces, which double as long as nothing but white space comes: one of them ends at 1 MiB. Where
/// that cuts them makes no difference.
#[test]
fn reads_may_end_anywhere() {
    let document = r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p w:rsidR="00A77B3E"><w:pPr><w:jc w:val="both"/><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:t xml:space="preserve"> a&amp;b </w:t></w:r><!-- c --></w:p><w:tbl/></w:body></w:document>"#;
    let sheet = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1" spans="1:3"><c r="A1" s="12" t="s"><v>1234</v></c><c r="B1"><v>0.29999999999999999</v></c><c r="C1" t="str"><f>"é"&amp;1</f><v>é1</v></c></row></sheetData></worksheet>"#;
    for text in [document, sheet] {
        let whole = parsed_behind(0, text).to_bin();
        for before in 0..=text.len() {
            let behind = parsed_behind((1 << 20) - before, text).to_bin();
            assert!(behind == whole, "read up to byte {before} of {text}");
        }
    }
}
