//! What an event has named.
//!
//! Invariant: an address in [`Claims`] is that of a place, of a resource or of a default, of the type for which the argument
//! of that number looked it up; and those to be written are in it once. [`Granted`] says more: that no other event that
//! touches what this one writes, or writes what it touches, runs meanwhile. Only who orders events can say that.

use core::any::TypeId;
use core::ptr::NonNull;
use std::collections::HashSet;

/// What an event may do with what it named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
    /// What nobody writes: it needs no order.
    Beside,
}

/// Something that an event named; nothing, where that is allowed not to be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) address: Option<NonNull<()>>,
    pub(super) how: Use,
    /// Which argument of the handler.
    pub(super) argument: u16,
    /// Whether the next claim is what there is if there is nothing.
    pub(super) has_absent: bool,
}

/// So many claims need no memory of their own.
const FEW: usize = 4;
/// Of so many claims, each is compared with each.
const FEW_TO_COMPARE: usize = 16;

/// All that an event named, in the order of the arguments.
#[derive(Debug)]
pub struct Claims {
    /// The first ones, and how many there are in all.
    few: [Claim; FEW],
    n: usize,
    /// The others.
    more: Vec<Claim>,
    /// How many claims those arguments have that are sets.
    pub(super) n_of_sets: Vec<u32>,
    /// Of which variant of the event, and by which recipe.
    pub(super) case: usize,
    pub(super) recipe: TypeId,
    /// No other event may run beside it.
    pub(super) is_alone: bool,
    /// At how many places an entity may come or go.
    pub(super) n_doubts: u32,
}

// SAFETY: these are addresses; who follows them says that it may.
#[expect(unsafe_code, reason = "addresses go to whoever processes the event")]
unsafe impl Send for Claims {}

impl Claims {
    pub(super) fn new() -> Self {
        let nothing = Claim {
            address: None,
            how: Use::Beside,
            argument: 0,
            has_absent: false,
        };
        Self {
            few: [nothing; FEW],
            n: 0,
            more: Vec::new(),
            n_of_sets: Vec::new(),
            case: 0,
            recipe: TypeId::of::<()>(),
            is_alone: false,
            n_doubts: 0,
        }
    }

