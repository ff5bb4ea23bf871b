//! What processes do with the values of a declared store or resource, without its type.

use core::any::Any;
use core::fmt;

use schedule::access::ResourceType;
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use schedule::{Resource, Resources};
use schedule_stream::{Record, Records};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bucket::KeyHash;

/// A store of records that are divided between processes, or a resource that belongs to one of them.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    pub(crate) resource: ResourceType,
    /// The name in snapshots.
    pub(crate) name: &'static str,
    /// The version of a value in snapshots.
    pub(crate) version: u32,
    /// The schema of the keys and values.
    pub(crate) schema: fn() -> Schema,
    /// Compares it with a saved one.
    pub(crate) check: fn(&Schema) -> Result<(), SnapshotError>,
    /// Whether it is a store of records. A resource has one value, whose key is empty.
    pub(crate) is_keyed: bool,
    /// Writes a key, which has the type of the keys of the store.
    pub(crate) write_key: fn(&dyn Any, &mut Encoder) -> Result<(), SnapshotError>,
    /// Writes the value of a key. Returns whether there is one.
    pub(crate) write_value: fn(&Resources, &[u8], &mut Encoder) -> Result<bool, SnapshotError>,
    /// Inserts a value of a version, or removes it.
    pub(crate) put: PutValue,
    /// Calls a function with each key, and a function that writes its value.
    pub(crate) each: fn(&Resources, &mut EachValue<'_>) -> Result<(), SnapshotError>,
    /// Removes the records whose hash is not accepted. Has no effect on a resource.
    pub(crate) keep: KeepRecords,
}

/// Receives a key, and a value with its version.
type PutValue = fn(&mut Resources, &[u8], Option<(&[u8], u32)>) -> Result<(), SnapshotError>;

/// Receives a function that accepts the hashes of keys.
type KeepRecords = fn(&mut Resources, &dyn Fn(KeyHash) -> bool) -> Result<(), SnapshotError>;

/// Receives the key of a value, and a function that writes the value.
pub(crate) type EachValue<'v> = dyn FnMut(
        &[u8],
        &mut dyn FnMut(&mut Encoder) -> Result<(), SnapshotError>,
    ) -> Result<(), SnapshotError>
    + 'v;

fn get<R: Resource>(resources: &Resources) -> &R {
    resources.get().expect("a declared resource exists")
}

fn get_mut<R: Resource>(resources: &mut Resources) -> &mut R {
    resources.get_mut().expect("a declared resource exists")
}

fn read_key<T: Record<Key: DeserializeOwned>>(bytes: &[u8]) -> Result<T::Key, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let key = decoder.read()?;
    decoder.finish()?;
    Ok(key)
}

fn read_value<T: Snapshot>(bytes: &[u8], version: u32) -> Result<T, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let value = decoder.restore(version)?;
    decoder.finish()?;
    Ok(value)
}

impl Store {
    /// A store of records.
    pub(crate) fn records<T>() -> Self
    where
        T: Record<Key: Serialize + DeserializeOwned> + Snapshot,
    {
        Self {
            resource: schedule::internal::resource_type::<Records<T>>(),
            name: <T as Snapshot>::NAME,
            version: <T as Snapshot>::VERSION,
            schema: Schema::of_saved::<Records<T>>,
            check: |saved| saved.check::<Records<T>>(<Records<T> as Snapshot>::VERSION),
            is_keyed: true,
            write_key: |key, to| {
                let key = key.downcast_ref::<T::Key>();
                to.write(key.expect("the key has the type of the store"))
            },
            write_value: |resources, key, to| match get::<Records<T>>(resources)
                .get(read_key::<T>(key)?)
            {
                None => Ok(false),
                Some(record) => to.save(record).map(|()| true),
            },
            put: |resources, key, value| {
                let key = read_key::<T>(key)?;
                let records = get_mut::<Records<T>>(resources);
                match value {
                    None => drop(records.remove(key)),
                    Some((bytes, version)) => {
                        let record = read_value(bytes, version)?;
                        let inserted = records.try_insert(key, record);
                        inserted.map_err(|error| Decoder::new(bytes).error(error))?;
                    }
                }
                Ok(())
            },
            each: |resources, visit| {
                let mut to = Encoder::new();
                for (key, record) in get::<Records<T>>(resources).iter() {
                    to.clear();
                    to.write(key)?;
                    visit(to.as_bytes(), &mut |to| to.save(record))?;
                }
                Ok(())
            },
            keep: |resources, is_kept| {
                let records = get_mut::<Records<T>>(resources);
                let mut removed = Vec::new();
                let mut to = Encoder::new();
                for (key, _) in records.iter() {
                    to.clear();
                    to.write(key)?;
                    if !is_kept(KeyHash::of(to.as_bytes())) {
                        removed.push(key.clone());
                    }
                }
                removed
                    .into_iter()
                    .for_each(|key| drop(records.remove(key)));
                Ok(())
            },
        }
    }

    /// A resource with one value.
    pub(crate) fn resource<R: Resource + Snapshot>() -> Self {
        Self {
            resource: schedule::internal::resource_type::<R>(),
            name: <R as Snapshot>::NAME,
            version: <R as Snapshot>::VERSION,
            schema: Schema::of_saved::<R>,
            check: |saved| saved.check::<R>(R::VERSION),
            is_keyed: false,
            write_key: |_, _| Ok(()),
            write_value: |resources, _, to| to.save(get::<R>(resources)).map(|()| true),
            put: |resources, _, value| {
                let to = get_mut::<R>(resources);
                match value {
                    None => Ok(()),
                    Some((bytes, version)) => {
                        let mut decoder = Decoder::new(bytes);
                        decoder.restore_into(version, to)?;
                        decoder.finish()
                    }
                }
            },
            each: |resources, visit| visit(&[], &mut |to| to.save(get::<R>(resources))),
            keep: |_, _| Ok(()),
        }
    }

    /// Returns the hash of a key of this store. The value of a resource has the hash of its name.
    pub(crate) fn hash(&self, key: &[u8]) -> KeyHash {
        KeyHash::of(if self.is_keyed {
            key
        } else {
            self.name.as_bytes()
        })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
