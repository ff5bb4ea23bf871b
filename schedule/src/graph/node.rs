//! What is in a schedule, each thing once.

use super::place::Place;

/// A system, a condition, a checkpoint, a loop or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Node {
    /// What it is called; a loop as its condition.
    pub name: String,
    /// Which of those with this name, as they were added; from 1. Checkpoints and groups are counted apart, so that this is
    /// that of [`Occurrence`](crate::report::Occurrence).
    pub nth: usize,
    /// What it is.
    pub kind: Kind,
    /// Where it was declared.
    pub place: Place,
    /// The loop that it is directly in.
    pub repeat: Option<usize>,
    /// The groups that it is directly in; ascending.
    pub groups: Vec<usize>,
    /// What has to hold for it to run, besides what has to hold for groups and loops around it: `is_won and not is_over`.
    /// Names are written as in a [`Lock`](crate::report::Lock).
    pub guard: Option<String>,
    /// What it touches.
    pub touched: Touched,
    /// Somebody added it; else it is a condition that only guards name.
    pub is_added: bool,
    /// It is not switched off.
    pub is_enabled: bool,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Kind {
    /// A system that no guard asks.
    System,
    /// A system whose answer, `true` or `false`, is asked by a guard.
    Condition,
    /// A system that a guard asks which branch it has chosen.
    Selector {
        /// What they are called.
        branches: Vec<String>,
    },
    /// A node without work.
    Checkpoint,
    /// A checkpoint at which commands are carried out.
    ApplyCommands,
    /// A loop: its condition, and the node that encloses its body.
    Loop {
        /// How often its body may run in one pass.
        at_most: Option<u64>,
    },
    /// A group: around its members.
    Group,
}

/// What a node touches, as indices of resources; ascending. Of a loop what its condition touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Touched {
    /// What it names to read.
    pub reads: Vec<usize>,
    /// What it names to write; it may read that, too.
    pub writes: Vec<usize>,
    /// What its commands say that they will insert, by name: not touched yet.
    pub inserts: Vec<String>,
    /// It reads all resources but these.
    pub reads_all_but: Option<Vec<usize>>,
    /// It writes all resources but these.
    pub writes_all_but: Option<Vec<usize>>,
    /// It runs alone.
    pub is_exclusive: bool,
    /// It runs on the thread that calls `run`.
    pub is_main_thread: bool,
}

impl Node {
    /// Whether it is drawn around others: a loop or a group.
    pub fn is_box(&self) -> bool {
        matches!(self.kind, Kind::Loop { .. } | Kind::Group)
    }
}
