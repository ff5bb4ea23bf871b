//! What was asked for on the command line.

use benches::options::{self, value};

pub(crate) const USAGE: &str = "\
usage: streams [--json FILE] [--only WORKLOAD] [--cost NS] [--contender NAME] [--stretches N | --quick]
       streams --parameters [--json FILE] [--only PARAMETERS] [--cost NS] [--stretches N | --quick]
       streams --memory [--long] [--json FILE]";

#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) shared: options::Options,
    /// Of the handlers; all if nothing is said.
    pub(crate) cost_ns: Option<u64>,
    /// How contenders begin that take part beside the serial loop; all if nothing is said.
    pub(crate) contender: Option<String>,
    /// What events cost by what their handlers take, and nothing else.
    pub(crate) is_of_parameters: bool,
    /// How much memory a stream takes, and nothing else.
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
