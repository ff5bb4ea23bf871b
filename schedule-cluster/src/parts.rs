//! Parts: files that contain buckets of a snapshot.
//!
//! A worker writes one part per snapshot, with the buckets that have changed. A part is never changed afterwards. Its name
//! contains the batch and a random token, so a process of an older generation cannot write to it.
//!
//! A store has its records in any order. So a bucket is divided into chunks, which are written when the values in memory exceed a
//! size.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use schedule::Resources;
use schedule::internal::NameChanges;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};
use schedule_stream::journal::Directory;

use crate::bucket::N_BUCKETS;
use crate::store::Store;
use crate::wire::{ChunkPlace, SavedBucket};

/// The first bytes of a part.
const MAGIC: &[u8; 8] = b"schpart1";

/// Size in bytes of the values above which chunks are written. A process needs about twice as much memory to save its state.
pub(crate) const MAX_BUFFERED_BYTES: usize = 32 << 20;

/// The end of the name of a part.
const SUFFIX: &str = ".part";

/// Returns the name of the part of a worker. `nth`: the number of the save in its generation, because a batch can be saved twice.
pub(crate) fn part_name(batch: u64, token: u128, nth: u64, worker: u32) -> String {
    format!("{batch:020}-{token:032x}-{nth}-{worker}{SUFFIX}")
}

/// Returns the batch of a part, if the name is exactly that of one. So it names a file of the folder.
fn batch_of(name: &str) -> Option<u64> {
    let mut fields = name.strip_suffix(SUFFIX)?.split('-');
    let mut next = || fields.next();
    let (batch, token, nth, worker) = (next()?, next()?, next()?, next()?);
    let batch = batch.parse().ok()?;
    let token = u128::from_str_radix(token, 16).ok()?;
    let canonical = part_name(batch, token, nth.parse().ok()?, worker.parse().ok()?);
    (name == canonical).then_some(batch)
}

/// Returns whether a name is that of a part.
pub(crate) fn is_part(name: &str) -> bool {
    batch_of(name).is_some()
}

/// Returns the path of a part.
///
/// # Errors
///
/// If the name is not that of a part. It could be the path of another file.
pub(crate) fn path_of(directory: &Path, file: &str) -> io::Result<PathBuf> {
    if is_part(file) {
        Ok(directory.join(file))
    } else {
        Err(invalid(format!("`{file}` is not the name of a part")))
    }
}

fn invalid(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

/// Where the chunks of each bucket are, in the order of buckets.
pub(crate) type BucketPlaces = Vec<(u16, Vec<ChunkPlace>)>;

/// Writes a part with the buckets that `is_wanted` accepts, and syncs it. The inner error is one of the file system.
pub(crate) fn write_part(
    path: &Path,
    stores: &[Store],
    resources: &Resources,
    is_wanted: &dyn Fn(u16) -> bool,
) -> Result<io::Result<BucketPlaces>, SnapshotError> {
    let wanted = (0..N_BUCKETS).filter(|bucket| is_wanted(*bucket));
    let places: BTreeMap<u16, Vec<ChunkPlace>> = wanted.map(|bucket| (bucket, vec![])).collect();
    if places.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let mut writer = match PartWriter::create(path, places) {
        Ok(writer) => writer,
        Err(error) => return Ok(Err(error)),
    };
    let mut written = Ok(());
    let visit = &mut |bucket, chunk: &[u8]| {
        if written.is_ok() {
            written = writer.write(bucket, chunk);
        }
        Ok(())
    };
    each_chunk(stores, resources, is_wanted, MAX_BUFFERED_BYTES, visit)?;
    Ok(written.and_then(|()| writer.finish(path)))
}

struct PartWriter {
    file: BufWriter<File>,
    /// Number of bytes that were written.
    n_bytes: u64,
    places: BTreeMap<u16, Vec<ChunkPlace>>,
}

impl PartWriter {
    fn create(path: &Path, places: BTreeMap<u16, Vec<ChunkPlace>>) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(256 << 10, File::create_new(path)?);
        file.write_all(MAGIC)?;
        let n_bytes = MAGIC.len() as u64;
        Ok(Self {
            file,
            n_bytes,
            places,
        })
    }

    fn write(&mut self, bucket: u16, chunk: &[u8]) -> io::Result<()> {
        self.file.write_all(chunk)?;
        let place = ChunkPlace {
            offset: self.n_bytes,
            n_bytes: chunk.len() as u64,
            checksum: crc32fast::hash(chunk),
        };
        self.n_bytes += place.n_bytes;
        self.places.entry(bucket).or_default().push(place);
        Ok(())
    }

    fn finish(self, path: &Path) -> io::Result<BucketPlaces> {
        let file = self.file.into_inner().map_err(io::Error::from)?;
        file.sync_all()?;
        if let Some(directory) = path.parent() {
            File::open(directory)?.sync_all()?;
        }
        Ok(self.places.into_iter().collect())
    }
}

