//! Faults of a listing, as numbers.

use schedule_graph::Policy;
use schedule_graph::internal::Item;

use super::node::Spot;

/// Named like the variants of [`Problem`](crate::error::Problem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListingFaultKind {
    Cycle,
    Race,
    WritersFirst,
    Dangling,
    Ambiguous,
    GroupInItself,
    GroupAgainstMember,
    LoopAgainstBody,
    GroupOverLevels,
    ConditionDeeper,
    GuardsItself,
    GuardIsLoop,
    TwoPolicies,
    ReaderBetweenWriters,
}

/// One fault of a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListingFault {
    pub(super) kind: ListingFaultKind,
    /// The token to change.
    pub(super) spot: Spot,
    /// The affected items, in the same order as in [`Problem`](crate::error::Problem).
    pub(super) one: Item,
    pub(super) other: Item,
    /// For a cycle, the range of its steps. For a name without a single match, the index of the order or the side of the rule. For a second
    /// policy, the first policy. For a second failure policy, both policies.
    pub(super) steps: (u32, u32),
}

impl ListingFault {
    pub(super) const fn new(kind: ListingFaultKind, spot: Spot, one: Item, other: Item) -> Self {
        Self {
            kind,
            spot,
            one,
            other,
            steps: (0, 0),
        }
    }

    /// Returns the fault of a second policy for a resource or pair that already has the policy `known`.
    pub(super) const fn two_policies(spot: Spot, known: Policy) -> Self {
        let blank = Item::Node(0);
        Self::new(ListingFaultKind::TwoPolicies, spot, blank, blank).along((known as u32, 0))
    }

    pub(super) const fn along(mut self, steps: (u32, u32)) -> Self {
        self.steps = steps;
        self
    }
}

/// The faults found so far. All faults are counted, but only the first [`KEPT`](Self::KEPT) are stored.
#[derive(Debug)]
pub(super) struct Faults {
    kept: [ListingFault; Self::KEPT],
    n_found: usize,
}

impl Faults {
    pub(super) const KEPT: usize = 256;

    pub(super) const fn new() -> Self {
        let blank = ListingFault::new(
            ListingFaultKind::Cycle,
            Spot::NONE,
            Item::Node(0),
            Item::Node(0),
        );
        Self {
            kept: [blank; Self::KEPT],
            n_found: 0,
        }
    }

    pub(super) const fn push(&mut self, fault: ListingFault) {
        if self.n_found < Self::KEPT {
            self.kept[self.n_found] = fault;
        }
        self.n_found += 1;
    }

    pub(super) const fn n_found(&self) -> usize {
        self.n_found
    }

    pub(super) const fn kept(&self) -> &[ListingFault] {
        let n = if self.n_found < Self::KEPT {
            self.n_found
        } else {
            Self::KEPT
        };
        self.kept.split_at(n).0
    }
}
