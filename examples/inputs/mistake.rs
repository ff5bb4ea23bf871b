//! What is wrong with a file, and where.

use core::fmt;
use std::error::Error;
use std::path::{Path, PathBuf};

/// What is wrong with a file, and where.
#[derive(Debug)]
pub struct Mistake {
    file: PathBuf,
    /// From 1; `None` if it is about the whole file, or tells its place itself.
    line: Option<usize>,
    text: String,
}

impl Mistake {
    /// In this file.
    pub(crate) fn new(file: &Path, text: impl ToString) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            text: text.to_string(),
        }
    }

    /// The same in this line.
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
