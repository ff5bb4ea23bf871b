//! Options of the command line.

use std::path::PathBuf;

use inputs::options::number;
use lexopt::Arg::Long;
use lexopt::Parser;

pub(crate) const USAGE: &str =
    "usage: controller [--seconds N] [--planner-ms N] [--log FILE] [--busy]";

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The length of each of the two flights, at least 1.
    pub(crate) n_seconds: u32,
    /// How long the planner works, in ms.
    pub(crate) planner_ms: u32,
    /// The log of the flight with the driver.
    pub(crate) log: Option<PathBuf>,
    /// Whether busy threads compete for the processors.
    pub(crate) is_busy: bool,
}

impl Options {
    /// # Errors
    ///
    /// Fails if an option is unknown, or has no value or a wrong value.
    pub(crate) fn parse(mut parser: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            n_seconds: 3,
            planner_ms: 5,
            log: None,
            is_busy: false,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("seconds") => options.n_seconds = number(&mut parser, "--seconds", 1..=3600)?,
                Long("planner-ms") => {
                    options.planner_ms = number(&mut parser, "--planner-ms", 0..=1000)?;
                }
                Long("log") => options.log = Some(parser.value()?.into()),
                Long("busy") => options.is_busy = true,
                other => return Err(other.unexpected()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let parser = Parser::from_args(line.split_whitespace());
        Options::parse(parser).map_err(|error| error.to_string())
    }

    #[test]
    fn options_have_defaults() {
        let expected = Options {
            n_seconds: 3,
            planner_ms: 5,
            log: None,
            is_busy: false,
        };
        assert_eq!(parsed(""), Ok(expected));
        let expected = Options {
            n_seconds: 9,
            planner_ms: 0,
            log: Some(PathBuf::from("x")),
            is_busy: true,
        };
        assert_eq!(
            parsed("--busy --seconds 9 --log x --planner-ms 0"),
            Ok(expected)
        );
    }

    #[test]
    fn wrong_options_are_rejected() {
        for (line, message) in [
            ("--seconds", "missing argument for option '--seconds'"),
            (
                "--seconds 0",
                "`--seconds` must be a number from 1 to 3600, not `0`",
            ),
            ("--second 1", "invalid option '--second'"),
        ] {
            assert_eq!(parsed(line).unwrap_err(), message);
        }
    }
}
