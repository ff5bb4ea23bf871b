//! The footprint of an event: the addresses of the records and resources that it names, with the access to each.
//!
//! Invariant: an address in [`Footprint`] is one that the argument of that index has found: see
//! [`Found`](crate::store::found::Found). Each address to be written occurs once, unless the event was rejected for an alias.
//!
//! [`Granted`] adds a guarantee: while it exists, no other event writes an address of the footprint, or uses an address
//! that this event writes. Only the code that orders events can give this guarantee.

mod clash;
mod member;

use core::any::TypeId;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;

pub(crate) use self::member::{FEW_MEMBERS, Member};
use self::member::{MOST_KEPT, keep_each_once};
use crate::base::position::EventInfo;

/// The access of an event to an address of its footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Shared with other readers.
    Read = 0,
    /// Exclusive.
    Write = 1,
    /// An address that no event writes, so it needs no order.
    Unordered = 2,
}

/// An entry of a footprint. The address is `None` if an optional record or resource is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FootprintEntry {
    pub(crate) address: Option<NonNull<()>>,
    pub(crate) mark: Mark,
}

/// The argument and the access of an entry. One word, because it is read soon after it was written: a load of a word
/// that was written in parts stalls.
#[derive(Clone, Copy)]
pub(crate) struct Mark(u32);

impl Mark {
    const HAS_COMPANION: u32 = 1 << 24;

    #[inline(always)]
    fn new(argument: u16, how: Use, has_companion: bool) -> Self {
        let companion = if has_companion {
            Self::HAS_COMPANION
        } else {
            0
        };
        Self(u32::from(argument) | (how as u32) << 16 | companion)
    }

    /// Returns the index of the argument of the handler.
    #[inline(always)]
    pub(crate) fn argument(self) -> u16 {
        self.0 as u16
    }

    #[inline(always)]
    pub(crate) fn how(self) -> Use {
        match self.0 >> 16 & 0xff {
            0 => Use::Read,
            1 => Use::Write,
            _ => Use::Unordered,
        }
    }

    /// Returns whether the next entry belongs to this one.
    #[inline(always)]
    fn has_companion(self) -> bool {
        self.0 & Self::HAS_COMPANION != 0
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mark")
            .field("argument", &self.argument())
            .field("how", &self.how())
            .field("has_companion", &self.has_companion())
            .finish()
    }
}

/// A record set in a footprint.
#[derive(Clone, Copy, Debug)]
struct SetEntry {
    argument: u16,
    how: Use,
    /// The number of its members.
    n: u32,
}

/// The entries of a footprint that need an order.
pub trait Entries {
    /// Calls `f` with each entry, in the same order each time.
    #[doc(hidden)]
    fn each(&self, f: impl FnMut(NonNull<()>, Use));
}

/// Number of entries that need no allocation.
pub(crate) const FEW: usize = 4;

/// The addresses that an event named, in the order of the arguments: single records and resources, and sets. One cache
/// line, because it is sent between processors.
#[derive(Debug)]
#[repr(C)]
pub struct Footprint {
    /// The first entries, and the number of all entries: at most two for each argument.
    addresses: [Option<NonNull<()>>; FEW],
    marks: [Mark; FEW],
    n: u16,
    /// The index of the variant of the event.
    pub(crate) case: u16,
    /// Whether the event is exclusive.
    pub(crate) is_exclusive: bool,
    /// The number of places at which the event may insert or remove a record. `u8::MAX` means any number.
    pub(crate) n_doubts: u8,
    /// Whether the handler was called. Used only if no other event is in flight: otherwise [`Granted`] refers to
    /// another flag.
    pub(crate) is_called: Cell<bool>,
    /// Whether the handler call has a span or is measured. Used only if events may run in parallel.
    /// [`clear`](Self::clear) writes the eight bytes from `n` to here at once.
    pub(crate) is_apart: bool,
    /// The entries after the first `FEW`, and sets.
    more: Option<Box<More>>,
}

const _: () = assert!(
    size_of::<Footprint>() <= 64,
    "a footprint must fit in one cache line"
);

