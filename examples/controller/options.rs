//! Options of the command line.

use std::ops::RangeInclusive;
use std::path::PathBuf;

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
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut options = Self {
            n_seconds: 3,
            planner_ms: 5,
            log: None,
            is_busy: false,
        };
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--seconds" => options.n_seconds = number("--seconds", 1..=3600, arguments.next())?,
                "--planner-ms" => {
                    options.planner_ms = number("--planner-ms", 0..=1000, arguments.next())?;
                }
                "--log" => {
                    let file = arguments.next().ok_or("`--log` has no value")?;
                    options.log = Some(PathBuf::from(file));
                }
                "--busy" => options.is_busy = true,
                _ => return Err(format!("option `{argument}` is unknown")),
            }
        }
        Ok(options)
    }
}

fn number(option: &str, range: RangeInclusive<u32>, value: Option<String>) -> Result<u32, String> {
    let value = value.ok_or_else(|| format!("`{option}` has no value"))?;
    let number = value.parse().ok().filter(|n| range.contains(n));
    number.ok_or_else(|| {
        let (start, end) = (range.start(), range.end());
        format!("`{option}` must be a number from {start} to {end}, not `{value}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(String::from))
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
            ("--seconds", "`--seconds` has no value"),
            (
                "--seconds 0",
                "`--seconds` must be a number from 1 to 3600, not `0`",
            ),
            ("--second 1", "option `--second` is unknown"),
        ] {
            assert_eq!(parsed(line).unwrap_err(), message);
        }
    }
}
