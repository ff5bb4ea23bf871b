//! What can be done with the values of a component: copy them, and save them in the formats that its type implements.

use core::any::{Any, TypeId, type_name};
use core::fmt;
use core::marker::PhantomData;

use hecs::{Archetype, ColumnBatchBuilder, ColumnBatchType};
use schedule::entity::Component;
#[cfg(feature = "snapshot")]
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// The values of one component, by row.
pub(super) trait AnyValues: Any + Send + Sync {
    /// Moves the values into the column of new entities. There are as many.
    fn move_into(self: Box<Self>, batch: &ColumnBatchBuilder);

    /// For the functions of [`CopyColumn`].
    fn as_any(&self) -> &dyn Any;

    /// As [`as_any`](Self::as_any).
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<C: Component> AnyValues for Vec<C> {
    fn move_into(self: Box<Self>, batch: &ColumnBatchBuilder) {
        fill(batch, *self);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

fn fill<C: Component>(batch: &ColumnBatchBuilder, values: impl IntoIterator<Item = C>) {
    let mut column = batch.writer::<C>().expect("a component of the archetype");
    for value in values {
        let pushed = column.push(value);
        assert!(pushed.is_ok(), "there are as many values as rows");
    }
}

/// Where the values of a component are.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// In a world. No system writes them at the same time: only a world that is not on loan is saved.
    Archetype(&'a Archetype),
    #[cfg(feature = "snapshot")]
    Copy(&'a dyn AnyValues),
}

/// Calls a function with the values of a component.
fn read<C: Component, R>(of: Source<'_>, read: impl FnOnce(&[C]) -> R) -> R {
    match of {
        Source::Archetype(archetype) => {
            let values = archetype.get::<&C>().expect("a component of the archetype");
            read(&values)
        }
        #[cfg(feature = "snapshot")]
        Source::Copy(values) => read(values_of(values)),
    }
}

fn values_of<C: Component>(values: &dyn AnyValues) -> &Vec<C> {
    values.as_any().downcast_ref().expect("values of `C`")
}

/// How values are copied.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct CopyColumn {
    pub(super) new: fn() -> Box<dyn AnyValues>,
    /// Replaces the values by those of an archetype, and keeps the memory.
    pub(super) copy_from: fn(&mut dyn AnyValues, Source<'_>),
    pub(super) clone: fn(&dyn AnyValues) -> Box<dyn AnyValues>,
    /// Copies the values into the column of new entities.
    pub(super) copy_into: fn(&dyn AnyValues, &ColumnBatchBuilder),
}

impl CopyColumn {
    const fn of<C: Component + Clone>() -> Self {
        Self {
            new: || Box::new(Vec::<C>::new()),
            copy_from: |to, from| {
                let to = to.as_any_mut().downcast_mut::<Vec<C>>();
                let to = to.expect("a column of `C`");
                // First, because a clone can panic.
                to.clear();
                read(from, |values| to.extend_from_slice(values));
            },
            clone: |values| Box::new(values_of::<C>(values).clone()),
            copy_into: |from, batch| fill(batch, values_of::<C>(from).iter().cloned()),
        }
    }
}

/// How values are saved in snapshots.
#[cfg(feature = "snapshot")]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SaveColumn {
    pub(super) name: &'static str,
    pub(super) version: u32,
    pub(super) schema: fn() -> Schema,
    /// Whether values with this version and schema can be restored.
    pub(super) check: fn(&Schema, u32) -> Result<(), SnapshotError>,
    pub(super) save: fn(Source<'_>, &mut Encoder) -> Result<(), SnapshotError>,
    /// Reads this number of values of a version.
    pub(super) restore: RestoreColumn,
}

#[cfg(feature = "snapshot")]
type RestoreColumn = fn(usize, u32, &mut Decoder<'_>) -> Result<Box<dyn AnyValues>, SnapshotError>;

#[cfg(feature = "snapshot")]
impl SaveColumn {
    const fn of<C: Component + Snapshot>() -> Self {
        Self {
            name: <C as Snapshot>::NAME,
            version: C::VERSION,
            schema: Schema::of_saved::<C>,
            check: |schema, version| schema.check::<C>(version),
            save: |from, to| {
                read(from, |values: &[C]| {
                    values.iter().try_for_each(|value| to.save(value))
                })
            },
            restore: |n_rows, version, from| {
                // Without the capacity, because the number is not proved by the bytes.
                let mut values = Vec::<C>::new();
                for _ in 0..n_rows {
                    values.push(from.restore(version)?);
                }
                Ok(Box::new(values))
            },
        }
    }
}

/// How values are saved in formats of `serde`.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SerializeColumn {
    /// Calls the function once with the values, as a list.
    pub(super) serialize: fn(Source<'_>, &mut UseValues<'_>),
    /// Reads a list of values, and returns their number.
    pub(super) deserialize: DeserializeColumn,
}

#[cfg(feature = "serde")]
type UseValues<'a> = dyn FnMut(&dyn erased_serde::Serialize) + 'a;

#[cfg(feature = "serde")]
type DeserializeColumn = fn(
    &mut dyn erased_serde::Deserializer<'_>,
) -> Result<(usize, Box<dyn AnyValues>), erased_serde::Error>;

#[cfg(feature = "serde")]
impl SerializeColumn {
    const fn of<C: Component + serde::Serialize + serde::de::DeserializeOwned>() -> Self {
        Self {
            serialize: |from, with| read(from, |values: &[C]| with(&values)),
            deserialize: |from| {
                let values: Vec<C> = erased_serde::deserialize(from)?;
                Ok((values.len(), Box::new(values)))
            },
        }
    }
}

/// Which of the traits a component implements. [`saved_component!`](crate::saved_component) reads the constants: those of the type itself
/// exist if the component implements the traits, and those of [`Otherwise`] are used if not.
#[doc(hidden)]
#[derive(Debug)]
pub struct Implemented<C>(PhantomData<C>);

impl<C: Component + Clone> Implemented<C> {
    pub const COPY: Option<CopyColumn> = Some(CopyColumn::of::<C>());
}

#[cfg(feature = "snapshot")]
impl<C: Component + Snapshot> Implemented<C> {
    pub const SAVE: Option<SaveColumn> = Some(SaveColumn::of::<C>());
}

#[cfg(feature = "serde")]
impl<C: Component + serde::Serialize + serde::de::DeserializeOwned> Implemented<C> {
    pub const SERIALIZE: Option<SerializeColumn> = Some(SerializeColumn::of::<C>());
}

/// What a type without the feature implements.
#[cfg(not(feature = "snapshot"))]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum SaveColumn {}

/// As [`SaveColumn`].
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum SerializeColumn {}

/// The constants of a component that does not implement the traits.
#[doc(hidden)]
pub trait Otherwise {
    const COPY: Option<CopyColumn> = None;
    const SAVE: Option<SaveColumn> = None;
    const SERIALIZE: Option<SerializeColumn> = None;
}

impl<C> Otherwise for Implemented<C> {}

/// A component that takes part in copied and saved worlds.
#[doc(hidden)]
pub struct SavedEntry {
    pub(super) component: TypeId,
    pub(super) type_name: fn() -> &'static str,
    /// Adds the component to the type of an archetype.
    pub(super) declare: fn(&mut ColumnBatchType),
    pub(super) copy: Option<CopyColumn>,
    #[cfg_attr(not(feature = "snapshot"), expect(dead_code, reason = "always `None`"))]
    pub(super) save: Option<SaveColumn>,
    #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "always `None`"))]
    pub(super) serialize: Option<SerializeColumn>,
}

inventory::collect!(SavedEntry);

impl SavedEntry {
    /// Creates the entry of a component.
    pub const fn new<C: Component>(
        copy: Option<CopyColumn>,
        save: Option<SaveColumn>,
        serialize: Option<SerializeColumn>,
    ) -> Self {
        assert!(
            copy.is_some() || save.is_some() || serialize.is_some(),
            "a saved component must implement `Clone`, `Snapshot`, or `Serialize` and `DeserializeOwned`"
        );
        Self {
            component: TypeId::of::<C>(),
            type_name: type_name::<C>,
            declare: |archetype| {
                archetype.add::<C>();
            },
            copy,
            save,
            serialize,
        }
    }
}

impl fmt::Debug for SavedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SavedEntry({})", (self.type_name)())
    }
}
