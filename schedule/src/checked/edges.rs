//! What comes before what, as edges between nodes by number.
//!
//! What was added keeps its number; behind that come the ends of loops, and then a begin and an end for each group. If
//! there are weak orders, each group has two more, which stand for its nodes: a weak order against a group concerns each
//! of them, and nothing that merely comes between the begin and the end of the group.

use super::draft::Draft;
use super::fault::{Fault, Kind};
use super::groups::Groups;
use super::memory::{List, Memory};
use super::node::{Item, NONE};
use crate::order::{Direction, Strength};
use schedule_graph::Edge;
use schedule_graph::internal::{Levels, NO_LOOP};

/// Why an edge is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// This order.
    Order(u32),
    /// This member of a group.
    Member(u32),
    /// From the begin of a group to its end.
    Group,
    /// Part of a loop.
    Loop,
    /// This leaf of all that guards ask.
    Leaf(u32),
    /// What a condition guards is in a group that this guards.
    Inherited(u32),
    /// This order, if they conflict.
    Weak(u32),
    /// Between a group and a node in it, for weak orders.
    Inside,
    /// Writers first, on this resource.
    WritersFirst(u32),
    /// From a flush to a condition that nobody added.
    Flush,
}

impl Origin {
    const KIND_BITS: u32 = 4;

    pub(super) const fn code(self) -> u32 {
        let (kind, idx) = match self {
            Self::Order(idx) => (0, idx),
            Self::Member(idx) => (1, idx),
            Self::Group => (2, 0),
            Self::Loop => (3, 0),
            Self::Leaf(idx) => (4, idx),
            Self::Inherited(idx) => (5, idx),
            Self::Weak(idx) => (6, idx),
            Self::WritersFirst(idx) => (7, idx),
            Self::Inside => (8, 0),
            Self::Flush => (9, 0),
        };
        idx << Self::KIND_BITS | kind
    }

    pub(super) const fn of_code(code: u32) -> Self {
        let idx = code >> Self::KIND_BITS;
        match code & 0xf {
            0 => Self::Order(idx),
            1 => Self::Member(idx),
            2 => Self::Group,
            3 => Self::Loop,
            4 => Self::Leaf(idx),
            5 => Self::Inherited(idx),
            6 => Self::Weak(idx),
            7 => Self::WritersFirst(idx),
            8 => Self::Inside,
            _ => Self::Flush,
        }
    }
}

/// Edges by number.
#[derive(Debug)]
pub(super) struct Edges<'a> {
    pub(super) n_nodes: usize,
    n_added: usize,
    n_loops: usize,
    n_groups: usize,
    ends: &'a mut [Edge],
    around: &'a mut [u32],
    own: &'a mut [u32],
    pub(super) list: List<'a, Edge>,
    /// `origins[i]`: the code of why edge i is there.
    pub(super) origins: List<'a, u32>,
    pub(super) weak: List<'a, Edge>,
    /// `weak_origins[i]`: the code of why weak edge i is there.
    pub(super) weak_origins: List<'a, u32>,
}

impl<'a> Edges<'a> {
    pub(super) const fn n_words(n_nodes: usize, n_edges: usize, n_weak: usize) -> usize {
        2 * n_nodes + n_edges + n_weak
    }

    /// The nodes and edges of loops and groups, and those of orders.
    pub(super) const fn new(
        draft: &mut Draft<'_>,
        groups: &Groups<'_>,
        n_edges: usize,
        n_weak: usize,
        memory: &mut Memory<'a>,
    ) -> Self {
        let n_added = draft.nodes.len();
        let n_loops = n_loops(draft);
        let n_groups = draft.groups.len();
        let n_of_groups = if n_weak > 0 { 4 } else { 2 } * n_groups;
        let n_nodes = n_added + n_loops + n_of_groups;
        let n_levelled = if n_loops == 0 { 0 } else { n_nodes };
        let mut edges = Self {
            n_nodes,
            n_added,
            n_loops,
            n_groups,
            ends: memory.take_edges(n_loops),
            around: memory.take_words(n_levelled),
            own: memory.take_words(n_levelled),
            list: List::new(memory.take_edges(n_edges)),
            origins: List::new(memory.take_words(n_edges)),
            weak: List::new(memory.take_edges(n_weak)),
            weak_origins: List::new(memory.take_words(n_weak)),
        };
        if n_loops > 0 {
            edges.fill_levels(draft, groups);
            edges.push_loops();
        }
        edges.push_groups(draft, groups);
        if n_weak > 0 {
            edges.push_insides(draft, groups);
        }
        let mut idx = 0;
        while idx < draft.orders.len() {
            edges.declare(draft, groups, idx);
            idx += 1;
        }
        edges
    }

