//! Stores in formats of `serde`: a struct with the ids and a struct with a list for each component.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use super::clone::ReadComponents;
use super::column::{AnyColumn, OwnedColumn};
use super::id::IdLists;
use super::kind::{ColumnSet, EntityKind};
use super::store::Columns;

/// The columns of a kind whose components implement the traits of `serde`.
#[doc(hidden)]
pub trait SerdeColumns: ColumnSet {
    /// The names of the fields.
    const FIELDS: &'static [&'static str];

    /// Adds a field for each column.
    fn serialize<S: SerializeStruct>(
        &self,
        read: ReadComponents<'_>,
        to: &mut S,
    ) -> Result<(), S::Error>;

    /// Replaces the column of a field.
    fn deserialize<'de, D: Deserializer<'de>>(
        &mut self,
        field: usize,
        from: D,
    ) -> Result<(), D::Error>;
}

impl<C: Serialize> OwnedColumn<C> {
    /// Adds the values as a field.
    pub fn serialize<S: SerializeStruct>(
        &self,
        field: &'static str,
        read: ReadComponents<'_>,
        to: &mut S,
    ) -> Result<(), S::Error> {
        to.serialize_field(field, self.values(read))
    }
}

impl<'de, C: Deserialize<'de>> OwnedColumn<C> {
    /// Replaces the values.
    pub fn deserialize<D: Deserializer<'de>>(&mut self, from: D) -> Result<(), D::Error> {
        let values: Vec<C> = Deserialize::deserialize(from)?;
        self.set_values(values.into_iter());
        Ok(())
    }
}

/// Serializes all entities, if all components of the kind implement `Serialize` and `DeserializeOwned`. The ids and free ids are included, see
/// [`Columns::clone`].
///
/// Formats without names get the columns in the order of the fields. Snapshots do not use this: they have names and versions.
///
/// # Errors
///
/// Fails in a system that takes `&Columns`, because other systems may write components at the same time. A system that takes
/// `&mut Columns` can serialize them.
impl<K: EntityKind<Columns: SerdeColumns>> Serialize for Columns<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let read = self.read_all().map_err(ser::Error::custom)?;
        let mut to = serializer.serialize_struct("Columns", 2)?;
        to.serialize_field("ids", &IdLists::of(self.id_table()))?;
        to.serialize_field("columns", &SerializedColumns(self.columns(), read))?;
        to.end()
    }
}

struct SerializedColumns<'s, S>(&'s S, ReadComponents<'s>);

impl<S: SerdeColumns> Serialize for SerializedColumns<'_, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut to = serializer.serialize_struct("Components", S::FIELDS.len())?;
        self.0.serialize(self.1, &mut to)?;
        to.end()
    }
}

/// As [`Serialize`]. Unknown fields are ignored.
impl<'de, K: EntityKind<Columns: SerdeColumns>> Deserialize<'de> for Columns<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Columns", bound = "S: SerdeColumns")]
        struct Parts<S> {
            ids: IdLists,
            columns: DeserializedColumns<S>,
        }

        let Parts::<K::Columns> { ids, columns } = Deserialize::deserialize(deserializer)?;
        let n_rows = ids.n_rows();
        let ids = ids.restore().map_err(de::Error::custom)?;
        let DeserializedColumns(columns) = columns;
        let mut wrong = None;
        let mut fields = K::Columns::FIELDS.iter();
        columns.for_each(|column: &dyn AnyColumn| {
            let field = fields.next();
            if column.n_rows() != n_rows {
                wrong = wrong.or(field);
            }
        });
        match wrong {
            None => Ok(Self::of(columns, ids)),
            Some(field) => Err(de::Error::custom(format_args!(
                "the column `{field}` does not have {n_rows} rows, as there are ids"
            ))),
        }
    }
}

struct DeserializedColumns<S>(S);

impl<'de, S: SerdeColumns> Deserialize<'de> for DeserializedColumns<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Components", S::FIELDS, ColumnsVisitor(PhantomData))
    }
}

struct ColumnsVisitor<S>(PhantomData<S>);

