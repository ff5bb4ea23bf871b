//! Keys of records.

use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;

/// A key of records. Implemented for all types with the required traits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key",
    note = "a key needs `#[derive(Clone, PartialEq, Eq, Hash, Debug)]`, and must be `Send` and `Sync`"
)]
pub trait Key: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Clone + Eq + Hash + Debug + Send + Sync + 'static> Key for K {}

/// A key or a reference to a key: the type of the expression in `#[key(…)]`.
#[diagnostic::on_unimplemented(
    message = "the key of this record is `{K}`, not `{Self}`",
    label = "expected `{K}`, found `{Self}`"
)]
pub trait AsKey<K> {
    /// Returns the key.
    fn as_key(&self) -> &K;

    /// Returns the key. The type parameter comes first, so that the compiler checks `key` against it in place of
    /// inferring it.
    #[doc(hidden)]
    #[inline(always)]
    fn key_of(of: PhantomData<K>, key: &Self) -> &K {
        let _ = of;
        key.as_key()
    }
}

#[diagnostic::do_not_recommend]
impl<K> AsKey<K> for K {
    #[inline]
    fn as_key(&self) -> &K {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<K> AsKey<K> for &K {
    #[inline]
    fn as_key(&self) -> &K {
        self
    }
}