/// The part of a footprint that few events need.
#[derive(Debug, Default)]
struct More {
    /// The entries after the first `FEW`.
    footprint: Vec<FootprintEntry>,
    sets: Vec<SetEntry>,
    /// The members of all sets, one set after the other.
    members: Vec<Member>,
}

// SAFETY: a footprint only holds addresses. It follows none of them: dereferencing needs `Granted`, whose contract
// gives the access.
#[expect(unsafe_code, reason = "addresses are sent to another thread")]
unsafe impl Send for Footprint {}

impl Footprint {
    pub(crate) fn new() -> Self {
        let nothing = Mark::new(0, Use::Unordered, false);
        Self {
            addresses: [None; FEW],
            marks: [nothing; FEW],
            n: 0,
            case: 0,
            is_exclusive: false,
            n_doubts: 0,
            is_called: Cell::new(false),
            is_apart: false,
            more: None,
        }
    }

    /// Clears the footprint for another event, of this case. Keeps the memory.
    #[inline(always)]
    pub(crate) fn clear(&mut self, case: u16) {
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
        self.is_apart = false;
    }

    /// Clears the footprint for the same event. Keeps `is_exclusive` and `n_doubts`.
    pub(crate) fn restart(&mut self) {
        let (is_exclusive, n_doubts) = (self.is_exclusive, self.n_doubts);
        self.clear(self.case);
        (self.is_exclusive, self.n_doubts) = (is_exclusive, n_doubts);
    }

    /// Frees the memory of large sets. The entries must not be needed any more.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        if let Some(more) = &mut self.more
            && more.members.capacity() > MOST_KEPT
        {
            more.sets.clear();
            more.members = Vec::new();
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.n as usize
    }

    #[inline(always)]
    pub(crate) fn get(&self, nth: usize) -> FootprintEntry {
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

    /// Returns the members of all sets.
    #[inline]
    fn all_members(&self) -> &[Member] {
        self.more.as_ref().map_or(&[], |more| &more.members)
    }

    /// Returns the `n` members of the set that begins at index `first` of all members.
    #[inline]
    pub(crate) fn members(&self, first: u32, n: u32) -> &[Member] {
        let first = first as usize;
        &self.all_members()[first..first + n as usize]
    }

    /// Returns the number of entries that need an order. For small footprints it returns an upper bound in O(1).
    #[inline(always)]
    pub(crate) fn most_in_order(&self) -> usize {
        if self.len() <= FEW && self.all_members().is_empty() {
            self.len()
        } else {
            self.count_in_order()
        }
    }

    #[cold]
    fn count_in_order(&self) -> usize {
        let footprint = (0..self.len()).map(|nth| self.get(nth).mark.how());
        footprint.filter(|how| *how != Use::Unordered).count() + self.all_members().len()
    }

    /// Iterates over the entries, argument by argument.
    #[inline(always)]
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor {
            footprint: self,
            n_given: 0,
            n_sets: 0,
            n_members: 0,
        }
    }

    /// Adds the address that an argument has found, and the address that belongs to it.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        address: Option<NonNull<()>>,
        how: Use,
        argument: u16,
        companion: Option<NonNull<()>>,
    ) {
        self.push_entry(address, Mark::new(argument, how, companion.is_some()));
        if companion.is_some() {
            self.push_entry(companion, Mark::new(argument, Use::Unordered, false));
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

    /// Marks the event as exclusive, because it takes a whole store.
    #[cold]
    pub(crate) fn set_exclusive(&mut self) {
        self.is_exclusive = true;
        self.n_doubts = u8::MAX;
    }

    /// Counts one more place at which the event may insert or remove a record.
    #[inline(always)]
    pub(crate) fn doubt(&mut self) {
        self.n_doubts = self.n_doubts.saturating_add(1);
    }

    /// Begins a set. The caller must close it. Returns the index of its first member among the members of all sets.
    #[inline(always)]
    pub(crate) fn open_set(&mut self) -> u32 {
        self.more.get_or_insert_default().members.len() as u32
    }

    /// Adds a member to the open set.
    #[inline(always)]
    pub(crate) fn push_member(&mut self, address: NonNull<()>, key: NonNull<()>) {
        let address = Some(address);
        let more = self.more.get_or_insert_default();
        more.members.push(Member { address, key });
    }

    /// Removes the members of the open set that begins at `first`.
    #[cold]
    pub(crate) fn remove_members(&mut self, first: u32) {
        if let Some(more) = &mut self.more {
            more.members.truncate(first as usize);
        }
    }

    /// Closes the set of this argument that begins at `first`, and removes duplicates. Returns the number of remaining
    /// members. O(n).
    #[inline]
    pub(crate) fn close_set(&mut self, first: u32, argument: u16, how: Use) -> u32 {
        let More { members, sets, .. } = &mut **self.more.get_or_insert_default();
        keep_each_once(members, first as usize);
        let n = members.len() as u32 - first;
        sets.push(SetEntry { argument, how, n });
        n
    }
}

/// Iterates over a footprint, argument by argument.
#[derive(Debug)]
pub struct Cursor<'c> {
    footprint: &'c Footprint,
    n_given: usize,
    n_sets: usize,
    n_members: u32,
}

