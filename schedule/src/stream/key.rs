//! What tells entities of one type apart.

use core::fmt::Debug;
use core::hash::Hash;

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
