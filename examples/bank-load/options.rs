//! Options of the command line.

use std::ffi::OsString;
use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
usage: bank-load [--address ADDRESS | --in-process FOLDER] [--payments N] [--connections N] [--accounts N]
                 [--leave PERCENT] [--keys] [--max-growth MIB]
  --address ADDRESS    the address of a bank; 127.0.0.1:7070 if the option is missing
  --in-process FOLDER  no HTTP: the bank is in this process, with its journal in FOLDER
  --payments N         number of payments; 200000 if the option is missing
  --connections N      number of connections that send payments at the same time; 64 if the option is missing
  --accounts N         number of accounts that are opened for the payments; 1000 if the option is missing
  --leave PERCENT      percentage of payments whose client goes away during the request; 0 if the option is missing
  --keys               give each payment an idempotency key, and repeat it after a broken connection and the status 503, for 60 s
  --max-growth MIB     fail if the memory of the bank grows more than this during the second half of the payments";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) address: SocketAddr,
    /// The folder of a bank in this process.
    pub(crate) in_process: Option<PathBuf>,
    pub(crate) n_payments: u64,
    pub(crate) n_connections: u32,
    /// At least 2.
    pub(crate) n_accounts: u32,
    /// Percentage of payments whose client goes away during the request.
    pub(crate) leave: u32,
    /// Whether payments have idempotency keys, and are repeated after a broken connection and the status 503.
    pub(crate) has_keys: bool,
    /// Maximum growth of the memory during the second half of the payments, in MiB.
    pub(crate) max_growth: Option<u64>,
}

impl Options {
    /// # Errors
    ///
    /// Fails if an option is unknown, or has no value or a wrong value.
    pub(crate) fn parse(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, lexopt::Error> {
        let mut parser = Parser::from_args(arguments);
        let mut options = Self {
            address: (Ipv4Addr::LOCALHOST, 7070).into(),
            in_process: None,
            n_payments: 200_000,
            n_connections: 64,
            n_accounts: 1000,
            leave: 0,
            has_keys: false,
            max_growth: None,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("address") => options.address = parser.value()?.parse()?,
                Arg::Long("in-process") => options.in_process = Some(parser.value()?.into()),
                Arg::Long("payments") => options.n_payments = number(&mut parser, 1..=u64::MAX)?,
                Arg::Long("connections") => {
                    options.n_connections = number(&mut parser, 1..=65_536)?
                }
                Arg::Long("accounts") => options.n_accounts = number(&mut parser, 2..=1_000_000)?,
                Arg::Long("leave") => options.leave = number(&mut parser, 0..=100)?,
                Arg::Long("max-growth") => {
                    options.max_growth = Some(number(&mut parser, 0..=1 << 20)?);
                }
                Arg::Long("keys") => options.has_keys = true,
                other => return Err(other.unexpected()),
            }
        }
        if options.in_process.is_some() && options.leave > 0 {
            return Err("`--leave` needs HTTP: remove `--in-process`".into());
        }
        Ok(options)
    }
}

/// Returns the value of the current option, which must be in a range.
fn number<N>(parser: &mut Parser, range: RangeInclusive<N>) -> Result<N, lexopt::Error>
where
    N: FromStr<Err: std::error::Error + Send + Sync + 'static> + PartialOrd + Display,
{
    let value: N = parser.value()?.parse()?;
    if range.contains(&value) {
        Ok(value)
    } else {
        let (min, max) = range.into_inner();
        Err(format!("a number from {min} to {max} is expected, not {value}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let arguments = line.split_whitespace().map(OsString::from);
        Options::parse(arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn options_replace_the_defaults() {
        let options =
            parsed("--address 127.0.0.1:9 --payments 5 --connections 2 --leave 3").unwrap();
        assert_eq!(options.address.port(), 9);
        assert_eq!((options.n_payments, options.n_connections), (5, 2));
        assert_eq!((options.n_accounts, options.leave), (1000, 3));
        assert!(!options.has_keys && parsed("--keys").unwrap().has_keys);
        assert_eq!(
            parsed("--in-process F").unwrap().in_process,
            Some(PathBuf::from("F"))
        );
    }

    #[test]
    fn wrong_options_are_rejected() {
        assert!(parsed("--payment 1").unwrap_err().contains("--payment"));
        assert_eq!(
            parsed("--accounts 1").unwrap_err(),
            "a number from 2 to 1000000 is expected, not 1"
        );
        assert_eq!(
            parsed("--in-process F --leave 1").unwrap_err(),
            "`--leave` needs HTTP: remove `--in-process`"
        );
    }
}
