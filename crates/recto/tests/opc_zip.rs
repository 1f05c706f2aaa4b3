//! Zip files as they are found in the world, and as they must not be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{Cursor, Read, Write};

use recto::error::{Error, ErrorKind, Foreign, PackageError};
use recto::limits::{Limit, Limits};
use recto::opc::zip::{Method, Seekable, Zip, ZipWriter};

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.write_entry(name, Method::default(), bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn opened(bytes: &[u8]) -> Zip<&[u8]> {
    Zip::open(bytes, &Limits::default()).unwrap()
}

fn refused(bytes: &[u8]) -> PackageError {
    package_error(Zip::open(bytes, &Limits::default()).map(|_| ()))
}

fn unreadable(bytes: &[u8]) -> PackageError {
    package_error(opened(bytes).read_entry(0).map(|_| ()))
}

fn package_error(result: Result<(), Error>) -> PackageError {
    match result.unwrap_err().into_kind() {
        ErrorKind::Package(error) => error,
        other => panic!("{other:?}"),
    }
}

fn limit(result: Result<Vec<u8>, Error>) -> Limit {
    match result.unwrap_err().into_kind() {
        ErrorKind::Limit(error) => error.limit,
        other => panic!("{other:?}"),
    }
}

/// Where the directory begins.
fn directory_at(bytes: &[u8]) -> usize {
    bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap()
}

/// Bytes that do not compress.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(step).collect()
}

#[test]
fn duplicate_names_are_kept_in_order() {
    let zip = zip_of(&[("a", b"1"), ("A", b"2"), ("a", b"3")]);
    let zip = opened(&zip);
    assert_eq!(zip.entries().iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["a", "A", "a"]);
    let contents: Vec<_> = (0..3).map(|index| zip.read_entry(index).unwrap()).collect();
    assert_eq!(contents, [b"1", b"2", b"3"]);
}

#[test]
fn names_come_back_as_spelled() {
    let names = ["[Content_Types].xml", "xl\\worksheets\\sheet1.xml", "/lead", "word/", "ö 世.xml", ""];
    let bytes = zip_of(&names.map(|name| (name, b"".as_slice())));
    let zip = opened(&bytes);
    assert_eq!(zip.entries().iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), names);
    assert!(zip.entries()[3].is_directory());
}

#[test]
fn same_input_same_bytes() {
    let entries: [(&str, &[u8]); 2] = [("a.xml", b"<a/>"), ("b.bin", b"\0\x01")];
    let bytes = zip_of(&entries);
    assert_eq!(bytes, zip_of(&entries));
    // 1980-01-01 00:00:00, and no flags, since nothing had to be said after the data.
    assert_eq!(bytes[6..14], [0, 0, 8, 0, 0, 0, 0x21, 0]);
    let mut streaming = ZipWriter::streaming(Vec::new());
    for (name, data) in entries {
        streaming.write_entry(name, Method::default(), data).unwrap();
    }
    assert_eq!(bytes, streaming.finish().unwrap());
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    const MIB: usize = 1 << 20;
    let text = b"<row><c r=\"A1\"><v>1</v></c></row>".repeat(150_000);
    let noise = noise(3 * MIB + 7);
    let entries: [(&str, Method, &[u8]); 8] = [
        ("small", Method::Deflated(3), b"<a/>"),
        ("text", Method::Deflated(3), &text),
        ("empty", Method::Deflated(3), b""),
        ("noise", Method::Deflated(6), &noise),
        ("stored", Method::Stored, &noise),
        ("one block", Method::Deflated(3), &text[..MIB]),
        ("two blocks", Method::Deflated(3), &text[..2 * MIB]),
        ("one byte more", Method::Deflated(3), &text[..2 * MIB + 1]),
    ];
    let written = |threads| {
        let mut writer = ZipWriter::streaming(Vec::new()).with_threads(threads);
        for (name, method, bytes) in entries {
            writer.start(name, method).unwrap();
            bytes.chunks(65_536).for_each(|chunk| writer.write_all(chunk).unwrap());
        }
        writer.finish().unwrap()
    };
    let alone = written(1);
    for threads in [0, 2, 3, 8] {
        assert!(written(threads) == alone, "{threads} threads");
    }
    let zip = opened(&alone);
    for (at, (name, _, bytes)) in entries.into_iter().enumerate() {
        assert!(zip.read_entry(at).unwrap() == bytes, "{name}");
    }
}

#[test]
fn large_entries_with_and_without_seeking() {
    let data = noise(700_000);
    for method in [Method::Stored, Method::Deflated(1), Method::Deflated(9)] {
        let mut seeking = ZipWriter::new(Cursor::new(Vec::new()));
        let mut streaming = ZipWriter::streaming(Vec::new());
        for piece in [0, 1] {
            let name = format!("part{piece}");
            seeking.start(&name, method).unwrap();
            streaming.start(&name, method).unwrap();
            for chunk in data.chunks(10_001) {
                seeking.write_all(chunk).unwrap();
                streaming.write_all(chunk).unwrap();
            }
        }
        for (bytes, flags) in [(seeking.finish().unwrap().into_inner(), 0), (streaming.finish().unwrap(), 8)] {
            let zip = opened(&bytes);
            assert_eq!(zip.entries()[1].flags, flags);
            assert!(zip.read_entry(0).unwrap() == data && zip.read_entry(1).unwrap() == data);
        }
    }
}

