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

use crate::access::{Access, AccessSet, ResourceId, ResourceType};
use crate::param::{NonSend, NonSendMut, Param, Seed, Seeds};
use crate::resource::Status;
use crate::{Identity, Resource, Resources};

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

    /// Looks up what has an address.
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// The value.
    ///
    /// # Safety
    ///
    /// `prepare` missed nothing in these resources and none was inserted or removed since; nothing that conflicts
    /// with `access` is in use; this is the thread that called `prepare` if that holds a main-thread value.
    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r>;

    /// Carries out what was recorded for after the system; without `resources`, forgets it.
    fn settle(&mut self, resources: Option<&mut Resources>) {
        let _ = resources;
    }
}

/// Resources in which states look up what they need.
#[derive(Debug)]
pub struct Lookup<'r> {
    resources: &'r Resources,
    missing: Option<ResourceId>,
}

impl<'r> Lookup<'r> {
    pub(crate) fn new(resources: &'r Resources) -> Self {
        Self {
            resources,
            missing: None,
        }
    }

    /// The first resource that was needed and is missing.
    pub(crate) fn into_missing(self) -> Option<ResourceId> {
        self.missing
    }

    /// Notes it as missing if it is.
    pub(crate) fn require(&mut self, resource: &ResourceId) {
        if self.missing.is_none() && self.resources.status(resource) != Status::Present {
            self.missing = Some(resource.clone());
        }
    }

    /// Where it lies, if it is there. Not generic and never inlined: it stands in every system, once a parameter.
    #[inline(never)]
    fn find(&self, resource: &'static ResourceType) -> Option<NonNull<()>> {
        self.resources.address(resource)
    }

    /// As `find`, for what is needed.
    #[inline(never)]
    fn need(&mut self, resource: &'static ResourceType) -> Option<NonNull<()>> {
        let found = self.find(resource);
        if found.is_none() && self.missing.is_none() {
            self.missing = Some(ResourceId::of_type(resource));
        }
        found
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

    /// The resources, as they lie between two systems.
    ///
    /// # Safety
    ///
    /// No system that holds `&mut Resources` runs.
    pub(crate) unsafe fn get(&self) -> &'r Resources {
        // SAFETY: the run borrows them for `'r`, and the caller says that nobody writes to them.
        unsafe { self.resources.as_ref() }
    }

    /// The resources, to insert and remove.
    ///
    /// # Safety
    ///
    /// No other system runs.
    unsafe fn get_mut(mut self) -> &'r mut Resources {
        // SAFETY: the run borrows them exclusively for `'r`, and the caller says that nobody else uses that now.
        unsafe { self.resources.as_mut() }
    }
}

/// The address of a value that the states below look up.
#[derive(Debug)]
struct Address<T>(Option<NonNull<()>>, PhantomData<*mut T>);

// SAFETY: it is an address; only `fetch`, which is unsafe to call, follows it. What it then gives out, and to
// which thread, is the matter of each `Fetch` below.
unsafe impl<T> Send for Address<T> {}

impl<T> Address<T> {
    const NONE: Self = Self(None, PhantomData);

    /// # Safety
    ///
    /// What was looked up is a `T` that lives for `'r`, and nobody writes to it.
    unsafe fn get<'r>(&self) -> Option<&'r T> {
        // SAFETY: said by the caller.
        self.0.map(|pointer| unsafe { pointer.cast().as_ref() })
    }

    /// # Safety
    ///
    /// What was looked up is a `T` that lives for `'r`, and nobody else uses it.
    unsafe fn get_mut<'r>(&mut self) -> Option<&'r mut T> {
        // SAFETY: said by the caller.
        self.0.map(|pointer| unsafe { pointer.cast().as_mut() })
    }
}

/// The state of `&T`.
#[derive(Debug)]
pub struct Read<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Resource> Read<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out a shared reference to the resource that it looked up, and reads that.
unsafe impl<T: 'static> Fetch for Read<T> {
    type Item<'r> = &'r T;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, false, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.need(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r T {
        // SAFETY: prepared for these resources, and nothing that writes `T` is in use.
        let value = unsafe { self.address.get() };
        // SAFETY: nothing was missing, so there was an address.
        unsafe { value.unwrap_unchecked() }
    }
}

impl<T: Resource> Param for &T {
    type State = Read<T>;
    const SEED: Seed<Read<T>> = Seed::new(Access::Read(ResourceType::of::<T>()), Read::new);
}

/// The state of `&mut T`.
#[derive(Debug)]
pub struct Write<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Resource> Write<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out an exclusive reference to the resource that it looked up, and writes that.
unsafe impl<T: 'static> Fetch for Write<T> {
    type Item<'r> = &'r mut T;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, true, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.need(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r mut T {
        // SAFETY: prepared for these resources, and nothing that touches `T` is in use.
        let value = unsafe { self.address.get_mut() };
        // SAFETY: nothing was missing, so there was an address.
        unsafe { value.unwrap_unchecked() }
    }
}

impl<T: Resource> Param for &mut T {
    type State = Write<T>;
    const SEED: Seed<Write<T>> = Seed::new(Access::Write(ResourceType::of::<T>()), Write::new);
}

/// The state of `Option<&T>`.
#[derive(Debug)]
pub struct OptionRead<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Resource> OptionRead<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out a shared reference to the resource that it looked up, and reads that.
unsafe impl<T: 'static> Fetch for OptionRead<T> {
    type Item<'r> = Option<&'r T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, false, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.find(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r T> {
        // SAFETY: prepared for these resources, and nothing that writes `T` is in use.
        unsafe { self.address.get() }
    }
}

