//! What was asked for on the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

pub(crate) const USAGE: &str = "\
usage: ledger [FILE] [--threads N] [--handler-ns X]
a file to try: examples/ledger/sample.csv";

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The transfers; a small bank, if there is none.
    pub(crate) file: Option<PathBuf>,
    /// At least 1.
    pub(crate) n_threads: usize,
    /// What each handler does beside: nanoseconds of arithmetic.
    pub(crate) handler_ns: u64,
}

impl Options {
    /// # Errors
    ///
    /// If an option is unknown, or has no value or a wrong one, or if there are two files.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut options = Self {
            file: None,
            n_threads: thread::available_parallelism().map_or(1, |n| n.get()),
            handler_ns: 0,
        };
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--threads") => {
                    let wanted = "a number from 1 to 1024";
                    let is_good = |n: &usize| (1..=1024).contains(n);
                    options.n_threads = value("--threads", arguments.next(), wanted, is_good)?;
                }
                Some("--handler-ns") => {
                    let wanted = "nanoseconds, up to 1000000000";
                    let is_good = |ns: &u64| *ns <= 1_000_000_000;
                    options.handler_ns = value("--handler-ns", arguments.next(), wanted, is_good)?;
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
    wanted: &str,
    is_good: impl Fn(&N) -> bool,
) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("`{option}` has no value"))?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    let number = number.filter(is_good);
    number.ok_or_else(|| format!("`{option}` wants {wanted}, not `{}`", value.display()))
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
            handler_ns: 250,
        };
        assert_eq!(
            parsed("--threads 3 FILE --handler-ns 250").unwrap(),
            expected
        );
        assert_eq!(parsed("").unwrap().file, None);
    }

    #[test]
    fn what_is_unknown_is_refused() {
        assert_eq!(parsed("a b").unwrap_err(), "a second file: b");
        assert_eq!(
            parsed("--thread 1").unwrap_err(),
            "option `--thread` is unknown"
        );
        assert_eq!(parsed("--threads").unwrap_err(), "`--threads` has no value");
        assert_eq!(
            parsed("--threads 0").unwrap_err(),
            "`--threads` wants a number from 1 to 1024, not `0`"
        );
        assert_eq!(
            parsed("--handler-ns -1").unwrap_err(),
            "`--handler-ns` wants nanoseconds, up to 1000000000, not `-1`"
        );
    }
}
