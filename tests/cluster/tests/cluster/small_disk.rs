//! A small file system in memory, which can be filled and freed again.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::support::Folder;

/// The size of the file system in bytes.
const N_BYTES: u64 = 16 << 20;

/// A file system of 16 MiB in a mount namespace of its own. It ends with this process, also if this process is killed.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    /// Keeps the namespace until its input ends.
    keeper: Child,
    /// The file system, as this process reaches it.
    path: PathBuf,
    /// The mount point in the namespace.
    _folder: Folder,
}

impl SmallDisk {
    /// Creates the file system. Returns `None` without the rights or the tools. This is reported, and fails if the environment has
    /// `REQUIRE_ALL`.
    pub(crate) fn new() -> Option<Self> {
        // An ordinary user needs a user namespace. Some containers permit only an administrator, and no user namespaces.
        let disk = ["--map-root-user", "--mount"]
            .iter()
            .find_map(|option| Self::create(option));
        if disk.is_none() {
            assert!(
                std::env::var_os("REQUIRE_ALL").is_none(),
                "a file system cannot be mounted in a namespace"
            );
            eprintln!("skipped: a file system cannot be mounted in a namespace");
        }
        disk
    }

    fn create(option: &str) -> Option<Self> {
        let folder = Folder::new();
        let script = format!("mount -t tmpfs -o size={N_BYTES} small \"$1\" && echo && exec cat");
        let mut keeper = Command::new("unshare")
            .args(["--mount", option, "sh", "-c", &script, "sh"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        let stdout = keeper.stdout.take()?;
        let mounted = BufReader::new(stdout).read_line(&mut line);
        // The root directory of the keeper, which is another one than that of this process.
        let root = PathBuf::from(format!("/proc/{}/root", keeper.id()));
        let disk = Self {
            keeper,
            path: root.join(folder.path().strip_prefix("/").ok()?),
            _folder: folder,
        };
        (mounted.is_ok() && line == "\n" && fs::read_dir(&disk.path).is_ok()).then_some(disk)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn filler(&self) -> PathBuf {
        self.path.join("filler")
    }

    /// Fills the file system with another file, except for `n_left` bytes, in pages of 4 KiB.
    pub(crate) fn fill(&self, n_left: u64) {
        let mut filler = File::create(self.filler()).unwrap();
        let page = [1; 4096];
        let error = loop {
            if let Err(error) = filler.write_all(&page) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        let n_bytes = filler.metadata().unwrap().len();
        filler.set_len(n_bytes - n_left).unwrap();
    }

    /// Removes the other file.
    pub(crate) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.keeper.kill());
        drop(self.keeper.wait());
    }
}
