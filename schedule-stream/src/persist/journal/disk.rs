//! The operations on files that journals and snapshots need.

use core::fmt::Debug;
use std::io;
use std::path::PathBuf;

/// A directory of files. [`Directory`](super::Directory) is a real one. Tests use simulated ones.
///
/// Files are named without a path. A change of names is durable after [`sync_directory`](Self::sync_directory). A change of content is
/// durable after [`DiskFile::sync_data`].
pub trait Disk: Debug + Send + Sync + 'static {
    /// An open file.
    type File: DiskFile;
    /// The lock on the directory. Dropping it unlocks the directory.
    type Lock: Debug + Send + Sync + 'static;

    /// Returns the path of a file, or with an empty name the path of the directory. It is for messages.
    fn path(&self, name: &str) -> PathBuf;

    /// Locks the directory, or returns `None` if it is locked already, by this process or another one.
    ///
    /// # Errors
    ///
    /// If the directory cannot be locked for another reason.
    fn lock(&self) -> io::Result<Option<Self::Lock>>;

    /// Returns the names of the files, in any order. Names that are not UTF-8 may be omitted.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Creates an empty file that can be appended to.
    ///
    /// # Errors
    ///
    /// If the file exists or cannot be created.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// Opens a file that is only read.
    ///
    /// # Errors
    ///
    /// With [`io::ErrorKind::NotFound`] if the file does not exist, and otherwise if it cannot be opened.
    fn open(&self, name: &str) -> io::Result<Self::File>;

    /// Opens a file that can be truncated and synced.
    ///
    /// # Errors
    ///
    /// If the file does not exist or cannot be opened.
    fn open_writable(&self, name: &str) -> io::Result<Self::File>;

    /// Renames a file. An existing file with the new name is replaced.
    ///
    /// # Errors
    ///
    /// If the file cannot be renamed.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// With [`io::ErrorKind::NotFound`] if the file does not exist, and otherwise if it cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns when all earlier changes of names are durable.
    ///
    /// # Errors
    ///
    /// If it is unknown whether the changes are durable.
    fn sync_directory(&self) -> io::Result<()>;

    /// Returns a number that changes when the machine is started again, so that changes that were not synced may be lost. 0 if it is
    /// unknown.
    fn machine_start(&self) -> u128 {
        0
    }
}

/// An open file of a [`Disk`].
pub trait DiskFile: Debug + Send + 'static {
    /// Whether [`overwrite`](Self::overwrite) is implemented. Otherwise no [mark](super::MarkStore) is written.
    const CAN_OVERWRITE: bool = false;

    /// Writes bytes at the end of the file, and returns their number. It may be less than the number of given bytes.
    ///
    /// # Errors
    ///
    /// If nothing or an unknown part was written. With [`io::ErrorKind::StorageFull`] if the disk is full.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Reads bytes from a position, and returns their number. It may be less than the size of the buffer. 0 is the end of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns the size of the file in bytes.
    ///
    /// # Errors
    ///
    /// If the size cannot be read.
    fn n_bytes(&self) -> io::Result<u64>;

    /// Writes bytes at the beginning of a file of [`Disk::open_writable`]. Bytes after them stay.
    ///
    /// # Errors
    ///
    /// If an unknown part was written. The default implementation returns [`io::ErrorKind::Unsupported`].
    fn overwrite(&mut self, bytes: &[u8]) -> io::Result<()> {
        let _ = bytes;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Shortens the file to a size in bytes.
    ///
    /// # Errors
    ///
    /// If the file cannot be shortened.
    fn truncate(&mut self, n_bytes: u64) -> io::Result<()>;

    /// Returns when the content and the size of the file are durable.
    ///
    /// # Errors
    ///
    /// If it is unknown whether they are durable.
    fn sync_data(&mut self) -> io::Result<()>;
}
