//! The contents of a listing: nodes, groups and references to their clauses, each with the token to underline in an error.

use schedule_graph::internal::Item;
pub(super) use schedule_graph::internal::NONE;

use crate::identity::Name;
use crate::order::{Reference, TypePath};
use crate::system::Declaration;

/// A token of a listing: the subject of this entry, or what this clause of it names, counted from 1; of a guard, this of
/// all that it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) entry: u32,
    pub(crate) clause: u32,
    pub(crate) leaf: u32,
}

impl Spot {
    pub(super) const NONE: Self = Self {
        entry: u32::MAX,
        clause: 0,
        leaf: 0,
    };

    pub(super) const fn is(self, other: Self) -> bool {
        self.entry == other.entry && self.clause == other.clause && self.leaf == other.leaf
    }

    /// The subject of an entry.
    pub(super) const fn of_entry(entry: u32) -> Self {
        Self {
            entry,
            ..Self::NONE
        }
    }

    /// Whether it stands behind the other.
    pub(super) const fn is_after(self, other: Self) -> bool {
        if self.entry != other.entry {
            return self.entry > other.entry;
        }
        self.clause > other.clause || self.clause == other.clause && self.leaf > other.leaf
    }
}

/// What was added, or is a condition that nobody added; or a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftNode {
    pub(super) kind: NodeKind,
    pub(super) reference: Reference,
    pub(super) declaration: Option<&'static Declaration>,
    /// What it is called, if not as its type.
    pub(super) name: Option<&'static str>,
    /// The token that brought it.
    pub(super) spot: Spot,
    /// Nobody added it.
    pub(super) is_implied: bool,
    /// The node of the loop that it is directly in, or [`NONE`].
    pub(super) level: u32,
    /// The innermost plugin that it is in; 0 is the schedule.
    pub(super) plugin: u32,
    /// The next one of the same identity, as the code of an [`Item`], or [`NONE`].
    pub(super) next: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum NodeKind {
    System,
    Loop,
    Checkpoint,
    ApplyCommands,
    Group,
}

impl DraftNode {
    /// For memory that nothing was written to.
    pub(crate) const BLANK: Self = Self {
        kind: NodeKind::Checkpoint,
        reference: Reference {
            id: 0,
            name: Name::new(""),
            path: TypePath::NONE,
        },
        declaration: None,
        name: None,
        spot: Spot::NONE,
        is_implied: false,
        level: NONE,
        plugin: 0,
        next: NONE,
    };

    pub(super) const fn is_system(&self) -> bool {
        matches!(self.kind, NodeKind::System)
    }
}

/// A reference to a declaration about a node or group: in the attribute of a node, or in a clause of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseRef {
    /// The node or group that the declaration is about.
    pub(super) subject: Item,
    /// The node whose attribute contains the declaration, or [`NONE`].
    pub(super) node: u32,
    /// Index among the declarations of this kind in the attribute, or index of the clause. [`NONE`] if the membership follows
    /// from the group that contains the entry.
    pub(super) idx: u32,
    /// The token to underline in an error.
    pub(super) spot: Spot,
}

impl ClauseRef {
    /// For memory that nothing was written to.
    pub(crate) const BLANK: Self = Self {
        subject: Item::Node(0),
        node: NONE,
        idx: 0,
        spot: Spot::NONE,
    };
}
