//! What is wrong with a listing, by number.

use schedule_graph::Policy;
use schedule_graph::internal::Item;

use super::node::Spot;

/// As the variants of [`Problem`](crate::error::Problem).
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
}

/// One thing that is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListingFault {
    pub(super) kind: ListingFaultKind,
    /// What to change.
    pub(super) spot: Spot,
    /// The first that is concerned, in the order in which [`Problem`](crate::error::Problem) has them.
    pub(super) one: Item,
    pub(super) other: Item,
    /// Of a cycle, where its steps are; of what is named and is not there, by which of those said;
    /// of a second policy, the first one.
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

    /// A second policy of a resource or a pair that already has the policy `known`.
    pub(super) const fn two_policies(spot: Spot, known: Policy) -> Self {
        let blank = Item::Node(0);
        Self::new(ListingFaultKind::TwoPolicies, spot, blank, blank).along((known as u32, 0))
    }

    pub(super) const fn along(mut self, steps: (u32, u32)) -> Self {
        self.steps = steps;
        self
    }
}

/// The faults found so far; so many are kept, and all are counted.
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
