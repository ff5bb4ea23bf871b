//! What an event has named.
//!
//! Invariant: an address in [`Claims`] is one that the argument of that number has found, as [`found`](super::found) says; and
//! those to be written are in it once, unless the event was refused. [`Granted`] says more: that no other event that touches what this one writes, or
//! writes what it touches, runs meanwhile. Only who orders events can say that.

use core::any::TypeId;
use core::fmt;
use core::ptr::NonNull;
use std::collections::HashSet;

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
pub(super) struct Claim {
    pub(super) address: Option<NonNull<()>>,
    pub(super) mark: Mark,
}

/// What a claim is for: one word, since it is read soon after it was written, and a word that was written in parts cannot be
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

    /// Whether the next claim goes with this one.
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

/// What an event names, as far as that needs an order.
pub trait Named {
    /// One after the other, the same each time.
    #[doc(hidden)]
    fn each(&self, f: impl FnMut(NonNull<()>, Use));
}

/// So many claims need no memory of their own.
const FEW: usize = 4;
/// Of so many claims, each is compared with each.
const FEW_TO_COMPARE: usize = 32;

/// All that an event named, in the order of the arguments. One cache line, since it goes from one processor to another.
#[derive(Debug)]
#[repr(C)]
pub struct Claims {
    /// Of the first ones, and how many there are in all.
    addresses: [Option<NonNull<()>>; FEW],
    marks: [Mark; FEW],
    n: u32,
    /// Of which variant of the event.
    pub(super) case: u16,
    /// No other event may run beside it.
    pub(super) is_alone: bool,
    /// At how many places an entity may come or go; at any, if it is the most.
    pub(super) n_doubts: u8,
    /// What there was no room for so far.
    more: Option<Box<More>>,
}

const _: () = assert!(size_of::<Claims>() <= 64, "one cache line");

/// What few events have.
#[derive(Debug, Default)]
struct More {
    /// The claims behind the first ones.
    claims: Vec<Claim>,
    /// How many claims those arguments have that are sets.
    n_of_sets: Vec<u32>,
}

// SAFETY: these are addresses; who follows them says that it may.
#[expect(unsafe_code, reason = "addresses go to whoever processes the event")]
unsafe impl Send for Claims {}

impl Claims {
    pub(super) fn new() -> Self {
        let nothing = Mark::new(0, Use::Beside, false);
        Self {
            addresses: [None; FEW],
            marks: [nothing; FEW],
            n: 0,
            case: 0,
            is_alone: false,
            n_doubts: 0,
            more: None,
        }
    }

    /// For another event, of this case. Keeps its memory.
    #[inline(always)]
    pub(super) fn clear(&mut self, case: u16) {
        if let Some(more) = &mut self.more {
            more.claims.clear();
            more.n_of_sets.clear();
        }
        self.n = 0;
        self.case = case;
        self.is_alone = false;
        self.n_doubts = 0;
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.n as usize
    }

    #[inline(always)]
    pub(super) fn get(&self, nth: usize) -> Claim {
        match nth.checked_sub(FEW) {
            None => Claim {
                address: self.addresses[nth],
                mark: self.marks[nth],
            },
            Some(nth) => self.more()[nth],
        }
    }

    fn more(&self) -> &[Claim] {
        self.more.as_ref().map_or(&[], |more| &more.claims)
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = Claim> + Clone {
        (0..self.len()).map(|nth| self.get(nth))
    }

    /// What of it needs an order. In two loops, as most events have no more claims than there are in the first one.
    #[inline(always)]
    pub(super) fn each(&self, mut f: impl FnMut(NonNull<()>, Use)) {
        let mut each = |claim: Claim| {
            if let Some(address) = claim.address
                && claim.mark.how() != Use::Beside
            {
                f(address, claim.mark.how());
            }
        };
        for nth in 0..self.len().min(FEW) {
            each(self.get(nth));
        }
        if self.len() > FEW {
            self.more().iter().copied().for_each(each);
        }
    }

    /// How many need an order: no more, if they are few, and so many, if they are not. O(1) for few.
    #[inline(always)]
    pub(super) fn most_in_order(&self) -> usize {
        match self.len() <= FEW {
            true => self.len(),
            false => self.count_in_order(),
        }
    }

    #[cold]
    fn count_in_order(&self) -> usize {
        let mut n = 0;
        self.each(|_, _| n += 1);
        n
    }

    /// The claims of one argument after the other.
    #[inline(always)]
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor {
            claims: self,
            n_given: 0,
            n_sets: 0,
        }
    }

