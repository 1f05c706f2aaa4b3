//! The command from outside: what it writes where, and how it exits.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod corpus;
mod inputs;
mod outputs;
mod reports;
mod samples;
mod validate;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes when the test ends.
pub struct Folder(tempfile::TempDir);

impl Default for Folder {
    fn default() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }
}

impl Folder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file, and the folders around it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Names of what is in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// What a run of the command left behind.
pub struct Ran {
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        Ran { status: output.status.code().unwrap(), stdout: output.stdout, stderr }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }

    /// Fails unless the command exited so, and, if that is no error, said nothing on standard error.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.stderr, String::from_utf8_lossy(&self.stdout));
        assert_eq!(self.stderr.is_empty(), status < 2, "{}", self.stderr);
        self
    }

    /// Fails unless the command exited with 3 and one line that names the file and says this.
    #[track_caller]
    pub fn fails(self, file: &str, message: &str) {
        assert_eq!(self.status, 3, "{}", self.stderr);
        assert!(self.stdout.is_empty());
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        let rest = self.stderr.strip_prefix(&format!("recto: {file}: "));
        assert!(rest.is_some_and(|rest| rest.contains(message)), "{}", self.stderr);
    }
}

/// Runs the command. Arguments of all kinds of strings and paths go.
#[macro_export]
macro_rules! recto {
    ($($argument:expr),* $(,)?) => {
        $crate::run(&[$(std::ffi::OsStr::new(&$argument)),*], &[])
    };
}

/// Runs the command with bytes on standard input.
pub fn run(arguments: &[&std::ffi::OsStr], input: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // The command need not read it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Ran::of(output)
}

/// The path as messages show it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn usage_errors_exit_with_2() {
    recto!().exits(2);
    recto!("fold").exits(2);
    recto!("parse", "a.docx").exits(2);
    recto!("write", "a.bin", "-o", "a.docx", "--level", "10").exits(2);
    recto!("corpus").exits(2);
    recto!("corpus", "--bad", "--coverage", "x").exits(2);
    let ran = recto!("diff", "-", "-").exits(2);
    assert_eq!(ran.stderr, "recto: only one of the files can be standard input\n");
}

#[test]
fn help_lists_commands_and_exit_statuses() {
    let help = recto!("--help").exits(0).text();
    for word in ["parse", "write", "roundtrip", "inspect", "diff", "corpus", "Exit status:"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(recto!("--version").exits(0).text().starts_with("recto 0."));
}
