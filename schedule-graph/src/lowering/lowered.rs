//! The result of lowering, and its memory.

use super::groups::Marks;
use super::guards::{Guards, GuardsMemory};
use super::item::Item;
use super::needs::NeedsMemory;
use super::numbering::{Numbering, NumberingMemory};
use crate::arena::{Arena, List};
use crate::exclusion::Needs;
use crate::graph::edge::Edge;
use crate::links_memory::LinksMemory;

/// The maximum numbers of declarations and of graph elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoweredExtent {
    /// Declared nodes, the implied ones included.
    pub n_declared: usize,
    /// Implied nodes.
    pub n_implied: usize,
    /// Loops.
    pub n_loops: usize,
    /// Sync points.
    pub n_sync_points: usize,
    /// Groups.
    pub n_groups: usize,
    /// Members of all groups.
    pub n_members: usize,
    /// Orders, the weak ones included.
    pub n_orders: usize,
    /// Weak orders.
    pub n_weak_orders: usize,
    /// Guards.
    pub n_guards: usize,
    /// Leaves of all guards.
    pub n_leaves: usize,
    /// Tokens of the longest guard.
    pub n_tokens: usize,
    /// Nodes in groups with weak orders, once for each such group.
    pub n_in_weak_groups: usize,
    /// Guards of groups, once for each node in the group, and once for each condition that inherits it.
    pub n_shared_guards: usize,
    /// Edges from conditions to those that inherit guards, and from sync points to conditions.
    pub n_extra_edges: usize,
    /// Leaves of the guards of each node, and of the loops around it.
    pub n_needed: usize,
}

impl LoweredExtent {
    /// Groups that may get nodes for weak orders.
    const fn n_weak_groups(self) -> usize {
        let n_named = 2 * self.n_weak_orders;
        if n_named < self.n_groups {
            n_named
        } else {
            self.n_groups
        }
    }

    /// Nodes of the graph, those for weak orders included.
    pub const fn n_nodes(self) -> usize {
        self.n_declared + self.n_loops + 2 * self.n_groups + 2 * self.n_weak_groups()
    }

    /// Edges that always hold.
    pub const fn n_edges(self) -> usize {
        let of_loops = if self.n_loops == 0 {
            0
        } else {
            self.n_loops + 2 * self.n_nodes()
        };
        of_loops
            + self.n_groups
            + 2 * self.n_members
            + self.n_orders
            + self.n_leaves
            + self.n_extra_edges
    }

    /// Edges that hold for pairs that conflict.
    pub const fn n_weak(self) -> usize {
        self.n_weak_orders + 2 * self.n_in_weak_groups
    }
}

/// The memory of [`Lowered`].
#[derive(Debug)]
pub struct LoweredMemory<'a> {
    pub(super) numbering: NumberingMemory<'a>,
    pub(super) marks: Marks<'a>,
    pub(super) edges: &'a mut [Edge],
    pub(super) origins: &'a mut [u32],
    pub(super) weak: &'a mut [Edge],
    pub(super) weak_origins: &'a mut [u32],
    pub(super) faults: &'a mut [u32],
    pub(super) guards: GuardsMemory<'a>,
    pub(super) sync_points: SyncPointMemory<'a>,
    pub(super) needs: NeedsMemory<'a>,
}

impl<'a> LoweredMemory<'a> {
    /// Takes memory for this extent.
    pub const fn take(arena: &mut Arena<'a>, extent: LoweredExtent) -> Self {
        let LoweredExtent {
            n_declared,
            n_groups,
            n_members,
            n_orders,
            n_guards,
            n_leaves,
            ..
        } = extent;
        let n_nodes = extent.n_nodes();
        Self {
            numbering: NumberingMemory::take(arena, n_nodes, n_declared, n_groups, extent.n_loops),
            marks: Marks::take(arena, n_declared + n_groups),
            edges: arena.edges(extent.n_edges()),
            origins: arena.words(extent.n_edges()),
            weak: arena.edges(extent.n_weak()),
            weak_origins: arena.words(extent.n_weak()),
            faults: arena.words(4 * n_orders),
            guards: GuardsMemory::take(
                arena,
                n_declared,
                n_groups,
                n_members,
                n_guards,
                extent.n_shared_guards,
            ),
            sync_points: SyncPointMemory::take(arena, extent),
            needs: NeedsMemory::take(
                arena,
                n_nodes,
                n_guards,
                n_leaves,
                extent.n_tokens,
                extent.n_needed,
            ),
        }
    }
}

