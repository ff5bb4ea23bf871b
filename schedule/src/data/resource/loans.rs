//! Loans of a store of entities to systems that get a shared reference to it.
//!
//! Such a system can run at the same time as systems that write components, because the reference gives no access to components. So a
//! store that reads all its components through a shared reference, to be cloned or saved, first checks that it is not on loan.
//!
//! Only the nodes of such systems count loans. A query gets the store as a [`StoreRef`](crate::data::entity::StoreRef), which it does not give to
//! the system.
//!
//! Invariant: a [`LentStore`] has the address of a resource, and the type of this resource.
#![expect(unsafe_code, reason = "turns the address of a store into a reference")]

use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::{Resource, Resources};
use crate::data::access::{AccessKind, AccessSet, ResourceId, ResourceType, ResourceUse};

/// The number of shared references to a store that running systems have: one for each system. The field of a store.
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

/// A type of stores.
pub(crate) struct StoreType {
    resource: ResourceType,
    /// See [`loans_of`].
    loans_of: unsafe fn(NonNull<()>) -> Option<NonNull<Loans>>,
}

impl StoreType {
    /// Returns the type, if it is one of stores.
    pub(super) fn of<T: Resource>() -> Option<&'static Self> {
        let store = const {
            &Self {
                resource: ResourceType::of::<T>(),
                loans_of: loans_of::<T>,
            }
        };
        T::__IS_STORE.then_some(store)
    }

    /// Whether a system with this access gets a shared reference to the store, so that systems that write components can run at the same
    /// time.
    fn is_lent(&self, access: &AccessSet) -> bool {
        let id = ResourceId::of_type(&self.resource);
        // The queries of a dynamic system keep no store to themselves, because it can also get the store.
        let gets = |one: &ResourceUse| one.n > one.n_kept.into();
        let reads = |one: &ResourceUse| one.kind == AccessKind::Read && one.resource == id;
        let mut uses = access.uses.iter();
        let is_read = uses.any(|one| reads(one) && gets(one))
            || access.all.iter().any(|all| !all.except.contains(&id));
        is_read && !access.allows(&id, true)
    }
}

/// Returns the loans of a store of type `T`.
///
/// # Safety
///
/// The address is that of a `T`, and nothing writes it during the call.
unsafe fn loans_of<T: Resource>(address: NonNull<()>) -> Option<NonNull<Loans>> {
    // SAFETY: the caller guarantees that this is the address of a `T`, and that nothing writes it during the call.
    let resource: &T = unsafe { address.cast().as_ref() };
    resource.__loans().map(NonNull::from)
}

/// A store that a node lends to its system in each execution.
#[derive(Clone, Copy)]
pub(crate) struct LentStore {
    address: NonNull<()>,
    store: &'static StoreType,
}

// SAFETY: it is an address, and only a function that is unsafe to call dereferences it. Resources are `Sync`.
unsafe impl Send for LentStore {}

impl LentStore {
    /// Returns the stores that a node with this access lends to its system. O(resources × uses) if it accesses a store or all resources.
    pub(crate) fn all_of(access: &AccessSet, resources: &Resources) -> Vec<Self> {
        let mut uses = access.uses.iter();
        let may_read = !access.all.is_empty() || uses.any(|one| one.resource.is_store());
        // No other system runs with an exclusive one, which may remove the store.
        if access.is_exclusive || !may_read {
            return Vec::new();
        }
        let stores = resources.cells.iter().filter_map(|cell| {
            let (address, store) = (cell.address(), cell.store()?);
            store.is_lent(access).then_some(Self { address, store })
        });
        stores.collect()
    }

    /// Returns the loans.
    ///
    /// # Safety
    ///
    /// The resource exists during `'r`, and nothing writes it.
    unsafe fn loans<'r>(self) -> &'r Loans {
        // SAFETY: by the invariant, the function is that of the type at the address. The caller guarantees the rest.
        let loans = unsafe { (self.store.loans_of)(self.address) };
        let loans = loans.expect("a store has loans");
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
            let before = loans.0.fetch_sub(1, Ordering::Relaxed);
            debug_assert!(before > 0, "a store on loan is neither moved nor replaced");
        }
    }
}
