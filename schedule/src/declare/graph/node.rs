//! Nodes: the systems, conditions, checkpoints, loops and groups of a schedule.

use super::place::Place;

/// A system, a condition, a checkpoint, a loop or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Node {
    /// Its name. A loop has the name of its condition.
    pub name: String,
    /// Its position among the nodes with this name in insertion order, from 1. Checkpoints and groups are counted
    /// separately, so that it matches [`Occurrence`](crate::report::Occurrence).
    pub nth: usize,
    /// Its kind.
    pub kind: Kind,
    /// The source location of its declaration.
    pub place: Place,
    /// The index of the innermost loop that contains it.
    pub repeat: Option<usize>,
    /// The indices of the groups that it is a direct member of, ascending.
    pub groups: Vec<usize>,
    /// Its own run condition, in addition to those of the groups and loops around it: `is_won and not is_over`. Names
    /// are written as in a [`Lock`](crate::report::Lock).
    pub guard: Option<String>,
    /// Its accesses.
    pub touched: Touched,
    /// Whether it was added explicitly. Otherwise it is a condition that only guards name.
    pub is_added: bool,
    /// Whether it is enabled.
    pub is_enabled: bool,
}

/// The kind of a [`Node`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Kind {
    /// A system that no guard evaluates.
    System,
    /// A system that returns `bool` and that a guard evaluates.
    Condition,
    /// A system that returns a branch and that a guard evaluates.
    Selector {
        /// The names of the branches.
        branches: Vec<String>,
    },
    /// A node without work.
    Checkpoint,
    /// A sync point: a checkpoint that applies commands.
    ApplyCommands,
    /// A loop: its condition, and the node that contains its body.
    Loop {
        /// The maximum number of iterations per execution of the loop, if limited.
        at_most: Option<u64>,
    },
    /// A group, which contains its members.
    Group,
}

/// The accesses of a node, as ascending indices of resources. For a loop, the accesses of its condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Touched {
    /// The resources that it reads by name.
    pub reads: Vec<usize>,
    /// The resources that it writes by name, and can also read.
    pub writes: Vec<usize>,
    /// The resources that it folds into: see [`Fold`](crate::param::Fold).
    pub folds: Vec<usize>,
    /// The names of the resources that its commands declare to insert.
    pub inserts: Vec<String>,
    /// If it reads all resources, the exceptions.
    pub reads_all_but: Option<Vec<usize>>,
    /// If it writes all resources, the exceptions.
    pub writes_all_but: Option<Vec<usize>>,
    /// Whether it is exclusive.
    pub is_exclusive: bool,
    /// Whether it runs on the thread that calls `run`.
    pub is_main_thread: bool,
}

impl Node {
    /// Whether it is drawn as a box around other nodes: a loop or a group.
    pub fn is_box(&self) -> bool {
        matches!(self.kind, Kind::Loop { .. } | Kind::Group)
    }
}
