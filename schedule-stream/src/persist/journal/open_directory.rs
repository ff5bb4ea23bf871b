//! An open directory, and the state that the journal and the snapshots in it share.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::disk::{Disk, DiskFile};
use super::error::JournalError;

/// A journal directory that both the journal and the snapshots use. It is unlocked when both are dropped. Without a lock, it is only
/// read.
#[derive(Debug)]
pub(super) struct OpenDirectory<D: Disk> {
    pub(super) disk: D,
    /// `None` if nothing may be changed.
    lock: Option<D::Lock>,
    /// The newest batch that is durable. 0 if there is none.
    synced: AtomicU64,
    /// The text of the first error after which it is unknown which data is durable.
    failure: OnceLock<String>,
}

impl<D: Disk> OpenDirectory<D> {
    /// `lock`: `None` to read only. `synced`: the newest batch that is durable, or 0.
    pub(super) fn new(disk: D, lock: Option<D::Lock>, synced: u64) -> Self {
        Self {
            disk,
            lock,
            synced: AtomicU64::new(synced),
            failure: OnceLock::new(),
        }
    }

    pub(super) fn synced(&self) -> u64 {
        // Acquire: pairs with the Release in set_synced.
        self.synced.load(Ordering::Acquire)
    }

    pub(super) fn set_synced(&self, batch: u64) {
        // Release: pairs with the Acquire in synced. The sync of the batch happens before.
        self.synced.store(batch, Ordering::Release);
    }

    /// Whether nothing may be changed.
    pub(super) fn is_read_only(&self) -> bool {
        self.lock.is_none()
    }

    /// Fails if an earlier operation failed, or if nothing may be changed.
    pub(super) fn check_open(&self) -> Result<(), JournalError> {
        if self.is_read_only() {
            return Err(JournalError::ReadOnly);
        }
        match self.failure.get() {
            Some(cause) => Err(JournalError::Closed {
                cause: cause.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Closes the journal and the snapshots if an operation failed after which it is unknown which data is durable.
    pub(super) fn close_on_error<T>(
        &self,
        result: Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        if let Err(error) = &result {
            self.failure.get_or_init(|| error.to_string());
        }
        result
    }

    /// Syncs changes of file names. A failure closes the journal and the snapshots, because it can concern the names of both.
    pub(super) fn sync_names(&self) -> Result<(), JournalError> {
        let synced = self.disk.sync_directory();
        self.close_on_error(synced.map_err(|error| self.io("sync", "", error)))
    }

    /// The error of an operation on a file, or on the directory if the name is empty.
    pub(super) fn io(&self, action: &'static str, name: &str, source: io::Error) -> JournalError {
        JournalError::io(action, self.disk.path(name), source)
    }

    /// Removes a file. The removal is not synced.
    pub(super) fn remove(&self, name: &str) -> Result<(), JournalError> {
        match self.disk.remove(name) {
            // An earlier removal failed after it had an effect.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|error| self.io("remove", name, error)),
        }
    }

    /// Appends bytes, if necessary with several writes. An error is not repeated.
    ///
    /// `offset`: the size of the file. `batch`: the first batch of the bytes, for errors.
    pub(super) fn append(
        &self,
        file: &mut D::File,
        name: &str,
        offset: u64,
        batch: u64,
        bytes: &[u8],
    ) -> Result<(), JournalError> {
        let mut n_written = 0;
        while n_written < bytes.len() {
            let written = match file.append(&bytes[n_written..]) {
                Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                written => written,
            };
            n_written += written.map_err(|error| {
                let offset = offset + n_written as u64;
                JournalError::io_at("write", self.disk.path(name), offset, batch, error)
            })?;
        }
        Ok(())
    }
}