impl Cursor<'_> {
    /// Returns the address that the next argument has found, and the address that belongs to it.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> (FootprintEntry, Option<NonNull<()>>) {
        let entry = self.next_entry();
        let companion = if entry.mark.has_companion() {
            self.next_entry().address
        } else {
            None
        };
        (entry, companion)
    }

    #[inline(always)]
    fn next_entry(&mut self) -> FootprintEntry {
        let entry = self.footprint.get(self.n_given);
        self.n_given += 1;
        entry
    }

    /// Returns the set of the next argument: the index of its first member among the members of all sets, and the
    /// number of its members.
    #[inline]
    pub(crate) fn next_set(&mut self) -> (u32, u32) {
        let SetEntry { n, .. } = self.footprint.sets()[self.n_sets];
        let first = self.n_members;
        self.n_sets += 1;
        self.n_members += n;
        (first, n)
    }
}

/// A footprint whose addresses may be dereferenced: see the module.
#[derive(Debug)]
pub struct Granted<'h> {
    pub(crate) footprint: &'h Footprint,
    /// The type of the recipe that made the footprint.
    pub(crate) recipe: TypeId,
    /// The position and the time of the event.
    pub(crate) info: &'h EventInfo,
    /// Set just before the handler is called. It remains `false` if something panics before that.
    pub(crate) is_called: &'h Cell<bool>,
}

#[expect(unsafe_code, reason = "requires exclusive access to the footprint")]
impl<'h> Granted<'h> {
    /// # Safety
    ///
    /// A recipe of this type made the footprint. Its addresses are valid for `'h`. For that time no other event writes
    /// them, or uses an address that this event writes.
    #[inline]
    pub(crate) unsafe fn new(
        footprint: &'h Footprint,
        recipe: TypeId,
        info: &'h EventInfo,
        is_called: &'h Cell<bool>,
    ) -> Self {
        Self {
            footprint,
            recipe,
            info,
            is_called,
        }
    }
}

#[cfg(test)]
impl Entries for Vec<(NonNull<()>, Use)> {
    fn each(&self, mut f: impl FnMut(NonNull<()>, Use)) {
        self.iter().for_each(|(address, how)| f(*address, *how));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    pub(crate) fn address(nth: usize) -> NonNull<()> {
        NonNull::new(without_provenance_mut(16 + 16 * nth)).expect("the address is not null")
    }

    /// Adds a set with these members. Returns the index of its first member, and the number of members after the
    /// removal of duplicates.
    pub(crate) fn name_set(
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
    fn set_keeps_each_member_once_with_its_key() {
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
    fn memory_of_a_large_set_is_freed_after_its_event() {
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
    fn duplicates_in_a_set_keep_no_memory() {
        for n in [2, MOST_KEPT + 1] {
            let mut footprint = Footprint::new();
            let again = (0..8 * MOST_KEPT).map(|nth| nth % n);
            assert_eq!(name_set(&mut footprint, again, 0, Use::Read), (0, n as u32));
            let more = footprint.more.as_ref().expect("a set was added");
            assert!(more.members.capacity() <= n.max(MOST_KEPT));
        }
    }
}
