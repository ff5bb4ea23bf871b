//! The executable of a process, as a digest. Two builds of a program can have the same version and other handlers.

use core::fmt;
use std::env;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Which processes of a cluster must have the same executable: see [`Cluster::same_executable`](crate::Cluster::same_executable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SameExecutable {
    /// The supervisor and all workers. The default, if the workers are started by the default command.
    All,
    /// The workers of all generations. The supervisor can be another program. The default after a call of
    /// [`Cluster::command`](crate::Cluster::command).
    Workers,
    /// None. Handlers that differ between two processes can lose changes.
    Unchecked,
}

/// The executable of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Executable {
    /// For messages.
    path: String,
    /// BLAKE3 of the file.
    digest: [u8; 32],
}

impl Executable {
    /// Reads the executable of this process.
    pub(crate) fn of_this_process() -> io::Result<Self> {
        let path = path_of_this_program()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(&path)?)?;
        Ok(Self {
            path: env::current_exe().unwrap_or(path).display().to_string(),
            digest: *hasher.finalize().as_bytes(),
        })
    }
}

impl fmt::Display for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (digest ", self.path)?;
        let first = &self.digest[..8];
        first.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// Returns the path of this program. On Linux, it is this program also if its file has been replaced or removed since.
pub(crate) fn path_of_this_program() -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        let running = PathBuf::from("/proc/self/exe");
        if running.exists() {
            return Ok(running);
        }
    }
    env::current_exe()
}

/// Compares the executables of the processes of all generations.
#[derive(Debug)]
pub(crate) struct ExecutableCheck {
    which: SameExecutable,
    /// The executable that all must have, and the process that has it. `None` before the first one is known.
    expected: Option<(Executable, String)>,
}

impl ExecutableCheck {
    /// # Errors
    ///
    /// If the executable of this process is needed and cannot be read.
    pub(crate) fn new(which: SameExecutable) -> io::Result<Self> {
        let expected = match which {
            SameExecutable::All => {
                Some((Executable::of_this_process()?, "the supervisor".to_string()))
            }
            SameExecutable::Workers | SameExecutable::Unchecked => None,
        };
        Ok(Self { which, expected })
    }

    /// Compares the executable of a worker, or the error of reading it. Returns why the worker cannot be used.
    pub(crate) fn check(
        &mut self,
        index: u32,
        found: Result<Executable, String>,
    ) -> Result<(), String> {
        const HELP: &str = "call `same_executable` of `Cluster`";
        if self.which == SameExecutable::Unchecked {
            return Ok(());
        }
        let found = found.map_err(|error| {
            format!(
                "its executable cannot be read: {error}; {HELP} to start without the comparison"
            )
        })?;
        let new = || (found.clone(), format!("worker process {index}"));
        let (expected, of) = self.expected.get_or_insert_with(new);
        if found.digest == expected.digest {
            Ok(())
        } else {
            Err(format!(
                "its executable {found} differs from {expected} of {of}: start all processes from the same file, or {HELP} if the \
                 difference is intended"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(path: &str, first: u8) -> Executable {
        let mut digest = [7; 32];
        digest[0] = first;
        let path = path.to_string();
        Executable { path, digest }
    }

    #[test]
    fn executables_are_compared_as_declared() {
        let [a, b] = [executable("/a", 1), executable("/b", 2)];
        // The same file at another place.
        let moved = executable("/c", 1);
        let failed = || Err("gone".to_string());

        let mut check = ExecutableCheck::new(SameExecutable::Workers).unwrap();
        check.check(1, Ok(a.clone())).unwrap();
        check.check(0, Ok(moved)).unwrap();
        assert_eq!(
            check.check(2, Ok(b.clone())).unwrap_err(),
            "its executable `/b` (digest 0207070707070707) differs from `/a` (digest 0107070707070707) of worker process 1: start \
             all processes from the same file, or call `same_executable` of `Cluster` if the difference is intended"
        );
        // Also in a later generation.
        assert!(check.check(1, Ok(b.clone())).is_err());
        assert!(check.check(1, failed()).unwrap_err().contains("gone"));

        let mut check = ExecutableCheck::new(SameExecutable::All).unwrap();
        check
            .check(0, Ok(Executable::of_this_process().unwrap()))
            .unwrap();
        let error = check.check(0, Ok(b.clone())).unwrap_err();
        assert!(error.contains("of the supervisor"), "{error}");

        let mut check = ExecutableCheck::new(SameExecutable::Unchecked).unwrap();
        for found in [Ok(a), Ok(b), failed()] {
            check.check(0, found).unwrap();
        }
    }

    #[test]
    fn digest_is_that_of_the_file() {
        let found = Executable::of_this_process().unwrap();
        let bytes = std::fs::read(env::current_exe().unwrap()).unwrap();
        assert_eq!(found.digest, *blake3::hash(&bytes).as_bytes());
    }
}
