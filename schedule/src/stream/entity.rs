//! What events name: entities, by their keys.

use super::index::Index;
use super::key::Key;
use crate::identity::Identity;

/// A type of which [`Entities`](super::Entities) holds many values, each under a key, and which handlers take as `&T` or
/// `&mut T`.
///
/// Implement it with `#[derive(Entity)]`:
///
/// ```
/// use schedule::prelude::*;
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
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "add `#[derive(Entity)]` and `#[entity(key = …)]` or `#[entity(id = …)]` to `{Self}`"
)]
pub trait Entity: Identity + Send + Sync + Sized + 'static {
    /// What tells two of them apart.
    type Key: Key;

    /// How they are found: [`Hashed`](super::Hashed) or [`Dense`](super::Dense).
    type Index: Index<Self::Key>;
}