impl<'de, S: SerdeColumns> Visitor<'de> for ColumnsVisitor<S> {
    type Value = DeserializedColumns<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list for each component")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut columns = S::default();
        for field in 0..S::FIELDS.len() {
            let column = from.next_element_seed(ColumnSeed(&mut columns, field))?;
            column.ok_or_else(|| de::Error::invalid_length(field, &self))?;
        }
        Ok(DeserializedColumns(columns))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut columns = S::default();
        let mut are_found = vec![false; S::FIELDS.len()];
        while let Some(FieldIndex(field, _)) = from.next_key::<FieldIndex<S>>()? {
            let Some(field) = field else {
                from.next_value::<IgnoredAny>()?;
                continue;
            };
            if core::mem::replace(&mut are_found[field], true) {
                return Err(de::Error::duplicate_field(S::FIELDS[field]));
            }
            from.next_value_seed(ColumnSeed(&mut columns, field))?;
        }
        match are_found.iter().position(|is_found| !is_found) {
            None => Ok(DeserializedColumns(columns)),
            Some(missing) => Err(de::Error::missing_field(S::FIELDS[missing])),
        }
    }
}

/// The index of a field, found by its name. `None` for a name that no field has.
struct FieldIndex<S>(Option<usize>, PhantomData<S>);

impl<'de, S: SerdeColumns> Deserialize<'de> for FieldIndex<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(FieldVisitor(PhantomData))
    }
}

struct FieldVisitor<S>(PhantomData<S>);

impl<S: SerdeColumns> Visitor<'_> for FieldVisitor<S> {
    type Value = FieldIndex<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a component")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        let field = S::FIELDS.iter().position(|field| *field == name);
        Ok(FieldIndex(field, PhantomData))
    }

    fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<Self::Value, E> {
        let mut fields = S::FIELDS.iter();
        let field = fields.position(|field| field.as_bytes() == name);
        Ok(FieldIndex(field, PhantomData))
    }

    fn visit_u64<E: de::Error>(self, field: u64) -> Result<Self::Value, E> {
        let field = usize::try_from(field).ok();
        let field = field.filter(|field| *field < S::FIELDS.len());
        Ok(FieldIndex(field, PhantomData))
    }
}

/// Replaces the column of a field.
struct ColumnSeed<'c, S>(&'c mut S, usize);

impl<'de, S: SerdeColumns> DeserializeSeed<'de> for ColumnSeed<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.deserialize(self.1, deserializer)
    }
}

/// Declares how the columns of a kind are serialized. Part of [`column_set`](crate::__column_set).
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_columns {
    ($columns:ident { $($field:ident $name:literal: $component:ty,)* }) => {
        #[automatically_derived]
        impl $crate::__private::SerdeColumns for $columns
        where
            $(for<'__any> $component:
                $crate::__private::serde::Serialize + $crate::__private::serde::de::DeserializeOwned,)*
        {
            const FIELDS: &'static [&'static $crate::__private::core::primitive::str] =
                &[$($name),*];

            fn serialize<S: $crate::__private::serde::ser::SerializeStruct>(
                &self,
                read: $crate::__private::ReadComponents<'_>,
                to: &mut S,
            ) -> $crate::__private::core::result::Result<(), S::Error> {
                $($crate::__private::OwnedColumn::serialize(
                    &self.$field,
                    $name,
                    read,
                    to,
                )?;)*
                $crate::__private::core::result::Result::Ok(())
            }

            fn deserialize<'de, D: $crate::__private::serde::Deserializer<'de>>(
                &mut self,
                field: $crate::__private::core::primitive::usize,
                from: D,
            ) -> $crate::__private::core::result::Result<(), D::Error> {
                let mut fields = 0..;
                $(if $crate::__private::core::iter::Iterator::next(&mut fields)
                    == $crate::__private::core::option::Option::Some(field)
                {
                    return $crate::__private::OwnedColumn::deserialize(&mut self.$field, from);
                })*
                $crate::__private::core::unreachable!("there is a column for each field")
            }
        }
    };
}
