//! Random documents for every message of the schema, through all gates.
//!
//! `RECTO_SEEDS=100..200` tries other documents than the usual ones, `RECTO_MESSAGE=recto.word.Run` those of one message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::ops::Range;

use recto_testing::gates::Gates;
use recto_testing::{Rng, random};

fn seeds() -> Range<u64> {
    let Ok(given) = std::env::var("RECTO_SEEDS") else { return 0..2 };
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
