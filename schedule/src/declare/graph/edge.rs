//! Edges: the order of two nodes, and its origins.

use super::place::Place;
use schedule_graph::Policy;

/// One node runs before another. For a loop or a group, this applies to all of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Edge {
    /// The index of the node that runs first.
    pub from: usize,
    /// The index of the node that runs after it. An order between nodes of different levels is an edge at their common
    /// level: the loops around them stand for these nodes.
    pub to: usize,
    /// The origins of the order. Never empty.
    pub origins: Vec<Origin>,
    /// Whether other edges imply this one. Always `false` if the orders contain a cycle.
    pub is_implied: bool,
}

/// The reason why one node runs before another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum Origin {
    /// A declared order.
    Declared {
        /// The source location of the declaration.
        place: Place,
    },
    /// A weak order between nodes that conflict.
    Weak {
        /// The source location of the declaration.
        place: Place,
    },
    /// The first node is a condition of the other, or of a node in it.
    Guard {
        /// The source location of the guard. `None` for a condition of members of a group, which runs after the
        /// condition of the group. Also `None` for an implied condition, which runs after each sync point before all
        /// nodes that it guards.
        place: Option<Place>,
    },
    /// An order by a policy.
    Policy {
        /// The policy. Never [`Policy::Reject`].
        policy: Policy,
        /// The index of the resource that the policy applies to, of those on which they conflict.
        resource: usize,
    },
    /// One of the two is an inserted sync point; see [`ScheduleGraph::sync_points`](crate::graph::ScheduleGraph::sync_points). It passes on no failure.
    Commands,
    /// They conflict, but at most one of them runs. Executors need an order of such a pair. No policy applies.
    NeverBoth {
        /// The index of the condition or selector of which they need different answers, or of one of several because of which their
        /// guards are never both true.
        condition: usize,
    },
}
