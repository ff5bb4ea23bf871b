//! Options of the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

pub(crate) const USAGE: &str = "\
usage: ledger [FILE] [--threads N] [--processes N] [--handler-ns X]
a file to try: examples/ledger/sample.csv";

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The file of transfers. If there is none, the events are those of a small bank.
    pub(crate) file: Option<PathBuf>,
    /// At least 1.
    pub(crate) n_threads: usize,
    /// Number of worker processes of the last method, at least 1. Without it, there are three methods.
    pub(crate) n_processes: Option<usize>,
    /// Duration of the additional arithmetic in each handler, in nanoseconds.
    pub(crate) handler_ns: u64,
}

impl Options {
    /// # Errors
    ///
    /// Fails if an option is unknown, has no value or a wrong value, or if there are two files.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut options = Self {
            file: None,
            n_threads: thread::available_parallelism().map_or(1, |n| n.get()),
            n_processes: None,
            handler_ns: 0,
        };
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--threads") => {
                    let expected_value = "a number from 1 to 1024";
                    let is_good = |n: &usize| (1..=1024).contains(n);
                    options.n_threads =
                        value("--threads", arguments.next(), expected_value, is_good)?;
                }
                Some("--processes") => {
                    let expected_value = "a number from 1 to 64";
                    let is_good = |n: &usize| (1..=64).contains(n);
                    let n = value("--processes", arguments.next(), expected_value, is_good)?;
                    options.n_processes = Some(n);
                }
                Some("--handler-ns") => {
                    let expected_value = "nanoseconds, up to 1000000000";
                    let is_good = |ns: &u64| *ns <= 1_000_000_000;
                    options.handler_ns =
                        value("--handler-ns", arguments.next(), expected_value, is_good)?;
                }
                Some(option) if option.starts_with('-') => {
                    return Err(format!("option `{option}` is unknown"));
                }
                _ if options.file.is_none() => options.file = Some(PathBuf::from(argument)),
                _ => return Err(format!("a second file: {}", argument.display())),
            }
        }
        Ok(options)
    }
}

fn value<N: FromStr>(
    option: &str,
    value: Option<OsString>,
    expected_value: &str,
    is_good: impl Fn(&N) -> bool,
) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("`{option}` has no value"))?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    let number = number.filter(is_good);
    number.ok_or_else(|| {
        format!(
            "`{option}` must be {expected_value}, not `{}`",
            value.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_may_come_before_and_after_the_file() {
        let expected = Options {
            file: Some(PathBuf::from("FILE")),
            n_threads: 3,
            n_processes: Some(2),
            handler_ns: 250,
        };
        assert_eq!(
            parsed("--threads 3 FILE --handler-ns 250 --processes 2").unwrap(),
            expected
        );
        assert_eq!(parsed("").unwrap().file, None);
    }

    #[test]
    fn wrong_options_are_rejected() {
        assert_eq!(parsed("a b").unwrap_err(), "a second file: b");
        assert_eq!(
            parsed("--thread 1").unwrap_err(),
            "option `--thread` is unknown"
        );
        assert_eq!(parsed("--threads").unwrap_err(), "`--threads` has no value");
        assert_eq!(
            parsed("--threads 0").unwrap_err(),
            "`--threads` must be a number from 1 to 1024, not `0`"
        );
        assert_eq!(
            parsed("--processes 65").unwrap_err(),
            "`--processes` must be a number from 1 to 64, not `65`"
        );
        assert_eq!(
            parsed("--handler-ns -1").unwrap_err(),
            "`--handler-ns` must be nanoseconds, up to 1000000000, not `-1`"
        );
    }
}
