//! The options of the command line.

use std::path::PathBuf;

use benches::options::{self, value};

pub(crate) const USAGE: &str =
    "usage: executor [--json FILE] [--svg FILE] [--only WORKLOAD] [--stretches N | --quick]";

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) shared: options::Options,
    /// The file for a plot.
    pub(crate) svg: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut svg = None;
        let shared = options::Options::parse(arguments, |option, arguments| {
            if option != "--svg" {
                return Ok(false);
            }
            svg = Some(value(option, "a file", arguments)?);
            Ok(true)
        })?;
        Ok(Self { shared, svg })
    }
}
