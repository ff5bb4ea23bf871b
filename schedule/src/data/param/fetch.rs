//! Access of parameters to resources.
//!
//! Invariant that executors guarantee and that this module relies on. When [`Fetch::fetch`] is called:
//!
//! 1. [`Fetch::prepare`] has found everything that it needs in the same `Resources`, and no resource was inserted or
//!    removed since.
//! 2. No system that conflicts with [`Fetch::access`] runs.
//! 3. The value of the previous call is not in use any more.
//! 4. If the parameter is a main-thread value, this is the thread that called `run`, and `prepare` ran on it.
#![expect(
    unsafe_code,
    reason = "turns pointers into the references that a signature asks for"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;
use std::sync::Arc;

use rayon::ThreadPool;

use super::Settle;
use crate::data::access::{AccessSet, ResourceId, ResourceType};
use crate::data::resource::watched::Watched;
use crate::data::resource::{Resources, Status};

/// The state of a parameter in a node, from which each run gets the value of the parameter.
///
/// # Safety
///
/// `fetch` accesses only what `access` declares.
pub unsafe trait Fetch: Send + Sized + 'static {
    /// The parameter, for one run of the system.
    type Item<'r>;

    /// Adds everything that `fetch` accesses.
    fn access(&self, access: &mut AccessSet);

    /// Looks up every address that `fetch` needs, through `lookup`. That keeps addresses that are still valid.
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// Returns the value of the parameter for one run of the system.
    ///
    /// # Safety
    ///
    /// - `prepare` missed nothing in these resources, and none was inserted or removed since.
    /// - Nothing that conflicts with `access` is in use during `'r`.
    /// - If the state holds the address of a main-thread value, this is the thread that called `prepare`.
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r>;

    /// Moves, joins or drops what the state has recorded.
    fn settle(&mut self, settle: &mut Settle<'_>) {
        let _ = settle;
    }
}

/// The resources in which states look up addresses, the pool of the schedule, and the first resource that is missing.
#[derive(Debug)]
pub struct Lookup<'r> {
    resources: &'r Resources,
    pool: Option<&'r Arc<ThreadPool>>,
    scope: Scope,
    missing: Option<ResourceId>,
}

/// The addresses that a lookup renews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// Only those of main-thread values. The others are still valid: they are from the same resources, and none was
    /// inserted or removed since.
    MainThread,
}

impl<'r> Lookup<'r> {
    pub(crate) fn new(
        resources: &'r Resources,
        pool: Option<&'r Arc<ThreadPool>>,
        scope: Scope,
    ) -> Self {
        Self {
            resources,
            pool,
            scope,
            missing: None,
        }
    }

    /// The pool of the schedule, if it was given one.
    pub(crate) fn pool(&self) -> Option<&'r Arc<ThreadPool>> {
        self.pool
    }

    pub(crate) fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns the first required resource that is missing.
    pub(crate) fn into_missing(self) -> Option<ResourceId> {
        self.missing
    }

    /// Requires a resource, and records it if it is missing.
    pub(crate) fn require(&mut self, resource: &ResourceId) {
        if self.scope == Scope::MainThread && !resource.is_main_thread() {
            return;
        }
        if self.missing.is_none() && self.resources.status(resource) != Status::Present {
            self.missing = Some(resource.clone());
        }
    }

    /// Stores the current address of an optional resource, or `None` if the resource is missing. An address that is
    /// still valid stays. Not generic and never inlined, since it is called once for each parameter of every system.
    #[inline(never)]
    pub(crate) fn find(&self, resource: &ResourceType, address: &mut Option<NonNull<()>>) {
        if self.is_looked_up(resource) {
            *address = self.resources.address(resource);
        }
    }

    /// Stores the current address of a required resource, and records the resource if it is missing.
    #[inline(never)]
    pub(crate) fn need(&mut self, resource: &ResourceType, address: &mut Option<NonNull<()>>) {
        self.find(resource, address);
        if address.is_none() && self.missing.is_none() {
            self.missing = Some(ResourceId::of_type(resource));
        }
    }

    /// Returns the versions of a resource, which is watched from now on.
    pub(crate) fn watch(&self, resource: &ResourceType) -> Arc<Watched> {
        self.resources.watch(resource.type_id)
    }

    fn is_looked_up(&self, resource: &ResourceType) -> bool {
        self.scope == Scope::Everything || resource.is_main_thread()
    }
}

