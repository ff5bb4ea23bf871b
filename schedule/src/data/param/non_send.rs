//! Main-thread values as parameters.
//!
//! Invariant: that of [`fetch`](super::fetch). The values are looked up and used on the thread that calls `run`.
#![expect(
    unsafe_code,
    reason = "turns addresses into the references that a signature asks for"
)]

use core::ops::{Deref, DerefMut};

use super::fetch::Address;
use super::{Fetch, FetchFrom, Lookup, Param, Seed};
use crate::base::identity::Identity;
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};

/// Reads a main-thread value. The system runs on the thread that calls `run`.
///
/// See [`Resources::main_thread`](crate::Resources::main_thread).
#[derive(Debug)]
pub struct NonSend<'r, T>(&'r T);

impl<'r, T> NonSend<'r, T> {
    /// Wraps a reference, to call a system as a plain function.
    pub fn new(value: &'r T) -> Self {
        Self(value)
    }
}

impl<T> Deref for NonSend<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// Writes a main-thread value. The system runs on the thread that calls `run`.
///
/// See [`Resources::main_thread`](crate::Resources::main_thread).
#[derive(Debug)]
pub struct NonSendMut<'r, T>(&'r mut T);

impl<'r, T> NonSendMut<'r, T> {
    /// Wraps a reference, to call a system as a plain function.
    pub fn new(value: &'r mut T) -> Self {
        Self(value)
    }
}

impl<T> Deref for NonSendMut<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for NonSendMut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
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

// SAFETY: `fetch` reads only the main-thread value that `access` declares as read.
unsafe impl<T: 'static> Fetch for NonSendRead<T> {
    type Item<'r> = NonSend<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Read, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSend<'r, T> {
        // SAFETY: `prepare` stored the address of a live `T` on this thread, and no value was inserted or removed
        // since. `access` declares a read of `T`, so the caller guarantees that nothing that writes it is in use.
        let value = unsafe { self.address.get() };
        // SAFETY: the caller guarantees that `prepare` missed nothing, so it stored an address.
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

// SAFETY: `fetch` writes only the main-thread value that `access` declares as written.
unsafe impl<T: 'static> Fetch for NonSendWrite<T> {
    type Item<'r> = NonSendMut<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Write, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NonSendMut<'r, T> {
        // SAFETY: `prepare` stored the address of a live `T` on this thread, and no value was inserted or removed
        // since. `access` declares a write of `T`, so the caller guarantees that nothing else that accesses it is in
        // use.
        let value = unsafe { self.address.get_mut() };
        // SAFETY: the caller guarantees that `prepare` missed nothing, so it stored an address.
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

/// The state of `Option<NonSend<T>>`.
#[derive(Debug)]
pub struct OptionNonSendRead<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Identity + 'static> OptionNonSendRead<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::main_thread::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` reads only the main-thread value that `access` declares as read.
unsafe impl<T: 'static> Fetch for OptionNonSendRead<T> {
    type Item<'r> = Option<NonSend<'r, T>>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Read, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.find(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<NonSend<'r, T>> {
        // SAFETY: `prepare` stored the address of a live `T` on this thread, and no value was inserted or removed
        // since. `access` declares a read of `T`, so the caller guarantees that nothing that writes it is in use.
        unsafe { self.address.get() }.map(NonSend)
    }
}

impl<T: Identity + 'static> Param for Option<NonSend<'_, T>> {
    type State = OptionNonSendRead<T>;
    const SEED: Seed<OptionNonSendRead<T>> = Seed::new(
        Access::Optional(&Access::Read(ResourceType::main_thread::<T>())),
        OptionNonSendRead::new,
    );
}

/// The state of `Option<NonSendMut<T>>`.
#[derive(Debug)]
pub struct OptionNonSendWrite<T> {
    resource: &'static ResourceType,
    address: Address<T>,
}

impl<T: Identity + 'static> OptionNonSendWrite<T> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::main_thread::<T>() },
            address: Address::NONE,
        }
    }
}

// SAFETY: `fetch` writes only the main-thread value that `access` declares as written.
unsafe impl<T: 'static> Fetch for OptionNonSendWrite<T> {
    type Item<'r> = Option<NonSendMut<'r, T>>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Write, true);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.find(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Option<NonSendMut<'r, T>> {
        // SAFETY: `prepare` stored the address of a live `T` on this thread, and no value was inserted or removed
        // since. `access` declares a write of `T`, so the caller guarantees that nothing else that accesses it is in
        // use.
        unsafe { self.address.get_mut() }.map(NonSendMut)
    }
}

impl<T: Identity + 'static> Param for Option<NonSendMut<'_, T>> {
    type State = OptionNonSendWrite<T>;
    const SEED: Seed<OptionNonSendWrite<T>> = Seed::new(
        Access::Optional(&Access::Write(ResourceType::main_thread::<T>())),
        OptionNonSendWrite::new,
    );
}
