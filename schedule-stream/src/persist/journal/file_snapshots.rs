//! Snapshots in files.

use std::sync::Arc;

use crc32fast::Hasher;

use super::Snapshots;
use super::directory::Directory;
use super::disk::{Disk, DiskFile};
use super::error::{Damage, JournalError};
use super::format::{self, FileKind, SNAPSHOT_HEADER_BYTES, SNAPSHOT_MAGIC, SNAPSHOT_VERSION};
use super::open_directory::OpenDirectory;
use super::reader::FileWindow;

/// Size in bytes of a part of a snapshot that is checked at once.
const CHECKED: usize = 256 << 10;

/// Snapshots in files of a directory. [`open`](super::open) opens them, together with the journal.
#[derive(Debug)]
pub struct FileSnapshots<D: Disk = Directory> {
    directory: Arc<OpenDirectory<D>>,
}

impl<D: Disk> FileSnapshots<D> {
    pub(super) fn new(directory: Arc<OpenDirectory<D>>) -> Self {
        Self { directory }
    }

    /// Writes a snapshot to a temporary file, and syncs the file.
    fn write_temporary(&self, name: &str, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        let directory = &*self.directory;
        let mut file = directory
            .disk
            .create(name)
            .map_err(|error| directory.io("create", name, error))?;
        let header = format::encode_snapshot_header(batch, bytes);
        directory.append(&mut file, name, 0, batch, &header)?;
        directory.append(&mut file, name, header.len() as u64, batch, bytes)?;
        let synced = file.sync_data();
        synced.map_err(|error| directory.io("sync", name, error))
    }
}

impl<D: Disk> Snapshots for FileSnapshots<D> {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        let names = self
            .directory
            .disk
            .list()
            .map_err(|error| self.directory.io("list", "", error))?;
        // The program that has the directory open may have written more since the journal was examined.
        let newest = if self.directory.is_read_only() {
            self.directory.synced()
        } else {
            u64::MAX
        };
        let mut batches: Vec<u64> = names
            .iter()
            .filter_map(|name| match FileKind::of(name) {
                Some(FileKind::Snapshot(batch)) if batch <= newest => Some(batch),
                _ => None,
            })
            .collect();
        batches.sort_unstable_by(|a, b| b.cmp(a));
        Ok(batches)
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        let directory = &*self.directory;
        directory.check_open()?;
        // Otherwise a crash could leave a snapshot of a batch that the journal has lost.
        let synced = directory.synced();
        if batch > synced {
            return Err(JournalError::NotSynced { batch, synced });
        }
        let name = format::snapshot_name(batch);
        let temporary = format::temporary_name(&name);
        // An earlier attempt may have failed.
        directory.remove(&temporary)?;
        if let Err(error) = self.write_temporary(&temporary, batch, bytes) {
            // Frees the space. If it fails, the next `open` removes the file.
            let _ = directory.remove(&temporary);
            return Err(error);
        }
        let renamed = directory.disk.rename(&temporary, &name);
        renamed.map_err(|error| directory.io("rename", &temporary, error))?;
        directory.sync_names()
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        read(&self.directory.disk, batch)
    }

    fn check(&self, batch: u64) -> Result<u64, JournalError> {
        check(&self.directory.disk, batch)
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.directory.check_open()?;
        let batches = self.list()?;
        let old: Vec<u64> = batches.into_iter().filter(|old| *old < batch).collect();
        for old in old.iter().rev() {
            self.directory.remove(&format::snapshot_name(*old))?;
        }
        if old.is_empty() {
            Ok(())
        } else {
            self.directory.sync_names()
        }
    }
}

/// Returns the body of a snapshot.
pub(super) fn read<D: Disk>(disk: &D, batch: u64) -> Result<Vec<u8>, JournalError> {
    let mut bytes = Vec::new();
    read_parts(disk, batch, |part| bytes.extend_from_slice(part))?;
    Ok(bytes)
}

/// Checks a snapshot, and returns the size of its body in bytes.
pub(super) fn check<D: Disk>(disk: &D, batch: u64) -> Result<u64, JournalError> {
    let mut n_bytes = 0;
    read_parts(disk, batch, |part| n_bytes += part.len() as u64)?;
    Ok(n_bytes)
}

/// Reads the body of a snapshot in parts. They are valid only if the result is `Ok`.
fn read_parts<D: Disk>(
    disk: &D,
    batch: u64,
    mut visit: impl FnMut(&[u8]),
) -> Result<(), JournalError> {
    let name = format::snapshot_name(batch);
    let mut window = FileWindow::open(disk, &name, batch).map_err(|error| {
        if error.is_not_found() {
            JournalError::MissingSnapshot { batch }
        } else {
            error
        }
    })?;
    match window.version(SNAPSHOT_MAGIC, Damage::Snapshot)? {
        SNAPSHOT_VERSION => {}
        found => return Err(window.other_version(found, SNAPSHOT_VERSION)),
    }
    let Some(header) = window.peek(SNAPSHOT_HEADER_BYTES)? else {
        return Err(window.damaged(Damage::Snapshot));
    };
    let checksum = format::u32_at(header, 16);
    let found = format::u64_at(header, 24);
    let n_bytes = format::u64_at(header, 32);
    let mut hasher = Hasher::new();
    hasher.update(&header[20..]);
    // No journal has a batch after the highest number.
    let is_number = found == batch && batch < u64::MAX;
    if !is_number || window.n_bytes - SNAPSHOT_HEADER_BYTES as u64 != n_bytes {
        return Err(window.damaged(Damage::Snapshot));
    }
    window.advance(SNAPSHOT_HEADER_BYTES);
    while window.n_left() > 0 {
        let n_left = usize::try_from(window.n_left()).unwrap_or(usize::MAX);
        let n_part = n_left.min(CHECKED);
        let Some(part) = window.peek(n_part)? else {
            return Err(window.damaged(Damage::Snapshot));
        };
        hasher.update(part);
        visit(part);
        window.advance(n_part);
    }
    if hasher.finalize() == checksum {
        Ok(())
    } else {
        // The whole file is concerned.
        Err(JournalError::Damaged {
            file: window.path,
            offset: 0,
            batch,
            damage: Damage::Snapshot,
        })
    }
}
