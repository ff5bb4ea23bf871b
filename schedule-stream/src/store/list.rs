//! The arguments of a handler as type-level lists: of their types, and of the results of their lookups.
//!
//! An event that is handled immediately needs only these lists, which the compiler keeps in registers. An event that
//! waits stores the same data without types, in a [`Footprint`].
#![expect(unsafe_code, reason = "has the contract of its callees")]

use core::ptr::NonNull;

use crate::base::footprint::{Cursor, Entries, FEW_MEMBERS, Footprint, Member, Use};
use crate::base::position::EventInfo;
use crate::store::argument::Argument;
use crate::store::found::{Found, Missing};

/// A list of arguments: `()`, or the first argument and the rest.
pub trait ArgumentList: 'static {
    /// The number of arguments.
    const LEN: usize;

    /// The list of results of these arguments, appended to the results `L` of earlier ones.
    type FoundAfter<L: FoundList>: FoundList;

    /// Returns whether an event may name the same record for two of the arguments, with at least one write.
    fn may_be_same() -> bool;

    /// Returns whether an event may name the same record for one of the arguments and `B`, with at least one write.
    fn may_be_same_as<B: Argument>() -> bool;
}

impl ArgumentList for () {
    const LEN: usize = 0;
    type FoundAfter<L: FoundList> = L;

    fn may_be_same() -> bool {
        false
    }

    fn may_be_same_as<B: Argument>() -> bool {
        false
    }
}

impl<A: Argument, R: ArgumentList> ArgumentList for (A, R) {
    const LEN: usize = 1 + R::LEN;
    type FoundAfter<L: FoundList> = R::FoundAfter<(L, Found<A>)>;

    fn may_be_same() -> bool {
        R::may_be_same_as::<A>() || R::may_be_same()
    }

    fn may_be_same_as<B: Argument>() -> bool {
        may_be_same::<A, B>() || R::may_be_same_as::<B>()
    }
}

/// Returns whether the two arguments may be the same record, with at least one write.
#[inline(always)]
fn may_be_same<A: Argument, B: Argument>() -> bool {
    let is_written = A::USE == Use::Write || B::USE == Use::Write;
    is_written && A::RECORD.is_some() && A::RECORD == B::RECORD
}

/// The results of the lookups of arguments: `()`, or the results of earlier arguments and that of the last one.
pub trait FoundList: Copy {
    /// The parameters of the handler, in a list of the same form.
    type Items<'h>;

    /// Returns `false` if no two arguments have found the same address with at least one write. May return `true`
    /// without an alias: [`Footprint::alias`] decides. `footprint` contains the members of sets, as in all methods
    /// below.
    #[doc(hidden)]
    fn may_clash(&self, footprint: &Footprint) -> bool;

    /// Compares all results with that of one more argument, as [`may_clash`](Self::may_clash).
    #[doc(hidden)]
    fn may_clash_with<B: Argument>(&self, footprint: &Footprint, other: Found<B>) -> bool;

    /// Returns whether a missing record may be an alias of another record.
    #[doc(hidden)]
    fn is_unclear(&self) -> bool;

    /// Compares all results with that of one more argument, as [`is_unclear`](Self::is_unclear).
    #[doc(hidden)]
    fn is_unclear_with<B: Argument>(&self, other: Found<B>) -> bool;

    /// Adds the found addresses of all arguments except sets.
    ///
    /// # Safety
    ///
    /// As for [`Argument::companion`] of each.
    #[doc(hidden)]
    unsafe fn add_to_footprint(&self, footprint: &mut Footprint);

    /// Reads back the entries that arguments of these types have added.
    #[doc(hidden)]
    fn of_footprint(cursor: &mut Cursor<'_>) -> Self;

    /// Calls `f` with each entry that needs an order.
    #[doc(hidden)]
    fn each(&self, footprint: &Footprint, f: &mut impl FnMut(NonNull<()>, Use));

    /// Returns an error if a required record is missing. Has no side effects.
    ///
    /// # Safety
    ///
    /// As for [`Argument::look`] of each.
    #[doc(hidden)]
    unsafe fn look(&self) -> Result<(), Missing>;

    /// Returns the parameters of the handler.
    ///
    /// # Safety
    ///
    /// As for [`Argument::give`] of each.
    #[doc(hidden)]
    unsafe fn give<'h>(
        self,
        footprint: &'h Footprint,
        info: &EventInfo,
    ) -> Result<Self::Items<'h>, Missing>;
}

/// The entries of a footprint, with the access that the argument types declare.
#[derive(Debug)]
pub(crate) struct TypedEntries<'c, L>(pub(crate) &'c Footprint, pub(crate) L);

impl<L: FoundList> Entries for TypedEntries<'_, L> {
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(NonNull<()>, Use)) {
        self.1.each(self.0, &mut f);
    }
}

impl FoundList for () {
    type Items<'h> = ();

    #[inline(always)]
    fn may_clash(&self, _: &Footprint) -> bool {
        false
    }

