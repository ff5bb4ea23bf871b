//! Naming: looks up the keys of an event, for one argument of its handler after the other.
//!
//! Invariant: the stores of a [`Naming`] are those of its arguments: the contract of [`Naming::new`].

#[cfg(feature = "durable")]
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

use crate::base::footprint::Footprint;
use crate::store::argument::Argument;
use crate::store::found::{Found, Missing};
use crate::store::list::FoundList;
use crate::store::names::Names;
use crate::store::stores::Store;

/// Looks up the keys of an event, argument by argument. `R` lists the remaining arguments, `L` the results of the
/// earlier ones.
pub struct Naming<'n, R, L = ()> {
    stores: &'n [Store],
    footprint: &'n mut Footprint,
    /// The index of the next argument.
    nth: u16,
    look: Look<'n>,
    /// Maximum number of keys of a set.
    max_set_keys: u32,
    pub(crate) found: L,
    rest: PhantomData<R>,
}

/// The action for each key.
pub(crate) enum Look<'n> {
    /// Finds the record, and fails at the first required record that is missing.
    Find,
    /// Only prefetches the record.
    Prefetch,
    /// Finds the record if it exists, and adds the key to the names. `None` if no two arguments can name the same
    /// record.
    All(Option<&'n mut Names>),
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
impl<'n, R> Naming<'n, R> {
    /// Starts the naming of an event.
    ///
    /// # Safety
    ///
    /// `stores` are those of the arguments `R`, in their order. The contract of [`Argument::find_key`] holds for each
    /// for `'n`.
    #[inline(always)]
    pub(crate) unsafe fn new(
        stores: &'n [Store],
        footprint: &'n mut Footprint,
        look: Look<'n>,
        max_set_keys: u32,
    ) -> Self {
        Self {
            stores,
            footprint,
            nth: 0,
            look,
            max_set_keys,
            found: (),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<'n, A: Argument, R, L: FoundList> Naming<'n, (A, R), L> {
    /// Looks up an argument without a key.
    #[inline(always)]
    pub fn unkeyed(self) -> Result<Naming<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        #[cfg(feature = "durable")]
        if let Look::Report(_) = self.look {
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
    pub fn key(self, key: &A::Key) -> Result<Naming<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        let mut naming = self;
        let found = naming.find(key)?;
        Ok(naming.next(found))
    }

    /// Starts the keys of an argument that is a set.
    #[inline(always)]
    pub fn keys(self) -> NamingSet<'n, A, R, L> {
        const { assert!(A::IS_SET, "one record needs one key") };
        NamingSet {
            first: self.footprint.open_set(),
            n_left: self.max_set_keys,
            is_complete: true,
            naming: self,
        }
    }

    #[inline(always)]
    fn find(&mut self, key: &A::Key) -> Result<Found<A>, Missing> {
        let (store, nth) = (self.store(), self.nth);
        match &mut self.look {
            // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `Naming::new`.
            Look::Find => unsafe { A::find_key(store, key, nth) },
            Look::Prefetch => {
                // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `Naming::new`.
                unsafe { A::prefetch_key(store, key) };
                Ok(Found::new(None, nth))
            }
            Look::All(names) => {
                if let Some(names) = names {
                    // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of
                    // `Naming::new`.
                    unsafe { A::note_key(store, key, nth, names) };
                }
                // SAFETY: `store` is that of this argument, and nothing writes to it: the contract of `Naming::new`.
                let found = unsafe { A::find_key(store, key, nth) };
                Ok(found.unwrap_or(Found::new(None, nth)))
            }
            #[cfg(feature = "durable")]
            Look::Report(visitor) => {
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
    fn next(self, found: Found<A>) -> Naming<'n, R, (L, Found<A>)> {
        if found.is_tentative {
            self.footprint.doubt();
        }
        Naming {
            stores: self.stores,
            footprint: self.footprint,
            nth: self.nth + 1,
            look: self.look,
            max_set_keys: self.max_set_keys,
            found: (self.found, found),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<R, L: FoundList> Naming<'_, R, L> {
    /// Returns the footprint so far.
    #[inline(always)]
    pub(crate) fn footprint(&self) -> &Footprint {
        self.footprint
    }

    /// Adds the found addresses to the footprint. The members of sets are already in it.
    #[inline(always)]
    pub(crate) fn add_to_footprint(&mut self) {
        // SAFETY: the found addresses come from the stores of this `Naming`, which nothing writes: the contract of
        // `Naming::new`.
        unsafe { self.found.add_to_footprint(self.footprint) };
    }
}

/// Looks up the keys of an argument that is a set.
pub struct NamingSet<'n, A, R, L> {
    naming: Naming<'n, (A, R), L>,
    /// The index of its first member among the members of all sets.
    first: u32,
    /// Number of keys that may still follow.
    n_left: u32,
    /// Whether each key so far has an address, so that its record may exist.
    is_complete: bool,
}

impl<'n, A: Argument, R, L: FoundList> NamingSet<'n, A, R, L> {
    /// Looks up one more key.
    #[inline(always)]
    pub fn key(&mut self, key: &A::Key) -> Result<(), Missing> {
        if self.n_left == 0 {
            return Err(self.refuse());
        }
        self.n_left -= 1;
        let Found {
            address, companion, ..
        } = self.naming.find(key)?;
        match address.zip(companion) {
            Some((address, key)) => self.naming.footprint.push_member(address, key),
            None => self.is_complete = false,
        }
        Ok(())
    }

    /// Removes the members of a set that is too large.
    #[cold]
    fn refuse(&mut self) -> Missing {
        self.naming.footprint.remove_members(self.first);
        Missing::large_set(self.naming.nth)
    }

    /// Ends the set.
    #[inline(always)]
    pub fn end(mut self) -> Naming<'n, R, (L, Found<A>)> {
        let Naming { footprint, nth, .. } = &mut self.naming;
        let n = footprint.close_set(self.first, *nth, A::USE);
        let found = Found::set(*nth, self.first, n);
        self.naming.next(found.complete(self.is_complete))
    }
}

impl<A, R, L> fmt::Debug for NamingSet<'_, A, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamingSet({})", self.naming.nth)
    }
}

impl<R, L> fmt::Debug for Naming<'_, R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Naming({})", self.nth)
    }
}
