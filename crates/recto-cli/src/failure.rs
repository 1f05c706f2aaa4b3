//! How commands end.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// How a command ends that did what it was asked for.
pub enum Status {
    /// Nothing more to say.
    Done,
    /// It compared, and not all is as it should be.
    Differs,
}

/// Why a command ends early.
#[derive(Debug)]
pub struct Failure {
    file: String,
    message: String,
    usage: bool,
}

impl Failure {
    /// A file cannot be read, is no document or workbook, or cannot be written.
    pub fn new(file: impl Into<String>, message: impl Display) -> Self {
        Failure { file: file.into(), message: message.to_string(), usage: false }
    }

    /// As [`Failure::new`]; standard input and output have names of their own.
    pub fn at(path: &Path, message: impl Display) -> Self {
        Failure::new(path.display().to_string(), message)
    }

    /// The command was called in a way that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { file: String::new(), message: message.into(), usage: true }
    }

    /// Prints it as one line on standard error; gives the exit status.
    pub fn report(&self) -> ExitCode {
        let separator = if self.file.is_empty() { "" } else { ": " };
        // When standard error is gone too, the exit status has to do.
        let line = format!("recto: {}{separator}{}", self.file, self.message.replace('\n', " "));
        let _ = writeln!(std::io::stderr(), "{}", one_line(&line));
        ExitCode::from(if self.usage { 2 } else { 3 })
    }
}

/// A command's result.
pub type Result<T = Status> = std::result::Result<T, Failure>;

/// A text as one line for a terminal. Names in a file may have characters that would command it, or begin a line that nobody wrote.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for char in text.chars() {
        if commands(char) {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Controls, among them line breaks, and characters that change the direction of what follows.
fn commands(char: char) -> bool {
    char.is_control() || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
