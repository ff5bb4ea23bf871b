//! Random graphs of several levels: what their nodes touch, answer and guard, and how they fail.

mod text;

use std::collections::BTreeSet;

use schedule::{FailurePolicy, Policy};

pub(super) const N_RESOURCES: usize = 5;
pub(super) const N_GROUPS: usize = 4;
/// Conditions and selectors that are known by their type: [`Asked::Typed`].
pub(super) const N_TYPED: usize = 3;
/// Conditions that are closures: [`Asked::Own`].
pub(super) const N_OWN: usize = 2;

pub(super) type Values = [u64; N_RESOURCES];

/// The loop that something is directly in, as its place among the nodes.
pub(super) type Level = Option<usize>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    System,
    /// A system that touches nothing, and records a command that changes this resource.
    Recorder(usize),
    ApplyCommands,
    Checkpoint,
    Condition,
    Selector,
    /// A function that is known by its type.
    Typed(usize),
    /// Its condition is true so often at most before it is false, and the bound of it.
    Loop(u64, Option<u64>),
}

/// What is asked by a guard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    Node(usize),
    Typed(usize),
    Own(usize),
}

/// An answer, of whichever type; that of a condition is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    Bool(bool),
    Branch(u32),
}

#[derive(Clone)]
pub(super) enum Formula<Leaf> {
    Is(Leaf),
    Not(Box<Self>),
    All(Box<[Self; 2]>),
    Any(Box<[Self; 2]>),
}

pub(super) type Guard = Formula<(Asked, Answer)>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    Error,
    Panic,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    pub(super) level: Level,
    /// By resource: whether it is written.
    pub(super) uses: [Option<bool>; N_RESOURCES],
    pub(super) is_exclusive: bool,
    pub(super) groups: BTreeSet<usize>,
    pub(super) guards: Vec<Guard>,
    /// Which time of a run it fails, counted from 0, and how.
    pub(super) fault: Option<(u64, Fault)>,
    pub(super) on_failure: FailurePolicy,
}

#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Where it is spoken of.
    pub(super) level: Level,
    pub(super) holders: BTreeSet<usize>,
    pub(super) guards: Vec<Guard>,
}

/// What is ordered or guarded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thing {
    Node(usize),
    Group(usize),
    /// A condition that was not added.
    Implied(Asked),
}

#[derive(Clone)]
pub(super) struct Case {
    /// In the order of addition: the parts of a loop come right behind it.
    pub(super) nodes: Vec<Node>,
    pub(super) groups: Vec<Group>,
    /// First, then, and whether it is weak.
    pub(super) orders: Vec<(Thing, Thing, bool)>,
    pub(super) policy: Policy,
    pub(super) resources: [Option<Policy>; N_RESOURCES],
    pub(super) pairs: Vec<(usize, usize, Policy)>,
}

/// What a known function reads.
pub(super) fn typed_reads(typed: usize) -> usize {
    typed
}

/// What a closure reads.
pub(super) fn own_reads(own: usize) -> Option<usize> {
    [Some(3), None][own]
}

impl Asked {
    /// What stands in for the number of the node, where it is none.
    pub(super) fn seed(self) -> usize {
        match self {
            Asked::Node(idx) => idx,
            Asked::Typed(typed) => 1000 + typed,
            Asked::Own(own) => 2000 + own,
        }
    }

    /// What it is called in the log.
    pub(super) fn label(self) -> String {
        match self {
            Asked::Node(idx) => idx.to_string(),
            Asked::Typed(typed) => format!("typed{typed}"),
            Asked::Own(own) => format!("own{own}"),
        }
    }

    pub(super) fn is_selector(self) -> bool {
        self == Asked::Typed(2)
    }
}

impl Node {
    /// Whether it answers branches, if it answers.
    pub(super) fn answers(&self) -> Option<bool> {
        match self.work {
            Work::System | Work::Recorder(_) | Work::ApplyCommands | Work::Checkpoint => None,
            Work::Condition | Work::Loop(..) => Some(false),
            Work::Selector => Some(true),
            Work::Typed(typed) => Some(Asked::Typed(typed).is_selector()),
        }
    }

    pub(super) fn is_loop(&self) -> bool {
        matches!(self.work, Work::Loop(..))
    }
}

impl Case {
    /// The levels around, from this one outwards.
    pub(super) fn outwards(&self, level: Level) -> Vec<Level> {
        let mut levels = vec![level];
        while let Some(Some(idx)) = levels.last() {
            levels.push(self.nodes[*idx].level);
        }
        levels
    }

    /// Whether a failure may keep others from running that come after nothing that failed.
    pub(super) fn may_stop(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| node.on_failure == FailurePolicy::Stop)
    }

    /// Whether anything may go under `optimize`.
    pub(super) fn has_fits(&self) -> bool {
        let resources = self.resources.iter().flatten();
        let pairs = self.pairs.iter().map(|pair| &pair.2);
        let mut others = resources.chain(pairs);
        self.policy == Policy::Optimize || others.any(|&policy| policy == Policy::Optimize)
    }

    /// Where a node is told apart from its level's others: itself, or the loop that it is in.
    pub(super) fn lifted(&self, node: usize, level: Level) -> usize {
        let around = self.outwards(self.nodes[node].level);
        let at = around.iter().position(|&one| one == level).unwrap();
        at.checked_sub(1)
            .map_or(node, |inside| around[inside].unwrap())
    }
}
