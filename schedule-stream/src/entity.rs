//! What events name: entities, by their keys.

use super::index::Index;
use super::key::Key;
use schedule::Identity;

/// A type of which [`Entities`](super::Entities) holds many values, each under a key, and which handlers take as `&T` or
/// `&mut T`.
///
/// Implement it with `#[derive(Entity)]`:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// /// Under keys that are hashed.
/// #[derive(Entity)]
/// #[entity(key = String)]
/// struct Customer {
///     orders: u32,
/// }
///
/// /// Under small numbers, each of which is a place in memory.
/// #[derive(Entity)]
/// #[entity(id = u32)]
/// struct Account {
///     balance: u64,
/// }
///
/// /// The same, with ids up to 999,999.
/// #[derive(Entity)]
/// #[entity(id = u32, max_id = 999_999)]
/// struct Order {
///     n_items: u32,
/// }
/// assert_eq!(Order::MAX_ID, 999_999);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "add `#[derive(Entity)]` and `#[entity(key = …)]` or `#[entity(id = …)]` to `{Self}`"
)]
pub trait Entity: Identity + Send + Sync + Sized + 'static {
    /// What tells two of them apart.
    type Key: Key;

    /// How they are found: [`Hashed`](crate::keys::Hashed) or [`Dense`](crate::keys::Dense).
    type Index: Index<Self::Key>;

    /// The largest id that an entity can have, if its index is [`Dense`](crate::keys::Dense): 16,777,215 by default. Set it with
    /// `#[entity(id = u32, max_id = …)]`.
    ///
    /// [`Dense`](crate::keys::Dense) states the memory that ids take. Hashed keys have no maximum.
    const MAX_ID: u32 = (1 << 24) - 1;
}