/// Calls `visit` with the chunks of a bucket, after each was checked.
pub(crate) fn read_bucket(
    directory: &Path,
    saved: &SavedBucket,
    visit: &mut dyn FnMut(&[u8]) -> Result<(), SnapshotError>,
) -> io::Result<()> {
    let path = path_of(directory, &saved.file)?;
    let mut read = || -> io::Result<()> {
        let mut part = File::open(&path)?;
        let n_bytes = part.metadata()?.len();
        for place in &saved.chunks {
            if place.end().is_none_or(|end| end > n_bytes) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            part.seek(SeekFrom::Start(place.offset))?;
            let n_chunk = usize::try_from(place.n_bytes);
            let mut chunk = vec![0; n_chunk.map_err(io::Error::other)?];
            part.read_exact(&mut chunk)?;
            if crc32fast::hash(&chunk) != place.checksum {
                return Err(invalid("the checksum is wrong"));
            }
            visit(&chunk).map_err(io::Error::other)?;
        }
        Ok(())
    };
    read().map_err(|error| {
        let bucket = saved.bucket;
        io::Error::new(
            error.kind(),
            format!(
                "bucket {bucket} in `{}` cannot be read: {error}",
                path.display()
            ),
        )
    })
}

/// Removes a part that no manifest has, if it exists. Frees its space before the next attempt.
pub(crate) fn remove_part(directory: &Path, file: &str) {
    // If it fails, a later snapshot removes the part.
    drop(fs::remove_file(directory.join(file)));
}

/// Removes the parts of batches before `batch` that are not in `used`.
pub(crate) fn remove_unused(
    directory: &Path,
    batch: u64,
    used: &HashSet<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if batch_of(name).is_some_and(|of| of < batch) && !used.contains(name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Creates the directory of the parts of a journal. If it returns, the directory is durable.
pub(crate) fn create_directory(journal: &Path) -> io::Result<PathBuf> {
    // A worker may have another current directory, and gets the path as text.
    let directory = std::path::absolute(journal)?.join("parts");
    if directory.to_str().is_none() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path is not UTF-8",
        ));
    }
    Directory::create(&directory)?;
    Ok(directory)
}

/// Receives a bucket, and a chunk of it.
pub(crate) type VisitChunk<'v> = dyn FnMut(u16, &[u8]) -> Result<(), SnapshotError> + 'v;

/// Calls `visit` with the chunks of the buckets that `is_wanted` accepts. Keeps about `max_bytes` of values in memory.
///
/// A chunk has values of one or more stores: the name and version of the store, the number of values, and then each key and
/// value.
pub(crate) fn each_chunk(
    stores: &[Store],
    resources: &Resources,
    is_wanted: &dyn Fn(u16) -> bool,
    max_bytes: usize,
    visit: &mut VisitChunk<'_>,
) -> Result<(), SnapshotError> {
    let mut chunks = Chunks::new();
    let mut value = Encoder::new();
    for store in stores {
        (store.each)(resources, &mut |key, write| {
            let bucket = store.hash(key).bucket();
            if !is_wanted(bucket) {
                return Ok(());
            }
            value.clear();
            write(&mut value)?;
            chunks.add(bucket, key, value.as_bytes())?;
            if chunks.n_bytes > max_bytes {
                chunks.end_store(store)?;
                chunks.take(visit)?;
            }
            Ok(())
        })?;
        chunks.end_store(store)?;
    }
    chunks.take(visit)
}

/// The chunks of all buckets, by bucket.
struct Chunks {
    /// The values of stores that have ended.
    ended: Vec<Encoder>,
    /// The number of values of the present store, and the values.
    values: Vec<(u32, Encoder)>,
    /// Number of bytes of all values.
    n_bytes: usize,
}

impl Chunks {
    fn new() -> Self {
        let n = usize::from(N_BUCKETS);
        let (mut ended, mut values) = (Vec::new(), Vec::new());
        ended.resize_with(n, Encoder::new);
        values.resize_with(n, || (0, Encoder::new()));
        Self {
            ended,
            values,
            n_bytes: 0,
        }
    }

    fn add(&mut self, bucket: u16, key: &[u8], value: &[u8]) -> Result<(), SnapshotError> {
        let (n, to) = &mut self.values[usize::from(bucket)];
        *n += 1;
        self.n_bytes += key.len() + value.len();
        to.write(&key)?;
        to.write(&value)
    }