/// The origin of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeOrigin {
    /// This order.
    Order(u32),
    /// This member of a group.
    Member(u32),
    /// From the begin of a group to its end.
    Group,
    /// From the begin of a loop to a node in it, or from there to its end.
    Loop,
    /// From a condition to the item that it guards, by this leaf.
    Leaf(u32),
    /// From a condition to a condition that inherits this guard.
    Inherited(u32),
    /// From a sync point to an implied condition.
    ApplyCommands,
    /// This weak order.
    Weak(u32),
    /// Between a group and a node in it, for weak orders.
    Inside,
}

impl EdgeOrigin {
    const N_BITS: u32 = 4;

    /// As one number.
    pub const fn code(self) -> u32 {
        let (kind, idx) = match self {
            Self::Order(idx) => (0, idx),
            Self::Member(idx) => (1, idx),
            Self::Group => (2, 0),
            Self::Loop => (3, 0),
            Self::Leaf(idx) => (4, idx),
            Self::Inherited(idx) => (5, idx),
            Self::ApplyCommands => (6, 0),
            Self::Weak(idx) => (7, idx),
            Self::Inside => (8, 0),
        };
        idx << Self::N_BITS | kind
    }

    /// The origin with this code.
    pub const fn of_code(code: u32) -> Self {
        let idx = code >> Self::N_BITS;
        match code & ((1 << Self::N_BITS) - 1) {
            0 => Self::Order(idx),
            1 => Self::Member(idx),
            2 => Self::Group,
            3 => Self::Loop,
            4 => Self::Leaf(idx),
            5 => Self::Inherited(idx),
            6 => Self::ApplyCommands,
            7 => Self::Weak(idx),
            _ => Self::Inside,
        }
    }
}

/// The fault of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderFault {
    /// A group is ordered against an item in it.
    Member {
        /// The group.
        group: u32,
        /// The item in it.
        member: Item,
    },
    /// A loop is ordered against an item in it.
    Loop {
        /// The loop.
        repeat: Item,
        /// The item in it.
        node: Item,
    },
}

/// The nodes, edges, guards and needs to verify.
#[derive(Debug)]
pub struct Lowered<'a> {
    pub(super) numbering: Numbering<'a>,
    /// The number of nodes of a plan: all nodes except those for weak orders, which come last.
    pub(super) n_planned: usize,
    pub(super) edges: List<'a, Edge>,
    pub(super) origins: List<'a, u32>,
    pub(super) weak: List<'a, Edge>,
    pub(super) weak_origins: List<'a, u32>,
    pub(super) faults: List<'a, u32>,
    pub(super) guards: Guards<'a>,
    pub(super) needs: Needs<'a>,
    pub(super) roles: &'a [u32],
}

/// The memory for implied conditions after sync points.
#[derive(Debug)]
pub(super) struct SyncPointMemory<'a> {
    pub(super) roles: &'a mut [u32],
    pub(super) rest: SyncPointScratch<'a>,
}

/// The scratch memory to order conditions after sync points.
#[derive(Debug)]
pub(super) struct SyncPointScratch<'a> {
    pub(super) links: LinksMemory<'a>,
    pub(super) is_after: &'a mut [u32],
    pub(super) open: &'a mut [u32],
}

impl<'a> SyncPointMemory<'a> {
    pub(super) const fn take(arena: &mut Arena<'a>, extent: LoweredExtent) -> Self {
        let is_needed = extent.n_sync_points > 0 && extent.n_implied > 0;
        let (n_nodes, n_edges) = if is_needed {
            (extent.n_nodes(), extent.n_edges())
        } else {
            (0, 0)
        };
        Self {
            roles: arena.words(n_nodes),
            rest: SyncPointScratch {
                links: LinksMemory::take(arena, n_nodes, n_edges),
                is_after: arena.words(n_nodes),
                open: arena.words(n_nodes),
            },
        }
    }
}

impl<'a> SyncPointMemory<'a> {
    /// Splits it into the roles and the scratch memory.
    pub(super) const fn split(self) -> (&'a mut [u32], SyncPointScratch<'a>) {
        (self.roles, self.rest)
    }
}