    pub(super) const fn levels(&self) -> Levels<'_> {
        Levels {
            loops: self.ends,
            around: self.around,
            own: self.own,
        }
    }

    pub(super) const fn push(&mut self, from: u32, to: u32, origin: Origin) {
        self.list.push(Edge { from, to });
        self.origins.push(origin.code());
    }

    /// The edge that puts all of one before all of the other.
    pub(super) const fn lifted(&self, first: Item, then: Item) -> Edge {
        let edge = Edge {
            from: self.ends_of(first).1,
            to: self.ends_of(then).0,
        };
        self.levels().lift(edge)
    }

    /// What a node is, or is the begin or the end of.
    pub(super) const fn item(&self, node: u32) -> Item {
        let node = node as usize;
        if node < self.n_added {
            return Item::Node(node as u32);
        }
        if node < self.n_added + self.n_loops {
            return Item::Node(self.ends[node - self.n_added].from);
        }
        let group = (node - self.n_added - self.n_loops) / 2;
        Item::Group((group % self.n_groups) as u32)
    }

    /// Whether a node of a group is a begin.
    pub(super) const fn is_begin_of_group(&self, node: usize) -> bool {
        (node - self.n_added - self.n_loops).is_multiple_of(2)
    }

    /// The first and the last node of it, for weak orders.
    const fn weak_ends_of(&self, item: Item) -> (u32, u32) {
        let (first, last) = self.ends_of(item);
        match item {
            Item::Node(_) => (first, last),
            Item::Group(_) => {
                let n_of_groups = 2 * self.n_groups as u32;
                (first + n_of_groups, last + n_of_groups)
            }
        }
    }

    /// The first and the last node of it.
    const fn ends_of(&self, item: Item) -> (u32, u32) {
        match item {
            Item::Node(node) => match self.levels().own(node) {
                NO_LOOP => (node, node),
                own => {
                    let Edge { from, to } = self.ends[own as usize];
                    (from, to)
                }
            },
            Item::Group(group) => {
                let begin = (self.n_added + self.n_loops) as u32 + 2 * group;
                (begin, begin + 1)
            }
        }
    }

    const fn fill_levels(&mut self, draft: &Draft<'_>, groups: &Groups<'_>) {
        let mut n_loops = 0;
        let mut node = 0;
        while node < self.n_added {
            self.own[node] = NO_LOOP;
            if draft.nodes.get(node).is_loop() {
                let end = self.n_added + n_loops;
                self.ends[n_loops] = Edge {
                    from: node as u32,
                    to: end as u32,
                };
                self.own[node] = n_loops as u32;
                self.own[end] = n_loops as u32;
                n_loops += 1;
            }
            node += 1;
        }
        let mut node = 0;
        while node < self.n_nodes {
            let item = self.item(node as u32);
            let level = groups.level_of(draft, item);
            self.around[node] = match level {
                NONE => NO_LOOP,
                level => self.own[level as usize],
            };
            if matches!(item, Item::Group(_)) {
                self.own[node] = NO_LOOP;
            }
            node += 1;
        }
    }

    /// From the begin of each loop to its parts, and from those to its end.
    const fn push_loops(&mut self) {
        let mut idx = 0;
        while idx < self.n_loops {
            let Edge {
                from: begin,
                to: end,
            } = self.ends[idx];
            self.push(begin, end, Origin::Loop);
            idx += 1;
        }
        let mut node = 0;
        while node < self.n_nodes {
            let around = self.around[node];
            if around != NO_LOOP {
                let Edge {
                    from: begin,
                    to: end,
                } = self.ends[around as usize];
                self.push(begin, node as u32, Origin::Loop);
                self.push(node as u32, end, Origin::Loop);
            }
            node += 1;
        }
    }

    const fn push_groups(&mut self, draft: &Draft<'_>, groups: &Groups<'_>) {
        let mut group = 0;
        while group < draft.groups.len() {
            let (begin, end) = self.ends_of(Item::Group(group as u32));
            self.push(begin, end, Origin::Group);
            group += 1;
        }
        if groups.is_tangled {
            return;
        }
        let mut idx = 0;
        while idx < draft.members.len() {
            if let Some(group) = groups.of_member(draft, idx) {
                let (first, last) = self.ends_of(draft.members.at(idx).subject);
                let (begin, end) = self.ends_of(Item::Group(group));
                self.push(begin, first, Origin::Member(idx as u32));
                self.push(last, end, Origin::Member(idx as u32));
            }
            idx += 1;
        }
    }

    /// From what stands for the nodes of a group to these, and back.
    const fn push_insides(&mut self, draft: &Draft<'_>, groups: &Groups<'_>) {
        let mut group = 0;
        while group < draft.groups.len() {
            let (begin, end) = self.weak_ends_of(Item::Group(group as u32));
            let mut node = 0;
            while node < draft.nodes.len() {
                if groups.has(group as u32, node as u32) {
                    let (first, last) = self.ends_of(Item::Node(node as u32));
                    self.push_weak(begin, first, Origin::Inside);
                    self.push_weak(last, end, Origin::Inside);
                }
                node += 1;
            }
            group += 1;
        }
    }

    const fn push_weak(&mut self, from: u32, to: u32, origin: Origin) {
        self.weak.push(Edge { from, to });
        self.weak_origins.push(origin.code());
    }

    /// Adds what an order says, or tells what is wrong with it.
    const fn declare(&mut self, draft: &mut Draft<'_>, groups: &Groups<'_>, idx: usize) {
        let said = draft.orders.at(idx);
        let order = draft.order(said);
        let Some(other) = find(draft, idx) else {
            return;
        };
        let (first, then) = match order.direction {
            Direction::After => (other, said.subject),
            Direction::Before => (said.subject, other),
        };
        if let Some((group, member)) = against_member(groups, first, then) {
            draft.fault(
                Kind::GroupAgainstMember,
                said.spot,
                Item::Group(group),
                member,
            );
            return;
        }
        let edge = self.lifted(first, then);
        if let Some((repeat, part)) = self.against_part((first, edge.from), (then, edge.to)) {
            draft.fault(Kind::LoopAgainstPart, said.spot, repeat, part);
            return;
        }
        if matches!(order.strength, Strength::IfConflicting) {
            if groups.has_nodes(first) && groups.has_nodes(then) {
                let Edge { from, to } = self.levels().lift(Edge {
                    from: self.weak_ends_of(first).1,
                    to: self.weak_ends_of(then).0,
                });
                self.push_weak(from, to, Origin::Weak(idx as u32));
            }
        } else {
            self.push(edge.from, edge.to, Origin::Order(idx as u32));
        }
    }

    /// The loop and the part of it, if an order of these two, lifted so, is one of a loop against its own part.
    const fn against_part(&self, first: (Item, u32), then: (Item, u32)) -> Option<(Item, Item)> {
        let own = self.levels().own(first.1);
        if own == NO_LOOP || own != self.levels().own(then.1) {
            return None;
        }
        let first_is = self.levels().own(self.ends_of(first.0).0) == own;
        let then_is = self.levels().own(self.ends_of(then.0).0) == own;
        match (first_is, then_is) {
            (true, false) => Some((first.0, then.0)),
            (false, true) => Some((then.0, first.0)),
            _ => None,
        }
    }
}

