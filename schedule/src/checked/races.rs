//! Races by what they are about: many pairs of one resource are one error, with the orders that end them.

use schedule_graph::Edge;
use schedule_graph::internal::{Arena, Item, List, Uses};

use super::draft::Draft;
use super::fault::{Fault, Faults, Kind};
use super::lower::Checked;
use super::node::Spot;

/// The races of a listing, in groups. A group is those of which a resource is the first that both systems touch, and a part
/// the innermost one that both are in: so what races in a part alone is told there.
#[derive(Debug)]
pub(super) struct Races<'a> {
    n_parts: usize,
    /// `n_pairs[g]`: the pairs of group g; arbitrary until something races.
    n_pairs: &'a mut [u32],
    /// `firsts[g]`: the number of the first fault of group g.
    firsts: &'a mut [u32],
    is_empty: bool,
    /// Orders that end all races: from and to are nodes of the draft.
    orders: List<'a, Edge>,
    has_orders: bool,
    /// Some orders had no room.
    is_cut: bool,
}

/// The memory of [`Races`].
#[derive(Debug)]
pub(super) struct RacesMemory<'a> {
    n_parts: usize,
    n_pairs: &'a mut [u32],
    firsts: &'a mut [u32],
    orders: &'a mut [Edge],
}

impl<'a> RacesMemory<'a> {
    /// `n_resources`: the two additional numbers included.
    pub(super) const fn take(arena: &mut Arena<'a>, n_resources: usize, n_parts: usize) -> Self {
        let n_groups = n_resources * (n_parts + 1);
        Self {
            n_parts,
            n_pairs: arena.words(n_groups),
            firsts: arena.words(n_groups),
            orders: arena.edges(Faults::KEPT),
        }
    }
}

impl<'a> Races<'a> {
    pub(super) const fn new(memory: RacesMemory<'a>) -> Self {
        Self {
            n_parts: memory.n_parts,
            n_pairs: memory.n_pairs,
            firsts: memory.firsts,
            is_empty: true,
            orders: List::new(memory.orders),
            has_orders: false,
            is_cut: false,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Counts a race, which is the fault of this number.
    pub(super) const fn push(&mut self, group: usize, fault: usize) {
        if self.is_empty {
            self.is_empty = false;
            let mut idx = 0;
            while idx < self.n_pairs.len() {
                self.n_pairs[idx] = 0;
                idx += 1;
            }
        }
        if self.n_pairs[group] == 0 {
            self.firsts[group] = fault as u32;
        }
        self.n_pairs[group] += 1;
    }

    /// Adds an order that ends races, as long as there is room.
    pub(super) const fn push_order(&mut self, from: u32, to: u32) {
        self.has_orders = true;
        if self.orders.is_full() {
            self.is_cut = true;
        } else {
            self.orders.push(Edge { from, to });
        }
    }

    /// The group of two nodes of the draft; `nodes` are those of the graph.
    pub(super) const fn group(
        &self,
        draft: &Draft<'_>,
        uses: Uses<'_>,
        items: (Item, Item),
        nodes: (u32, u32),
    ) -> usize {
        let Some(first) = uses.shared(nodes.0, nodes.1).next() else {
            panic!("a race is about something");
        };
        let parts = (draft.of(items.0).part, draft.of(items.1).part);
        let part = draft.listing.common_part(parts.0, parts.1);
        first.resource as usize * (self.n_parts + 1) + part as usize
    }

    /// Whether it is known which orders end the races: there are no cycles.
    pub(super) const fn has_orders(&self) -> bool {
        self.has_orders
    }

    /// Whether more orders end the races than [`orders`](Self::orders) has.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) const fn orders(&self) -> &[Edge] {
        self.orders.as_slice()
    }
}

/// Several races that are told together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Many {
    group: usize,
    pub(super) n_pairs: usize,
    pub(super) is_first: bool,
}

