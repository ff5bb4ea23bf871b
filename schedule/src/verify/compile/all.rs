//! Combines declarations with the implied ones that compilation adds.

use super::naming::Places;
use crate::base::place::{NodeId, SystemPlace};
use crate::declare::declarations::{
    Declarations, Declared, DeclaredGuard, DeclaredMembership, DeclaredOrder,
};

/// Implied conditions (named by a guard, but not declared), with the declarations of their attributes.
#[derive(Default)]
pub(crate) struct Implied {
    /// `nodes[i]`: implied condition i. Its index is the number of declared nodes plus i.
    pub(crate) nodes: Vec<Declared>,
    /// The id and the index in `nodes` of each implied condition, sorted by id.
    pub(super) by_id: Vec<(NodeId, usize)>,
    pub(super) memberships: Vec<DeclaredMembership>,
    pub(super) orders: Vec<DeclaredOrder>,
    pub(super) guards: Vec<DeclaredGuard>,
}

/// Declarations, followed by the implied ones: node `n + i` is implied node i, where n is the number of declared nodes. The same applies to
/// memberships, orders and guards.
#[derive(Clone, Copy)]
pub(crate) struct All<'a> {
    pub(crate) declared: &'a Declarations,
    pub(super) implied: &'a Implied,
    places: &'a Places,
    /// The index of an order to leave out. The other orders keep their indices.
    left_out: Option<usize>,
}

const NOTHING_IMPLIED: &Implied = &Implied {
    nodes: Vec::new(),
    by_id: Vec::new(),
    memberships: Vec::new(),
    orders: Vec::new(),
    guards: Vec::new(),
};

impl<'a> All<'a> {
    pub(crate) fn new(
        declared: &'a Declarations,
        implied: &'a Implied,
        places: &'a Places,
    ) -> Self {
        Self {
            declared,
            implied,
            places,
            left_out: None,
        }
    }

    /// Returns declarations without implied ones.
    pub(crate) fn declared(declared: &'a Declarations, places: &'a Places) -> Self {
        Self::new(declared, NOTHING_IMPLIED, places)
    }

    /// Returns the same declarations with these implied ones.
    pub(super) fn with_implied(self, implied: &'a Implied) -> Self {
        Self { implied, ..self }
    }

    pub(super) fn without_implied(self) -> Self {
        self.with_implied(NOTHING_IMPLIED)
    }

    /// Returns the same declarations without this order.
    pub(crate) fn without_order(self, order: usize) -> Self {
        Self {
            left_out: Some(order),
            ..self
        }
    }

    pub(super) fn n_nodes(self) -> usize {
        self.declared.nodes.len() + self.implied.nodes.len()
    }

    pub(crate) fn node(self, idx: usize) -> &'a Declared {
        of_both(&self.declared.nodes, &self.implied.nodes, idx)
    }

    pub(crate) fn nodes(self) -> impl Iterator<Item = &'a Declared> {
        self.declared.nodes.iter().chain(&self.implied.nodes)
    }

    /// Returns the nodes that were not removed, with their indices.
    pub(crate) fn there(self) -> impl Iterator<Item = (usize, &'a Declared)> {
        let nodes = self.nodes().enumerate();
        nodes.filter(|(_, node)| node.is_there())
    }

    /// Returns the index of the node with this id, or `None` if the node is removed.
    pub(super) fn index_of(self, id: NodeId) -> Option<usize> {
        let implied = || {
            let by_id = &self.implied.by_id;
            let position = by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
            Some(self.declared.nodes.len() + by_id[position].1)
        };
        let idx = self.declared.index_of(id).or_else(implied)?;
        self.node(idx).is_there().then_some(idx)
    }

    /// Returns the index of the subject of a declaration. Removing a node also removes its declarations.
    pub(crate) fn index_of_subject(self, id: NodeId) -> usize {
        self.index_of(id)
            .expect("it is there, as its declarations are")
    }

    /// Returns the location of a node and its name, with the modules that distinguish it from other nodes.
    pub(crate) fn place(self, idx: usize) -> &'a SystemPlace {
        self.places.of_node(self.node(idx))
    }

    pub(super) fn memberships(self) -> impl Iterator<Item = &'a DeclaredMembership> {
        let declared = self.declared.memberships.iter();
        declared.chain(&self.implied.memberships)
    }

    pub(super) fn n_orders(self) -> usize {
        self.declared.orders.len() + self.implied.orders.len()
    }

    pub(crate) fn order(self, idx: usize) -> &'a DeclaredOrder {
        of_both(&self.declared.orders, &self.implied.orders, idx)
    }

    /// Returns the orders with their indices.
    pub(crate) fn orders(self) -> impl Iterator<Item = (usize, &'a DeclaredOrder)> {
        let orders = self
            .declared
            .orders
            .iter()
            .chain(&self.implied.orders)
            .enumerate();
        orders.filter(move |(idx, _)| self.left_out != Some(*idx))
    }

    pub(super) fn guard(self, idx: usize) -> &'a DeclaredGuard {
        of_both(&self.declared.guards, &self.implied.guards, idx)
    }

    pub(super) fn guards(self) -> impl Iterator<Item = &'a DeclaredGuard> {
        self.declared.guards.iter().chain(&self.implied.guards)
    }
}

/// Returns the element with this index in the first list followed by the second.
fn of_both<'a, T>(first: &'a [T], second: &'a [T], idx: usize) -> &'a T {
    match idx.checked_sub(first.len()) {
        None => &first[idx],
        Some(idx) => &second[idx],
    }
}