#[test]
fn entries_can_be_read_at_once_from_a_file() {
    let bytes = zip_of(&[("a", &noise(200_000)), ("b", &noise(100_000))]);
    let zip = Zip::open(Seekable::new(Cursor::new(bytes)).unwrap(), &Limits::default()).unwrap();
    let (mut a, mut b) = (zip.open_entry(0).unwrap(), zip.open_entry(1).unwrap());
    let (mut from_a, mut from_b) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        a.by_ref().take(1000).read_to_end(&mut from_a).unwrap();
        b.by_ref().take(1000).read_to_end(&mut from_b).unwrap();
    }
    a.read_to_end(&mut from_a).unwrap();
    b.read_to_end(&mut from_b).unwrap();
    assert!(from_a == noise(200_000) && from_b == noise(100_000));
}

#[test]
fn p39_zip64_only_where_it_must_be() {
    for (count, wide) in [(65_534, false), (70_000, true)] {
        let mut writer = ZipWriter::streaming(Vec::new());
        for number in 0..count {
            writer.write_entry(&format!("media/{number}"), Method::Stored, b"").unwrap();
        }
        let bytes = writer.finish().unwrap();
        assert_eq!(bytes.windows(4).any(|window| window == b"PK\x06\x06"), wide);
        let zip = opened(&bytes);
        assert_eq!(zip.entries().len(), count);
        assert_eq!(zip.entries()[count - 1].name, format!("media/{}", count - 1));
    }
}

#[test]
fn needless_zip64_is_read() {
    let mut bytes = zip_of(&[("a", b"hello hello hello")]);
    let at = directory_at(&bytes);
    let (compressed, size) = (bytes[at + 20..at + 24].to_vec(), bytes[at + 24..at + 28].to_vec());
    let extra = [&[1, 0, 24, 0], &size[..], &[0; 4], &compressed, &[0; 4], &[0; 8]].concat();
    bytes[at + 20..at + 28].fill(0xff);
    bytes[at + 42..at + 46].fill(0xff);
    bytes[at + 30] = extra.len() as u8;
    bytes.splice(at + 47..at + 47, extra);
    let (old_end, length) = (bytes.len() - 22, (bytes.len() - 22 - at) as u64);
    let end64 = [
        b"PK\x06\x06".as_slice(),
        &44_u64.to_le_bytes(),
        &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &1_u64.to_le_bytes(),
        &1_u64.to_le_bytes(),
        &length.to_le_bytes(),
        &(at as u64).to_le_bytes(),
        b"PK\x06\x07\0\0\0\0",
        &(old_end as u64).to_le_bytes(),
        &[1, 0, 0, 0],
    ]
    .concat();
    bytes[old_end + 8..old_end + 20].fill(0xff);
    bytes.splice(old_end..old_end, end64);
    assert_eq!(opened(&bytes).read_entry(0).unwrap(), b"hello hello hello");
    // With bytes before it, the locator points to a wrong place.
    let shifted = [b"MZ prefix".as_slice(), &bytes].concat();
    assert_eq!(opened(&shifted).read_entry(0).unwrap(), b"hello hello hello");
}

#[test]
fn bytes_around_the_zip_are_skipped() {
    let plain = zip_of(&[("a", b"1"), ("b", b"2")]);
    let around = [b"#!prefix\n".as_slice(), &plain, b"junk PK\x05\x06 junk"].concat();
    let zip = opened(&around);
    assert_eq!(zip.read_entry(1).unwrap(), b"2");
    assert_eq!((zip.leading_bytes(), zip.trailing_bytes()), (9, 14));
    let mut commented = plain.clone();
    let end = commented.len();
    commented[end - 2] = 5;
    commented.extend(b"hello");
    assert_eq!(opened(&commented).trailing_bytes(), 5);
    assert_eq!(opened(&plain).leading_bytes() + opened(&plain).trailing_bytes(), 0);
}

#[test]
fn sizes_that_lie_are_harmless() {
    for claim in [0_u32, 3, u32::MAX - 1] {
        let mut bytes = zip_of(&[("a", b"hello")]);
        let at = directory_at(&bytes);
        bytes[at + 24..at + 28].copy_from_slice(&claim.to_le_bytes());
        assert_eq!(opened(&bytes).read_entry(0).unwrap(), b"hello");
    }
}

#[test]
fn empty_entry_without_deflate_stream() {
    let mut bytes = zip_of(&[("a", b"")]);
    let at = directory_at(&bytes);
    bytes[at + 20] = 0;
    assert_eq!(opened(&bytes).read_entry(0).unwrap(), b"");
}