/// The address of the resources of a run. All states of the run fetch through copies of it.
#[derive(Clone, Copy, Debug)]
pub struct FetchFrom<'r> {
    resources: NonNull<Resources>,
    run: PhantomData<&'r mut Resources>,
}

// SAFETY: it is an address, and only functions that are unsafe to call dereference it. `Resources` is `Send`.
unsafe impl Send for FetchFrom<'_> {}

// SAFETY: it is an address, and only functions that are unsafe to call dereference it. `Resources` is `Sync`.
unsafe impl Sync for FetchFrom<'_> {}

impl<'r> FetchFrom<'r> {
    pub(crate) fn new(resources: &'r mut Resources) -> Self {
        Self {
            resources: NonNull::from(resources),
            run: PhantomData,
        }
    }

    /// Returns the same address without its lifetime. The executor guarantees that it is not dereferenced after the run.
    pub(crate) fn for_the_run(self) -> FetchFrom<'static> {
        FetchFrom {
            resources: self.resources,
            run: PhantomData,
        }
    }

    /// Returns the resources.
    ///
    /// # Safety
    ///
    /// The run has not ended, and no system that holds `&mut Resources` runs.
    pub(crate) unsafe fn get(&self) -> &'r Resources {
        // SAFETY: `new` borrowed the resources exclusively until the end of the run, which has not come. The caller
        // guarantees that no `&mut Resources` is in use. Systems that write single resources do so by address.
        unsafe { self.resources.as_ref() }
    }

    /// Returns the resources, so that resources can be inserted and removed.
    ///
    /// # Safety
    ///
    /// The run has not ended, and no other system runs.
    pub(crate) unsafe fn get_mut(mut self) -> &'r mut Resources {
        // SAFETY: `new` borrowed the resources exclusively until the end of the run, which has not come. The caller
        // guarantees that no other system runs, so no other reference to them or into them is in use.
        unsafe { self.resources.as_mut() }
    }
}

/// The address of a value that a state has looked up. `None` if the value is missing.
#[derive(Debug)]
pub(super) struct Address<T>(pub(super) Option<NonNull<()>>, PhantomData<*mut T>);

// SAFETY: it is an address, and only `get` and `get_mut`, which are unsafe to call, dereference it. Each `Fetch` keeps
// the references that they return on a thread that may have them.
unsafe impl<T> Send for Address<T> {}

impl<T> Address<T> {
    pub(super) const NONE: Self = Self::new(None);

    pub(super) const fn new(address: Option<NonNull<()>>) -> Self {
        Self(address, PhantomData)
    }

    /// Returns the value, to read.
    ///
    /// # Safety
    ///
    /// The address is that of a `T` that lives for `'r`, and nothing writes it during `'r`.
    pub(super) unsafe fn get<'r>(&self) -> Option<&'r T> {
        // SAFETY: the caller guarantees that the address is that of a `T` that lives and is not written for `'r`.
        self.0.map(|pointer| unsafe { pointer.cast().as_ref() })
    }

    /// Returns the value, to write.
    ///
    /// # Safety
    ///
    /// The address is that of a `T` that lives for `'r`, and nothing else accesses it during `'r`.
    pub(super) unsafe fn get_mut<'r>(&mut self) -> Option<&'r mut T> {
        // SAFETY: the caller guarantees that the address is that of a `T` that lives for `'r`, and that nothing else
        // accesses it during `'r`.
        self.0.map(|pointer| unsafe { pointer.cast().as_mut() })
    }
}
