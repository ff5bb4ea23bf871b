//! What an event has named.
//!
//! Invariant: an address in [`Footprint`] is one that the argument of that number has found, as [`found`](super::found) says; and
//! those to be written are in it once, unless the event was refused. [`Granted`] says more: that no other event that touches what this one writes, or
//! writes what it touches, runs meanwhile. Only who orders events can say that.

mod clash;
mod member;

use core::any::TypeId;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;

pub(super) use self::member::{FEW_MEMBERS, Member};
use self::member::{MOST_KEPT, keep_each_once};

/// What an event may do with what it named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Beside others that do the same.
    Read = 0,
    /// While nobody else uses it.
    Write = 1,
    /// What nobody writes: it needs no order.
    Beside = 2,
}

/// Something that an event named; nothing, where that is allowed not to be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootprintEntry {
    pub(super) address: Option<NonNull<()>>,
    pub(super) mark: Mark,
}

/// The argument and the access of an entry: one word, since it is read soon after it was written, and a word that was written in parts cannot be
/// read before all writes before it have reached the cache.
#[derive(Clone, Copy)]
pub(super) struct Mark(u32);

impl Mark {
    const HAS_BESIDE: u32 = 1 << 24;

    #[inline(always)]
    fn new(argument: u16, how: Use, has_beside: bool) -> Self {
        let beside = if has_beside { Self::HAS_BESIDE } else { 0 };
        Self(u32::from(argument) | (how as u32) << 16 | beside)
    }

    /// Which argument of the handler.
    #[inline(always)]
    pub(super) fn argument(self) -> u16 {
        self.0 as u16
    }

    #[inline(always)]
    pub(super) fn how(self) -> Use {
        match self.0 >> 16 & 0xff {
            0 => Use::Read,
            1 => Use::Write,
            _ => Use::Beside,
        }
    }

    /// Whether the next entry belongs to this one.
    #[inline(always)]
    fn has_beside(self) -> bool {
        self.0 & Self::HAS_BESIDE != 0
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mark")
            .field("argument", &self.argument())
            .field("how", &self.how())
            .field("has_beside", &self.has_beside())
            .finish()
    }
}

/// A set that an event named.
#[derive(Clone, Copy, Debug)]
struct SetEntry {
    argument: u16,
    how: Use,
    /// How many members it has.
    n: u32,
}

/// What an event names, as far as that needs an order.
pub trait Named {
    /// One after the other, the same each time.
    #[doc(hidden)]
    fn each(&self, f: impl FnMut(NonNull<()>, Use));
}

/// Number of entries that need no allocation.
pub(super) const FEW: usize = 4;

/// All that an event named, in the order of the arguments: what is no set, and sets. One cache line, since it goes from one processor
/// to another.
#[derive(Debug)]
#[repr(C)]
pub struct Footprint {
    /// Of the first ones, and how many there are in all: at most two for each argument.
    addresses: [Option<NonNull<()>>; FEW],
    marks: [Mark; FEW],
    n: u16,
    /// Of which variant of the event.
    pub(super) case: u16,
    /// No other event may run beside it.
    pub(super) is_exclusive: bool,
    /// How often it named a place to which a record may come, or from which one may go; any number, if it is the most.
    pub(super) n_doubts: u8,
    /// Whether the handler was called. Used only if no other event is in flight: otherwise [`Granted`] refers to a flag elsewhere.
    pub(super) is_called: Cell<bool>,
    /// Unused. [`clear`](Self::clear) writes the eight bytes from `n` to here at once.
    spare: u8,
    /// What there is no room for here.
    more: Option<Box<More>>,
}

const _: () = assert!(
    size_of::<Footprint>() <= 64,
    "a footprint must fit in one cache line"
);

/// What few events have.
#[derive(Debug, Default)]
struct More {
    /// The entries after the first `FEW`.
    footprint: Vec<FootprintEntry>,
    sets: Vec<SetEntry>,
    /// Of one set after the other.
    members: Vec<Member>,
}

// SAFETY: these are addresses; who follows them says that it may.
#[expect(unsafe_code, reason = "addresses go to whoever processes the event")]
unsafe impl Send for Footprint {}

impl Footprint {
    pub(super) fn new() -> Self {
        let nothing = Mark::new(0, Use::Beside, false);
        Self {
            addresses: [None; FEW],
            marks: [nothing; FEW],
            n: 0,
            case: 0,
            is_exclusive: false,
            n_doubts: 0,
            is_called: Cell::new(false),
            spare: 0,
            more: None,
        }
    }

    /// For another event, of this case. Keeps its memory.
    #[inline(always)]
    pub(super) fn clear(&mut self, case: u16) {
        if let Some(more) = &mut self.more {
            more.footprint.clear();
            more.sets.clear();
            more.members.clear();
        }
        self.n = 0;
        self.case = case;
        self.is_exclusive = false;
        self.n_doubts = 0;
        self.is_called = Cell::new(false);
        self.spare = 0;
    }