    /// Whoever named this finds nothing.
    pub(super) fn give_up(&mut self, nth: usize) {
        let claim = self.get(nth);
        self.set(
            nth,
            Claim {
                address: None,
                ..claim
            },
        );
    }

    /// One of those that there are, or the next one.
    #[inline(always)]
    fn set(&mut self, nth: usize, claim: Claim) {
        match nth.checked_sub(FEW) {
            None => {
                self.addresses[nth] = claim.address;
                self.marks[nth] = claim.mark;
            }
            Some(nth) => self.set_more(nth, claim),
        }
    }

    #[cold]
    fn set_more(&mut self, nth: usize, claim: Claim) {
        let more = &mut self.more.get_or_insert_default().claims;
        match more.get_mut(nth) {
            Some(place) => *place = claim,
            None => more.push(claim),
        }
    }

    /// Claims what an argument has found, and what goes with it.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        address: Option<NonNull<()>>,
        how: Use,
        argument: u16,
        beside: Option<NonNull<()>>,
    ) {
        self.push_claim(address, Mark::new(argument, how, beside.is_some()));
        if beside.is_some() {
            self.push_claim(beside, Mark::new(argument, Use::Beside, false));
        }
    }

    #[inline(always)]
    fn push_claim(&mut self, address: Option<NonNull<()>>, mark: Mark) {
        self.set(self.len(), Claim { address, mark });
        self.n += 1;
    }

    /// What a set has claimed, and what goes with each.
    pub(super) fn of_set(
        &self,
        first: usize,
        n: usize,
    ) -> impl Iterator<Item = (Claim, Option<NonNull<()>>)> {
        let mut cursor = Cursor {
            n_given: first,
            ..self.cursor()
        };
        core::iter::from_fn(move || (cursor.n_given < first + n).then(|| cursor.next()))
    }

    /// No other event may run beside it, since it takes all of a store.
    #[cold]
    pub(super) fn stand_alone(&mut self) {
        self.is_alone = true;
        self.n_doubts = u8::MAX;
    }

    /// At one place more, an entity may come or go.
    #[inline(always)]
    pub(super) fn doubt(&mut self) {
        self.n_doubts = self.n_doubts.saturating_add(1);
    }

    /// Ends a set, whose claims begin at `first`: each is kept once, with what goes with it. How many are kept. O(n).
    pub(super) fn close_set(&mut self, first: usize) -> usize {
        let mut seen = HashSet::new();
        let (mut kept, n) = (first, self.len());
        let (mut is_beside, mut is_new) = (false, false);
        for nth in first..n {
            let claim = self.get(nth);
            if !is_beside {
                is_new = if n - first <= FEW_TO_COMPARE {
                    (first..kept).all(|nth| self.get(nth).address != claim.address)
                } else {
                    seen.insert(claim.address)
                };
            }
            is_beside = claim.mark.has_beside();
            if is_new {
                self.set(kept, claim);
                kept += 1;
            }
        }
        self.n = kept as u32;
        let more = self.more.get_or_insert_default();
        more.claims.truncate(kept.saturating_sub(FEW));
        more.n_of_sets.push((kept - first) as u32);
        kept - first
    }

    /// The first claim, by number, to what an earlier one claims, with a write among the two; and that one. O(n log n).
    #[inline(always)]
    pub(super) fn twice(&self) -> Option<(usize, usize)> {
        let n = self.len();
        if n > FEW {
            return self.twice_of_many();
        }
        for second in 1..n {
            for first in 0..second {
                if clash(&self.get(first), &self.get(second)) {
                    return Some((first, second));
                }
            }
        }
        None
    }

    #[cold]
    fn twice_of_many(&self) -> Option<(usize, usize)> {
        let mut sorted: Vec<(Claim, usize)> = self.iter().zip(0..).collect();
        sorted.sort_by_key(|&(claim, nth)| (claim.address, nth));
        let same = sorted.chunk_by(|(a, _), (b, _)| a.address == b.address);
        let clashes = same.filter_map(|same| {
            // What comes first clashes with the next one if it writes, else with the first that does.
            let write = same
                .iter()
                .position(|(claim, _)| claim.mark.how() == Use::Write)?;
            let (first, second) = (same[0], *same.get(write.max(1))?);
            clash(&first.0, &second.0).then_some((first.1, second.1))
        });
        clashes.min_by_key(|&(first, second)| (second, first))
    }
}