    fn end_store(&mut self, store: &Store) -> Result<(), SnapshotError> {
        for (to, (n, values)) in self.ended.iter_mut().zip(&mut self.values) {
            let n = core::mem::take(n);
            if n > 0 {
                to.write(&(store.name, store.version, n))?;
                let values = core::mem::replace(values, Encoder::new());
                to.write(&values.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Calls `visit` with all chunks, and removes them.
    fn take(&mut self, visit: &mut VisitChunk<'_>) -> Result<(), SnapshotError> {
        self.n_bytes = 0;
        for (bucket, chunk) in (0..).zip(&mut self.ended) {
            let chunk = core::mem::replace(chunk, Encoder::new());
            if !chunk.as_bytes().is_empty() {
                visit(bucket, chunk.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Inserts the values of a chunk whose keys are in a bucket that `is_wanted` accepts. `changes`: the names of stores that have changed
/// since it was written.
pub(crate) fn restore_chunk(
    stores: &[Store],
    resources: &mut Resources,
    changes: &NameChanges,
    is_wanted: &dyn Fn(u16) -> bool,
    content: &[u8],
) -> Result<(), SnapshotError> {
    let mut decoder = Decoder::new(content);
    while decoder.n_left() > 0 {
        let (name, version, n): (&str, u32, u32) = decoder.read()?;
        let values: &[u8] = decoder.read()?;
        let name_now = changes.name_now(name);
        let Some(store) = stores.iter().find(|store| store.name == name_now) else {
            if changes.is_dropped(name) {
                continue;
            } else {
                let error = format_args!("no store has the name `{name}`");
                return Err(decoder.error(error));
            }
        };
        let mut values = Decoder::new(values);
        for _ in 0..n {
            let (key, value): (&[u8], &[u8]) = values.read()?;
            if is_wanted(store.hash(key).bucket()) {
                (store.put)(resources, key, Some((value, version)))?;
            }
        }
        values.finish()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use schedule::snapshot::Snapshot;
    use schedule_stream::{Record, Records};
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, PartialEq, Debug, Record, Snapshot, Serialize, Deserialize)]
    #[record(id = u32)]
    #[snapshot(name = "coin")]
    struct Coin(u32);

    #[derive(Clone, PartialEq, Debug, Record, Snapshot, Serialize, Deserialize)]
    #[record(key = String)]
    #[snapshot(name = "note")]
    struct Note(Vec<u8>);

    fn resources(n: u32) -> Resources {
        let mut resources = Resources::new();
        resources.insert(Records::from_iter((0..n).map(|id| (id, Coin(id)))));
        let notes = (0..n / 2).map(|id| (id.to_string(), Note(vec![1; (id % 90) as usize])));
        resources.insert(Records::from_iter(notes));
        resources
    }

    #[test]
    fn chunks_of_any_size_restore_all_values() {
        let stores = [Store::records::<Coin>(), Store::records::<Note>()];
        let before = resources(20_000);
        for (max_bytes, most_chunks) in [(usize::MAX, 1), (50_000, 40), (0, usize::MAX)] {
            let mut after = resources(0);
            let mut n_chunks = [0; N_BUCKETS as usize];
            let mut largest = 0;
            let is_wanted = |bucket| bucket != 5;
            each_chunk(
                &stores,
                &before,
                &is_wanted,
                max_bytes,
                &mut |bucket, chunk| {
                    n_chunks[usize::from(bucket)] += 1;
                    largest = largest.max(chunk.len());
                    restore_chunk(
                        &stores,
                        &mut after,
                        &NameChanges::default(),
                        &|_| true,
                        chunk,
                    )
                },
            )
            .unwrap();
            assert!(n_chunks.iter().all(|n| *n <= most_chunks), "{n_chunks:?}");
            assert!(max_bytes > 0 || largest < 200, "{largest}");
            let coins = after.get::<Records<Coin>>().unwrap();
            let notes = after.get::<Records<Note>>().unwrap();
            for (id, coin) in before.get::<Records<Coin>>().unwrap().iter() {
                let key = postcard_of(id);
                let is_left_out = stores[0].hash(&key).bucket() == 5;
                assert_eq!(coins.get(*id), (!is_left_out).then_some(coin));
            }
            assert!(
                notes.len() > 9_900 && notes.len() < 10_000,
                "{}",
                notes.len()
            );
        }
    }

    fn postcard_of(key: &u32) -> Vec<u8> {
        let mut encoder = Encoder::new();
        encoder.write(key).unwrap();
        encoder.into_bytes()
    }
}
