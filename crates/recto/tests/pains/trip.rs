//! A package on its way through the model and back.

use std::io::Cursor;

use recto::opc::Archive;
use recto::report::diff;
use recto::{Diagnostic, Error, Limits, Package, WriteOptions};

/// A package, and what was written of it.
pub struct Trip {
    source: Archive<Vec<u8>>,
    written: Archive<Vec<u8>>,
    file: Vec<u8>,
}

/// Parses and writes a package, by the tables and by the structs: neither may change anything, and what is written comes
/// back the same once more.
pub fn unchanged(pack: impl Into<Vec<u8>>) -> Trip {
    let source = pack.into();
    let by_structs = Trip::of(&source, typed(&source).to_vec().unwrap());
    assert_eq!(by_structs.differences(), [""; 0]);
    let by_tables = by_tables(&source);
    assert!(by_tables == self::by_tables(&by_tables), "the second time, other bytes are written");
    let by_tables = Trip::of(&source, by_tables);
    assert_eq!(by_tables.differences(), [""; 0]);
    by_tables
}

/// As [`unchanged`], and every part must be written with the very bytes that it had.
pub fn identical(pack: impl Into<Vec<u8>>) -> Trip {
    let trip = unchanged(pack);
    trip.check_bytes(|_, bytes| bytes);
    trip
}

/// Changes a package through the typed structs.
pub fn edited(pack: impl Into<Vec<u8>>, edit: impl FnOnce(&mut Package)) -> Trip {
    let source = pack.into();
    let mut package = typed(&source);
    edit(&mut package);
    Trip::of(&source, package.to_vec().unwrap())
}

/// What was noticed while a package was parsed.
pub fn diagnostics(pack: impl Into<Vec<u8>>) -> Vec<Diagnostic> {
    let (_, parsed) = recto::parse_to_vec(pack.into(), &Limits::default()).unwrap();
    parsed.diagnostics.into_iter().collect()
}

/// Why a package is not parsed.
pub fn refused(pack: impl Into<Vec<u8>>) -> Error {
    recto::parse_to_vec(pack.into(), &Limits::default()).expect_err("it was parsed")
}

fn typed(bytes: &[u8]) -> Package {
    Package::read(Cursor::new(bytes)).unwrap()
}

fn by_tables(bytes: &[u8]) -> Vec<u8> {
    let (bin, _) = recto::parse_to_vec(bytes, &Limits::default()).unwrap();
    recto::write_bin(&bin, Vec::new(), &WriteOptions::default()).unwrap()
}

impl Trip {
    fn of(source: &[u8], written: Vec<u8>) -> Self {
        let open = |bytes| Archive::open(bytes, &Limits::default()).unwrap();
        Trip { source: open(source.to_vec()), written: open(written.clone()), file: written }
    }

    /// What differs, one line each.
    pub fn differences(&self) -> Vec<String> {
        let found = diff(&self.source, &self.written, 100).unwrap();
        found.iter().map(ToString::to_string).collect()
    }

    /// Checks that the only change is one piece of text in one part, down to the bytes of all others.
    pub fn check_only(&self, part: &str, before: &str, after: &str) {
        let text = String::from_utf8(read(&self.source, part)).unwrap();
        assert_eq!(text.matches(before).count(), 1, "{before} in {text}");
        assert!(before != after);
        self.check_bytes(|name, bytes| if name == part { text.replace(before, after).into_bytes() } else { bytes });
    }

    /// Checks that the only difference is one value in one part, wherever its attributes and declarations stand: through
    /// the structs, attributes come in the order of the schema.
    pub fn check_one(&self, part: &str, before: &str, after: &str) {
        let found = diff(&self.source, &self.written, 100).unwrap();
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&*only.part, &*only.left, &*only.right), (part, before, after));
    }

    /// Checks the names of all entries, their order and their bytes.
    fn check_bytes(&self, expected: impl Fn(&str, Vec<u8>) -> Vec<u8>) {
        let names =
            |archive: &Archive<Vec<u8>>| archive.zip().entries().iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&self.written), names(&self.source));
        for (index, name) in names(&self.source).iter().enumerate() {
            let expected = expected(name, self.source.zip().read_entry(index).unwrap());
            let found = self.written.zip().read_entry(index).unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert!(found == expected, "{name} is\n{}\nand not\n{}", text(&found), text(&expected));
        }
    }

    /// The bytes of a part as written.
    pub fn bytes(&self, part: &str) -> Vec<u8> {
        read(&self.written, part)
    }

    /// The text of a part as written.
    pub fn text(&self, part: &str) -> String {
        String::from_utf8(self.bytes(part)).unwrap()
    }

    /// The file as written.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// The package that was written.
    pub fn written(&self) -> &Archive<Vec<u8>> {
        &self.written
    }

    /// The package that was written, typed.
    pub fn package(&self) -> Package {
        typed(&self.file)
    }
}

fn read(archive: &Archive<Vec<u8>>, part: &str) -> Vec<u8> {
    let entry = archive.find(part).unwrap_or_else(|| panic!("no {part}"));
    archive.zip().read_entry(entry).unwrap()
}
