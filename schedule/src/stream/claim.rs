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

    #[inline]
    pub(super) fn push(&mut self, address: Option<NonNull<()>>, how: Use, argument: u16) {
        self.all.push(Claim {
            address,
            how,
            argument,
        });
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
    pub(super) fn twice(&self) -> Option<(usize, usize)> {
        const FEW: usize = 8;
        let clash = |a: &Claim, b: &Claim| {
            a.address == b.address
                && a.address.is_some()
                && (a.how == Use::Write || b.how == Use::Write)
        };
        let all = &self.all;
        if all.len() <= FEW {
            for (second, b) in all.iter().enumerate().skip(1) {
                if let Some(first) = all[..second].iter().position(|a| clash(a, b)) {
                    return Some((first, second));
                }
            }
            return None;
        }
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        sorted.sort_by_key(|&nth| (all[nth].address, nth));
        let mut found = None;
        for same in sorted.chunk_by(|&a, &b| all[a].address == all[b].address) {
            if let [first, .., second] = *same
                && all[first].address.is_some()
                && same.iter().any(|&nth| all[nth].how == Use::Write)
            {
                // The first two of those that clash: what comes later is the same for all executors.
                let second = same[1..]
                    .iter()
                    .copied()
                    .find(|&nth| clash(&all[first], &all[nth]))
                    .unwrap_or(second);
                let pair = (first, second);
                found = Some(found.map_or(pair, |earlier: (usize, usize)| earlier.min(pair)));
            }
        }
        found
    }
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
    pub(super) fn claims(&self) -> &'h Claims {
        self.claims
    }

    /// What the next argument named: each once.
    #[inline]
    pub(super) fn next(&mut self) -> Claim {
        let claim = self.claims.all[self.n_given];
        self.n_given += 1;
        claim
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
