//! The graph of the declarations: its nodes, and edges for loops, groups, orders and guards.

use super::conditions::{Conditions, UnresolvedGuards};
use super::groups::{Groups, Marks};
use super::guards::Guards;
use super::item::{Item, NodeKind, Order, Strength};
use super::lowered::{EdgeOrigin, Lowered, LoweredMemory, OrderFault};
use super::needs::Numbered;
use super::numbering::Numbering;
use super::sync_points::fill_roles;
use crate::arena::{Full, List};
use crate::exclusion::Needs;
use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};

impl<'a> Lowered<'a> {
    /// Builds the graph.
    ///
    /// Cost: O(nodes + edges), that of [`Guards`] and of needs, and O(sync points × edges) if there are implied conditions.
    ///
    /// # Errors
    ///
    /// If there is too little memory.
    pub const fn new(
        groups: &Groups<'_>,
        unresolved: UnresolvedGuards<'_>,
        conditions: Conditions<'_>,
        orders: &[Order],
        memory: LoweredMemory<'a>,
    ) -> Result<Self, Full> {
        let mut marks = memory.marks;
        marks.clear();
        let guards = match Guards::new(groups, conditions, &mut marks, memory.guards) {
            Ok(guards) => guards,
            Err(full) => return Err(full),
        };
        let mut lowered = Self {
            numbering: Numbering::new(groups, conditions, memory.numbering),
            n_planned: 0,
            edges: List::new(memory.edges),
            origins: List::new(memory.origins),
            weak: List::new(memory.weak),
            weak_origins: List::new(memory.weak_origins),
            faults: List::new(memory.faults),
            guards,
            needs: Needs::NONE,
            roles: &[],
        };
        lowered.n_planned = lowered.numbering.kinds.len();
        lowered.push_loops();
        lowered.push_groups(groups);
        let n_orders = orders.len();
        let mut idx = 0;
        while idx < n_orders {
            if !lowered.push_order(groups, orders[idx], idx as u32, &mut marks) {
                return Err(Full);
            }
            idx += 1;
        }
        if !lowered.push_guards(conditions) {
            return Err(Full);
        }
        let (roles, scratch) = memory.sync_points.split();
        lowered.roles = fill_roles(groups, &lowered.numbering, roles);
        if let Err(full) = lowered.order_conditions_after_sync_points(scratch) {
            return Err(full);
        }
        let numbered = Numbered {
            kinds: lowered.numbering.kinds.as_slice(),
            node_of: lowered.numbering.node_of,
            levels: groups.declared.levels,
        };
        match memory
            .needs
            .needs(unresolved, conditions, &lowered.guards, numbered)
        {
            Ok(needs) => lowered.needs = needs,
            Err(full) => return Err(full),
        }
        Ok(lowered)
    }

    /// The number of nodes, those for weak orders included. These come last.
    pub const fn n_nodes(&self) -> usize {
        self.numbering.kinds.len()
    }

    /// The number of nodes without those for weak orders.
    pub const fn n_planned(&self) -> usize {
        self.n_planned
    }

    /// The kind of a node.
    pub const fn kind(&self, node: u32) -> NodeKind {
        NodeKind::of_code(self.numbering.kinds.at(node as usize))
    }

    /// The codes of the kinds of all nodes.
    pub const fn codes(&self) -> &[u32] {
        self.numbering.kinds.as_slice()
    }

    /// The node of a declared node. For a loop, its begin. For a removed node, [`NONE`](super::NONE).
    pub const fn node_of(&self, declared: u32) -> u32 {
        self.numbering.node_of[declared as usize]
    }

    /// The nodes of all declared nodes; see [`Lowered::node_of`].
    pub const fn nodes(&self) -> &[u32] {
        self.numbering.node_of
    }

    /// The first and the last node of an item.
    pub const fn ends(&self, item: Item) -> (u32, u32) {
        self.numbering.ends(item)
    }

