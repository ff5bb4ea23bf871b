//! Snapshots whose state is in parts: a snapshot is whole only if all its parts are.

use std::collections::HashSet;
use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

use schedule_stream::internal::{damaged_snapshot, file_error, saved_elsewhere};
use schedule_stream::journal::{JournalError, Snapshots};

use crate::manifest::{FilesInUse, Manifest};
use crate::parts::{read_bucket, remove_unused};

/// Stores manifests as snapshots, checks their parts, and removes the parts that no manifest needs.
pub(crate) struct PartSnapshots {
    manifests: Box<dyn Snapshots>,
    parts: PathBuf,
    files: FilesInUse,
}

impl PartSnapshots {
    pub(crate) fn new(manifests: Box<dyn Snapshots>, parts: PathBuf, files: FilesInUse) -> Self {
        Self {
            manifests,
            parts,
            files,
        }
    }

    /// Removes the parts of batches before the second newest manifest that neither a manifest nor the supervisor needs. Later parts
    /// may belong to a snapshot that is being written, also by another supervisor that has replaced this one.
    fn remove_unused(&self) -> Result<(), JournalError> {
        let batches = self.manifests.list()?;
        let Some(&second) = batches.get(1) else {
            return Ok(());
        };
        let mut used: HashSet<String> = self.files.get();
        // A damaged manifest may need any part.
        for batch in batches {
            let manifest = match self.manifests.read(batch) {
                Err(JournalError::Damaged { .. }) => return Ok(()),
                read => read?,
            };
            let manifest = saved_elsewhere(&manifest).and_then(|bytes| Manifest::of_bytes(&bytes));
            match manifest {
                Ok(manifest) => used.extend(manifest.files()),
                Err(_) => return Ok(()),
            }
        }
        let removed = remove_unused(&self.parts, second, &used);
        removed.map_err(|error| file_error("remove parts in", self.parts.clone(), error))
    }
}

impl Snapshots for PartSnapshots {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        self.manifests.list()
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        self.manifests.write(batch, bytes)?;
        self.files.note_written(batch);
        Ok(())
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        let bytes = self.manifests.read(batch)?;
        let Ok(saved) = saved_elsewhere(&bytes) else {
            // The recovery refuses a snapshot that no cluster has written.
            return Ok(bytes);
        };
        let Ok(manifest) = Manifest::of_bytes(&saved) else {
            return Err(damaged_snapshot(self.parts.clone(), batch));
        };
        for saved in manifest.saved() {
            let Err(error) = read_bucket(&self.parts, saved, &mut |_| Ok(())) else {
                continue;
            };
            let file = self.parts.join(&saved.file);
            return Err(match error.kind() {
                ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::NotFound => {
                    damaged_snapshot(file, batch)
                }
                // Another attempt may succeed.
                _ => file_error("read", file, error),
            });
        }
        Ok(bytes)
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.manifests.remove_before(batch)?;
        self.files.note_removed_before(batch);
        self.remove_unused()
    }
}

impl fmt::Debug for PartSnapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartSnapshots")
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two manifests that are damaged.
    #[derive(Debug)]
    struct DamagedManifests;

    impl Snapshots for DamagedManifests {
        fn list(&self) -> Result<Vec<u64>, JournalError> {
            Ok(vec![2, 1])
        }

        fn write(&mut self, _: u64, _: &[u8]) -> Result<(), JournalError> {
            Ok(())
        }

        fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
            Err(damaged_snapshot(PathBuf::new(), batch))
        }

        fn remove_before(&mut self, _: u64) -> Result<(), JournalError> {
            Ok(())
        }
    }

    #[test]
    fn damaged_manifest_keeps_all_parts() {
        let files = FilesInUse::default();
        let directory = PathBuf::from("does-not-exist");
        let mut snapshots = PartSnapshots::new(Box::new(DamagedManifests), directory, files);
        snapshots.remove_before(1).unwrap();
    }
}
