//! Written files that are kept for other tools to look at.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::failure::{Failure, Result};

use super::check::Checked;

/// Where they go: names begin with a number, since files of different folders may have one name.
pub struct Pairs {
    list: PathBuf,
    originals: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

impl Pairs {
    /// Prepares the folder; `pair` is the list and the folder.
    pub fn new(pair: &[PathBuf], files: &[PathBuf]) -> Result<Self> {
        let [list, folder] = pair else { return Err(Failure::usage("--write-pairs wants a file and a folder")) };
        fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
        let name = |(index, file): (usize, &PathBuf)| {
            folder.join(format!("{index:05}-{}", file.file_name().unwrap_or_default().to_string_lossy()))
        };
        let written = files.iter().enumerate().map(name).collect();
        Ok(Pairs { list: list.clone(), originals: files.to_vec(), written })
    }

    /// Keeps what was written of a file.
    pub fn keep(&self, index: usize, bytes: &[u8]) -> io::Result<()> {
        match self.written.get(index) {
            Some(path) => fs::write(path, bytes),
            None => Ok(()),
        }
    }

    /// Lists original and written file, separated by a tab, for all that were written.
    pub fn write_list(&self, checked: &[Checked]) -> Result<()> {
        let mut text = String::new();
        for ((original, written), _) in self.originals.iter().zip(&self.written).zip(checked).filter(|(pair, _)| pair.1.exists())
        {
            text += &format!("{}\t{}\n", original.display(), written.display());
        }
        fs::write(&self.list, text).map_err(|error| Failure::at(&self.list, error))
    }
}