const fn n_loops(draft: &Draft<'_>) -> usize {
    let mut n_loops = 0;
    let mut node = 0;
    while node < draft.nodes.len() {
        n_loops += draft.nodes.get(node).is_loop() as usize;
        node += 1;
    }
    n_loops
}

/// What an order names; a fault, if it is nothing, or several things.
const fn find(draft: &mut Draft<'_>, idx: usize) -> Option<Item> {
    let said = draft.orders.at(idx);
    let order = draft.order(said);
    if let Some(number) = order.entry {
        return Some(draft.named(said, number));
    }
    let subject = said.subject;
    let Some(found) = draft.first(order.other.id) else {
        if !matches!(order.strength, Strength::IfPresent) {
            let fault = Fault::new(Kind::Dangling, said.spot, subject, subject);
            draft.faults.push(fault.along((idx as u32, 0)));
        }
        return None;
    };
    if draft.next(found).is_some() {
        let fault = Fault::new(Kind::Ambiguous, said.spot, found, subject);
        draft.faults.push(fault.along((idx as u32, 0)));
        return None;
    }
    Some(found)
}

/// The group and the member, if one of these is a group and the other is in it.
const fn against_member(groups: &Groups<'_>, first: Item, then: Item) -> Option<(u32, Item)> {
    if let Item::Group(group) = first
        && groups.is_in(then, group)
    {
        return Some((group, then));
    }
    if let Item::Group(group) = then
        && groups.is_in(first, group)
    {
        return Some((group, first));
    }
    None
}
