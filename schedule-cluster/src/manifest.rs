//! Manifests: where the buckets of a snapshot are.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schedule::snapshot::{Decoder, Encoder, SnapshotError};
use serde::{Deserialize, Serialize};

use crate::bucket::{N_BUCKETS, owner};
use crate::wire::{ChunkPlace, RestoredState, SavedBucket};

/// The saved state of all processes after a batch.
///
/// Snapshot n refers to parts of snapshot n - 2, and to new ones. So two consecutive snapshots have no part in common, and a damaged part
/// damages at most one of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The number of buckets, so that another number is detected.
    n_buckets: u16,
    pub(crate) batch: u64,
    /// The names of the stores that were saved.
    stores: Vec<String>,
    buckets: BTreeMap<u16, SavedBucket>,
}

/// What the supervisor and the thread that writes snapshots know from each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilesInUse(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The names of the parts that the supervisor needs for the next generation and the next snapshot.
    parts: HashSet<String>,
    /// The batches of the manifests that were written and not removed.
    written: BTreeSet<u64>,
}

impl FilesInUse {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, parts: HashSet<String>) {
        self.lock().parts = parts;
    }

    pub(crate) fn get(&self) -> HashSet<String> {
        self.lock().parts.clone()
    }

    pub(crate) fn note_written(&self, batch: u64) {
        self.lock().written.insert(batch);
    }

    pub(crate) fn note_removed_before(&self, batch: u64) {
        self.lock().written.retain(|written| *written >= batch);
    }

    pub(crate) fn is_written(&self, batch: u64) -> bool {
        self.lock().written.contains(&batch)
    }
}

impl Manifest {
    pub(crate) fn new(stores: Vec<String>) -> Self {
        Self {
            n_buckets: N_BUCKETS,
            batch: 0,
            stores,
            buckets: BTreeMap::new(),
        }
    }

    /// Whether the state of exactly these stores was saved.
    pub(crate) fn has_stores(&self, stores: &[String]) -> bool {
        self.stores == stores
    }

    pub(crate) fn add(&mut self, file: &str, bucket: u16, chunks: Vec<ChunkPlace>) {
        let file = file.to_string();
        self.buckets.insert(
            bucket,
            SavedBucket {
                bucket,
                file,
                chunks,
            },
        );
    }

    /// Returns whether it has all buckets. Only the state before the first snapshot has none.
    pub(crate) fn is_complete(&self) -> bool {
        self.buckets.len() == usize::from(N_BUCKETS)
    }

    /// The names of the parts that it refers to.
    pub(crate) fn files(&self) -> HashSet<String> {
        let files = self.buckets.values().map(|saved| saved.file.clone());
        files.collect()
    }

    pub(crate) fn saved(&self) -> impl Iterator<Item = &SavedBucket> {
        self.buckets.values()
    }

    /// Returns what a worker restores.
    pub(crate) fn of_worker(&self, worker: u32, n: u32) -> RestoredState {
        let is_own = |saved: &&SavedBucket| owner(saved.bucket, n) == worker;
        RestoredState {
            stores: self.stores.clone(),
            buckets: self.saved().filter(is_own).cloned().collect(),
        }
    }

    /// Returns the buckets that should be saved again, because most other buckets of their part have changed since. So old parts
    /// can be removed.
    pub(crate) fn scattered(&self) -> BTreeSet<u16> {
        let mut n_bytes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for saved in self.saved() {
            let of = n_bytes.entry(&saved.file).or_default();
            for chunk in &saved.chunks {
                of.0 += chunk.n_bytes;
                of.1 = of.1.max(chunk.offset + chunk.n_bytes);
            }
        }
        let is_scattered = |saved: &&SavedBucket| {
            let (used, all) = n_bytes[saved.file.as_str()];
            used * 2 < all
        };
        self.saved()
            .filter(is_scattered)
            .map(|saved| saved.bucket)
            .collect()
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut encoder = Encoder::new();
        encoder.write(self)?;
        Ok(encoder.into_bytes())
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut decoder = Decoder::new(bytes);
        let manifest: Self = decoder.read()?;
        if manifest.n_buckets != N_BUCKETS {
            let n = manifest.n_buckets;
            return Err(decoder.error(format_args!(
                "the snapshot has {n} buckets, not {N_BUCKETS}"
            )));
        }
        if !manifest.is_complete() {
            return Err(decoder.error("the snapshot does not have all buckets"));
        }
        decoder.finish()?;
        Ok(manifest)
    }
}
