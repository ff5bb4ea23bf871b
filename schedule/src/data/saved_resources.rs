//! Resources that are saved and restored together.

use core::any::TypeId;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::base::snapshot::{
    Decoder, Encoder, NameChanges, Schema, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter,
};
use crate::data::resource::watched::SavedVersions;
use crate::data::resource::{Resource, Resources};

/// The resources that a program saves and restores, by their types: one list for both directions.
///
/// ```
/// use schedule::SavedResources;
/// use schedule::prelude::*;
/// use schedule::snapshot::Snapshot;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "score")]
/// struct Score(u32);
///
/// #[derive(Resource, Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "lives")]
/// struct Lives(u8);
///
/// let saved = SavedResources::new().with::<Score>().with::<Lives>();
/// let mut resources = Resources::new();
/// resources.insert(Score(7));
/// resources.insert(Lives(3));
/// let bytes = saved.save(&resources)?;
///
/// resources.get_mut::<Score>().unwrap().0 = 0;
/// saved.restore(&bytes, &mut resources)?;
/// assert_eq!(resources.get::<Score>().unwrap().0, 7);
///
/// // A program without `Lives` does not lose them silently.
/// let error = SavedResources::new().with::<Score>().restore(&bytes, &mut resources);
/// assert!(error.unwrap_err().to_string().contains("`lives`"));
/// # Ok::<(), schedule::snapshot::SnapshotError>(())
/// ```
#[derive(Clone, Default)]
pub struct SavedResources {
    entries: Vec<SavedResource>,
    changes: NameChanges,
}