impl Many {
    pub(super) const fn is_same_group(self, other: Self) -> bool {
        self.group == other.group
    }
}

impl Checked<'_> {
    /// The group of a fault, if it is a race and not the only one of its group. `number`: that of the fault.
    pub(super) const fn many(&self, fault: &Fault, number: usize) -> Option<Many> {
        if !matches!(fault.kind, Kind::Race) {
            return None;
        }
        let group = self.group(fault.one, fault.other);
        let n_pairs = self.races.n_pairs[group] as usize;
        if n_pairs == 1 {
            return None;
        }
        Some(Many {
            group,
            n_pairs,
            is_first: self.races.firsts[group] as usize == number,
        })
    }

    const fn group(&self, one: Item, other: Item) -> usize {
        let (Item::Node(a), Item::Node(b)) = (one, other) else {
            panic!("groups touch nothing");
        };
        let nodes = (self.node(a), self.node(b));
        let uses = self.resources.uses();
        self.races.group(&self.draft, uses, (one, other), nodes)
    }

    /// Whether an order ends races of a group.
    const fn is_in(&self, order: Edge, many: Many) -> bool {
        self.group(Item::Node(order.from), Item::Node(order.to)) == many.group
    }

    /// The resource of a group.
    pub(super) const fn resource_of(&self, many: Many) -> u32 {
        (many.group / (self.races.n_parts + 1)) as u32
    }

    /// The number of the first fault of a group.
    pub(super) const fn first_of(&self, many: Many) -> usize {
        self.races.firsts[many.group] as usize
    }

    /// The token under which several races are reported: where the first of the orders that end them can be added, if any.
    pub(super) const fn spot_of_many(&self, many: Many, fault: &Fault) -> Spot {
        let mut spot = fault.spot;
        let mut is_found = false;
        let mut idx = 0;
        while idx < self.races.orders.len() {
            let order = self.races.orders.at(idx);
            if self.is_in(order, many) {
                let behind = self.as_listed(order).1;
                let other = self.draft.of(behind).spot;
                if !is_found || spot.is_after(other) {
                    spot = other;
                    is_found = true;
                }
            }
            idx += 1;
        }
        spot
    }

    /// The two nodes of an order, in the order in which they are listed.
    pub(super) const fn as_listed(&self, order: Edge) -> (Item, Item) {
        let (from, to) = (Item::Node(order.from), Item::Node(order.to));
        if self.draft.of(to).spot.is_after(self.draft.of(from).spot) {
            (from, to)
        } else {
            (to, from)
        }
    }

    /// Returns the order of a group that comes first in the listing after `last`.
    pub(super) const fn next_order(&self, many: Many, last: Option<usize>) -> Option<usize> {
        let mut found = None;
        let mut idx = 0;
        while idx < self.races.orders.len() {
            let is_later = match last {
                None => true,
                Some(last) => self.is_declared_before(last, idx),
            };
            let is_first = match found {
                None => true,
                Some(found) => self.is_declared_before(idx, found),
            };
            if is_later && is_first && self.is_in(self.races.orders.at(idx), many) {
                found = Some(idx);
            }
            idx += 1;
        }
        found
    }

    /// Whether an order comes before another one: by position of the later nodes in the listing, then of the earlier ones.
    const fn is_declared_before(&self, one: usize, other: usize) -> bool {
        let (one_first, one_behind) = self.as_listed(self.races.orders.at(one));
        let (other_first, other_behind) = self.as_listed(self.races.orders.at(other));
        let keys = [
            (
                self.draft.of(one_behind).spot,
                self.draft.of(other_behind).spot,
            ),
            (
                self.draft.of(one_first).spot,
                self.draft.of(other_first).spot,
            ),
        ];
        let mut idx = 0;
        while idx < keys.len() {
            let (a, b) = keys[idx];
            if !a.is(b) {
                return b.is_after(a);
            }
            idx += 1;
        }
        one < other
    }
}
