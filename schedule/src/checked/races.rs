//! Races by what they are about: many pairs of one resource are one error, with the orders that end them.

use schedule_graph::Edge;
use schedule_graph::internal::{Arena, Item, List, Uses};

use super::draft::Draft;
use super::fault::Faults;

/// The races of a listing, in groups. A group is those of which a resource is the first that both systems touch, and a plugin
/// the innermost one that both are in: so what races in a plugin alone is told there.
#[derive(Debug)]
pub(super) struct Races<'a> {
    pub(super) n_plugins: usize,
    /// `n_pairs[g]`: the pairs of group g; arbitrary until something races.
    pub(super) n_pairs: &'a mut [u32],
    /// `firsts[g]`: the number of the first fault of group g.
    pub(super) firsts: &'a mut [u32],
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
    n_plugins: usize,
    n_pairs: &'a mut [u32],
    firsts: &'a mut [u32],
    orders: &'a mut [Edge],
}

impl<'a> RacesMemory<'a> {
    /// `n_resources`: the two additional numbers included.
    pub(super) const fn take(arena: &mut Arena<'a>, n_resources: usize, n_plugins: usize) -> Self {
        let n_groups = n_resources * (n_plugins + 1);
        Self {
            n_plugins,
            n_pairs: arena.words(n_groups),
            firsts: arena.words(n_groups),
            orders: arena.edges(Faults::KEPT),
        }
    }
}

impl<'a> Races<'a> {
    pub(super) const fn new(memory: RacesMemory<'a>) -> Self {
        Self {
            n_plugins: memory.n_plugins,
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
        let plugins = (draft.of(items.0).plugin, draft.of(items.1).plugin);
        let plugin = draft.listing.common_plugin(plugins.0, plugins.1);
        first.resource as usize * (self.n_plugins + 1) + plugin as usize
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

    pub(super) const fn order(&self, idx: usize) -> Edge {
        self.orders.at(idx)
    }
}
