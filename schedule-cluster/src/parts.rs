//! Parts: files that contain buckets of a snapshot.
//!
//! A worker writes one part per snapshot, with the buckets that have changed. A part is never changed afterwards. Its name
//! contains the batch and a random token, so a process of an older generation cannot write to it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use schedule::Resources;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};

use crate::bucket::N_BUCKETS;
use crate::store::Store;
use crate::wire::{BucketPlace, SavedBucket};

/// The first bytes of a part.
const MAGIC: &[u8; 8] = b"schpart1";

/// The end of the name of a part.
const SUFFIX: &str = ".part";

/// Returns the name of the part of a worker. `nth`: the number of the save in its generation, because a batch can be saved twice.
pub(crate) fn part_name(batch: u64, token: u128, nth: u64, worker: u32) -> String {
    format!("{batch:020}-{token:032x}-{nth}-{worker}{SUFFIX}")
}

/// Returns the batch of a part, if the name is that of one.
fn batch_of(name: &str) -> Option<u64> {
    let stem = name.strip_suffix(SUFFIX)?;
    stem.split('-').next()?.parse().ok()
}

/// Writes a part, and syncs it.
pub(crate) fn write_part(
    directory: &Path,
    file: &str,
    buckets: &[(u16, Vec<u8>)],
) -> io::Result<Vec<(u16, BucketPlace)>> {
    let mut bytes = MAGIC.to_vec();
    let mut places = Vec::with_capacity(buckets.len());
    for (bucket, content) in buckets {
        places.push((
            *bucket,
            BucketPlace {
                offset: bytes.len() as u64,
                n_bytes: content.len() as u64,
                checksum: crc32fast::hash(content),
            },
        ));
        bytes.extend_from_slice(content);
    }
    let mut part = File::create_new(directory.join(file))?;
    part.write_all(&bytes)?;
    part.sync_all()?;
    File::open(directory)?.sync_all()?;
    Ok(places)
}

/// Reads a bucket, and checks it.
pub(crate) fn read_bucket(directory: &Path, saved: &SavedBucket) -> io::Result<Vec<u8>> {
    let path = directory.join(&saved.file);
    let read = || -> io::Result<Vec<u8>> {
        let mut part = File::open(&path)?;
        part.seek(SeekFrom::Start(saved.place.offset))?;
        let n_bytes = saved.place.n_bytes;
        if n_bytes > part.metadata()?.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut content = vec![0; n_bytes as usize];
        part.read_exact(&mut content)?;
        match crc32fast::hash(&content) == saved.place.checksum {
            true => Ok(content),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the checksum is wrong",
            )),
        }
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

/// Creates the directory of the parts of a journal.
pub(crate) fn create_directory(journal: &Path) -> io::Result<PathBuf> {
    // A worker may have another current directory, and gets the path as text.
    let directory = std::path::absolute(journal)?.join("parts");
    if directory.to_str().is_none() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path is not UTF-8",
        ));
    }
    fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// The buckets of the values of a process, as bytes, for those that `is_wanted` accepts.
///
/// A bucket has the values of each of its stores: the name and version of the store, the number of values, and then each key and
/// value.
pub(crate) fn buckets(
    stores: &[Store],
    resources: &Resources,
    is_wanted: &dyn Fn(u16) -> bool,
) -> Result<Vec<(u16, Vec<u8>)>, SnapshotError> {
    let mut all: Vec<Option<Encoder>> = Vec::new();
    all.resize_with(usize::from(N_BUCKETS), || None);
    for bucket in (0..N_BUCKETS).filter(|bucket| is_wanted(*bucket)) {
        all[usize::from(bucket)] = Some(Encoder::new());
    }
    let mut value = Encoder::new();
    for store in stores {
        let mut values: Vec<(u32, Encoder)> = Vec::new();
        values.resize_with(usize::from(N_BUCKETS), || (0, Encoder::new()));
        (store.each)(resources, &mut |key, write| {
            let bucket = usize::from(store.hash(key).bucket());
            if all[bucket].is_some() {
                let (n, to) = &mut values[bucket];
                *n += 1;
                to.write(&key)?;
                value.clear();
                write(&mut value)?;
                to.write(&value.as_bytes())?;
            }
            Ok(())
        })?;
        for (to, (n, values)) in all.iter_mut().zip(values) {
            let Some(to) = to else { continue };
            if n > 0 {
                to.write(&(store.name, store.version, n))?;
                to.write(&values.as_bytes())?;
            }
        }
    }
    let all = (0..N_BUCKETS).zip(all);
    Ok(all
        .filter_map(|(bucket, content)| Some((bucket, content?.into_bytes())))
        .collect())
}

/// Inserts the values of a bucket.
pub(crate) fn restore_bucket(
    stores: &[Store],
    resources: &mut Resources,
    content: &[u8],
) -> Result<(), SnapshotError> {
    let mut decoder = Decoder::new(content);
    while decoder.n_left() > 0 {
        let (name, version, n): (&str, u32, u32) = decoder.read()?;
        let values: &[u8] = decoder.read()?;
        // A store that the program no longer has is left out.
        let Some(store) = stores.iter().find(|store| store.name == name) else {
            continue;
        };
        let mut values = Decoder::new(values);
        for _ in 0..n {
            let (key, value): (&[u8], &[u8]) = values.read()?;
            (store.put)(resources, key, Some((value, version)))?;
        }
        values.finish()?;
    }
    Ok(())
}
