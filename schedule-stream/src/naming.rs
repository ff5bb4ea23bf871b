//! What an event names: its keys, taken for one argument of its handler after the other.
//!
//! Invariant: the stores of a [`Naming`] are those of its arguments, as who makes one says.

use core::fmt;
use core::marker::PhantomData;

use super::argument::Argument;
use super::footprint::Footprint;
use super::found::{Found, Missing};
use super::list::FoundList;
use super::names::Names;
use super::stores::Store;

/// Takes the keys of an event, for one argument after the other: `R` are those to come, `L` is what the others have found.
pub struct Naming<'n, R, L = ()> {
    stores: &'n [Store],
    footprint: &'n mut Footprint,
    /// The next argument.
    nth: u16,
    look: Look<'n>,
    pub(super) found: L,
    rest: PhantomData<R>,
}

/// What is done with a key.
pub(super) enum Look<'n> {
    /// What it names is found; if that is not there, nothing else is looked for.
    Find,
    /// What it may name is asked for, and nothing found.
    Prefetch,
    /// What it names is found, if that is there; the key is noted, if two of them may be the same.
    All(Option<&'n mut Names>),
}

#[expect(unsafe_code, reason = "says whose stores these are")]
impl<'n, R> Naming<'n, R> {
    /// Of an event that has named nothing yet.
    ///
    /// # Safety
    ///
    /// These are the stores of arguments of these types, and what [`Argument::find_key`] says of them holds for `'n`.
    #[inline(always)]
    pub(super) unsafe fn new(
        stores: &'n [Store],
        footprint: &'n mut Footprint,
        look: Look<'n>,
    ) -> Self {
        Self {
            stores,
            footprint,
            nth: 0,
            look,
            found: (),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<'n, A: Argument, R, L: FoundList> Naming<'n, (A, R), L> {
    /// For an argument without a key.
    #[inline(always)]
    pub fn unkeyed(self) -> Result<Naming<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        let found = A::find(self.store(), self.nth)?;
        Ok(self.next(found))
    }

    /// The type of the next key.
    #[inline(always)]
    pub fn key_type(&self) -> PhantomData<A::Key> {
        PhantomData
    }

    /// For an argument with a key.
    #[inline(always)]
    pub fn key(self, key: &A::Key) -> Result<Naming<'n, R, (L, Found<A>)>, Missing> {
        const { assert!(!A::IS_SET, "a record set needs several keys") };
        let mut naming = self;
        let found = naming.find(key)?;
        Ok(naming.next(found))
    }

    /// For an argument that is a set, of which no key was named yet.
    #[inline(always)]
    pub fn keys(self) -> NamingSet<'n, A, R, L> {
        const { assert!(A::IS_SET, "one record needs one key") };
        NamingSet {
            first: self.footprint.open_set(),
            is_whole: true,
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
        }
    }

    #[inline(always)]
    fn store(&self) -> Store {
        self.stores[usize::from(self.nth)]
    }

    #[inline(always)]
    fn next(self, found: Found<A>) -> Naming<'n, R, (L, Found<A>)> {
        if found.is_doubtful {
            self.footprint.doubt();
        }
        Naming {
            stores: self.stores,
            footprint: self.footprint,
            nth: self.nth + 1,
            look: self.look,
            found: (self.found, found),
            rest: PhantomData,
        }
    }
}

#[expect(unsafe_code, reason = "stores are those of the arguments")]
impl<R, L: FoundList> Naming<'_, R, L> {
    /// What was named so far.
    #[inline(always)]
    pub(super) fn footprint(&self) -> &Footprint {
        self.footprint
    }

    /// Adds what was found, except for sets, whose members are in the footprint already.
    #[inline(always)]
    pub(super) fn add_to_footprint(&mut self) {
        // SAFETY: the found addresses come from the stores of this `Naming`, which nothing writes: the contract of
        // `Naming::new`.
        unsafe { self.found.add_to_footprint(self.footprint) };
    }
}

/// Takes the keys of an argument that is a set.
pub struct NamingSet<'n, A, R, L> {
    naming: Naming<'n, (A, R), L>,
    /// Where its members begin.
    first: u32,
    /// Whether all that was named may be there.
    is_whole: bool,
}

impl<'n, A: Argument, R, L: FoundList> NamingSet<'n, A, R, L> {
    /// One more.
    #[inline(always)]
    pub fn key(&mut self, key: &A::Key) -> Result<(), Missing> {
        let Found {
            address, beside, ..
        } = self.naming.find(key)?;
        match address.zip(beside) {
            Some((address, key)) => self.naming.footprint.push_member(address, key),
            None => self.is_whole = false,
        }
        Ok(())
    }

    /// That was the last.
    #[inline(always)]
    pub fn end(mut self) -> Naming<'n, R, (L, Found<A>)> {
        let Naming { footprint, nth, .. } = &mut self.naming;
        let n = footprint.close_set(self.first, *nth, A::USE);
        let found = Found::set(*nth, self.first, n);
        self.naming.next(found.whole(self.is_whole))
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