/// A resource, as functions.
#[derive(Clone, Copy)]
struct SavedResource {
    name: &'static str,
    /// Whether the resource and its section may be missing.
    is_optional: bool,
    /// Saves the resource. Returns `false` if it does not exist.
    save: fn(&Resources, &mut SnapshotWriter) -> Result<bool, SnapshotError>,
    type_id: TypeId,
    exists: fn(&Resources) -> bool,
    /// Checks its section. Returns `false` if there is none.
    check: fn(&SnapshotReader<'_>) -> Result<bool, SnapshotError>,
    restore: fn(&mut Resources, &SnapshotReader<'_>) -> Result<(), SnapshotError>,
}

impl SavedResources {
    /// No resources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource.
    pub fn with<T: Resource + Snapshot>(self) -> Self {
        self.add::<T>(false)
    }

    /// Adds a resource that may be missing: then it is not saved. If a snapshot lacks it, its value stays the same. For a type that
    /// older snapshots do not have.
    pub fn with_optional<T: Resource + Snapshot>(self) -> Self {
        self.add::<T>(true)
    }

    fn add<T: Resource + Snapshot>(mut self, is_optional: bool) -> Self {
        self.entries.push(SavedResource {
            name: <T as Snapshot>::NAME,
            is_optional,
            type_id: TypeId::of::<T>(),
            exists: Resources::contains::<T>,
            save: |resources, writer| match resources.get::<T>() {
                None => Ok(false),
                Some(value) => writer.section(value).map(|_| true),
            },
            check: |reader| reader.check::<T>(),
            restore: |resources, reader| match resources.get_mut::<T>() {
                Some(value) => reader.restore_into(value),
                None => {
                    let value: T = reader.restore()?;
                    resources.insert(value);
                    Ok(())
                }
            },
        });
        self
    }

    /// Restores values with the saved name `from` as the type with the name `to`. See [`SnapshotReader::renamed`]. Only for
    /// [`restore`](Self::restore): with [`restore_from`](Self::restore_from), call it on the reader.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        self.changes.rename(from, to);
        self
    }

    /// Ignores values with this saved name. See [`SnapshotReader::dropped`]. Only for [`restore`](Self::restore): with
    /// [`restore_from`](Self::restore_from), call it on the reader.
    pub fn dropped(mut self, name: &str) -> Self {
        self.changes.drop(name);
        self
    }

    /// Returns a snapshot of the resources.
    ///
    /// # Errors
    ///
    /// Fails if a resource does not exist, unless it is optional, or as [`SnapshotWriter::section`].
    pub fn save(&self, resources: &Resources) -> Result<Vec<u8>, SnapshotError> {
        let mut writer = SnapshotWriter::new();
        self.save_to(resources, &mut writer)?;
        Ok(writer.finish())
    }

    /// Adds the resources to a snapshot.
    ///
    /// # Errors
    ///
    /// As for [`save`](Self::save).
    pub fn save_to(
        &self,
        resources: &Resources,
        writer: &mut SnapshotWriter,
    ) -> Result<(), SnapshotError> {
        for entry in &self.entries {
            let is_saved = (entry.save)(resources, writer)?;
            if !is_saved && !entry.is_optional {
                return Err(SnapshotError::Encode {
                    name: Some(entry.name),
                    reason: "the resource does not exist: insert it, or use `with_optional`"
                        .to_string(),
                });
            }
        }
        let versions = SavedWatched::of(&self.entries, resources);
        if !versions.0.is_empty() {
            writer.section(&versions)?;
        }
        Ok(())
    }

    /// Replaces the resources by those of a snapshot, and inserts those that do not exist. Warns as [`SnapshotReader::finish`].
    ///
    /// # Errors
    ///
    /// Fails if the snapshot has other values, if it lacks a resource that is not optional, or as [`SnapshotReader::restore`]. Names,
    /// versions and schemas are compared before a resource is replaced. If the bytes of a value are wrong, the resources before it are
    /// already replaced.
    pub fn restore(&self, bytes: &[u8], resources: &mut Resources) -> Result<(), SnapshotError> {
        let reader = SnapshotReader::new(bytes)?.with_changes(self.changes.clone());
        self.restore_from(&reader, resources)
    }

    /// Restores as [`restore`](Self::restore). The other values of the snapshot must have been restored before. The renamed and dropped
    /// names are those of the reader.
    ///
    /// # Errors
    ///
    /// As for `restore`.
    pub fn restore_from(
        &self,
        reader: &SnapshotReader<'_>,
        resources: &mut Resources,
    ) -> Result<(), SnapshotError> {
        let mut found = Vec::new();
        let mut missing = None;
        for entry in &self.entries {
            if (entry.check)(reader)? {
                found.push(entry);
            } else if !entry.is_optional {
                missing = missing.or(Some(entry.name));
            }
        }
        let versions = SavedWatched::read(reader)?;
        // Names a missing value that has a similar name.
        reader.finish()?;
        if let Some(name) = missing {
            return Err(SnapshotError::Missing { name });
        }
        for entry in &found {
            (entry.restore)(resources, reader)?;
        }
        for (name, versions) in &versions.0 {
            let name = reader.name_now(name);
            let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else {
                continue;
            };
            let watched = resources.watch(entry.type_id);
            watched.restore(*versions);
            // A value that was not saved stays. So it appears for the restored schedule.
            let is_restored = found.iter().any(|found| found.type_id == entry.type_id);
            if !is_restored && (entry.exists)(resources) {
                watched.note_added();
            }
        }
        Ok(())
    }
}

/// The versions of the saved resources that are watched, each with the saved name of its type. So a restored schedule finds the same
/// changes as the original.
#[derive(Default, Serialize, Deserialize)]
struct SavedWatched(Vec<(String, SavedVersions)>);

impl SavedWatched {
    fn of(entries: &[SavedResource], resources: &Resources) -> Self {
        let watched = entries.iter().filter_map(|entry| {
            let watched = resources.watched(entry.type_id)?;
            Some((entry.name.to_string(), watched.save()))
        });
        Self(watched.collect())
    }

    /// Reads the versions. A snapshot without watched resources lacks them, and so does one of an older release. All restored resources have
    /// then changed.
    fn read(reader: &SnapshotReader<'_>) -> Result<Self, SnapshotError> {
        // Not `check`, which would propose the name for others that are similar.
        if reader.sections().any(|section| section.name == Self::NAME) {
            reader.restore()
        } else {
            Ok(Self::default())
        }
    }
}

impl Snapshot for SavedWatched {
    const NAME: &'static str = "watched";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(self)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        from.read()
    }

    fn schema() -> Schema {
        Schema::of::<Self>()
    }
}

impl fmt::Debug for SavedResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.entries.iter().map(|entry| entry.name);
        f.debug_list().entries(names).finish()
    }
}
