//! Manifests: where the buckets of a snapshot are.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schedule::internal::{self, NameChanges};
use schedule::snapshot::{Decoder, Encoder, Schema, SnapshotError};
use serde::{Deserialize, Serialize};

use crate::bucket::{KeyHash, N_BUCKETS, owner};
use crate::parts::is_part;
use crate::store::Store;
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
    /// The schemas of the values in the buckets, with the names of their stores. Older buckets can have older schemas of the same
    /// store. Written after the other fields, because older releases have written none.
    #[serde(skip)]
    schemas: Vec<(String, Schema)>,
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
    /// A manifest without buckets.
    pub(crate) fn new(stores: &[Store]) -> Self {
        let mut manifest = Self {
            n_buckets: N_BUCKETS,
            batch: 0,
            stores: stores.iter().map(|store| store.name.to_string()).collect(),
            buckets: BTreeMap::new(),
            schemas: Vec::new(),
        };
        let schemas = stores.iter();
        manifest.add_schemas(schemas.map(|store| (store.name.to_string(), (store.schema)())));
        manifest
    }

    fn add_schemas(&mut self, schemas: impl IntoIterator<Item = (String, Schema)>) {
        for schema in schemas {
            if !self.schemas.contains(&schema) {
                self.schemas.push(schema);
            }
        }
    }

    /// Adds the buckets of an older manifest.
    pub(crate) fn add_all_of(&mut self, older: &Self) {
        self.add_schemas(older.schemas.iter().cloned());
        for saved in older.saved() {
            self.add(&saved.file, saved.bucket, saved.chunks.clone());
        }
    }

    /// Checks that all saved values can be restored into these stores.
    ///
    /// # Errors
    ///
    /// If the program has no store of a saved name, or another type of the same version.
    pub(crate) fn check_stores(
        &self,
        stores: &[Store],
        changes: &NameChanges,
    ) -> Result<(), SnapshotError> {
        let changes = changes.resolved(&self.stores);
        let store_of = |saved: &str| {
            let name = changes.name_now(saved);
            stores.iter().find(move |store| store.name == name)
        };
        let is_unclaimed = |name: &&String| store_of(name).is_none() && !changes.is_dropped(name);
        let unclaimed = self.stores.iter().filter(is_unclaimed);
        let is_saved = |name| (self.stores.iter()).any(|saved| changes.name_now(saved) == name);
        let wanted: Vec<_> = stores
            .iter()
            .map(|store| store.name)
            .filter(|name| !is_saved(*name))
            .collect();
        for store in stores {
            let is_of = |saved: &&String| changes.name_now(saved) == store.name;
            let saved: Vec<String> = self.stores.iter().filter(is_of).cloned().collect();
            if saved.len() > 1 {
                let name = store.name;
                return Err(SnapshotError::RenamedTwice { name, saved });
            }
        }
        if let Some(error) = internal::unclaimed(unclaimed.map(String::as_str), &wanted) {
            return Err(error);
        }
        for (name, schema) in &self.schemas {
            if let Some(store) = store_of(name) {
                (store.check)(&changes.now(schema))?;
            }
        }
        Ok(())
    }

    /// Whether the state of exactly these stores was saved.
    pub(crate) fn has_stores(&self, stores: &[Store]) -> bool {
        let names = stores.iter().map(|store| store.name);
        names.eq(self.stores.iter().map(String::as_str))
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

    /// Returns what a worker restores. The bucket of a resource depends on its name. So if the name has changed, its new owner also gets
    /// the old bucket.
    pub(crate) fn of_worker(
        &self,
        worker: u32,
        n: u32,
        stores: &[Store],
        changes: &NameChanges,
    ) -> RestoredState {
        let changes = changes.resolved(&self.stores);
        let moved = self.stores.iter().filter_map(|saved| {
            let name = changes.name_now(saved);
            let store = stores.iter().find(|store| store.name == name)?;
            let is_moved = !store.is_keyed && store.name != saved;
            let is_owner = owner(store.hash(&[]).bucket(), n) == worker;
            (is_moved && is_owner).then(|| KeyHash::of(saved.as_bytes()).bucket())
        });
        let moved: BTreeSet<u16> = moved.collect();
        let is_own = |saved: &&SavedBucket| {
            owner(saved.bucket, n) == worker || moved.contains(&saved.bucket)
        };
        RestoredState {
            stores: self.stores.clone(),
            changes,
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
                of.0 = of.0.saturating_add(chunk.n_bytes);
                of.1 = of.1.max(chunk.offset.saturating_add(chunk.n_bytes));
            }
        }
        let is_scattered = |saved: &&SavedBucket| {
            let (used, all) = n_bytes[saved.file.as_str()];
            used.saturating_mul(2) < all
        };
        self.saved()
            .filter(is_scattered)
            .map(|saved| saved.bucket)
            .collect()
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut encoder = Encoder::new();
        encoder.write(self)?;
        encoder.write(&self.schemas)?;
        Ok(encoder.into_bytes())
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut decoder = Decoder::new(bytes);
        let mut manifest: Self = decoder.read()?;
        if decoder.n_left() > 0 {
            manifest.schemas = decoder.read()?;
        }
        if manifest.n_buckets != N_BUCKETS {
            let n = manifest.n_buckets;
            return Err(decoder.error(format_args!(
                "the snapshot has {n} buckets, not {N_BUCKETS}"
            )));
        }
        if let Err(error) = manifest.check() {
            return Err(decoder.error(error));
        }
        decoder.finish()?;
        Ok(manifest)
    }

    /// Fails if it does not have each bucket, or if the place of one is not in a part.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if !self.is_complete() {
            return Err("the snapshot does not have all buckets");
        }
        for (expected, (bucket, saved)) in (0..).zip(&self.buckets) {
            if *bucket != expected || saved.bucket != expected {
                return Err("a bucket of the snapshot has another number");
            }
            if !is_part(&saved.file) {
                return Err("a bucket of the snapshot is not in a part");
            }
            if saved.chunks.iter().any(|place| place.end().is_none()) {
                return Err("the place of a bucket of the snapshot does not exist");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use schedule::Resources;
    use schedule::snapshot::Snapshot;
    use schedule_stream::{Record, Records};

    use super::*;
    use crate::parts::{each_chunk, restore_chunk};

    #[derive(Record, Snapshot, Serialize, Deserialize)]
    #[record(id = u32)]
    #[snapshot(name = "coin")]
    struct Coin(u32);

    /// A store that was saved with this name.
    fn coins(name: &'static str) -> Store {
        Store {
            name,
            ..Store::records::<Coin>()
        }
    }

    fn resources(n: u32) -> Resources {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter((0..n).map(|id| (id, Coin(id)))));
        resources
    }

    /// Of two saved stores with the same present name, the one that is not dropped is restored.
    #[test]
    fn store_that_is_dropped_does_not_replace_a_renamed_one() {
        let manifest = Manifest::new(&[coins("coins"), coins("coin")]);
        let stores = [coins("coin")];
        let mut changes = NameChanges::default();
        changes.rename("coins", "coin");
        let error = manifest.check_stores(&stores, &changes).unwrap_err();
        let saved = ["coins", "coin"].map(String::from).to_vec();
        let name = "coin";
        assert_eq!(error, SnapshotError::RenamedTwice { name, saved });
        changes.drop("coin");
        manifest.check_stores(&stores, &changes).unwrap();
        let changes = manifest.of_worker(0, 1, &stores, &changes).changes;
        let mut after = resources(0);
        for (name, n) in [("coins", 3), ("coin", 9)] {
            let restore = &mut |_, chunk: &[u8]| {
                restore_chunk(&stores, &mut after, &changes, &|_| true, chunk)
            };
            each_chunk(
                &[coins(name)],
                &resources(n),
                &|_| true,
                usize::MAX,
                restore,
            )
            .unwrap();
        }
        assert_eq!(after.get::<Records<Coin>>().unwrap().len(), 3);
    }

    /// A manifest whose buckets are in these files.
    fn manifest(file: &str, place: ChunkPlace) -> Manifest {
        let mut manifest = Manifest::new(&[]);
        (0..N_BUCKETS).for_each(|bucket| manifest.add(file, bucket, vec![place]));
        manifest
    }

    const PART: &str = "00000000000000000007-000000000000000000000000000000aa-0-1.part";

    const PLACE: ChunkPlace = ChunkPlace {
        offset: 8,
        n_bytes: 5,
        checksum: 0,
    };

    fn error_of(manifest: &Manifest) -> String {
        let bytes = manifest.to_bytes().unwrap();
        Manifest::of_bytes(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn manifest_names_only_places_in_parts() {
        let whole = manifest(PART, PLACE);
        let read = Manifest::of_bytes(&whole.to_bytes().unwrap()).unwrap();
        assert_eq!(read.files(), HashSet::from([PART.to_string()]));
        for file in [
            "",
            ".part",
            "/etc/passwd",
            "../journal.part",
            "7-aa-0-1.part",
            &format!("../{PART}"),
            &format!("{PART}.part"),
            &PART.replace("aa", "AA"),
            &PART.replace("-0-", "-+0-"),
            &PART.replace("-1.", "-/1."),
        ] {
            let error = error_of(&manifest(file, PLACE));
            assert!(error.contains("is not in a part"), "{file}: {error}");
        }
        let place = ChunkPlace {
            offset: u64::MAX - 4,
            ..PLACE
        };
        let far = manifest(PART, place);
        assert!(error_of(&far).contains("does not exist"));
        // Workers have sent it.
        assert!(far.check().is_err());
        far.scattered();
        let mut other = whole.clone();
        other.buckets.get_mut(&3).unwrap().bucket = 4;
        assert!(error_of(&other).contains("has another number"));
        let mut other = whole;
        let saved = other.buckets.remove(&3).unwrap();
        assert!(error_of(&other).contains("does not have all buckets"));
        other.buckets.insert(u16::MAX, saved);
        assert!(error_of(&other).contains("has another number"));
    }

    #[test]
    fn changed_bytes_of_a_manifest_never_cause_a_panic() {
        let bytes = manifest(PART, PLACE).to_bytes().unwrap();
        // All places at the beginning, and some of the others.
        for at in (0..100).chain((100..bytes.len()).step_by(997)) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Ok(manifest) = Manifest::of_bytes(&changed) {
                    manifest.scattered();
                    manifest.of_worker(0, 2, &[], &NameChanges::default());
                }
                drop(Manifest::of_bytes(&changed[..at]));
            }
        }
    }
}
