//! The options of the command line.

use benches::options::{self, value};

pub(crate) const USAGE: &str = "\
usage: streams [--json FILE] [--only WORKLOAD] [--cost NS] [--contender NAME] [--stretches N | --quick]
       streams --parameters [--json FILE] [--only PARAMETERS] [--cost NS] [--stretches N | --quick]
       streams --memory [--long] [--json FILE]";

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) shared: options::Options,
    /// The costs of the handlers. All by default.
    pub(crate) cost_ns: Option<u64>,
    /// Prefixes of the names of contenders, in addition to the serial loop. All by default.
    pub(crate) contender: Option<String>,
    /// Only measures the cost of events by the parameters of their handlers.
    pub(crate) is_of_parameters: bool,
    /// Only measures the memory of a stream.
    pub(crate) is_memory: bool,
    /// The same, with an input that takes a minute.
    pub(crate) is_long: bool,
}

impl Options {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut own = Self::default();
        let shared = options::Options::parse(arguments, |option, arguments| {
            match option {
                "--parameters" => own.is_of_parameters = true,
                "--memory" => own.is_memory = true,
                "--long" => own.is_long = true,
                "--cost" => own.cost_ns = Some(value(option, "nanoseconds", arguments)?),
                "--contender" => own.contender = Some(value(option, "a name", arguments)?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Self { shared, ..own })
    }
}
