//! The result of a lookup: the address of the record or resource that an argument of a handler refers to.
//!
//! Invariant: an address in a [`Found`] is that of a place, resource, default or key of the type for which its argument
//! looked it up. Its store, if present, is the store of this type. The members of a set are members of this type in the
//! footprint in which they were found, or from which they were read back.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::base::footprint::{Footprint, Member};
use crate::store::stores::Store;

/// The error if a required record or resource is missing or cannot exist.
#[derive(Clone, Copy, Debug)]
pub struct Missing(
    /// The index of an argument of the handler, and flags. One word: see [`reason`](super::reason).
    usize,
);

/// The kind of a [`Missing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingKind {
    /// The record or resource is missing.
    Absent,
    /// The record cannot exist: its id is above the maximum.
    IdTooLarge,
    /// The event names more keys than a set may have.
    SetTooLarge,
}

impl Missing {
    /// Flags above all argument indices.
    const IS_TOO_LARGE: usize = 1 << 16;
    const IS_LARGE_SET: usize = 1 << 17;

    /// The record or resource of this argument is missing.
    #[inline(always)]
    pub(crate) fn new(argument: u16) -> Self {
        Self(argument.into())
    }

    /// The record of this argument cannot exist: its id is above the maximum.
    #[cold]
    pub(crate) fn too_large(argument: u16) -> Self {
        Self(usize::from(argument) | Self::IS_TOO_LARGE)
    }

    /// The set of this argument has too many keys.
    #[cold]
    pub(crate) fn large_set(argument: u16) -> Self {
        Self(usize::from(argument) | Self::IS_LARGE_SET)
    }

    /// Returns the index of the argument of the handler.
    pub(crate) fn argument(self) -> usize {
        self.0 & (Self::IS_TOO_LARGE - 1)
    }

    /// Returns the kind of the error.
    pub(crate) fn kind(self) -> MissingKind {
        match self.0 & !(Self::IS_TOO_LARGE - 1) {
            Self::IS_TOO_LARGE => MissingKind::IdTooLarge,
            Self::IS_LARGE_SET => MissingKind::SetTooLarge,
            _ => MissingKind::Absent,
        }
    }
}

/// The address that an argument has found. `None` if an optional record or resource is missing.
pub struct Found<A> {
    pub(crate) address: Option<NonNull<()>>,
    /// An address that belongs to it and is never written while events run: the default of a missing record, or the key
    /// of a set member. `None` if `store` is set and must be asked.
    pub(crate) companion: Option<NonNull<()>>,
    /// The store that has the default of the record. Set only if an argument found the record itself, not if it was
    /// read back from a footprint.
    pub(crate) store: Store,
    /// The index of the argument of the handler.
    pub(crate) argument: u16,
    /// Whether the record is tentative: the event may insert or remove it.
    pub(crate) is_tentative: bool,
    /// Whether each named key has an address, so that its record may exist.
    pub(crate) is_complete: bool,
    /// For a set: the index of its first member among the members of all sets, and the number of its members.
    pub(crate) first: u32,
    pub(crate) n: u32,
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
    pub(crate) fn new(address: Option<NonNull<()>>, argument: u16) -> Self {
        Self {
            address,
            companion: None,
            store: None,
            argument,
            is_tentative: false,
            is_complete: address.is_some(),
            first: 0,
            n: 0,
            of: PhantomData,
        }
    }

    /// Sets `companion`.
    #[inline(always)]
    pub(crate) fn with(self, companion: Option<NonNull<()>>) -> Self {
        Self { companion, ..self }
    }

    /// Sets `store`.
    #[inline(always)]
    pub(crate) fn of(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// Sets `is_tentative`.
    #[inline(always)]
    pub(crate) fn tentative(self) -> Self {
        Self {
            is_tentative: true,
            ..self
        }
    }

    /// Sets `is_complete`.
    #[inline(always)]
    pub(crate) fn complete(self, is_complete: bool) -> Self {
        Self {
            is_complete,
            ..self
        }
    }

    /// Creates the result of an argument that is a set.
    #[inline(always)]
    pub(crate) fn set(argument: u16, first: u32, n: u32) -> Self {
        Self {
            first,
            n,
            ..Self::new(None, argument)
        }
    }

    /// Returns the members of an argument that is a set.
    #[inline(always)]
    pub(crate) fn members(self, footprint: &Footprint) -> &[Member] {
        footprint.members(self.first, self.n)
    }

    pub(crate) fn missing(&self) -> Missing {
        Missing::new(self.argument)
    }
}
