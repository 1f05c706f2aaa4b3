//! Damaged packages and `.bin` files: nothing panics, and what is accepted is still kept without loss.
//!
//! Every loop ends after a number of tries or after some seconds, whichever comes first. `RECTO_SEEDS=100..200` tries others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use recto::error::{ErrorFamily, ErrorKind, MarkupError};
use recto::opc::Archive;
use recto::report::{self, DifferenceKind};
use recto::{Limits, WriteOptions};
use recto_testing::fixtures::{self, Fixture};
use recto_testing::{Rng, gates, mutate, pack};

const TIME: Duration = Duration::from_secs(4);

/// Runs `check` for one seed after the other; a failure or panic names its seed.
fn for_seeds(tries: u64, check: impl Fn(&Fixture, &mut Rng) -> Result<(), String>) {
    let (from, to, time) = match std::env::var("RECTO_SEEDS").ok().as_deref().and_then(|given| given.split_once("..")) {
        Some((from, to)) => (from.parse().unwrap(), to.parse().unwrap(), Duration::MAX),
        None => (0, tries, TIME),
    };
    let files: Vec<Fixture> = fixtures::good().into_iter().filter(|fixture| fixture.bytes.len() < 20_000).collect();
    let start = Instant::now();
    for seed in from..to {
        if start.elapsed() > time {
            break;
        }
        let mut rng = Rng::new(seed);
        let fixture = &files[rng.below(files.len())];
        match catch_unwind(AssertUnwindSafe(|| check(fixture, &mut rng))) {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => panic!("RECTO_SEEDS={seed}..{} on {}: {failure}", seed + 1, fixture.path),
            Err(_) => panic!("RECTO_SEEDS={seed}..{} on {}: a panic", seed + 1, fixture.path),
        }
    }
}

/// What was accepted must be written, and be the same.
fn accepted(source: &[u8], bin: &[u8]) -> Result<(), String> {
    let written = recto::write_bin(bin, Vec::new(), &WriteOptions::default().with_level(1));
    let written = written.map_err(|error| format!("accepted but not written: {error}"))?;
    if written.len() > 100 * source.len() + 10_000 {
        return Err(format!("{} bytes became {}", source.len(), written.len()));
    }
    gates::equal(source, &written, "damaged")
}

#[test]
fn damaged_zip_files() {
    for_seeds(2000, |fixture, rng| {
        let damaged = mutate::bytes(&fixture.bytes, rng);
        match recto::parse_to_vec(&damaged, &Limits::default()) {
            Ok((bin, _)) => accepted(&damaged, &bin),
            Err(_) => Ok(()),
        }
    });
}

#[test]
fn damaged_markup_is_judged_as_by_another_parser() {
    for_seeds(2000, |fixture, rng| {
        let original = Archive::open(&fixture.bytes, &Limits::default()).map_err(|error| error.to_string())?;
        let zip = original.zip();
        let mut entries = Vec::new();
        for (place, entry) in zip.entries().iter().enumerate() {
            let bytes = zip.read_entry(place).map_err(|error| error.to_string())?;
            entries.push((entry.name.clone(), bytes, recto::opc::zip::Method::Stored));
        }
        let which = rng.below(entries.len());
        let bytes = &mut entries[which].1;
        // The XML declaration is kept as it is, whatever stands in it.
        let start = bytes.windows(2).position(|pair| pair == b"?>").map_or(0, |at| at + 2);
        *bytes = [&bytes[..start], &mutate::markup(&bytes[start..], rng)].concat();
        let damaged = pack::zip(&entries);
        match recto::parse_to_vec(&damaged, &Limits::default()) {
            Ok((bin, _)) => accepted(&damaged, &bin),
            Err(error) if error.family() == ErrorFamily::Markup => refused_rightly(&damaged, &fixture.bytes, &error),
            Err(_) => Ok(()),
        }
    });
}

/// A part that is refused as malformed must be malformed to the other parser as well.
fn refused_rightly(damaged: &[u8], original: &[u8], error: &recto::Error) -> Result<(), String> {
    let malformed = matches!(error.kind(), ErrorKind::Markup(MarkupError::Malformed(_) | MarkupError::UndeclaredPrefix(_)));
    let Some(part) = error.part().filter(|part| malformed && !part.ends_with(".rels") && !part.starts_with('[')) else {
        return Ok(());
    };
    let open = |bytes| Archive::open(bytes, &Limits::default()).map_err(|error: recto::Error| error.to_string());
    let found = report::diff(&open(damaged)?, &open(original)?, 1000).map_err(|error| error.to_string())?;
    let agreed = |kind| matches!(kind, DifferenceKind::MalformedBytes | DifferenceKind::Bytes);
    if found.iter().any(|difference| difference.part == part && agreed(difference.kind)) {
        return Ok(());
    }
    Err(format!("refused ({error}), which the other parser does not"))
}

#[test]
fn damaged_bin_files() {
    for_seeds(3000, |fixture, rng| {
        let (bin, _) = recto::parse_to_vec(&fixture.bytes, &Limits::default()).map_err(|error| error.to_string())?;
        let damaged = mutate::bytes(&bin, rng);
        let Ok(written) = recto::write_bin(&damaged, Vec::new(), &WriteOptions::default().with_level(1)) else { return Ok(()) };
        if written.len() > 100 * damaged.len() + 10_000 {
            return Err(format!("{} bytes became {}", damaged.len(), written.len()));
        }
        // Whatever parts it has now, those that are typed must be XML.
        match recto::parse_to_vec(&written, &Limits::default()).map_err(recto::Error::into_kind) {
            Err(ErrorKind::Markup(error @ (MarkupError::Malformed(_) | MarkupError::UndeclaredPrefix(_)))) => {
                Err(format!("what was written is malformed: {error}"))
            }
            _ => Ok(()),
        }
    });
}
