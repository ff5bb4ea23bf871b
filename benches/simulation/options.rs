//! The options of the command line.

use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str =
    "usage: simulation [--json FILE] [--cost NS] [--hand-over NS] [--per-node NS]";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The cost of every system, in nanoseconds.
    pub(crate) cost: Duration,
    /// The additional cost of a node if another worker released it, in nanoseconds.
    pub(crate) hand_over: Duration,
    /// The overhead of a node with several workers, in nanoseconds.
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
    /// Parses the arguments. Also returns the file to which results are written, if any.
    pub(crate) fn parse(
        mut arguments: impl Iterator<Item = String>,
    ) -> Result<(Self, Option<PathBuf>), String> {
        let mut options = Self::default();
        let mut json = None;
        while let Some(argument) = arguments.next() {
            let duration = match argument.as_str() {
                // Cargo passes this to every benchmark.
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
            let value = arguments
                .next()
                .and_then(|value| value.parse().ok())
                .ok_or_else(|| format!("`{argument}` wants nanoseconds"))?;
            *duration = Duration::from_nanos(value);
        }
        Ok((options, json))
    }
}
