//! What was asked for on the command line.

use std::path::PathBuf;

use benches::effort::Effort;

pub(crate) const USAGE: &str = "\
usage: streams [--json FILE] [--only WORKLOAD] [--cost NS] [--contender NAME] [--stretches N | --quick]
       streams --memory [--long]";

#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Where the figures are written to as well.
    pub(crate) json: Option<PathBuf>,
    /// The name of a workload, or how several begin.
    pub(crate) only: Option<String>,
    /// Of the handlers; all if nothing is said.
    pub(crate) cost_ns: Option<u64>,
    /// How contenders begin that take part beside the serial loop; all if nothing is said.
    pub(crate) contender: Option<String>,
    /// How much memory a stream takes, and nothing else.
    pub(crate) is_memory: bool,
    /// The same, with an input that takes a minute.
    pub(crate) is_long: bool,
    /// Stretches of 0.4 s that are kept for each figure, if not four.
    n_stretches: Option<usize>,
    /// Few rounds: shows that it works.
    is_quick: bool,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo says this to every benchmark.
                "--bench" => {}
                "--quick" => options.is_quick = true,
                "--memory" => options.is_memory = true,
                "--long" => options.is_long = true,
                "--json" => {
                    let file = arguments.next().ok_or("`--json` has no value")?;
                    options.json = Some(PathBuf::from(file));
                }
                "--stretches" => {
                    let n = arguments.next().ok_or("`--stretches` has no value")?;
                    let n = n.parse().ok().filter(|&n| n > 0);
                    options.n_stretches = Some(n.ok_or("`--stretches` wants a number from 1 on")?);
                }
                "--cost" => {
                    let ns = arguments.next().ok_or("`--cost` has no value")?;
                    let ns = ns.parse().map_err(|_| "`--cost` wants nanoseconds")?;
                    options.cost_ns = Some(ns);
                }
                "--contender" => {
                    let name = arguments.next().ok_or("`--contender` has no value")?;
                    options.contender = Some(name);
                }
                "--only" => {
                    options.only = Some(arguments.next().ok_or("`--only` has no value")?);
                }
                _ => return Err(format!("option `{argument}` is unknown")),
            }
        }
        Ok(options)
    }

    pub(crate) fn effort(&self) -> Effort {
        if self.is_quick {
            return Effort::QUICK;
        }
        let n_stretches = self.n_stretches.unwrap_or(Effort::FULL.n_stretches);
        Effort {
            n_stretches,
            ..Effort::FULL
        }
    }
}
