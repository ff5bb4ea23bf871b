//! Errors in input files.

use core::fmt;
use std::error::Error;
use std::path::{Path, PathBuf};

/// An error in a file, with its location.
#[derive(Debug)]
pub struct Mistake {
    file: PathBuf,
    /// Starts at 1. `None` if the error concerns the whole file, or if the text contains the location.
    line: Option<usize>,
    text: String,
}

impl Mistake {
    /// Creates an error in this file.
    pub(crate) fn new(file: &Path, text: impl ToString) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            text: text.to_string(),
        }
    }

    /// Adds a line number.
    pub(crate) fn at(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }
}

impl Error for Mistake {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, text } = self;
        match line {
            Some(line) => write!(f, "{}:{line}: {text}", file.display()),
            None => write!(f, "{}: {text}", file.display()),
        }
    }
}
