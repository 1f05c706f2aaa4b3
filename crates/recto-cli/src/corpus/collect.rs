//! The files of a corpus.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// All regular files under some paths, in alphabetical order within each. Links to folders are not followed: they may lead
/// back.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(|error| Failure::at(path, error))?;
        if metadata.is_dir() { folder(path, &mut files)? } else { files.push(path.clone()) }
    }
    match (files.is_empty(), paths.first()) {
        (true, Some(first)) => Err(Failure::at(first, "no files")),
        _ => Ok(files),
    }
}

fn folder(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let failure = |error| Failure::at(path, error);
    let entries: std::io::Result<Vec<_>> = fs::read_dir(path).map_err(failure)?.collect();
    let mut entries: Vec<_> = entries.map_err(failure)?.iter().map(fs::DirEntry::path).collect();
    entries.sort();
    for entry in entries {
        let is_link = entry.is_symlink();
        let Ok(metadata) = fs::metadata(&entry) else { continue };
        if metadata.is_dir() && !is_link {
            folder(&entry, files)?;
        } else if metadata.is_file() {
            files.push(entry);
        }
    }
    Ok(())
}