    /// The loops and the nodes in them.
    pub const fn levels(&self) -> Levels<'_> {
        self.numbering.levels()
    }

    /// Edges that always hold, in the order of: loops, groups, orders, guards, sync points.
    pub const fn edges(&self) -> &[Edge] {
        self.edges.as_slice()
    }

    /// The origin of an edge.
    pub const fn origin(&self, edge: usize) -> EdgeOrigin {
        EdgeOrigin::of_code(self.origins.at(edge))
    }

    /// Edges that hold for pairs that conflict.
    pub const fn weak(&self) -> &[Edge] {
        self.weak.as_slice()
    }

    /// The origin of a weak edge.
    pub const fn weak_origin(&self, edge: usize) -> EdgeOrigin {
        EdgeOrigin::of_code(self.weak_origins.at(edge))
    }

    /// The number of wrong orders.
    pub const fn n_faults(&self) -> usize {
        self.faults.len() / 4
    }

    /// A wrong order and its fault.
    pub const fn fault(&self, nth: usize) -> (usize, OrderFault) {
        let order = self.faults.at(4 * nth) as usize;
        let one = Item::of_code(self.faults.at(4 * nth + 2));
        let other = Item::of_code(self.faults.at(4 * nth + 3));
        let fault = match (self.faults.at(4 * nth + 1), one) {
            (0, Item::Group(group)) => OrderFault::Member {
                group,
                member: other,
            },
            _ => OrderFault::Loop {
                repeat: one,
                node: other,
            },
        };
        (order, fault)
    }

    /// The guards of each declared node.
    pub const fn guards(&self) -> &Guards<'a> {
        &self.guards
    }

    /// The answers that each node needs to run.
    pub const fn needs(&self) -> Needs<'a> {
        self.needs
    }

    /// The role of each node; see [`SyncPointRaces`](crate::sync_point_races::SyncPointRaces). Empty if there is no sync point
    /// or no implied condition.
    pub const fn roles(&self) -> &'a [u32] {
        self.roles
    }

    pub(super) const fn push(&mut self, from: u32, to: u32, origin: EdgeOrigin) {
        self.edges.push(Edge { from, to });
        self.origins.push(origin.code());
    }

    /// Adds edges from the begin of each loop to the nodes in it, and from these to its end.
    const fn push_loops(&mut self) {
        let n_loops = self.numbering.levels().loops.len();
        let mut idx = 0;
        while idx < n_loops {
            let Edge { from, to } = self.numbering.levels().loops[idx];
            self.push(from, to, EdgeOrigin::Loop);
            idx += 1;
        }
        if n_loops == 0 {
            return;
        }
        let mut node = 0;
        while node < self.n_planned {
            let levels = self.numbering.levels();
            let around = levels.around(node as u32);
            if around != NO_LOOP {
                let Edge { from, to } = levels.loops[around as usize];
                self.push(from, node as u32, EdgeOrigin::Loop);
                self.push(node as u32, to, EdgeOrigin::Loop);
            }
            node += 1;
        }
    }

    /// Adds edges from the begin of each group to the nodes in it, and from these to its end.
    const fn push_groups(&mut self, groups: &Groups<'_>) {
        let mut group = 0;
        while group < groups.n_groups() {
            let (begin, end) = self.ends(Item::Group(group as u32));
            self.push(begin, end, EdgeOrigin::Group);
            group += 1;
        }
        if groups.is_tangled() {
            return;
        }
        let members = groups.declared.members;
        let mut idx = 0;
        while idx < members.len() {
            if groups.is_kept(idx) {
                let (first, last) = self.ends(members[idx].item);
                let (begin, end) = self.ends(Item::Group(members[idx].group));
                self.push(begin, first, EdgeOrigin::Member(idx as u32));
                self.push(last, end, EdgeOrigin::Member(idx as u32));
            }
            idx += 1;
        }
    }

    /// Adds an order, or a fault. Returns whether there was room for it.
    const fn push_order(
        &mut self,
        groups: &Groups<'_>,
        order: Order,
        idx: u32,
        marks: &mut Marks<'_>,
    ) -> bool {
        let Order {
            first,
            then,
            strength,
        } = order;
        if let Some((group, member)) = against_member(groups, first, then, marks) {
            self.push_fault(idx, 0, Item::Group(group), member);
            return true;
        }
        let edge = self.numbering.lifted(first, then);
        if let Some((repeat, part)) = self.against_loop((first, edge.from), (then, edge.to)) {
            self.push_fault(idx, 1, repeat, part);
            return true;
        }
        if matches!(strength, Strength::Strict) {
            self.push(edge.from, edge.to, EdgeOrigin::Order(idx));
            return true;
        }
        if !has_nodes(groups, first) || !has_nodes(groups, then) {
            return true;
        }
        if !self.add_weak(groups, first, marks) || !self.add_weak(groups, then, marks) {
            return false;
        }
        let edge = self.numbering.levels().lift(Edge {
            from: self.numbering.weak_ends(first).1,
            to: self.numbering.weak_ends(then).0,
        });
        self.push_weak(edge, EdgeOrigin::Weak(idx))
    }

    const fn push_fault(&mut self, order: u32, kind: u32, one: Item, other: Item) {
        self.faults.push(order);
        self.faults.push(kind);
        self.faults.push(one.code());
        self.faults.push(other.code());
    }

    /// The loop and the item in it, if the lifted order of these two items orders a loop against an item in it.
    const fn against_loop(&self, first: (Item, u32), then: (Item, u32)) -> Option<(Item, Item)> {
        let levels = self.numbering.levels();
        // A fast path for most orders, because calls are slow in const evaluation.
        if matches!(levels.loops, []) || levels.own[first.1 as usize] == NO_LOOP {
            return None;
        }
        let own = levels.own(first.1);
        if own != levels.own(then.1) {
            return None;
        }
        let first_is = levels.own(self.ends(first.0).0) == own;
        let then_is = levels.own(self.ends(then.0).0) == own;
        match (first_is, then_is) {
            (true, false) => Some((first.0, then.0)),
            (false, true) => Some((then.0, first.0)),
            _ => None,
        }
    }

    /// Adds the nodes of a group for weak orders, with edges to and from the nodes in the group, unless it has them. Returns
    /// whether there was room for the edges.
    const fn add_weak(&mut self, groups: &Groups<'_>, item: Item, marks: &mut Marks<'_>) -> bool {
        let Item::Group(group) = item else {
            return true;
        };
        if !self.numbering.add_weak(groups, group) {
            return true;
        }
        let (begin, end) = self.numbering.weak_ends(item);
        groups.open_nodes(item, marks);
        while let Some(node) = groups.next_node(marks) {
            let (first, last) = self.ends(Item::Node(node));
            let before = Edge {
                from: begin,
                to: first,
            };
            let after = Edge {
                from: last,
                to: end,
            };
            if !self.push_weak(before, EdgeOrigin::Inside)
                || !self.push_weak(after, EdgeOrigin::Inside)
            {
                return false;
            }
        }
        true
    }

    const fn push_weak(&mut self, edge: Edge, origin: EdgeOrigin) -> bool {
        if self.weak.is_full() {
            return false;
        }
        self.weak.push(edge);
        self.weak_origins.push(origin.code());
        true
    }

    /// Adds edges from conditions to the items that they guard. Returns whether there was room for them.
    const fn push_guards(&mut self, conditions: Conditions<'_>) -> bool {
        let mut guard = 0;
        while guard < conditions.n_guards() {
            let mut leaf = conditions.first_leaf(guard);
            while leaf < conditions.end_leaf(guard) && !conditions.is_broken(guard) {
                let condition = Item::Node(conditions.node(leaf));
                let edge = self.numbering.lifted(condition, conditions.guarded(guard));
                self.push(edge.from, edge.to, EdgeOrigin::Leaf(leaf as u32));
                leaf += 1;
            }
            guard += 1;
        }
        let inherited = self.guards.inherited();
        let mut idx = 0;
        while idx < inherited.len() {
            let Edge { from, to } = inherited[idx];
            let guard = to as usize;
            let mut leaf = conditions.first_leaf(guard);
            while leaf < conditions.end_leaf(guard) {
                if self.edges.is_full() {
                    return false;
                }
                let condition = Item::Node(conditions.node(leaf));
                let edge = self.numbering.lifted(condition, Item::Node(from));
                self.push(edge.from, edge.to, EdgeOrigin::Inherited(to));
                leaf += 1;
            }
            idx += 1;
        }
        true
    }
}

/// The group and the item in it, if one of these two is a group and the other is in it.
const fn against_member(
    groups: &Groups<'_>,
    first: Item,
    then: Item,
    marks: &mut Marks<'_>,
) -> Option<(u32, Item)> {
    if let Item::Group(group) = first
        && groups.is_in(then, group, marks)
    {
        return Some((group, then));
    }
    if let Item::Group(group) = then
        && groups.is_in(first, group, marks)
    {
        return Some((group, first));
    }
    None
}

const fn has_nodes(groups: &Groups<'_>, item: Item) -> bool {
    match item {
        Item::Node(_) => true,
        Item::Group(group) => groups.first(group).is_some(),
    }
}
