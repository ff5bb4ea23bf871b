//! Random graphs with several levels: accesses, answers, guards and failures of their nodes.

mod text;

use std::collections::BTreeSet;

use schedule::{FailurePolicy, Policy};

pub(super) const N_RESOURCES: usize = 5;
pub(super) const N_GROUPS: usize = 4;
/// Number of conditions and selectors that are named by type: [`Asked::Typed`].
pub(super) const N_TYPED: usize = 3;
/// Number of conditions that are closures: [`Asked::Own`].
pub(super) const N_OWN: usize = 2;

pub(super) type Values = [u64; N_RESOURCES];

/// Whether each resource is missing in a run.
pub(super) type Missing = [bool; N_RESOURCES];

/// The innermost loop around an item, as index of the nodes.
pub(super) type Level = Option<usize>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    System,
    /// A system without accesses that records a command, which changes this resource.
    Recorder(usize),
    ApplyCommands,
    Checkpoint,
    Condition,
    Selector,
    /// A function that is named by type.
    Typed(usize),
    /// A loop. Its condition is true at most this number of times before it is false. The second number is the limit of the loop.
    Loop(u64, Option<u64>),
}

/// The condition or selector that a guard names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    Node(usize),
    Typed(usize),
    Own(usize),
}

/// An answer of a condition or a selector. A condition answers 0 or 1.
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
    /// For each resource, whether it is written, or `None`.
    pub(super) uses: [Option<bool>; N_RESOURCES],
    pub(super) is_exclusive: bool,
    pub(super) groups: BTreeSet<usize>,
    pub(super) guards: Vec<Guard>,
    /// The execution within a run that fails, counted from 0, and how it fails.
    pub(super) fault: Option<(u64, Fault)>,
    pub(super) on_failure: FailurePolicy,
    pub(super) is_always: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The level at which the group is declared.
    pub(super) level: Level,
    pub(super) holders: BTreeSet<usize>,
    pub(super) guards: Vec<Guard>,
    pub(super) is_always: bool,
}

/// An item that is ordered or guarded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thing {
    Node(usize),
    Group(usize),
    /// An implied condition.
    Implied(Asked),
}

impl<Leaf> Formula<Leaf> {
    /// Returns all leaves.
    pub(super) fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Formula::Is(leaf) => vec![leaf],
            Formula::Not(one) => one.leaves(),
            Formula::All(two) | Formula::Any(two) => two.iter().flat_map(Self::leaves).collect(),
        }
    }
}

#[derive(Clone)]
pub(super) struct Case {
    /// In the order of addition. The body of a loop directly follows the loop.
    pub(super) nodes: Vec<Node>,
    pub(super) groups: Vec<Group>,
    /// The first and the second item, and whether the order is weak.
    pub(super) orders: Vec<(Thing, Thing, bool)>,
    pub(super) policy: Policy,
    pub(super) resources: [Option<Policy>; N_RESOURCES],
    pub(super) pairs: Vec<(usize, usize, Policy)>,
    /// Whether a missing resource refuses the run. Otherwise only its users fail.
    pub(super) refuses: bool,
}

/// Returns the resource that a typed function reads.
pub(super) fn typed_reads(typed: usize) -> usize {
    typed
}

/// Returns the resource that a closure reads.
pub(super) fn own_reads(own: usize) -> Option<usize> {
    [Some(3), None][own]
}

impl Asked {
    /// Returns a number that replaces the index of a node.
    pub(super) fn seed(self) -> usize {
        match self {
            Asked::Node(idx) => idx,
            Asked::Typed(typed) => 1000 + typed,
            Asked::Own(own) => 2000 + own,
        }
    }

    /// Returns the label in the log.
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
    /// Returns whether the answer is a branch, or `None` if there is no answer.
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
    /// Returns the levels around a level, from the inside out, including the level itself.
    pub(super) fn outwards(&self, level: Level) -> Vec<Level> {
        let mut levels = vec![level];
        while let Some(Some(idx)) = levels.last() {
            levels.push(self.nodes[*idx].level);
        }
        levels
    }

    /// Returns whether a failure can also prevent independent systems from running.
    pub(super) fn may_stop(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| node.on_failure == FailurePolicy::Stop)
    }

    /// Returns whether any policy is `optimize`.
    pub(super) fn has_optimize(&self) -> bool {
        let resources = self.resources.iter().flatten();
        let pairs = self.pairs.iter().map(|pair| &pair.2);
        let mut others = resources.chain(pairs);
        self.policy == Policy::Optimize || others.any(|&policy| policy == Policy::Optimize)
    }

    /// Returns the node at this level that contains the node: the node itself, or a loop around it.
    pub(super) fn lifted(&self, node: usize, level: Level) -> usize {
        let around = self.outwards(self.nodes[node].level);
        let at = around.iter().position(|&one| one == level).unwrap();
        at.checked_sub(1)
            .map_or(node, |inside| around[inside].unwrap())
    }
}
