//! Loans of a store of entities to systems that get a shared reference to it.
//!
//! Such a system can run at the same time as systems that write components, because the reference gives no access to components. So a
//! store that reads all its components through a shared reference, to be cloned or saved, first checks that it is not on loan.
//!
//! Only a node that could do so pays for the count. A query gets a store as well, but keeps it to itself.
//!
//! Invariant: a [`LentStore`] has the address of a resource, and the function of the type of this resource.
#![expect(unsafe_code, reason = "turns the address of a store into a reference")]

use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::cell::ResourceCell;
use super::{Resource, Resources};
use crate::data::access::{AccessKind, AccessSet};

/// The number of running systems that have a shared reference to a store. The field of a store.
#[derive(Debug, Default)]
pub struct Loans(AtomicUsize);

impl Loans {
    /// The loans of a new store.
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Whether a system has a shared reference to the store, so that others may write its components.
    pub fn are_any(&self) -> bool {
        // Relaxed: a system increments the number before it gets the reference. So a thread that has it sees the number.
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// Returns the loans of a resource of a certain type, if it is a store.
///
/// # Safety
///
/// The address is that of a resource of this type, and nothing writes the resource during the call.
pub(super) type LoansOf = unsafe fn(NonNull<()>) -> Option<NonNull<Loans>>;

/// See [`LoansOf`].
///
/// # Safety
///
/// As for `LoansOf`.
pub(super) unsafe fn loans_of<T: Resource>(address: NonNull<()>) -> Option<NonNull<Loans>> {
    // SAFETY: the caller guarantees that this is the address of a `T`, and that nothing writes it during the call.
    let resource: &T = unsafe { address.cast().as_ref() };
    resource.loans().map(NonNull::from)
}

/// A store that a node lends to its system in each execution.
#[derive(Clone, Copy)]
pub(crate) struct LentStore {
    address: NonNull<()>,
    loans_of: LoansOf,
}

// SAFETY: it is an address, and only a function that is unsafe to call dereferences it. Resources are `Sync`.
unsafe impl Send for LentStore {}

impl LentStore {
    /// Returns the store in a cell, if it is a store that counts its loans.
    fn of(cell: &ResourceCell) -> Option<Self> {
        let (address, loans_of) = (cell.address(), cell.loans_of()?);
        // SAFETY: the function is that of the type in the cell, which is borrowed.
        unsafe { loans_of(address) }?;
        Some(Self { address, loans_of })
    }

    /// Returns the stores that a node with this access lends to its system. O(uses), or O(resources) for an access to all of them.
    pub(crate) fn all_of(access: &AccessSet, resources: &Resources) -> Vec<Self> {
        // A node that writes everything runs at no time with one that queries, and may remove the store.
        if access.is_exclusive || access.all.iter().any(|all| all.is_write) {
            return Vec::new();
        }
        if !access.all.is_empty() {
            return resources.cells.iter().filter_map(Self::of).collect();
        }
        let uses = access.uses.iter();
        let reads = uses.filter(|one| one.kind == AccessKind::Read && one.resource.is_store());
        // A dynamic system that declares only a query can also get the store.
        let lent = reads
            .map(|one| &one.resource)
            .filter(|store| access.is_dynamic || access.n_reads(store) > access.n_queries(store));
        lent.filter_map(|store| Self::of(resources.cell(store)?))
            .collect()
    }

    /// Returns the loans.
    ///
    /// # Safety
    ///
    /// The resource exists during `'r`, and nothing writes it.
    unsafe fn loans<'r>(self) -> &'r Loans {
        // SAFETY: by the invariant, the function is that of the type at the address. The caller guarantees the rest.
        let loans = unsafe { (self.loans_of)(self.address) };
        let loans = loans.expect("it was a store when it was looked up");
        // SAFETY: the loans are a field of the resource, which exists during `'r`, and which nothing writes.
        unsafe { loans.as_ref() }
    }
}

impl fmt::Debug for LentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LentStore({:?})", self.address)
    }
}

/// The loans of one execution. They end when it is dropped.
#[derive(Debug)]
pub(crate) struct Lending<'s>(&'s [LentStore]);

impl<'s> Lending<'s> {
    /// Lends stores.
    ///
    /// # Safety
    ///
    /// Until the value is dropped, the stores exist, and nothing writes the resources themselves.
    #[inline]
    pub(crate) unsafe fn begin(stores: &'s [LentStore]) -> Self {
        for store in stores {
            // SAFETY: the caller guarantees the same.
            let loans = unsafe { store.loans() };
            // Relaxed: as in `Loans::are_any`.
            loans.0.fetch_add(1, Ordering::Relaxed);
        }
        Self(stores)
    }
}

impl Drop for Lending<'_> {
    #[inline]
    fn drop(&mut self) {
        for store in self.0 {
            // SAFETY: the caller of `begin` guarantees the same.
            let loans = unsafe { store.loans() };
            // Relaxed: the executor orders the end of the system before later writers of the resource.
            loans.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
