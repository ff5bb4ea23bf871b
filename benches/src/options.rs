//! The command line of benchmarks that measure in rounds.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use crate::effort::Effort;

/// The options that these benches share.
#[derive(Debug, Default)]
pub struct Options {
    /// The file to which the figures are also written.
    pub json: Option<PathBuf>,
    /// The name of a workload, or a common prefix of several.
    pub only: Option<String>,
    /// The number of stretches of 0.4 s that are kept for each figure. Four by default.
    n_stretches: Option<usize>,
    /// Few rounds, to check that the bench works.
    is_quick: bool,
}

impl Options {
    /// Writes the figures to the file of `--json`, if there is one. Reports an error on standard error.
    pub fn write_json(&self, json: impl FnOnce() -> String) -> ExitCode {
        let Some(file) = &self.json else {
            return ExitCode::SUCCESS;
        };
        match std::fs::write(file, json()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                ExitCode::FAILURE
            }
        }
    }

    /// Parses the arguments after the name of the program. Options that are not shared are passed to `own`, with the
    /// arguments after them. It returns whether it knows the option.
    ///
    /// # Errors
    ///
    /// If an option is unknown, or has no value or a wrong one.
    pub fn parse<A: Iterator<Item = String>>(
        mut arguments: A,
        mut own: impl FnMut(&str, &mut A) -> Result<bool, String>,
    ) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo passes this to every benchmark.
                "--bench" => {}
                "--quick" => options.is_quick = true,
                "--json" => options.json = Some(value(&argument, "a file", &mut arguments)?),
                "--only" => options.only = Some(value(&argument, "a name", &mut arguments)?),
                "--stretches" => {
                    let wanted = "a number from 1 on";
                    let n: std::num::NonZero<usize> = value(&argument, wanted, &mut arguments)?;
                    options.n_stretches = Some(n.get());
                }
                _ if own(&argument, &mut arguments)? => {}
                _ => return Err(format!("option `{argument}` is unknown")),
            }
        }
        Ok(options)
    }

    /// The time to spend.
    pub fn effort(&self) -> Effort {
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

/// The value of an option, which is the next argument.
///
/// # Errors
///
/// Fails if the value is missing or cannot be parsed.
pub fn value<T: FromStr>(
    option: &str,
    wanted: &str,
    arguments: &mut impl Iterator<Item = String>,
) -> Result<T, String> {
    let value = arguments.next();
    let value = value.ok_or_else(|| format!("`{option}` has no value"))?;
    let parsed = value.parse();
    parsed.map_err(|_| format!("the value of `{option}` must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses arguments with one additional option, `--cost`.
    fn parsed(line: &str) -> Result<(Options, Option<u64>), String> {
        let mut cost_ns = None;
        let arguments = line.split_whitespace().map(str::to_string);
        let options = Options::parse(arguments, |option, arguments| {
            if option == "--cost" {
                cost_ns = Some(value(option, "nanoseconds", arguments)?);
            }
            Ok(option == "--cost")
        })?;
        Ok((options, cost_ns))
    }

    #[test]
    fn shared_and_own_options_mix_in_any_order() {
        let (options, cost_ns) = parsed("--bench --cost 7 --stretches 3 --only a").unwrap();
        assert_eq!((options.only.as_deref(), cost_ns), (Some("a"), Some(7)));
        assert_eq!(options.effort().n_stretches, 3);
        assert_eq!(
            parsed("").unwrap().0.effort().n_stretches,
            Effort::FULL.n_stretches
        );
    }

    #[test]
    fn wrong_option_is_an_error_that_names_it() {
        let error_of = |line: &str| parsed(line).unwrap_err();
        assert_eq!(error_of("--fast"), "option `--fast` is unknown");
        assert_eq!(error_of("--json"), "`--json` has no value");
        assert_eq!(
            error_of("--cost x"),
            "the value of `--cost` must be nanoseconds"
        );
        assert_eq!(
            error_of("--stretches 0"),
            "the value of `--stretches` must be a number from 1 on"
        );
    }
}
