//! The contents of a listing: nodes, groups and references to their clauses, each with the token to underline in an error.

use schedule_graph::internal::Item;
pub(super) use schedule_graph::internal::NONE;

use crate::base::identity::Name;
use crate::data::order::{Reference, TypePath};
use crate::systems::system::Declaration;

/// A token of a listing. Clause 0 is the subject of the entry, and other numbers are the name in that clause. For a guard, `leaf` is the
/// index of the leaf.
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

    /// Returns the subject of an entry.
    pub(super) const fn of_entry(entry: u32) -> Self {
        Self {
            entry,
            ..Self::NONE
        }
    }

    /// Returns whether this token comes after the other one in the listing.
    pub(super) const fn is_after(self, other: Self) -> bool {
        if self.entry != other.entry {
            return self.entry > other.entry;
        }
        self.clause > other.clause || self.clause == other.clause && self.leaf > other.leaf
    }
}

/// A listed node, an implied condition, or a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftNode {
    pub(super) kind: NodeKind,
    pub(super) reference: Reference,
    pub(super) declaration: Option<&'static Declaration>,
    /// The name, if it differs from that of the type.
    pub(super) name: Option<&'static str>,
    /// The token that adds the node.
    pub(super) spot: Spot,
    /// Whether this is an implied condition.
    pub(super) is_implied: bool,
    /// The node of the innermost loop around this node, or [`NONE`].
    pub(super) level: u32,
    /// The innermost plugin around this node. 0 is the schedule.
    pub(super) plugin: u32,
    /// The code of the next [`Item`] of the same identity, or [`NONE`].
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
    /// The value of unused memory.
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
    /// The value of unused memory.
    pub(crate) const BLANK: Self = Self {
        subject: Item::Node(0),
        node: NONE,
        idx: 0,
        spot: Spot::NONE,
    };
}
