//! References to resources as parameters.
//!
//! Invariant: that of [`fetch`](super::fetch).
#![expect(
    unsafe_code,
    reason = "turns addresses into the references that a signature asks for"
)]

use super::fetch::Address;
use super::{Fetch, FetchFrom, Lookup, Param, Seed};
use crate::data::access::{Access, AccessKind, AccessSet, AllUse, ResourceType};
use crate::data::resource::{Resource, Resources};

/// The state of `&T`.
#[derive(Debug)]
pub struct Read<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Resource> Read<T> {
    pub(crate) fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read.
unsafe impl<T: 'static> Fetch for Read<T> {
    type Item<'r> = &'r T;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Read, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r T {
        // SAFETY: `prepare` stored the address of a live `T` in the resources of this run, and none was inserted or
        // removed since. `access` declares a read of `T`, so the caller guarantees that nothing that writes it is in
        // use.
        let value = unsafe { self.address.get() };
        // SAFETY: the caller guarantees that `prepare` missed nothing, so it stored an address.
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
    pub(super) fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` writes only the resource that `access` declares as written.
unsafe impl<T: 'static> Fetch for Write<T> {
    type Item<'r> = &'r mut T;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Write, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> &'r mut T {
        // SAFETY: `prepare` stored the address of a live `T` in the resources of this run, and none was inserted or
        // removed since. `access` declares a write of `T`, so the caller guarantees that nothing else that accesses it
        // is in use.
        let value = unsafe { self.address.get_mut() };
        // SAFETY: the caller guarantees that `prepare` missed nothing, so it stored an address.
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
    pub(super) fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read.
unsafe impl<T: 'static> Fetch for OptionRead<T> {
    type Item<'r> = Option<&'r T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Read, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.find(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r T> {
        // SAFETY: `prepare` stored the address of a live `T` in the resources of this run, and none was inserted or
        // removed since. `access` declares a read of `T`, so the caller guarantees that nothing that writes it is in
        // use.
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
    pub(super) fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` writes only the resource that `access` declares as written.
unsafe impl<T: 'static> Fetch for OptionWrite<T> {
    type Item<'r> = Option<&'r mut T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Write, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.find(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<&'r mut T> {
        // SAFETY: `prepare` stored the address of a live `T` in the resources of this run, and none was inserted or
        // removed since. `access` declares a write of `T`, so the caller guarantees that nothing else that accesses it
        // is in use.
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

// SAFETY: `fetch` reads the resources, and `access` declares a read of all of them.
unsafe impl Fetch for ReadAll {
    type Item<'r> = &'r Resources;

    fn access(&self, access: &mut AccessSet) {
        access.all.push(AllUse::default());
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r Resources {
        // SAFETY: the run has not ended, since a system of it runs. `access` declares a read of all resources, so the
        // caller guarantees that nothing that writes one is in use.
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

// SAFETY: `fetch` writes the resources, and `access` declares that the system is exclusive.
unsafe impl Fetch for WriteAll {
    type Item<'r> = &'r mut Resources;

    fn access(&self, access: &mut AccessSet) {
        access.all.push(AllUse {
            is_write: true,
            except: Vec::new(),
        });
        access.is_exclusive = true;
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, from: FetchFrom<'r>) -> &'r mut Resources {
        // SAFETY: the run has not ended, since a system of it runs. `access` declares that the system is exclusive, so
        // the caller guarantees that no other system runs.
        unsafe { from.get_mut() }
    }
}

impl Param for &mut Resources {
    type State = WriteAll;
    const SEED: Seed<WriteAll> = Seed::new(Access::Exclusive, || WriteAll(()));
}
