//! What was asked for on the command line.

use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str =
    "usage: simulation [--json FILE] [--cost NS] [--hand-over NS] [--per-node NS]";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Of every system.
    pub(crate) cost: Duration,
    /// What a node costs its worker if another one released it.
    pub(crate) hand_over: Duration,
    /// What a node costs each worker, if there are several.
    pub(crate) per_node: Duration,
}

impl Default for Options {
    /// A few cache lines for a hand-over; see the README of the executor.
    fn default() -> Self {
        Self {
            cost: Duration::from_micros(10),
            hand_over: Duration::from_nanos(300),
            per_node: Duration::from_nanos(75),
        }
    }
}

impl Options {
    /// With the file to which results are written as well, if one is given.
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = String>,
    ) -> Result<(Self, Option<PathBuf>), String> {
        let mut options = Self::default();
        let mut json = None;
        while let Some(argument) = arguments.next() {
            let duration = match argument.as_str() {
                // Cargo says this to every benchmark.
                "--bench" => continue,
                "--json" => {
                    let file = arguments.next().ok_or("`--json` has no value")?;
                    json = Some(PathBuf::from(file));
                    continue;
                }
                "--cost" => &mut options.cost,
                "--hand-over" => &mut options.hand_over,
                "--per-node" => &mut options.per_node,
                _ => return Err(format!("option `{argument}` is unknown")),
            };
            let value = arguments.next().and_then(|value| value.parse().ok());
            let value = value.ok_or_else(|| format!("`{argument}` wants nanoseconds"))?;
            *duration = Duration::from_nanos(value);
        }
        Ok((options, json))
    }
}
