//! Groups races by resource. All races of a group are one error, with the orders that resolve them.

use schedule_graph::Edge;
use schedule_graph::internal::{Arena, Item, List, Uses};

use super::draft::Draft;
use super::fault::Faults;

/// The races of a listing, in groups. A group contains the races with the same resource and the same plugin. The resource is the first one
/// on which both systems conflict. The plugin is the innermost one that contains both systems, so the plugin itself reports its own races.
#[derive(Debug)]
pub(super) struct Races<'a> {
    pub(super) n_plugins: usize,
    /// `n_pairs[g]`: the number of pairs of group g. Not initialized before the first race.
    pub(super) n_pairs: &'a mut [u32],
    /// `firsts[g]`: the index of the first fault of group g.
    pub(super) firsts: &'a mut [u32],
    is_empty: bool,
    /// Orders that resolve all races. Their ends are nodes of the draft.
    orders: List<'a, Edge>,
    has_orders: bool,
    /// Whether orders were omitted because the memory was full.
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
    /// `n_resources`: number of resources, including the two additional numbers.
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

    /// Counts a race. `fault`: the index of its fault.
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

    /// Adds an order that resolves races, as long as there is memory.
    pub(super) const fn push_order(&mut self, from: u32, to: u32) {
        self.has_orders = true;
        if self.orders.is_full() {
            self.is_cut = true;
        } else {
            self.orders.push(Edge { from, to });
        }
    }

    /// Returns the group of two items of the draft. `nodes`: their nodes in the graph.
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

    /// Returns whether the orders that resolve the races are known. They are unknown if there are cycles.
    pub(super) const fn has_orders(&self) -> bool {
        self.has_orders
    }

    /// Returns whether [`orders`](Self::orders) is incomplete.
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
