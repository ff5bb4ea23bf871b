//! Options of the command line.

use std::path::PathBuf;
use std::thread;

use inputs::options::number;
use lexopt::Arg::{Long, Value};
use lexopt::Parser;

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
    pub(crate) fn parse(mut parser: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            file: None,
            n_threads: thread::available_parallelism().map_or(1, |n| n.get()),
            n_processes: None,
            handler_ns: 0,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("threads") => {
                    options.n_threads = number(&mut parser, "--threads", 1..=1024)?;
                }
                Long("processes") => {
                    options.n_processes = Some(number(&mut parser, "--processes", 1..=64)?);
                }
                Long("handler-ns") => {
                    options.handler_ns = number(&mut parser, "--handler-ns", 0..=1_000_000_000)?;
                }
                Value(file) if options.file.is_none() => options.file = Some(file.into()),
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
        for (line, message) in [
            ("a b", "unexpected argument \"b\""),
            ("--thread 1", "invalid option '--thread'"),
            ("--threads", "missing argument for option '--threads'"),
            (
                "--threads 0",
                "`--threads` must be a number from 1 to 1024, not `0`",
            ),
            (
                "--processes 65",
                "`--processes` must be a number from 1 to 64, not `65`",
            ),
            (
                "--handler-ns -1",
                "`--handler-ns` must be a number from 0 to 1000000000, not `-1`",
            ),
        ] {
            assert_eq!(parsed(line).unwrap_err(), message);
        }
    }
}
