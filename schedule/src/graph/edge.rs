//! What comes before what, and why.

use super::place::Place;
use schedule_graph::Policy;

/// One node before another. Of a loop, or a group, all that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Edge {
    /// What comes first.
    pub from: usize,
    /// What comes after it. An order between nodes of different levels joins what they are parts of.
    pub to: usize,
    /// Why; never empty.
    pub origins: Vec<Origin>,
    /// Other edges say the same: without this one all would be ordered as it is. Never, where orders go in circles.
    pub is_implied: bool,
}

/// Why one node comes before another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum Origin {
    /// An order.
    Declared {
        /// Where it was declared.
        place: Place,
    },
    /// A weak order: they conflict.
    Weak {
        /// Where it was declared.
        place: Place,
    },
    /// The first one is a condition of the other, or of something in it.
    Guard {
        /// Where it was named; `None` for a condition of members of a group, which comes after that of the group, and
        /// for a condition that nobody added, which comes after each sync point before all that it guards.
        place: Option<Place>,
    },
    /// A policy put them in order.
    Policy {
        /// Which: never [`Policy::Reject`].
        policy: Policy,
        /// For which resource, of those on which they conflict.
        resource: usize,
    },
    /// They conflict, but never run both. There is an order of them only since executors need one, and no policy is asked.
    Exclusive {
        /// The condition, or selector, of which they need different answers.
        condition: usize,
    },
}