#[inline(always)]
fn clash(a: &Claim, b: &Claim) -> bool {
    let is_written = |claim: &Claim| claim.mark.how() == Use::Write;
    a.address == b.address && a.address.is_some() && (is_written(a) || is_written(b))
}

/// Gives the claims of an event, for one argument after the other.
#[derive(Debug)]
pub struct Cursor<'c> {
    claims: &'c Claims,
    n_given: usize,
    n_sets: usize,
}

impl Cursor<'_> {
    /// What the next argument has found, and what goes with it.
    #[inline(always)]
    pub(super) fn next(&mut self) -> (Claim, Option<NonNull<()>>) {
        let claim = self.next_claim();
        let beside = match claim.mark.has_beside() {
            true => self.next_claim().address,
            false => None,
        };
        (claim, beside)
    }

    #[inline(always)]
    fn next_claim(&mut self) -> Claim {
        let claim = self.claims.get(self.n_given);
        self.n_given += 1;
        claim
    }

    /// The next argument is a set: its first claim, and how many they are.
    pub(super) fn next_set(&mut self) -> (usize, usize) {
        let more = self.claims.more.as_ref();
        let sets = more.map_or(&[][..], |more| &more.n_of_sets);
        let (first, n) = (self.n_given, sets[self.n_sets] as usize);
        self.n_sets += 1;
        self.n_given += n;
        (first, n)
    }
}

/// The claims of an event that may be followed: see the module.
#[derive(Debug)]
pub struct Granted<'h> {
    pub(super) claims: &'h Claims,
    /// Who made the claims.
    pub(super) recipe: TypeId,
}

#[expect(unsafe_code, reason = "says that addresses may be followed")]
impl<'h> Granted<'h> {
    /// # Safety
    ///
    /// A recipe of this type made the claims. What was claimed is there for `'h`, and for that long no event runs that
    /// touches what is claimed to be written, or writes what is claimed at all.
    #[inline]
    pub(super) unsafe fn new(claims: &'h Claims, recipe: TypeId) -> Self {
        Self { claims, recipe }
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

    #[test]
    fn what_goes_with_one_of_a_set_is_kept_with_it_and_needs_no_order() {
        let address = |nth: usize| NonNull::new(without_provenance_mut(16 + 16 * nth));
        let mut claims = Claims::new();
        for n in [2, 3, 100] {
            claims.clear(0);
            claims.push(address(1_000), Use::Write, 0, None);
            // Each twice.
            for nth in (0..n).chain(0..n) {
                claims.push(address(nth), Use::Write, 1, address(500 + nth));
            }
            assert_eq!(claims.close_set(1), 2 * n);
            let of_set: Vec<_> = claims.of_set(1, 2 * n).collect();
            let of_set: Vec<_> = of_set
                .iter()
                .map(|(one, key)| (one.address, *key))
                .collect();
            let wanted: Vec<_> = (0..n)
                .map(|nth| (address(nth), address(500 + nth)))
                .collect();
            assert_eq!(of_set, wanted);
            assert_eq!(claims.most_in_order(), 1 + n);
        }
    }
}
