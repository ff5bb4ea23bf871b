//! The options of the command line.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "usage: build [--json FILE] [--quick]";

#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The file to which the figures are also written.
    pub(crate) json: Option<PathBuf>,
    /// Small graphs and few rounds, to check that the bench works.
    pub(crate) is_quick: bool,
    /// The number of systems, if this process was started only to measure the memory of a graph.
    pub(crate) peak_with: Option<usize>,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo passes this to every benchmark.
                "--bench" => {}
                "--quick" => options.is_quick = true,
                "--json" => {
                    let file = arguments.next().ok_or("`--json` has no value")?;
                    options.json = Some(PathBuf::from(file));
                }
                "--peak" => options.peak_with = arguments.next().and_then(|n| n.parse().ok()),
                _ => return Err(format!("option `{argument}` is unknown")),
            }
        }
        Ok(options)
    }

    pub(crate) fn largest(&self) -> usize {
        if self.is_quick { 1_000 } else { 100_000 }
    }

    /// Many rounds for short builds.
    pub(crate) fn n_rounds(&self, n_systems: usize) -> usize {
        match n_systems {
            _ if self.is_quick => 3,
            0..=1_000 => 25,
            1_001..=10_000 => 9,
            _ => 5,
        }
    }
}
