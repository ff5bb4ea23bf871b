//! What events name: entities, by their keys.

use core::fmt::Debug;
use core::hash::Hash;

use super::index::Index;
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

/// A key of entities. Implemented for all types that can be one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key",
    note = "a key has `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`, and is `Send` and `Sync`"
)]
pub trait Key: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Clone + Eq + Hash + Debug + Send + Sync + 'static> Key for K {}

/// A key, or a reference to one: what `#[key(…)]` may give.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the key of that entity, which is a `{K}`",
    label = "not a `{K}`"
)]
pub trait AsKey<K> {
    /// The key.
    fn as_key(&self) -> &K;
}

impl<K> AsKey<K> for K {
    #[inline]
    fn as_key(&self) -> &K {
        self
    }
}

impl<K> AsKey<K> for &K {
    #[inline]
    fn as_key(&self) -> &K {
        self
    }
}
