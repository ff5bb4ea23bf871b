//! Snapshots: state that is saved as bytes and restored, with stable names and versions of its types.
//!
//! A [`SnapshotWriter`] saves values, each as a section with the name, the version and the schema of its type. A [`SnapshotReader`] checks
//! the bytes and restores the values. `docs/snapshot-format.md` describes the bytes.
//!
//! Values are saved with `postcard`, which is compact but does not describe itself: fields have no names, and enum variants
//! are numbers. So a type needs a new [`Snapshot::VERSION`] if its fields or the order of its variants change. The [`Schema`] of each
//! type is saved, too. If it has changed and the version has not, restoring is an error that names the part. The attributes `flatten`,
//! `untagged` and `skip_serializing_if` of `serde` do not work.
//!
//! The checksum detects damage by accident. It does not protect against bytes that were made on purpose, so restore only
//! snapshots from a source that you trust.

mod composed_name;
mod decoder;
mod encoder;
mod error;
mod layout;
mod methods;
mod name_changes;
pub(crate) mod notice;
mod reader;
mod schema;
mod value_serializer;
mod writer;

pub use self::composed_name::ComposedName;
pub use self::decoder::Decoder;
pub use self::encoder::Encoder;
pub use self::error::SnapshotError;
#[doc(hidden)]
pub use self::methods::{Migration, SerdeMethods, SerdeValue, serde_methods};
#[doc(hidden)]
pub use self::name_changes::{NameChanges, unclaimed};
pub use self::reader::{Section, SnapshotReader};
pub use self::schema::{Schema, SchemaDifference};
pub use self::writer::SnapshotWriter;
pub use schedule_macros::Snapshot;

/// A type whose values are saved and restored: a resource, a record, an event or a part of one.
///
/// Derive it, together with the traits of `serde`:
///
/// ```
/// use schedule::snapshot::{Snapshot, SnapshotReader, SnapshotWriter};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Snapshot, Serialize, Deserialize, Debug, PartialEq)]
/// #[snapshot(name = "score")]
/// struct Score(u32);
///
/// let mut writer = SnapshotWriter::new();
/// writer.section(&Score(7))?;
/// let bytes = writer.finish();
///
/// let reader = SnapshotReader::new(&bytes)?;
/// assert_eq!(reader.restore::<Score>()?, Score(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Names
///
/// The name identifies the type in snapshots and journals. It stays the same if the type is renamed or moved to another
/// module. A snapshot contains each name once.
///
/// # Versions
///
/// The version identifies the form in which values are saved. Raise it whenever the fields change. A migration then reads
/// the older versions. Without one, restoring an older version is an error. A version that is newer than that of the
/// program is always an error.
///
/// ```
/// use schedule::snapshot::{Decoder, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
/// use serde::{Deserialize, Serialize};
///
/// # mod old {
/// #     use schedule::snapshot::Snapshot;
/// #     use serde::{Deserialize, Serialize};
/// #
/// #     #[derive(Snapshot, Serialize, Deserialize)]
/// #     #[snapshot(name = "account")]
/// #     pub(super) struct Account {
/// #         pub(super) balance: u32,
/// #     }
/// # }
/// #
/// /// Version 1 had no owner, and a smaller balance.
/// #[derive(Deserialize)]
/// struct AccountV1 {
///     balance: u32,
/// }
///
/// #[derive(Snapshot, Serialize, Deserialize, Debug, PartialEq)]
/// #[snapshot(name = "account", version = 2, migrate = from_v1)]
/// struct Account {
///     balance: u64,
///     owner: Option<String>,
/// }
///
/// /// Version 1 is the only older one.
/// fn from_v1(_: u32, from: &mut Decoder<'_>) -> Result<Account, SnapshotError> {
///     let AccountV1 { balance } = from.read()?;
///     Ok(Account { balance: balance.into(), owner: None })
/// }
/// #
/// # let mut writer = SnapshotWriter::new();
/// # writer.section(&old::Account { balance: 5 })?;
/// # let bytes_of_version_1 = writer.finish();
///
/// let reader = SnapshotReader::new(&bytes_of_version_1)?;
/// assert_eq!(reader.restore::<Account>()?, Account { balance: 5, owner: None });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If there are several older versions, the function matches its first parameter. For a version that it does not know, it
/// returns [`SnapshotError::Version`], as [`Decoder::unsupported`] creates it.
///
/// # Implementation by hand
///
/// A container, or a generic type, implements the trait itself. It writes its parts one after the other, and reads them in
/// the same order. If a part has its own version, as a record in a store, write that version once.
///
/// ```
/// use schedule::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};
///
/// struct Pool<T> {
///     free: Vec<T>,
/// }
///
/// impl<T: Snapshot> Snapshot for Pool<T> {
///     const NAME: &'static str = const { ComposedName::new("pool", T::NAME) }.as_str();
///     const VERSION: u32 = 1;
///
///     fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
///         to.write(&T::VERSION)?;
///         to.write(&self.free.len())?;
///         self.free.iter().try_for_each(|value| to.save(value))
///     }
///
///     fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
///         let version = from.read()?;
///         let n: usize = from.read()?;
///         let free = (0..n).map(|_| from.restore(version));
///         Ok(Self { free: free.collect::<Result<_, _>>()? })
///     }
///
///     fn schema() -> Schema {
///         Schema::of_parts("Pool", [("free", Schema::of_saved::<T>().repeated())])
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved in a snapshot",
    label = "not a type of snapshots",
    note = "if `{Self}` is a type of this program, add `#[derive(Snapshot, serde::Serialize, serde::Deserialize)]` and `#[snapshot(name = \"…\")]` to it",
    note = "otherwise save a type of this program that contains its values, for example a list of entities with their components"
)]
pub trait Snapshot: Sized {
    /// The name of the type in snapshots and journals, of 1 to 255 bytes. It does not depend on the Rust name.
    const NAME: &'static str;

    /// The version of the form in which values are saved, at least 1.
    const VERSION: u32;

    /// Writes the value, in the form of [`VERSION`](Self::VERSION).
    ///
    /// # Errors
    ///
    /// Fails if a part of the value cannot be saved.
    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError>;

    /// Reads a value that was written in the form of [`VERSION`](Self::VERSION).
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of a value.
    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError>;

    /// Reads a value of an older version, which is never 0.
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::Version`] by default.
    fn migrate(version: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Err(from.unsupported::<Self>(version))
    }

    /// Returns the names and types of the parts of a value, without the name and the version of the type itself.
    ///
    /// Restoring a value fails if its schema was another one when it was saved in the same version. A container composes its schema
    /// from those of its parts, in the order in which it writes them.
    fn schema() -> Schema;

    /// Replaces the value by one that was written in the form of [`VERSION`](Self::VERSION). A type with parts that are not
    /// saved, such as functions, keeps those of `self`.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not those of a value that can replace this one. Then `self` is unchanged.
    fn restore_into(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        *self = Self::restore(from)?;
        Ok(())
    }

    /// Replaces the value by one of an older version, as [`restore_into`](Self::restore_into).
    ///
    /// # Errors
    ///
    /// Fails as [`migrate`](Self::migrate). Then `self` is unchanged.
    fn migrate_into(&mut self, version: u32, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        *self = Self::migrate(version, from)?;
        Ok(())
    }
}
