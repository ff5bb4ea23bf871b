//! The directory of the operating system as a disk.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::disk::{Disk, DiskFile};

/// The name of the file whose lock protects a directory. The file stays there.
const LOCK: &str = "lock";

/// The file with the id of the running kernel.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Number of attempts to lock a directory that is locked, after the first one. A process that was killed while it started another
/// one has left a copy of its lock there, until that process begins its program.
const LOCK_ATTEMPTS: usize = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// A directory of the operating system.
///
/// On Windows, which cannot sync directories, [`sync_directory`](Disk::sync_directory) does nothing.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens a directory. It is created if it does not exist.
    ///
    /// # Errors
    ///
    /// If the path cannot be created, or if it is not a directory.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
            .collect();
        for path in missing.iter().rev() {
            match fs::create_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            }
            let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
            sync_path(parent.unwrap_or(Path::new(".")))?;
        }
        Self::existing(path)
    }

    /// Opens a directory, which must exist.
    ///
    /// # Errors
    ///
    /// If the path does not exist, or if it is not a directory.
    pub fn existing(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        if fs::metadata(&path)?.is_dir() {
            Ok(Self { path })
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }
}

/// The hexadecimal digits of a text as a number.
fn number_of(id: &str) -> u128 {
    let digits = id.chars().filter_map(|digit| digit.to_digit(16));
    digits.fold(0, |number, digit| number << 4 | u128::from(digit))
}

#[cfg(unix)]
fn sync_path(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
fn sync_path(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The lock of a directory, until it is dropped.
#[derive(Debug)]
pub struct DirectoryLock(File);

impl Drop for DirectoryLock {
    /// Unlocks the file. Closing it is not enough: a process that this one starts has a copy of all open files for a short time.
    fn drop(&mut self) {
        drop(self.0.unlock());
    }
}

impl Disk for Directory {
    type File = File;
    type Lock = DirectoryLock;

    fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() {
            self.path.clone()
        } else {
            self.path.join(name)
        }
    }

    fn lock(&self) -> io::Result<Option<DirectoryLock>> {
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.join(LOCK))?;
        for is_last in [false; LOCK_ATTEMPTS].into_iter().chain([true]) {
            match file.try_lock() {
                Ok(()) => return Ok(Some(DirectoryLock(file))),
                Err(TryLockError::WouldBlock) if is_last => {}
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.create_new(true).append(true);
        options.open(self.path.join(name))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    fn open_writable(&self, name: &str) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.path.join(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync_directory(&self) -> io::Result<()> {
        sync_path(&self.path)
    }

    /// On Linux, the id that the kernel has since it was started. 0 on other systems.
    fn machine_start(&self) -> u128 {
        if cfg!(target_os = "linux") {
            fs::read_to_string(BOOT_ID).map_or(0, |id| number_of(&id))
        } else {
            0
        }
    }
}

/// Repeats a call that a signal interrupted before it had an effect.
fn uninterrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

impl DiskFile for File {
    const CAN_OVERWRITE: bool = true;

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        uninterrupted(|| self.write(bytes))
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.seek(SeekFrom::Start(offset))?;
        uninterrupted(|| self.read(buffer))
    }

    fn n_bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn overwrite(&mut self, bytes: &[u8]) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, 0)
    }

    #[cfg(not(unix))]
    fn overwrite(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(0))?;
        self.write_all(bytes)
    }

    fn truncate(&mut self, n_bytes: u64) -> io::Result<()> {
        self.set_len(n_bytes)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        File::sync_data(self)
    }
}