    /// For the same event, which names all once more. What it has doubted stays counted.
    pub(super) fn anew(&mut self) {
        let (is_exclusive, n_doubts) = (self.is_exclusive, self.n_doubts);
        self.clear(self.case);
        (self.is_exclusive, self.n_doubts) = (is_exclusive, n_doubts);
    }

    /// Nobody needs any more what was named: of large sets the memory goes.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        if let Some(more) = &mut self.more
            && more.members.capacity() > MOST_KEPT
        {
            more.sets.clear();
            more.members = Vec::new();
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.n as usize
    }

    #[inline(always)]
    pub(super) fn get(&self, nth: usize) -> FootprintEntry {
        match nth.checked_sub(FEW) {
            None => FootprintEntry {
                address: self.addresses[nth],
                mark: self.marks[nth],
            },
            Some(nth) => self.more()[nth],
        }
    }

    fn more(&self) -> &[FootprintEntry] {
        self.more.as_ref().map_or(&[], |more| &more.footprint)
    }

    fn sets(&self) -> &[SetEntry] {
        self.more.as_ref().map_or(&[], |more| &more.sets)
    }

    /// Of all sets.
    #[inline]
    fn all_members(&self) -> &[Member] {
        self.more.as_ref().map_or(&[], |more| &more.members)
    }

    /// Those of one set, of which the first is the `first`th of all: so many.
    #[inline]
    pub(super) fn members(&self, first: u32, n: u32) -> &[Member] {
        let first = first as usize;
        &self.all_members()[first..first + n as usize]
    }

    /// How many need an order: no more, if they are few, and so many, if they are not. O(1) for few.
    #[inline(always)]
    pub(super) fn most_in_order(&self) -> usize {
        match self.len() <= FEW && self.all_members().is_empty() {
            true => self.len(),
            false => self.count_in_order(),
        }
    }

    #[cold]
    fn count_in_order(&self) -> usize {
        let footprint = (0..self.len()).map(|nth| self.get(nth).mark.how());
        footprint.filter(|how| *how != Use::Beside).count() + self.all_members().len()
    }

    /// the footprint of one argument after the other.
    #[inline(always)]
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor {
            footprint: self,
            n_given: 0,
            n_sets: 0,
            n_members: 0,
        }
    }

    /// Adds what an argument has found, and what goes with it.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        address: Option<NonNull<()>>,
        how: Use,
        argument: u16,
        beside: Option<NonNull<()>>,
    ) {
        self.push_entry(address, Mark::new(argument, how, beside.is_some()));
        if beside.is_some() {
            self.push_entry(beside, Mark::new(argument, Use::Beside, false));
        }
    }

    #[inline(always)]
    fn push_entry(&mut self, address: Option<NonNull<()>>, mark: Mark) {
        match self.len() {
            nth @ 0..FEW => {
                self.addresses[nth] = address;
                self.marks[nth] = mark;
            }
            _ => self.push_more(FootprintEntry { address, mark }),
        }
        self.n += 1;
    }

    #[cold]
    fn push_more(&mut self, entry: FootprintEntry) {
        self.more.get_or_insert_default().footprint.push(entry);
    }

    /// No other event may run beside it, since it takes all of a store.
    #[cold]
    pub(super) fn set_exclusive(&mut self) {
        self.is_exclusive = true;
        self.n_doubts = u8::MAX;
    }

    /// At one place more, a record may come or go.
    #[inline(always)]
    pub(super) fn doubt(&mut self) {
        self.n_doubts = self.n_doubts.saturating_add(1);
    }

    /// Begins a set, which is to be closed. Where its members begin among those of all sets.
    #[inline(always)]
    pub(super) fn open_set(&mut self) -> u32 {
        self.more.get_or_insert_default().members.len() as u32
    }

    /// One more of the set that was opened last.
    #[inline(always)]
    pub(super) fn push_member(&mut self, address: NonNull<()>, key: NonNull<()>) {
        let address = Some(address);
        let more = self.more.get_or_insert_default();
        more.members.push(Member { address, key });
    }

    /// Ends a set of this argument, which begins there: each member is kept once. How many are kept. O(n).
    #[inline]
    pub(super) fn close_set(&mut self, first: u32, argument: u16, how: Use) -> u32 {
        let More { members, sets, .. } = &mut **self.more.get_or_insert_default();
        keep_each_once(members, first as usize);
        let n = members.len() as u32 - first;
        sets.push(SetEntry { argument, how, n });
        n
    }
}

/// Gives the footprint of an event, for one argument after the other.
#[derive(Debug)]
pub struct Cursor<'c> {
    footprint: &'c Footprint,
    n_given: usize,
    n_sets: usize,
    n_members: u32,
}

