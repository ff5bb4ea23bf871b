//! Looks up the keys of an event, for one argument of its handler after the other.
//!
//! Invariant: the stores of a [`KeyLookup`] are those of its arguments: the contract of [`KeyLookup::new`].

#[cfg(feature = "durable")]
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

use crate::base::footprint::Footprint;
use crate::store::argument::Argument;
use crate::store::event_keys::EventKeys;
use crate::store::found::{Found, Missing};
use crate::store::list::FoundList;
use crate::store::stores::Store;

/// Looks up the keys of an event, argument by argument. `R` lists the remaining arguments, `L` the results of the
/// earlier ones.
pub struct KeyLookup<'n, R, L = ()> {
    stores: &'n [Store],
    footprint: &'n mut Footprint,
    /// The index of the next argument.
    nth: u16,
    action: KeyAction<'n>,
    /// Maximum number of keys of a set.
    max_set_keys: u32,
    pub(crate) found: L,
    rest: PhantomData<R>,
}

/// The action for each key.
pub(crate) enum KeyAction<'n> {
    /// Finds the record, and fails at the first required record that is missing.
    Find,
    /// Only prefetches the record.
    Prefetch,
    /// Finds the record if it exists, and adds the key to the keys of the event. `None` if no two arguments can name the same
    /// record.
    All(Option<&'n mut EventKeys>),
    /// Only reports the key. Uses no store.
    #[cfg(feature = "durable")]
    Report(&'n mut dyn KeyVisitor),
}

/// Receives the keys that an event names.
#[cfg(feature = "durable")]
pub trait KeyVisitor {
    /// Receives a key of the argument with the index `argument`. A set has several keys.
    fn visit(&mut self, argument: u16, key: &dyn Any);
}

#[expect(
    unsafe_code,
    reason = "requires that the stores are those of the arguments"
)]
impl<'n, R> KeyLookup<'n, R> {
    /// Starts the lookup of the keys of an event.
    ///
    /// # Safety
    ///
    /// `stores` are those of the arguments `R`, in their order. The contract of [`Argument::find_key`] holds for each
    /// for `'n`.
    #[inline(always)]
    pub(crate) unsafe fn new(
        stores: &'n [Store],
        footprint: &'n mut Footprint,
        action: KeyAction<'n>,
        max_set_keys: u32,
    ) -> Self {
        Self {
            stores,
            footprint,
            nth: 0,
            action,
            max_set_keys,
            found: (),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<'n, A: Argument, R, L: FoundList> KeyLookup<'n, (A, R), L> {
    /// Looks up an argument without a key.
    #[inline(always)]
    pub fn unkeyed(self) -> Result<KeyLookup<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        #[cfg(feature = "durable")]
        if let KeyAction::Report(_) = self.action {
            let found = Found::new(None, self.nth);
            return Ok(self.next(found));
        }
        let found = A::find(self.store(), self.nth)?;
        Ok(self.next(found))
    }

    /// Returns the type of the next key.
    #[inline(always)]
    pub fn key_type(&self) -> PhantomData<A::Key> {
        PhantomData
    }

    /// Looks up an argument with a key.
    #[inline(always)]
    pub fn key(self, key: &A::Key) -> Result<KeyLookup<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        let mut lookup = self;
        let found = lookup.find(key)?;
        Ok(lookup.next(found))
    }

    /// Starts the keys of an argument that is a set.
    #[inline(always)]
    pub fn keys(self) -> SetLookup<'n, A, R, L> {
        const { assert!(A::IS_SET, "one record needs one key") };
        SetLookup {
            first: self.footprint.open_set(),
            n_left: self.max_set_keys,
            is_complete: true,
            lookup: self,
        }
    }

    #[inline(always)]
    fn find(&mut self, key: &A::Key) -> Result<Found<A>, Missing> {
        let (store, nth) = (self.store(), self.nth);
        match &mut self.action {
            // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `KeyLookup::new`.
            KeyAction::Find => unsafe { A::find_key(store, key, nth) },
            KeyAction::Prefetch => {
                // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `KeyLookup::new`.
                unsafe { A::prefetch_key(store, key) };
                Ok(Found::new(None, nth))
            }
            KeyAction::All(keys) => {
                if let Some(keys) = keys {
                    // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of
                    // `KeyLookup::new`.
                    unsafe { A::note_key(store, key, nth, keys) };
                }
                // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `KeyLookup::new`.
                let found = unsafe { A::find_key(store, key, nth) };
                Ok(found.unwrap_or(Found::new(None, nth)))
            }
            #[cfg(feature = "durable")]
            KeyAction::Report(visitor) => {
                visitor.visit(nth, key);
                Ok(Found::new(None, nth))
            }
        }
    }

    #[inline(always)]
    fn store(&self) -> Store {
        self.stores[usize::from(self.nth)]
    }

    #[inline(always)]
    fn next(self, found: Found<A>) -> KeyLookup<'n, R, (L, Found<A>)> {
        if found.is_tentative {
            self.footprint.doubt();
        }
        KeyLookup {
            stores: self.stores,
            footprint: self.footprint,
            nth: self.nth + 1,
            action: self.action,
            max_set_keys: self.max_set_keys,
            found: (self.found, found),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<R, L: FoundList> KeyLookup<'_, R, L> {
    /// Returns the footprint so far.
    #[inline(always)]
    pub(crate) fn footprint(&self) -> &Footprint {
        self.footprint
    }

    /// Adds the found addresses to the footprint. The members of sets are already in it.
    #[inline(always)]
    pub(crate) fn add_to_footprint(&mut self) {
        // SAFETY: the found addresses come from the stores of this `KeyLookup`, which nothing writes: the contract of
        // `KeyLookup::new`.
        unsafe { self.found.add_to_footprint(self.footprint) };
    }
}

/// Looks up the keys of an argument that is a set.
pub struct SetLookup<'n, A, R, L> {
    lookup: KeyLookup<'n, (A, R), L>,
    /// The index of its first member among the members of all sets.
    first: u32,
    /// Number of keys that may still follow.
    n_left: u32,
    /// Whether each key so far has an address, so that its record may exist.
    is_complete: bool,
}

impl<'n, A: Argument, R, L: FoundList> SetLookup<'n, A, R, L> {
    /// Looks up one more key.
    #[inline(always)]
    pub fn key(&mut self, key: &A::Key) -> Result<(), Missing> {
        if self.n_left == 0 {
            return Err(self.refuse());
        }
        self.n_left -= 1;
        let Found {
            address, companion, ..
        } = self.lookup.find(key)?;
        match address.zip(companion) {
            Some((address, key)) => self.lookup.footprint.push_member(address, key),
            None => self.is_complete = false,
        }
        Ok(())
    }

    /// Removes the members of a set that is too large.
    #[cold]
    fn refuse(&mut self) -> Missing {
        self.lookup.footprint.remove_members(self.first);
        Missing::large_set(self.lookup.nth)
    }

    /// Ends the set.
    #[inline(always)]
    pub fn end(mut self) -> KeyLookup<'n, R, (L, Found<A>)> {
        let KeyLookup { footprint, nth, .. } = &mut self.lookup;
        let n = footprint.close_set(self.first, *nth, A::USE);
        let found = Found::set(*nth, self.first, n);
        self.lookup.next(found.complete(self.is_complete))
    }
}

impl<A, R, L> fmt::Debug for SetLookup<'_, A, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetLookup({})", self.lookup.nth)
    }
}

impl<R, L> fmt::Debug for KeyLookup<'_, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyLookup({})", self.nth)
    }
}
