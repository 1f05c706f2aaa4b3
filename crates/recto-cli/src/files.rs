//! Inputs, and outputs that appear when they are complete.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use recto::Diagnostics;
use recto::WriteOptions;
use recto::opc::zip::{ReadAt, Seekable};
use tempfile::NamedTempFile;

use crate::failure::{Failure, Result, one_line};

/// Whether a path stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How messages name an input.
pub fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn output_name(path: &Path) -> String {
    if is_standard(path) { "standard output".to_owned() } else { path.display().to_string() }
}

/// An opened input.
pub enum Source {
    /// A file on disk.
    File(File),
    /// What cannot be read at random: standard input, pipes.
    Memory(Vec<u8>),
}

impl Source {
    /// Opens a file or reads standard input.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_inner(path).map_err(|error| Failure::new(input_name(path), error))
    }

    fn open_inner(path: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        if is_standard(path) {
            io::stdin().lock().read_to_end(&mut bytes)?;
            return Ok(Source::Memory(bytes));
        }
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if metadata.is_file() {
            return Ok(Source::File(file));
        }
        file.read_to_end(&mut bytes)?;
        Ok(Source::Memory(bytes))
    }

    /// To be read at random.
    pub fn into_read_at(self) -> io::Result<Box<dyn ReadAt>> {
        Ok(match self {
            Source::File(file) => Box::new(Seekable::new(file)?),
            Source::Memory(bytes) => Box::new(bytes),
        })
    }

    /// To be read from the start.
    pub fn into_reader(self) -> Box<dyn ReadSeek> {
        match self {
            Source::File(file) => Box::new(file),
            Source::Memory(bytes) => Box::new(Cursor::new(bytes)),
        }
    }

    /// Whether it looks like a `.bin`: a header that begins with a version.
    pub fn is_bin(&mut self) -> io::Result<bool> {
        let mut head = Vec::new();
        match self {
            Source::File(file) => {
                (&*file).take(3).read_to_end(&mut head)?;
                file.rewind()?;
            }
            Source::Memory(bytes) => head.extend(bytes.iter().take(3)),
        }
        Ok(matches!(head.as_slice(), [0x0a, _, 0x08]))
    }
}

/// A seekable reader.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Opens a document or workbook; a `.bin` becomes the package that it holds.
pub fn open_package(path: &Path) -> Result<Box<dyn ReadAt>> {
    let failure = |error: &dyn std::fmt::Display| Failure::new(input_name(path), error);
    let mut source = Source::open(path)?;
    if source.is_bin().map_err(|error| failure(&error))? {
        let options = WriteOptions::default().with_level(1);
        let package = recto::write(source.into_reader(), Vec::new(), &options).map_err(|error| failure(&error))?;
        return Ok(Box::new(package));
    }
    source.into_read_at().map_err(|error| failure(&error))
}

/// Prints on standard error what is wrong with a file and was tolerated.
pub fn print_diagnostics(path: &Path, diagnostics: &Diagnostics) {
    let mut out = io::stderr().lock();
    for diagnostic in diagnostics {
        // When standard error is gone, nobody misses them.
        let _ = writeln!(out, "{}", one_line(&format!("recto: {}: note: {diagnostic}", input_name(path))));
    }
    if diagnostics.dropped() > 0 {
        let _ = writeln!(out, "recto: {}: note: and {} more", input_name(path), diagnostics.dropped());
    }
}

/// A file that is being written, and whether that has failed: an error says whether the input or the output is to blame.
pub struct Target {
    file: File,
    failed: bool,
}

impl Target {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.failed |= result.is_err();
        result
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        self.note(result)
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let result = self.file.seek(to);
        self.note(result)
    }
}

/// Refuses to put something of another kind in the place of an input.
pub fn check_distinct(output: &Path, input: &Path) -> Result<()> {
    if is_standard(output) || is_standard(input) {
        return Ok(());
    }
    match (fs::canonicalize(output), fs::canonicalize(input)) {
        (Ok(output), Ok(input)) if output == input => {
            Err(Failure::usage(format!("{} is the input: it would be replaced by something of another kind", input_name(&input))))
        }
        _ => Ok(()),
    }
}

/// Lets `fill` write an output. It appears under its name when it is complete; until then, what was there stays. `input`
/// is the file that errors of reading are about.
pub fn save<T>(output: &Path, input: &Path, fill: impl FnOnce(&mut Target) -> recto::Result<T>) -> Result<T> {
    let failure = |error: io::Error| Failure::new(output_name(output), error);
    let fill = |file: File| {
        let mut target = Target { file, failed: false };
        fill(&mut target).map_err(|error| match target.failed {
            true => Failure::new(output_name(output), error),
            false => Failure::new(input_name(input), error),
        })
    };
    match Place::of(output).map_err(failure)? {
        Place::Stream(mut stream) => {
            let mut file = tempfile::tempfile().map_err(failure)?;
            let value = fill(file.try_clone().map_err(failure)?)?;
            file.rewind().and_then(|()| io::copy(&mut file, &mut stream)).and_then(|_| stream.flush()).map_err(failure)?;
            Ok(value)
        }
        Place::Path(path, permissions) => {
            let temporary = create_beside(&path, permissions.as_ref()).map_err(failure)?;
            let value = fill(temporary.as_file().try_clone().map_err(failure)?)?;
            temporary.as_file().sync_all().map_err(failure)?;
            temporary.persist(&path).map_err(|error| failure(error.error))?;
            Ok(value)
        }
    }
}

/// Where an output goes.
enum Place {
    /// Something that cannot be replaced: standard output, a device, a pipe.
    Stream(Box<dyn Write>),
    /// A file, with its permissions if there is one already.
    Path(PathBuf, Option<fs::Permissions>),
}

impl Place {
    fn of(output: &Path) -> io::Result<Self> {
        if is_standard(output) {
            return Ok(Place::Stream(Box::new(io::stdout())));
        }
        match fs::metadata(output) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Place::Path(output.to_owned(), None)),
            Err(error) => Err(error),
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            // The file behind a link is replaced, not the link.
            Ok(metadata) if metadata.is_file() => Ok(Place::Path(fs::canonicalize(output)?, Some(metadata.permissions()))),
            Ok(_) => Ok(Place::Stream(Box::new(File::options().write(true).open(output)?))),
        }
    }
}

/// Creates a file beside an output. It has the permissions that new files have, or those of the file that it replaces.
fn create_beside(output: &Path, replaced: Option<&fs::Permissions>) -> io::Result<NamedTempFile<File>> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut reason = None;
    let created = tempfile::Builder::new().prefix(".recto-").make_in(folder, |path| {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        reason = file.as_ref().err().and_then(io::Error::raw_os_error);
        file
    });
    // The error would name the temporary file, which says nothing to anyone.
    let file = created.map_err(|error| reason.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error))?;
    match replaced {
        Some(permissions) => file.as_file().set_permissions(permissions.clone()).map(|()| file),
        None => Ok(file),
    }
}
