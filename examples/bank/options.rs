//! Options of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
usage: bank [--folder FOLDER] [--port PORT] [--snapshot-every N] [--processes N | --read-only]
       bank [--folder FOLDER] --compare
  --folder FOLDER     the folder of the journal and the snapshots; `bank-data` if the option is missing
  --port PORT         the port on 127.0.0.1; 7070 if the option is missing, 0 for any free port
  --snapshot-every N  take a snapshot every N batches; 1000 if the option is missing
  --processes N       run the handlers in N worker processes, 1 to 64; in this process if the option is missing
  --read-only         only answer requests that read, and write nothing to the folder, for example on a full disk
  --compare           compare the newest snapshot with a replay from the one before, and end; the bank may be open meanwhile";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) folder: PathBuf,
    pub(crate) port: u16,
    /// Number of batches between two snapshots.
    pub(crate) snapshot_every: u64,
    /// Number of worker processes. Without it, there is none.
    pub(crate) n_processes: Option<usize>,
    /// Only reads the folder.
    pub(crate) reads_only: bool,
    /// Only compares two snapshots.
    pub(crate) compares: bool,
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
            folder: PathBuf::from("bank-data"),
            port: 7070,
            snapshot_every: 1000,
            n_processes: None,
            reads_only: false,
            compares: false,
        };
        let mut of_service = None;
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("folder") => options.folder = parser.value()?.into(),
                Arg::Long("port") => {
                    of_service = Some("--port");
                    options.port = parser.value()?.parse()?;
                }
                Arg::Long("snapshot-every") => {
                    of_service = Some("--snapshot-every");
                    options.snapshot_every = parser.value()?.parse()?;
                }
                Arg::Long("processes") => {
                    of_service = Some("--processes");
                    options.n_processes = Some(parser.value()?.parse()?);
                }
                Arg::Long("read-only") => {
                    of_service = Some("--read-only");
                    options.reads_only = true;
                }
                Arg::Long("compare") => options.compares = true,
                other => return Err(other.unexpected()),
            }
        }
        if let (true, Some(option)) = (options.compares, of_service) {
            return Err(format!("`--compare` does not open the bank: omit `{option}`").into());
        }
        if options.reads_only && options.n_processes.is_some() {
            return Err("`--read-only` starts no worker processes: omit `--processes`".into());
        }
        Ok(options)
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
        let options = parsed("--folder F --port=0 --snapshot-every 5 --processes 2").unwrap();
        assert_eq!(options.folder, PathBuf::from("F"));
        assert_eq!((options.port, options.snapshot_every), (0, 5));
        assert_eq!(options.n_processes, Some(2));
        let defaults = parsed("").unwrap();
        assert_eq!((defaults.port, defaults.n_processes), (7070, None));
        assert!(!defaults.compares && !defaults.reads_only);
        assert!(parsed("--read-only").unwrap().reads_only);
        assert!(parsed("--folder F --compare").unwrap().compares);
    }

    #[test]
    fn wrong_options_are_rejected() {
        assert!(parsed("F").unwrap_err().contains("\"F\""));
        assert!(parsed("--fresh").unwrap_err().contains("--fresh"));
        assert!(parsed("--port").unwrap_err().contains("--port"));
        assert!(parsed("--port 65536").unwrap_err().contains("65536"));
        let both = parsed("--read-only --processes 2").unwrap_err();
        assert!(both.contains("omit `--processes`"), "{both}");
        let both = parsed("--compare --read-only").unwrap_err();
        assert!(both.contains("omit `--read-only`"), "{both}");
        for option in ["--port", "--snapshot-every", "--processes"] {
            let both = parsed(&format!("--compare {option} 2")).unwrap_err();
            assert!(both.contains(&format!("omit `{option}`")), "{both}");
        }
    }
}
