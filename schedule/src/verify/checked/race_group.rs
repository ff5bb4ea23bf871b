//! Races of one group, and the orders that resolve them.

use schedule_graph::Edge;
use schedule_graph::internal::Item;

use super::fault::{ListingFault, ListingFaultKind};
use super::lower::Checked;
use super::node::Spot;

/// Several races of one group, which are reported together.
#[derive(Clone, Copy, Debug)]
pub(super) struct RaceGroup {
    group: usize,
    pub(super) n_pairs: usize,
    pub(super) is_first: bool,
}

impl RaceGroup {
    pub(super) const fn is_same_group(self, other: Self) -> bool {
        self.group == other.group
    }
}

impl Checked<'_> {
    /// Returns the group of a race, if the group has other races, too. `number`: the index of the fault.
    pub(super) const fn many(&self, fault: &ListingFault, number: usize) -> Option<RaceGroup> {
        if !matches!(fault.kind, ListingFaultKind::Race) {
            return None;
        }
        let group = self.group(fault.one, fault.other);
        let n_pairs = self.races.n_pairs[group] as usize;
        if n_pairs == 1 {
            return None;
        }
        Some(RaceGroup {
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

    /// Returns whether an order resolves races of a group.
    const fn is_in(&self, order: Edge, many: RaceGroup) -> bool {
        self.group(Item::Node(order.from), Item::Node(order.to)) == many.group
    }

    /// Returns the resource of a group.
    pub(super) const fn resource_of(&self, many: RaceGroup) -> u32 {
        (many.group / (self.races.n_plugins + 1)) as u32
    }

    /// Returns the index of the first fault of a group.
    pub(super) const fn first_of(&self, many: RaceGroup) -> usize {
        self.races.firsts[many.group] as usize
    }

    /// Returns the token at which several races are reported: the place for the first order that resolves them, if such an order is known.
    pub(super) const fn spot_of_many(&self, many: RaceGroup, fault: &ListingFault) -> Spot {
        let mut spot = fault.spot;
        let mut is_found = false;
        let mut idx = 0;
        while idx < self.races.orders().len() {
            let order = self.races.order(idx);
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

    /// Returns the two nodes of an order, as they are ordered in the listing.
    pub(super) const fn as_listed(&self, order: Edge) -> (Item, Item) {
        let (from, to) = (Item::Node(order.from), Item::Node(order.to));
        if self.draft.of(to).spot.is_after(self.draft.of(from).spot) {
            (from, to)
        } else {
            (to, from)
        }
    }

    /// Returns the order of a group that comes first in the listing after `last`.
    pub(super) const fn next_order(&self, many: RaceGroup, last: Option<usize>) -> Option<usize> {
        let mut found = None;
        let mut idx = 0;
        while idx < self.races.orders().len() {
            let is_later = match last {
                None => true,
                Some(last) => self.is_declared_before(last, idx),
            };
            let is_first = match found {
                None => true,
                Some(found) => self.is_declared_before(idx, found),
            };
            if is_later && is_first && self.is_in(self.races.order(idx), many) {
                found = Some(idx);
            }
            idx += 1;
        }
        found
    }

    /// Returns whether an order comes before another one. Compares the positions of the later nodes in the listing, then of the earlier
    /// nodes.
    const fn is_declared_before(&self, one: usize, other: usize) -> bool {
        let (one_first, one_behind) = self.as_listed(self.races.order(one));
        let (other_first, other_behind) = self.as_listed(self.races.order(other));
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