    #[inline(always)]
    fn may_clash_with<B: Argument>(&self, _: &Footprint, _: Found<B>) -> bool {
        false
    }

    #[inline(always)]
    fn is_unclear(&self) -> bool {
        false
    }

    #[inline(always)]
    fn is_unclear_with<B: Argument>(&self, _: Found<B>) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn add_to_footprint(&self, _: &mut Footprint) {}

    #[inline(always)]
    fn of_footprint(_: &mut Cursor<'_>) {}

    #[inline(always)]
    fn each(&self, _: &Footprint, _: &mut impl FnMut(NonNull<()>, Use)) {}

    #[inline(always)]
    unsafe fn look(&self) -> Result<(), Missing> {
        Ok(())
    }

    #[inline(always)]
    unsafe fn give<'h>(self, _: &'h Footprint, _: &EventInfo) -> Result<Self::Items<'h>, Missing> {
        Ok(())
    }
}

impl<L: FoundList, A: Argument> FoundList for (L, Found<A>) {
    type Items<'h> = (L::Items<'h>, A::Item<'h>);

    #[inline(always)]
    fn may_clash(&self, footprint: &Footprint) -> bool {
        // A set contains each record once, so it is not compared with itself.
        self.0.may_clash(footprint) || self.0.may_clash_with(footprint, self.1)
    }

    #[inline(always)]
    fn may_clash_with<B: Argument>(&self, footprint: &Footprint, other: Found<B>) -> bool {
        let (before, found) = self;
        let has = |members: &[Member], address: Option<NonNull<()>>| {
            address.is_some() && members.iter().any(|one| one.address == address)
        };
        let has_same = || match (A::IS_SET, B::IS_SET) {
            (false, false) => other.address.is_some() && other.address == found.address,
            (false, true) => has(other.members(footprint), found.address),
            (true, false) => has(found.members(footprint), other.address),
            (true, true) => {
                let [members, others] = [found.members(footprint), other.members(footprint)];
                members.len() * others.len() > FEW_MEMBERS * FEW_MEMBERS
                    || others.iter().any(|one| has(members, one.address))
            }
        };
        let is_written = A::USE == Use::Write || B::USE == Use::Write;
        is_written && has_same() || before.may_clash_with(footprint, other)
    }

    #[inline(always)]
    fn is_unclear(&self) -> bool {
        self.0.is_unclear() || self.0.is_unclear_with(self.1)
    }

    #[inline(always)]
    fn is_unclear_with<B: Argument>(&self, other: Found<B>) -> bool {
        let (before, found) = self;
        // A record that was missing for the first argument may have got a place for the other one.
        let is_unclear = !found.is_complete && (!other.is_complete || other.is_tentative);
        may_be_same::<A, B>() && is_unclear || before.is_unclear_with(other)
    }

    #[inline(always)]
    unsafe fn add_to_footprint(&self, footprint: &mut Footprint) {
        // SAFETY: each argument has the same contract: its store is valid, and nothing writes to it.
        unsafe { self.0.add_to_footprint(footprint) };
        if !A::IS_SET {
            let found = self.1;
            // SAFETY: each argument has the same contract: its store is valid, and nothing writes to it.
            let companion = unsafe { A::companion(found) };
            footprint.push(found.address, A::USE, found.argument, companion);
        }
    }

    #[inline(always)]
    fn of_footprint(cursor: &mut Cursor<'_>) -> Self {
        let before = L::of_footprint(cursor);
        if A::IS_SET {
            let (first, n) = cursor.next_set();
            return (before, Found::set(0, first, n));
        }
        let (entry, companion) = cursor.next();
        let found = Found::new(entry.address, entry.mark.argument());
        (before, found.with(companion))
    }

    #[inline(always)]
    fn each(&self, footprint: &Footprint, f: &mut impl FnMut(NonNull<()>, Use)) {
        self.0.each(footprint, f);
        if A::USE == Use::Unordered {
            return;
        }
        if A::IS_SET {
            let members = self.1.members(footprint).iter();
            members
                .filter_map(|one| one.address)
                .for_each(|address| f(address, A::USE));
        } else if let Some(address) = self.1.address {
            f(address, A::USE);
        }
    }

    #[inline(always)]
    unsafe fn look(&self) -> Result<(), Missing> {
        // SAFETY: each argument has the same contract: its place is valid, and no conflicting event runs.
        unsafe { self.0.look() }?;
        // SAFETY: each argument has the same contract: its place is valid, and no conflicting event runs.
        unsafe { A::look(self.1) }
    }

    #[inline(always)]
    unsafe fn give<'h>(
        self,
        footprint: &'h Footprint,
        info: &EventInfo,
    ) -> Result<Self::Items<'h>, Missing> {
        // SAFETY: each argument has the same contract: its place is valid for `'h`, and no conflicting event runs.
        let before = unsafe { self.0.give(footprint, info) }?;
        // SAFETY: each argument has the same contract: its place is valid for `'h`, and no conflicting event runs.
        Ok((before, unsafe { A::give(self.1, footprint, info) }?))
    }
}
