//! What an argument of a handler finds for an event.
//!
//! Invariant: an address in a [`Found`] is that of a place, of a resource, of a default or of a key, of the type for which its argument
//! looked it up; and its store, if it has one, is that of this type. Of a set, its members are those of this type in the footprint with which it
//! was found, or from which it was read back.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::footprint::{Footprint, Member};
use super::stores::Store;

/// What was asked for is not there, or cannot be.
#[derive(Clone, Copy, Debug)]
pub struct Missing(
    /// The number of an argument of the handler, and a flag: all in one word, see [`reason`](super::reason).
    usize,
);

impl Missing {
    /// Above all numbers of arguments.
    const IS_TOO_LARGE: usize = 1 << 16;

    /// That this argument of the handler asked for.
    #[inline(always)]
    pub(super) fn new(argument: u16) -> Self {
        Self(argument.into())
    }

    /// The same; it cannot be there, since its id is above the maximum.
    #[cold]
    pub(super) fn too_large(argument: u16) -> Self {
        Self(usize::from(argument) | Self::IS_TOO_LARGE)
    }

    /// Which argument of the handler.
    pub(super) fn argument(self) -> usize {
        self.0 & !Self::IS_TOO_LARGE
    }

    /// Whether the id is above the maximum.
    pub(super) fn is_too_large(self) -> bool {
        self.0 & Self::IS_TOO_LARGE != 0
    }
}

/// What an argument has found; nothing, where that is allowed not to be there.
pub struct Found<A> {
    pub(super) address: Option<NonNull<()>>,
    /// What goes with it, and nobody writes: the default that there is if there is nothing, or the key of one of a set; `None`
    /// while the store says where to look.
    pub(super) beside: Option<NonNull<()>>,
    /// The store in which a default that goes with it is to be looked for: only if an argument has found it itself, not if it was read from a footprint.
    pub(super) store: Store,
    /// Which argument of the handler.
    pub(super) argument: u16,
    /// Whether a record may come or go there.
    pub(super) is_doubtful: bool,
    /// Whether all that was named may be there: an address for it was found.
    pub(super) is_whole: bool,
    /// Of an argument that is a set: its first member among those of all sets, and how many they are.
    pub(super) first: u32,
    pub(super) n: u32,
    of: PhantomData<fn() -> A>,
}

impl<A> Clone for Found<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Found<A> {}

impl<A> fmt::Debug for Found<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Found({:?})", self.address)
    }
}

impl<A> Found<A> {
    #[inline(always)]
    pub(super) fn new(address: Option<NonNull<()>>, argument: u16) -> Self {
        Self {
            address,
            beside: None,
            store: None,
            argument,
            is_doubtful: false,
            is_whole: address.is_some(),
            first: 0,
            n: 0,
            of: PhantomData,
        }
    }

    /// The same, with this beside it.
    #[inline(always)]
    pub(super) fn with(self, beside: Option<NonNull<()>>) -> Self {
        Self { beside, ..self }
    }

    /// The same, in this store.
    #[inline(always)]
    pub(super) fn of(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// The same; a record may come or go there.
    #[inline(always)]
    pub(super) fn doubtful(self) -> Self {
        Self {
            is_doubtful: true,
            ..self
        }
    }

    /// The same, whether all that was named may be there.
    #[inline(always)]
    pub(super) fn whole(self, is_whole: bool) -> Self {
        Self { is_whole, ..self }
    }

    /// Of an argument that is a set.
    #[inline(always)]
    pub(super) fn set(argument: u16, first: u32, n: u32) -> Self {
        Self {
            first,
            n,
            ..Self::new(None, argument)
        }
    }

    /// What is in an argument that is a set.
    #[inline(always)]
    pub(super) fn members(self, footprint: &Footprint) -> &[Member] {
        footprint.members(self.first, self.n)
    }

    pub(super) fn missing(&self) -> Missing {
        Missing::new(self.argument)
    }
}
