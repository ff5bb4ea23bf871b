//! Saved stores: all ids, the free ids in their order, and the components column by column.

use super::buffer::Buffer;
use super::clone::ReadComponents;
use super::column::OwnedColumn;
use super::id::{EntityId, IdLists};
use super::kind::{ColumnSet, EntityKind};
use super::store::Columns;
use crate::base::snapshot::{
    ComposedName, Decoder, Encoder, Migration, Schema, Snapshot, SnapshotError,
};

/// A kind of entity whose store can be saved: `#[derive(Columns)]` with `#[columns(name = "…")]`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a kind of entity whose columns cannot be saved in a snapshot",
    label = "has no saved name",
    note = "add `#[columns(name = \"…\")]` to `{Self}`"
)]
pub trait SavedKind: EntityKind {
    /// See [`Snapshot::NAME`].
    const SAVED_NAME: &'static str;
    /// See [`Snapshot::VERSION`].
    const SAVED_VERSION: u32;
    /// Reads older versions of the store.
    const MIGRATE: Option<Migration<Columns<Self>>>;
}

/// The columns of a kind whose components can be saved.
#[doc(hidden)]
pub trait SavedColumns: ColumnSet {
    /// Writes all columns, in the order of the fields.
    fn save(&self, read: ReadComponents<'_>, to: &mut Encoder) -> Result<(), SnapshotError>;

    /// Reads columns with this number of rows.
    fn restore(n_rows: usize, from: &mut Decoder<'_>) -> Result<Self, SnapshotError>;

    /// The name and the schema of each column.
    fn parts() -> Vec<(&'static str, Schema)>;
}

impl<C: Snapshot> OwnedColumn<C> {
    /// Writes the version of the component, and all values.
    pub fn save(&self, read: ReadComponents<'_>, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&C::VERSION)?;
        let mut values = self.values(read).iter();
        values.try_for_each(|value| to.save(value))
    }

    /// Reads a column with this number of rows.
    pub fn restore(n_rows: usize, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let version = from.read()?;
        let mut column = Self::default();
        for _ in 0..n_rows {
            column.push(from.restore(version)?);
        }
        Ok(column)
    }

    /// The schema of the column.
    pub fn schema() -> Schema {
        Schema::of_saved::<C>().repeated()
    }
}

/// Saves all entities, if the kind has a saved name: `#[columns(name = "…")]`. All components must implement
/// [`Snapshot`].
///
/// The restored store has the same ids and rows, and gives the same ids to new entities. It has no [missed commands](Columns::missed). A
/// system that watches components finds all of them changed in its next run, and [`Removed`](crate::entity::Removed) finds no entity.
///
/// `migrate` reads older versions of the kind, for example with other components. The function restores the store of an older kind, and
/// [`Columns::map`] converts each entity.
///
/// ```
/// use schedule::columns::Columns;
/// use schedule::entity::Component;
/// use schedule::snapshot::{Decoder, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "position")]
/// struct Position(f32);
///
/// #[derive(Component, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
/// #[snapshot(name = "fuel")]
/// struct Fuel(u32);
///
/// /// Version 1.
/// #[derive(Columns)]
/// #[columns(name = "rockets")]
/// struct OldRocket {
///     position: Position,
/// }
///
/// #[derive(Columns)]
/// #[columns(name = "rockets", version = 2, migrate = from_v1)]
/// struct Rocket {
///     position: Position,
///     fuel: Fuel,
/// }
///
/// /// Version 1 is the only older one.
/// fn from_v1(version: u32, from: &mut Decoder<'_>) -> Result<Columns<Rocket>, SnapshotError> {
///     let rockets: Columns<OldRocket> = from.restore(version)?;
///     Ok(rockets.map(|OldRocket { position }| Rocket { position, fuel: Fuel(9) }))
/// }
///
/// let mut rockets = Columns::new();
/// let first = rockets.spawn(OldRocket { position: Position(1.0) });
/// let second = rockets.spawn(OldRocket { position: Position(2.0) });
/// rockets.despawn(first);
/// let mut writer = SnapshotWriter::new();
/// writer.section(&rockets)?;
/// let bytes = writer.finish();
///
/// let mut rockets: Columns<Rocket> = SnapshotReader::new(&bytes)?.restore()?;
/// assert_eq!(rockets.ids()[0].to_bits(), second.to_bits());
/// assert_eq!(rockets.column::<Fuel>()[0], Fuel(9));
/// # Ok::<(), SnapshotError>(())
/// ```
///
/// # Errors
///
/// Saving fails in a system that takes `&Columns`, because other systems may write components at the same time. A system that takes
/// `&mut Columns` can save them.
impl<K: SavedKind<Columns: SavedColumns>> Snapshot for Columns<K> {
    const NAME: &'static str = K::SAVED_NAME;
    const VERSION: u32 = K::SAVED_VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let read = self.read_all().map_err(|error| to.error(error))?;
        to.write(&IdLists::of(self.id_table()))?;
        self.columns().save(read, to)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let ids: IdLists = from.read()?;
        let n_rows = ids.n_rows();
        let ids = ids.restore().map_err(|reason| from.error(reason))?;
        let columns = K::Columns::restore(n_rows, from)?;
        Ok(Self::of(columns, ids))
    }

    fn migrate(version: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        match K::MIGRATE {
            Some(migrate) => migrate(version, from),
            None => Err(from.unsupported::<Self>(version)),
        }
    }

    fn schema() -> Schema {
        let mut parts = vec![("ids", Schema::of::<IdLists>())];
        parts.extend(K::Columns::parts());
        Schema::of_parts("Columns", parts)
    }
}

/// The id of an entity of a kind that is saved, with the name `entity<…>`.
impl<K: SavedKind> Snapshot for EntityId<K> {
    const NAME: &'static str = const { ComposedName::new("entity", K::SAVED_NAME) }.as_str();
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

/// The next values of a component, with the name `buffer<…>` and the version of the component.
impl<C: Snapshot> Snapshot for Buffer<C> {
    const NAME: &'static str = const { ComposedName::new("buffer", C::NAME) }.as_str();
    const VERSION: u32 = C::VERSION;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.save(&self.0)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        C::restore(from).map(Self)
    }

    fn migrate(version: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        C::migrate(version, from).map(Self)
    }

    fn schema() -> Schema {
        Schema::of_saved::<C>()
    }
}

/// Fails to compile unless a component can be saved. For errors at the field.
#[doc(hidden)]
pub const fn saved_component<C: Snapshot>() {}

/// Declares how the columns of a kind are saved. Part of [`column_set`](crate::__column_set).
#[doc(hidden)]
#[macro_export]
macro_rules! __saved_columns {
    ($columns:ident { $($field:ident $name:literal: $component:ty,)* }) => {
        #[automatically_derived]
        impl $crate::__private::SavedColumns for $columns
        where
            $(for<'__any> $component: $crate::__private::Snapshot,)*
        {
            fn save(
                &self,
                read: $crate::__private::ReadComponents<'_>,
                to: &mut $crate::__private::Encoder,
            ) -> $crate::__private::core::result::Result<(), $crate::__private::SnapshotError> {
                $($crate::__private::OwnedColumn::save(&self.$field, read, to)?;)*
                $crate::__private::core::result::Result::Ok(())
            }

            fn restore(
                n_rows: $crate::__private::core::primitive::usize,
                from: &mut $crate::__private::Decoder<'_>,
            ) -> $crate::__private::core::result::Result<Self, $crate::__private::SnapshotError> {
                $crate::__private::core::result::Result::Ok(Self {
                    $($field: $crate::__private::OwnedColumn::restore(n_rows, from)?,)*
                })
            }

            fn parts() -> $crate::__private::Vec<(
                &'static $crate::__private::core::primitive::str,
                $crate::__private::Schema,
            )> {
                $crate::__private::Vec::from([$((
                    $name,
                    <$crate::__private::OwnedColumn<$component>>::schema(),
                ),)*])
            }
        }
    };
}