    /// For another event. Keeps its memory.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        if self.n > FEW {
            self.more.clear();
        }
        self.n = 0;
        self.n_of_sets.clear();
        self.is_alone = false;
        self.n_doubts = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.n
    }

    #[inline(always)]
    pub(super) fn get(&self, nth: usize) -> Claim {
        match self.few.get(nth) {
            Some(claim) => *claim,
            None => self.more[nth - FEW],
        }
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Claim> {
        self.few[..self.n.min(FEW)].iter().chain(&self.more)
    }

    /// Whoever named this finds nothing.
    pub(super) fn give_up(&mut self, nth: usize) {
        match self.few.get_mut(nth) {
            Some(claim) => claim.address = None,
            None => self.more[nth - FEW].address = None,
        }
    }

    #[inline(always)]
    fn add(&mut self, claim: Claim) {
        match self.few.get_mut(self.n) {
            Some(place) => *place = claim,
            None => self.more.push(claim),
        }
        self.n += 1;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, address: Option<NonNull<()>>, how: Use, argument: u16) {
        self.add(Claim {
            address,
            how,
            argument,
            has_absent: false,
        });
    }

    /// The same; if there is nothing, `absent` takes its place.
    #[inline(always)]
    pub(super) fn push_or(
        &mut self,
        address: Option<NonNull<()>>,
        how: Use,
        argument: u16,
        absent: Option<NonNull<()>>,
    ) {
        self.add(Claim {
            address,
            how,
            argument,
            has_absent: absent.is_some(),
        });
        if absent.is_some() {
            self.push(absent, Use::Beside, argument);
        }
    }

    /// Ends a set, whose claims begin at `first`: each is kept once. O(n).
    pub(super) fn close_set(&mut self, first: usize) {
        let mut seen = HashSet::new();
        let mut kept = first;
        for nth in first..self.n {
            let claim = self.get(nth);
            let is_new = if self.n - first <= FEW_TO_COMPARE {
                (first..kept).all(|nth| self.get(nth).address != claim.address)
            } else {
                seen.insert(claim.address)
            };
            if is_new {
                match self.few.get_mut(kept) {
                    Some(place) => *place = claim,
                    None => self.more[kept - FEW] = claim,
                }
                kept += 1;
            }
        }
        self.n = kept;
        self.more.truncate(kept.saturating_sub(FEW));
        self.n_of_sets.push((kept - first) as u32);
    }

    /// The first claim, by number, to what an earlier one claims, with a write among the two; and that one. O(n log n).
    #[inline(always)]
    pub(super) fn twice(&self) -> Option<(usize, usize)> {
        if self.n > FEW {
            return self.twice_of_many();
        }
        for second in 1..self.n {
            for first in 0..second {
                if clash(&self.few[first], &self.few[second]) {
                    return Some((first, second));
                }
            }
        }
        None
    }

    #[cold]
    fn twice_of_many(&self) -> Option<(usize, usize)> {
        let mut sorted: Vec<(Claim, usize)> = self.iter().copied().zip(0..).collect();
        sorted.sort_by_key(|&(claim, nth)| (claim.address, nth));
        let same = sorted.chunk_by(|(a, _), (b, _)| a.address == b.address);
        let clashes = same.filter_map(|same| {
            // What comes first clashes with the next one if it writes, else with the first that does.
            let write = same.iter().position(|(claim, _)| claim.how == Use::Write)?;
            let (first, second) = (same[0], *same.get(write.max(1))?);
            clash(&first.0, &second.0).then_some((first.1, second.1))
        });
        clashes.min_by_key(|&(first, second)| (second, first))
    }
}

#[inline(always)]
fn clash(a: &Claim, b: &Claim) -> bool {
    a.address == b.address && a.address.is_some() && (a.how == Use::Write || b.how == Use::Write)
}

/// The claims of an event that may be followed: see the module.
#[derive(Debug)]
pub struct Granted<'h> {
    claims: &'h Claims,
    n_given: usize,
    n_sets: usize,
}

#[expect(unsafe_code, reason = "says that addresses may be followed")]
impl<'h> Granted<'h> {
    /// # Safety
    ///
    /// What was claimed is there for `'h`, and for that long no event runs that touches what is claimed to be written, or
    /// writes what is claimed at all.
    #[inline]
    pub(super) unsafe fn new(claims: &'h Claims) -> Self {
        Self {
            claims,
            n_given: 0,
            n_sets: 0,
        }
    }
}

impl<'h> Granted<'h> {
    #[inline]
    pub(super) fn claims(&self) -> &'h Claims {
        self.claims
    }

    /// The same from the first claim on: to look what is there, before anything is given.
    #[inline]
    pub(super) fn again(&self) -> Self {
        Self {
            claims: self.claims,
            n_given: 0,
            n_sets: 0,
        }
    }

    /// What the next argument named: each once.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Claim {
        let claim = self.claims.get(self.n_given);
        self.n_given += 1;
        claim
    }

    /// The same, and what takes its place if there is nothing.
    #[inline(always)]
    pub(super) fn next_or(&mut self) -> (Claim, Option<NonNull<()>>) {
        let claim = self.next();
        let absent = match claim.has_absent {
            true => self.next().address,
            false => None,
        };
        (claim, absent)
    }

    /// What the next argument named, which is a set.
    pub(super) fn next_set(&mut self) -> impl Iterator<Item = Claim> + use<'h> {
        let (claims, first) = (self.claims, self.n_given);
        let n = claims.n_of_sets[self.n_sets] as usize;
        self.n_sets += 1;
        self.n_given += n;
        (first..first + n).map(|nth| claims.get(nth))
    }
}
