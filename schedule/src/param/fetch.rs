//! How parameters get at their values.
//!
//! Invariant: [`Fetch::fetch`] is called only after [`Fetch::prepare`] found all it needs in the same `Resources`, in
//! which no resource was inserted or removed since; only while nothing that conflicts with `ACCESS` runs; and what
//! it returned ends before the next call. Whoever runs systems keeps that; here it is relied upon. Pointers of
//! main-thread values are looked up and used on the thread that calls `run`.
#![expect(
    unsafe_code,
    reason = "turns pointers into the references that a signature asks for"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::access::{Access, ResourceId, ResourceType};
use crate::param::{NonSend, NonSendMut, Param, States};
use crate::resource::Status;
use crate::{Identity, Resource, Resources};

/// What a node keeps for a parameter, and how it gets the value for a run.
///
/// # Safety
///
/// `fetch` touches nothing that `ACCESS` does not tell.
pub unsafe trait Fetch: Send + Sized + 'static {
    /// Everything that `fetch` touches.
    const ACCESS: Access;
    /// The parameter, for one run of the system.
    type Item<'r>;

    /// The state before the first run.
    const NEW: Self;

    /// Looks up what has an address.
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// The value.
    ///
    /// # Safety
    ///
    /// `prepare` missed nothing in these resources and none was inserted or removed since; nothing that conflicts
    /// with `ACCESS` is in use; this is the thread that called `prepare` if `ACCESS` holds a main-thread value.
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
pub struct Read<T>(Address<T>);

// SAFETY: gives out a shared reference, and reads `T` in its access.
unsafe impl<T: Resource> Fetch for Read<T> {
    const ACCESS: Access = Access::Read(ResourceType::of::<T>());
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = &'r T;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.need(const { &ResourceType::of::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r T {
        // SAFETY: prepared for these resources, and nothing that writes `T` is in use.
        let value = unsafe { self.0.get() };
        // SAFETY: nothing was missing, so there was an address.
        unsafe { value.unwrap_unchecked() }
    }
}

impl<T: Resource> Param for &T {
    type State = Read<T>;
}

/// The state of `&mut T`.
#[derive(Debug)]
pub struct Write<T>(Address<T>);

// SAFETY: gives out an exclusive reference, and writes `T` in its access.
unsafe impl<T: Resource> Fetch for Write<T> {
    const ACCESS: Access = Access::Write(ResourceType::of::<T>());
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = &'r mut T;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.need(const { &ResourceType::of::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r mut T {
        // SAFETY: prepared for these resources, and nothing that touches `T` is in use.
        let value = unsafe { self.0.get_mut() };
        // SAFETY: nothing was missing, so there was an address.
        unsafe { value.unwrap_unchecked() }
    }
}

impl<T: Resource> Param for &mut T {
    type State = Write<T>;
}

/// The state of `Option<&T>`.
#[derive(Debug)]
pub struct OptionRead<T>(Address<T>);

// SAFETY: gives out a shared reference, and reads `T` in its access.
unsafe impl<T: Resource> Fetch for OptionRead<T> {
    const ACCESS: Access = Access::Optional(&Read::<T>::ACCESS);
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = Option<&'r T>;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.find(const { &ResourceType::of::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r T> {
        // SAFETY: prepared for these resources, and nothing that writes `T` is in use.
        unsafe { self.0.get() }
    }
}

impl<T: Resource> Param for Option<&T> {
    type State = OptionRead<T>;
}

/// The state of `Option<&mut T>`.
#[derive(Debug)]
pub struct OptionWrite<T>(Address<T>);

// SAFETY: gives out an exclusive reference, and writes `T` in its access.
unsafe impl<T: Resource> Fetch for OptionWrite<T> {
    const ACCESS: Access = Access::Optional(&Write::<T>::ACCESS);
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = Option<&'r mut T>;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.find(const { &ResourceType::of::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r mut T> {
        // SAFETY: prepared for these resources, and nothing that touches `T` is in use.
        unsafe { self.0.get_mut() }
    }
}

impl<T: Resource> Param for Option<&mut T> {
    type State = OptionWrite<T>;
}

/// The state of `&Resources`.
#[derive(Debug)]
pub struct ReadAll;

// SAFETY: gives out a shared reference to all resources, and reads them all in its access.
unsafe impl Fetch for ReadAll {
    const ACCESS: Access = Access::ReadAll;
    const NEW: Self = Self;
    type Item<'r> = &'r Resources;

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r Resources {
        // SAFETY: nothing that writes any resource is in use.
        unsafe { from.get() }
    }
}

impl Param for &Resources {
    type State = ReadAll;
}

/// The state of `&mut Resources`.
#[derive(Debug)]
pub struct WriteAll;

// SAFETY: gives out the only reference to all resources, and is exclusive in its access.
unsafe impl Fetch for WriteAll {
    const ACCESS: Access = Access::Exclusive;
    const NEW: Self = Self;
    type Item<'r> = &'r mut Resources;

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r mut Resources {
        // SAFETY: no other system runs.
        unsafe { from.get_mut() }
    }
}

impl Param for &mut Resources {
    type State = WriteAll;
}

/// The state of `NonSend<T>`.
#[derive(Debug)]
pub struct NonSendRead<T>(Address<T>);

// SAFETY: gives out a shared reference on the value's own thread, and reads it in its access.
unsafe impl<T: Identity + 'static> Fetch for NonSendRead<T> {
    const ACCESS: Access = Access::Read(ResourceType::main_thread::<T>());
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = NonSend<'r, T>;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.need(const { &ResourceType::main_thread::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSend<'r, T> {
        // SAFETY: prepared on this thread, and nothing that writes the value is in use.
        let value = unsafe { self.0.get() };
        // SAFETY: nothing was missing, so there was an address.
        NonSend(unsafe { value.unwrap_unchecked() })
    }
}

impl<T: Identity + 'static> Param for NonSend<'_, T> {
    type State = NonSendRead<T>;
}

/// The state of `NonSendMut<T>`.
#[derive(Debug)]
pub struct NonSendWrite<T>(Address<T>);

// SAFETY: gives out an exclusive reference on the value's own thread, and writes it in its access.
unsafe impl<T: Identity + 'static> Fetch for NonSendWrite<T> {
    const ACCESS: Access = Access::Write(ResourceType::main_thread::<T>());
    const NEW: Self = Self(Address::NONE);
    type Item<'r> = NonSendMut<'r, T>;

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.0.0 = lookup.need(const { &ResourceType::main_thread::<T>() });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSendMut<'r, T> {
        // SAFETY: prepared on this thread, and nothing that touches the value is in use.
        let value = unsafe { self.0.get_mut() };
        // SAFETY: nothing was missing, so there was an address.
        NonSendMut(unsafe { value.unwrap_unchecked() })
    }
}

impl<T: Identity + 'static> Param for NonSendMut<'_, T> {
    type State = NonSendWrite<T>;
}

macro_rules! tuple {
    ($($param:ident $index:tt),*) => {
        // SAFETY: each part fetches what its own access tells.
        unsafe impl<$($param: Fetch),*> Fetch for ($($param,)*) {
            const ACCESS: Access = Access::Each(&[$($param::ACCESS),*]);
            type Item<'r> = ($($param::Item<'r>,)*);

            const NEW: Self = ($($param::NEW,)*);

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

        impl<$($param: States),*> States for ($($param,)*) {
            type State = ($($param::State,)*);
        }

        impl<$($param: Param),*> Param for ($($param,)*) {
            type State = ($($param::State,)*);
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
