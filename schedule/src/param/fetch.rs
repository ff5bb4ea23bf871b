//! How parameters get at their values.
//!
//! Invariant: [`Fetch::fetch`] is called only after [`Fetch::prepare`] found all it needs in the same `Resources`, in
//! which no resource was inserted or removed since; only while nothing that conflicts with [`Fetch::access`] runs; and what
//! it returned ends before the next call. Whoever runs systems keeps that; here it is relied upon. Pointers of
//! main-thread values are looked up and used on the thread that calls `run`.
#![expect(
    unsafe_code,
    reason = "turns pointers into the references that a signature asks for"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;
use std::sync::Arc;

use rayon::ThreadPool;

use super::CommandQueue;
use crate::access::{AccessSet, ResourceId, ResourceType};
use crate::resource::{Resources, Status};

/// What a node keeps for a parameter, and how it gets the value for a run.
///
/// # Safety
///
/// `fetch` touches nothing that `access` does not tell.
pub unsafe trait Fetch: Send + Sized + 'static {
    /// The parameter, for one run of the system.
    type Item<'r>;

    /// Adds everything that `fetch` touches.
    fn access(&self, access: &mut AccessSet);

    /// Looks up every address that `fetch` needs, through `lookup`, which keeps those that are still valid.
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// The value.
    ///
    /// # Safety
    ///
    /// `prepare` missed nothing in these resources and none was inserted or removed since; nothing that conflicts
    /// with `access` is in use; this is the thread that called `prepare` if that holds a main-thread value.
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r>;

    /// Appends what was recorded for after the system, and forgets it.
    fn take_commands(&mut self, to: &mut CommandQueue) {
        let _ = to;
    }
}

/// Resources in which states look up what they need, and what else there is for them in the schedule.
#[derive(Debug)]
pub struct Lookup<'r> {
    resources: &'r Resources,
    pool: Option<&'r Arc<ThreadPool>>,
    scope: Scope,
    missing: Option<ResourceId>,
}

/// Which addresses are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// Only those of main-thread values: the others were looked up in the same resources before, and none was inserted
    /// or removed since.
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

    /// The first resource that was needed and is missing.
    pub(crate) fn into_missing(self) -> Option<ResourceId> {
        self.missing
    }

    /// Notes it as missing if it is.
    pub(crate) fn require(&mut self, resource: &ResourceId) {
        if self.scope == Scope::MainThread && !resource.is_main_thread() {
            return;
        }
        if self.missing.is_none() && self.resources.status(resource) != Status::Present {
            self.missing = Some(resource.clone());
        }
    }

    /// Writes the address of a value, if there is one, in place of the address that was found before; an address that is
    /// still valid is kept. Not generic and never inlined, because it is called once for each parameter of every system.
    #[inline(never)]
    pub(crate) fn find(&self, resource: &ResourceType, address: &mut Option<NonNull<()>>) {
        if self.is_looked_up(resource) {
            *address = self.resources.address(resource);
        }
    }

    /// As `find`, and notes a value that is not there as missing.
    #[inline(never)]
    pub(crate) fn need(&mut self, resource: &ResourceType, address: &mut Option<NonNull<()>>) {
        self.find(resource, address);
        if address.is_none() && self.missing.is_none() {
            self.missing = Some(ResourceId::of_type(resource));
        }
    }

    fn is_looked_up(&self, resource: &ResourceType) -> bool {
        self.scope == Scope::Everything || resource.is_main_thread
    }
}

/// The resources of a run, shared by all who fetch from them.
#[derive(Clone, Copy, Debug)]
pub struct FetchFrom<'r> {
    resources: NonNull<Resources>,
    run: PhantomData<&'r mut Resources>,
}

// SAFETY: it is an address; only `fetch`, which is unsafe to call, follows it, and `Resources` is `Send`.
unsafe impl Send for FetchFrom<'_> {}

// SAFETY: as above; `Resources` is `Sync`.
unsafe impl Sync for FetchFrom<'_> {}

impl<'r> FetchFrom<'r> {
    pub(crate) fn new(resources: &'r mut Resources) -> Self {
        Self {
            resources: NonNull::from(resources),
            run: PhantomData,
        }
    }

    /// The same without its lifetime, for an executor that knows when its run ends: whoever follows it says that it may.
    pub(crate) fn for_the_run(self) -> FetchFrom<'static> {
        FetchFrom {
            resources: self.resources,
            run: PhantomData,
        }
    }

    /// The resources, as they lie between two systems.
    ///
    /// # Safety
    ///
    /// The run has not ended, and no system that holds `&mut Resources` runs.
    pub(crate) unsafe fn get(&self) -> &'r Resources {
        // SAFETY: the run borrows them for `'r`, and the caller says that nobody writes to them.
        unsafe { self.resources.as_ref() }
    }

    /// The resources, to insert and remove.
    ///
    /// # Safety
    ///
    /// The run has not ended, and no other system runs.
    pub(crate) unsafe fn get_mut(mut self) -> &'r mut Resources {
        // SAFETY: the run borrows them exclusively for `'r`, and the caller says that nobody else uses that now.
        unsafe { self.resources.as_mut() }
    }
}

/// The address of a value that a state looks up.
#[derive(Debug)]
pub(super) struct Address<T>(pub(super) Option<NonNull<()>>, PhantomData<*mut T>);

// SAFETY: it is an address; only `fetch`, which is unsafe to call, follows it. What it then gives out, and to
// which thread, is the matter of each `Fetch`.
unsafe impl<T> Send for Address<T> {}

impl<T> Address<T> {
    pub(super) const NONE: Self = Self(None, PhantomData);

    /// # Safety
    ///
    /// What was looked up is a `T` that lives for `'r`, and nobody writes to it.
    pub(super) unsafe fn get<'r>(&self) -> Option<&'r T> {
        // SAFETY: said by the caller.
        self.0.map(|pointer| unsafe { pointer.cast().as_ref() })
    }

    /// # Safety
    ///
    /// What was looked up is a `T` that lives for `'r`, and nobody else uses it.
    pub(super) unsafe fn get_mut<'r>(&mut self) -> Option<&'r mut T> {
        // SAFETY: said by the caller.
        self.0.map(|pointer| unsafe { pointer.cast().as_mut() })
    }
}
