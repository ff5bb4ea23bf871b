//! What events name: records, by their keys.

use super::index::Index;
use super::key::Key;
use schedule::Identity;

/// A type of which [`Records`](super::Records) holds many values, each under a key, and which handlers take as `&T` or
/// `&mut T`.
///
/// Implement it with `#[derive(Record)]`:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// /// Under keys that are hashed.
/// #[derive(Record)]
/// #[record(key = String)]
/// struct Customer {
///     orders: u32,
/// }
///
/// /// Under small numbers, each of which is a place in memory.
/// #[derive(Record)]
/// #[record(id = u32)]
/// struct Account {
///     balance: u64,
/// }
///
/// /// The same, with ids up to 999,999.
/// #[derive(Record)]
/// #[record(id = u32, max_id = 999_999)]
/// struct Order {
///     n_items: u32,
/// }
/// assert_eq!(Order::MAX_ID, 999_999);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    label = "not a record",
    note = "add `#[derive(Record)]` and `#[record(key = …)]` or `#[record(id = …)]` to `{Self}`"
)]
pub trait Record: Identity + Send + Sync + Sized + 'static {
    /// What tells two of them apart.
    type Key: Key;

    /// How they are found: [`Hashed`](crate::keys::Hashed) or [`Dense`](crate::keys::Dense).
    type Index: Index<Self::Key>;

    /// The largest id that a record can have, if its index is [`Dense`](crate::keys::Dense): 16,777,215 by default. Set it with
    /// `#[record(id = u32, max_id = …)]`.
    ///
    /// [`Dense`](crate::keys::Dense) states the memory that ids take. Hashed keys have no maximum.
    const MAX_ID: u32 = (1 << 24) - 1;
}
