//! What an event has named.
//!
//! Invariant: an address in [`Claims`] is that of a place, of a resource or of a default, of the type for which the argument
//! of that number looked it up; and those to be written are in it once. [`Granted`] says more: that no other event that
//! touches what this one writes, or writes what it touches, runs meanwhile. Only who orders events can say that.

use core::any::TypeId;
use core::ptr::NonNull;

use smallvec::SmallVec;

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

/// All that an event named, in the order of the arguments.
#[derive(Debug)]
pub struct Claims {
    pub(super) all: SmallVec<[Claim; 4]>,
    /// How many claims those arguments have that are sets.
    pub(super) n_of_sets: SmallVec<[u32; 1]>,
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
        Self {
            all: SmallVec::new(),
            n_of_sets: SmallVec::new(),
            case: 0,
            recipe: TypeId::of::<()>(),
            is_alone: false,
            n_doubts: 0,
        }
    }

    /// For another event. Keeps its memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.n_of_sets.clear();
        self.is_alone = false;
        self.n_doubts = 0;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, address: Option<NonNull<()>>, how: Use, argument: u16) {
        self.all.push(Claim {
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
        self.all.push(Claim {
            address,
            how,
            argument,
            has_absent: absent.is_some(),
        });
        if absent.is_some() {
            self.push(absent, Use::Beside, argument);
        }
    }

    /// Ends a set, whose claims begin at `first`: each is kept once. O(n log n).
    pub(super) fn close_set(&mut self, first: usize) {
        const FEW: usize = 16;
        if self.all.len() - first <= FEW {
            let mut nth = first;
            while nth < self.all.len() {
                let address = self.all[nth].address;
                if self.all[first..nth]
                    .iter()
                    .any(|one| one.address == address)
                {
                    self.all.remove(nth);
                } else {
                    nth += 1;
                }
            }
        } else {
            let mut seen = std::collections::HashSet::new();
            let mut nth = 0;
            self.all.retain(|one| {
                nth += 1;
                nth <= first || seen.insert(one.address)
            });
        }
        self.n_of_sets.push((self.all.len() - first) as u32);
    }

    /// Two claims, by number, to the same with a write among them. O(n log n).
    #[inline]
    pub(super) fn twice(&self) -> Option<(usize, usize)> {
        const FEW: usize = 8;
        let all = &self.all[..];
        if all.len() > FEW {
            return self.twice_of_many();
        }
        for (second, b) in all.iter().enumerate().skip(1) {
            for (first, a) in all[..second].iter().enumerate() {
                if clash(a, b) {
                    return Some((first, second));
                }
            }
        }
        None
    }

    #[cold]
    fn twice_of_many(&self) -> Option<(usize, usize)> {
        let all = &self.all;
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        sorted.sort_by_key(|&nth| (all[nth].address, nth));
        let same = sorted.chunk_by(|&a, &b| all[a].address == all[b].address);
        let clashes = same.filter_map(|same| {
            // A write clashes with any other; among reads, the first that follows a write or is followed by one.
            let write = same.iter().position(|&nth| all[nth].how == Use::Write)?;
            let (first, second) = if write == 0 { (0, 1) } else { (0, write) };
            let pair = (*same.get(first)?, *same.get(second)?);
            clash(&all[pair.0], &all[pair.1]).then_some(pair)
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

    /// What the next argument named: each once.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Claim {
        let claim = self.claims.all[self.n_given];
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
    pub(super) fn next_set(&mut self) -> &'h [Claim] {
        let n = self.claims.n_of_sets[self.n_sets] as usize;
        self.n_sets += 1;
        let set = &self.claims.all[self.n_given..self.n_given + n];
        self.n_given += n;
        set
    }
}