impl<T: Resource> Param for Option<&T> {
    type State = OptionRead<T>;
    const SEED: Seed<OptionRead<T>> = Seed::new(
        Access::Optional(&Access::Read(ResourceType::of::<T>())),
        OptionRead::new,
    );
}

/// The state of `Option<&mut T>`.
#[derive(Debug)]
pub struct OptionWrite<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Resource> OptionWrite<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out an exclusive reference to the resource that it looked up, and writes that.
unsafe impl<T: 'static> Fetch for OptionWrite<T> {
    type Item<'r> = Option<&'r mut T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, true, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.find(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r mut T> {
        // SAFETY: prepared for these resources, and nothing that touches `T` is in use.
        unsafe { self.address.get_mut() }
    }
}

impl<T: Resource> Param for Option<&mut T> {
    type State = OptionWrite<T>;
    const SEED: Seed<OptionWrite<T>> = Seed::new(
        Access::Optional(&Access::Write(ResourceType::of::<T>())),
        OptionWrite::new,
    );
}

/// The state of `&Resources`.
#[derive(Debug)]
pub struct ReadAll(());

// SAFETY: gives out a shared reference to all resources, and reads them all.
unsafe impl Fetch for ReadAll {
    type Item<'r> = &'r Resources;

    fn access(&self, access: &mut AccessSet) {
        access.all.get_or_insert_default();
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r Resources {
        // SAFETY: nothing that writes any resource is in use.
        unsafe { from.get() }
    }
}

impl Param for &Resources {
    type State = ReadAll;
    const SEED: Seed<ReadAll> = Seed::new(Access::ReadAll, || ReadAll(()));
}

/// The state of `&mut Resources`.
#[derive(Debug)]
pub struct WriteAll(());

// SAFETY: gives out the only reference to all resources, and runs alone.
unsafe impl Fetch for WriteAll {
    type Item<'r> = &'r mut Resources;

    fn access(&self, access: &mut AccessSet) {
        access.all.get_or_insert_default().is_write = true;
        access.is_exclusive = true;
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r mut Resources {
        // SAFETY: no other system runs.
        unsafe { from.get_mut() }
    }
}

impl Param for &mut Resources {
    type State = WriteAll;
    const SEED: Seed<WriteAll> = Seed::new(Access::Exclusive, || WriteAll(()));
}

/// The state of `NonSend<T>`.
#[derive(Debug)]
pub struct NonSendRead<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Identity + 'static> NonSendRead<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::main_thread::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out a shared reference to the main-thread value that it looked up, and reads that.
unsafe impl<T: 'static> Fetch for NonSendRead<T> {
    type Item<'r> = NonSend<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, false, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.need(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSend<'r, T> {
        // SAFETY: prepared on this thread, and nothing that writes the value is in use.
        let value = unsafe { self.address.get() };
        // SAFETY: nothing was missing, so there was an address.
        NonSend(unsafe { value.unwrap_unchecked() })
    }
}

impl<T: Identity + 'static> Param for NonSend<'_, T> {
    type State = NonSendRead<T>;
    const SEED: Seed<NonSendRead<T>> = Seed::new(
        Access::Read(ResourceType::main_thread::<T>()),
        NonSendRead::new,
    );
}

/// The state of `NonSendMut<T>`.
#[derive(Debug)]
pub struct NonSendWrite<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Identity + 'static> NonSendWrite<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::main_thread::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: gives out an exclusive reference to the main-thread value that it looked up, and writes that.
unsafe impl<T: 'static> Fetch for NonSendWrite<T> {
    type Item<'r> = NonSendMut<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, true, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.address.0 = lookup.need(self.resource);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSendMut<'r, T> {
        // SAFETY: prepared on this thread, and nothing that touches the value is in use.
        let value = unsafe { self.address.get_mut() };
        // SAFETY: nothing was missing, so there was an address.
        NonSendMut(unsafe { value.unwrap_unchecked() })
    }
}

impl<T: Identity + 'static> Param for NonSendMut<'_, T> {
    type State = NonSendWrite<T>;
    const SEED: Seed<NonSendWrite<T>> = Seed::new(
        Access::Write(ResourceType::main_thread::<T>()),
        NonSendWrite::new,
    );
}

macro_rules! tuple {
    ($($param:ident $index:tt),*) => {
        // SAFETY: each part fetches what its own access tells.
        unsafe impl<$($param: Fetch),*> Fetch for ($($param,)*) {
            type Item<'r> = ($($param::Item<'r>,)*);

            #[allow(unused_variables, reason = "the empty tuple touches nothing")]
            fn access(&self, access: &mut AccessSet) {
                $(self.$index.access(access);)*
            }

            #[allow(unused_variables, reason = "the empty tuple touches nothing")]
            fn prepare(&mut self, lookup: &mut Lookup<'_>) {
                $(self.$index.prepare(lookup);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple touches nothing")]
            unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> Self::Item<'r> {
                // SAFETY: the caller keeps the conditions of all parts.
                ($(unsafe { self.$index.fetch(from) },)*)
            }

            #[allow(unused_variables, unused_mut, reason = "the empty tuple touches nothing")]
            fn settle(&mut self, mut resources: Option<&mut Resources>) {
                $(self.$index.settle(resources.as_deref_mut());)*
            }
        }

        impl<$($param: Seeds),*> Seeds for ($($param,)*) {
            type State = ($($param::State,)*);

            #[allow(clippy::unused_unit, reason = "the empty tuple grows into nothing")]
            fn grow(&self) -> Self::State {
                ($(self.$index.grow(),)*)
            }
        }

        impl<$($param: Param),*> Param for ($($param,)*) {
            type State = ($($param::State,)*);
            const SEED: Seed<Self::State> = Seed::new(
                Access::Each(&[$($param::SEED.access()),*]),
                || ($(($param::SEED.new)(),)*),
            );
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