impl Cursor<'_> {
    /// What the next argument has found, and what goes with it.
    #[inline(always)]
    pub(super) fn next(&mut self) -> (FootprintEntry, Option<NonNull<()>>) {
        let entry = self.next_entry();
        let beside = match entry.mark.has_beside() {
            true => self.next_entry().address,
            false => None,
        };
        (entry, beside)
    }

    #[inline(always)]
    fn next_entry(&mut self) -> FootprintEntry {
        let entry = self.footprint.get(self.n_given);
        self.n_given += 1;
        entry
    }

    /// The next argument is a set: its first member among those of all sets, and how many they are.
    #[inline]
    pub(super) fn next_set(&mut self) -> (u32, u32) {
        let SetEntry { n, .. } = self.footprint.sets()[self.n_sets];
        let first = self.n_members;
        self.n_sets += 1;
        self.n_members += n;
        (first, n)
    }
}

/// the footprint of an event that may be followed: see the module.
#[derive(Debug)]
pub struct Granted<'h> {
    pub(super) footprint: &'h Footprint,
    /// Who made the footprint.
    pub(super) recipe: TypeId,
    /// Set just before the handler is called: what panics earlier leaves it `false`.
    pub(super) is_called: &'h Cell<bool>,
}

#[expect(unsafe_code, reason = "says that addresses may be followed")]
impl<'h> Granted<'h> {
    /// # Safety
    ///
    /// A recipe of this type made the footprint. What was named is there for `'h`, and for that long no event runs that
    /// touches what is named to be written, or writes what is named at all.
    #[inline]
    pub(super) unsafe fn new(
        footprint: &'h Footprint,
        recipe: TypeId,
        is_called: &'h Cell<bool>,
    ) -> Self {
        Self {
            footprint,
            recipe,
            is_called,
        }
    }
}

#[cfg(test)]
impl Named for Vec<(NonNull<()>, Use)> {
    fn each(&self, mut f: impl FnMut(NonNull<()>, Use)) {
        self.iter().for_each(|(address, how)| f(*address, *how));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    pub(super) fn address(nth: usize) -> NonNull<()> {
        NonNull::new(without_provenance_mut(16 + 16 * nth)).expect("the address is not null")
    }

    /// Where the members of a set with these begin, and how many are kept.
    pub(super) fn name_set(
        footprint: &mut Footprint,
        of: impl Iterator<Item = usize>,
        argument: u16,
        how: Use,
    ) -> (u32, u32) {
        let first = footprint.open_set();
        of.for_each(|nth| footprint.push_member(address(nth), address(500 + nth)));
        (first, footprint.close_set(first, argument, how))
    }

    #[test]
    fn each_of_a_set_is_kept_once_with_its_key() {
        let mut footprint = Footprint::new();
        for n in [2, 3, 100] {
            footprint.clear(0);
            footprint.push(Some(address(1_000)), Use::Write, 0, None);
            let each_twice = (0..n).chain(0..n);
            let [first, second] = [(0, n as u32), (n as u32, 1)];
            assert_eq!(name_set(&mut footprint, each_twice, 1, Use::Write), first);
            assert_eq!(name_set(&mut footprint, 0..1, 2, Use::Read), second);
            assert_eq!(footprint.most_in_order(), 1 + n + 1);
            let mut cursor = footprint.cursor();
            assert_eq!(cursor.next().0.address, Some(address(1_000)));
            assert_eq!([cursor.next_set(), cursor.next_set()], [first, second]);
            let keys = footprint.members(0, n as u32).iter().map(|one| one.key);
            assert!(keys.eq((0..n).map(|nth| address(500 + nth))));
        }
    }

    #[test]
    fn the_memory_of_a_large_set_goes_with_its_event() {
        let mut footprint = Footprint::new();
        for (n, is_kept) in [(3, true), (MOST_KEPT + 1, false), (3, true)] {
            footprint.clear(0);
            name_set(&mut footprint, 0..n, 0, Use::Read);
            footprint.forget();
            assert_eq!(footprint.all_members().len(), if is_kept { n } else { 0 });
            let more = footprint.more.as_ref().expect("a set was added");
            assert_eq!(more.members.capacity() > 0, is_kept);
        }
    }

    #[test]
    fn a_set_that_names_one_often_keeps_no_memory_for_that() {
        for n in [2, MOST_KEPT + 1] {
            let mut footprint = Footprint::new();
            let again = (0..8 * MOST_KEPT).map(|nth| nth % n);
            assert_eq!(name_set(&mut footprint, again, 0, Use::Read), (0, n as u32));
            let more = footprint.more.as_ref().expect("a set was added");
            assert!(more.members.capacity() <= n.max(MOST_KEPT));
        }
    }
}