#[test]
fn damage_is_told() {
    let plain = zip_of(&[("a", b"hello hello hello hello")]);
    let with = |place: usize, value: u8| {
        let mut bytes = plain.clone();
        bytes[place] = value;
        bytes
    };
    let at = directory_at(&plain);
    assert_eq!(unreadable(&with(at + 16, plain[at + 16] ^ 1)), PackageError::EntryDamaged("its crc-32 differs"));
    assert_eq!(unreadable(&with(31, 0xff)), PackageError::EntryDamaged("its deflate stream is invalid"));
    assert_eq!(unreadable(&with(at + 20, 3)), PackageError::EntryDamaged("its data ends too early"));
    assert_eq!(unreadable(&with(0, 0)), PackageError::EntryDamaged("its local header is missing"));
    assert_eq!(unreadable(&with(30, b'b')), PackageError::EntryDamaged("its local header has another name"));
    assert_eq!(unreadable(&with(at + 8, 1)), PackageError::EncryptedEntry);
    assert_eq!(unreadable(&with(at + 10, 12)), PackageError::UnsupportedCompression(12));
    assert!(matches!(refused(&with(at, 0)), PackageError::CorruptZip(_)));
    assert!(matches!(refused(&with(plain.len() - 12, 2)), PackageError::CorruptZip(_)));
    assert_eq!(refused(&plain[..plain.len() - 1]), PackageError::Truncated);
    assert_eq!(refused(b""), PackageError::NotAZip(Foreign::Empty));
    let error = opened(&with(at + 8, 1)).read_entry(0).unwrap_err();
    assert_eq!(error.part(), Some("a"));
}

#[test]
fn overlapping_entries_are_refused() {
    let mut bytes = zip_of(&[("a", &noise(100)), ("b", b"2")]);
    let second = directory_at(&bytes) + 47;
    bytes[second + 42] = 0;
    bytes[second + 43] = 0;
    assert_eq!(refused(&bytes), PackageError::CorruptZip("entries overlap"));
}

#[test]
fn limits_count_what_comes_out() {
    let zeros = vec![0; 3 << 20];
    let mut bytes = zip_of(&[("a", &zeros), ("b", &zeros)]);
    // The claim of one byte fools nobody.
    let at = directory_at(&bytes);
    bytes[at + 24..at + 28].copy_from_slice(&1_u32.to_le_bytes());
    let read = |limits: Limits| Zip::open(&bytes[..], &limits).unwrap().read_entry(0);
    assert!(read(Limits::default()).is_ok());
    assert_eq!(limit(read(Limits::default().with_max_entry_size(1 << 20))), Limit::EntrySize);
    assert_eq!(limit(read(Limits::default().with_max_total_size(1 << 20))), Limit::TotalSize);
    assert_eq!(limit(read(Limits::default().with_max_ratio(500, 1 << 20))), Limit::Ratio);
    assert!(read(Limits::none()).is_ok());
    let open = Zip::open(&bytes[..], &Limits::default().with_max_entries(1)).map(|_| Vec::new());
    assert_eq!(limit(open), Limit::Entries);
}

#[test]
fn reading_again_does_not_count_again() {
    let bytes = zip_of(&[("a", &noise(1000)), ("b", &noise(1000))]);
    let zip = Zip::open(&bytes[..], &Limits::default().with_max_total_size(1500)).unwrap();
    for _ in 0..3 {
        assert!(zip.read_entry(0).is_ok());
    }
    assert_eq!(limit(zip.read_entry(1)), Limit::TotalSize);
}

#[test]
fn fingerprint_depends_on_names_sizes_and_content() {
    let of = |entries: &[(&str, &[u8])]| opened(&zip_of(entries)).fingerprint();
    let prints = [of(&[("a", b"1")]), of(&[("a", b"2")]), of(&[("b", b"1")]), of(&[("a", b"1"), ("a", b"1")]), of(&[])];
    for (index, print) in prints.iter().enumerate() {
        assert!(!prints[..index].contains(print));
    }
    let mut stored = ZipWriter::streaming(Vec::new());
    stored.write_entry("a", Method::Stored, b"1").unwrap();
    assert_eq!(opened(&stored.finish().unwrap()).fingerprint(), prints[0]);
}

#[test]
fn wrong_use_is_told() {
    assert!(ZipWriter::streaming(Vec::new()).write(b"x").is_err());
    assert!(ZipWriter::streaming(Vec::new()).start(&"n".repeat(65_536), Method::Stored).is_err());
    assert!(opened(&zip_of(&[])).read_entry(0).is_err());
}

#[test]
fn no_byte_makes_it_panic() {
    let plain = zip_of(&[("[Content_Types].xml", b"<Types/>"), ("a", b"hello hello hello"), ("b", b"")]);
    let attempt = |bytes: &[u8]| {
        if let Ok(zip) = Zip::open(bytes, &Limits::default()) {
            for index in 0..zip.entries().len() {
                let _ = zip.read_entry(index);
            }
        }
    };
    for place in 0..plain.len() {
        attempt(&plain[..place]);
        for value in [0, 1, 0x7f, 0xff, plain[place] ^ 0x10] {
            let mut bytes = plain.clone();
            bytes[place] = value;
            attempt(&bytes);
        }
    }
}
