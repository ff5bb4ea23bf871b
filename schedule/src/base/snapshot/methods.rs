//! The methods of a type that is saved by its `serde` implementations, for generated code.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Decoder, Encoder, Schema, SnapshotError};

/// A type that `serde` can write and read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` must implement `Serialize` and `Deserialize` to derive `Snapshot`",
    label = "`Serialize` or `Deserialize` is missing",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]` to `{Self}`"
)]
pub trait SerdeValue: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> SerdeValue for T {}

/// Saves and restores values by their `serde` implementations.
#[derive(Debug)]
pub struct SerdeMethods<T> {
    /// See [`Snapshot::save`](super::Snapshot::save).
    pub save: fn(&T, &mut Encoder) -> Result<(), SnapshotError>,
    /// See [`Snapshot::restore`](super::Snapshot::restore).
    pub restore: Restore<T>,
    /// See [`Snapshot::schema`](super::Snapshot::schema).
    pub schema: fn() -> Schema,
}

/// See [`Snapshot::restore`](super::Snapshot::restore).
type Restore<T> = fn(&mut Decoder<'_>) -> Result<T, SnapshotError>;

/// See [`Snapshot::migrate`](super::Snapshot::migrate).
pub type Migration<T> = fn(u32, &mut Decoder<'_>) -> Result<T, SnapshotError>;

/// Returns the methods of a type. A type without the traits of `serde` causes one error, about [`SerdeValue`].
pub const fn serde_methods<T: SerdeValue>() -> SerdeMethods<T> {
    SerdeMethods {
        save: |value, to| to.write(value),
        restore: |from| from.read(),
        schema: || Schema::of::<T>(),
    }
}
