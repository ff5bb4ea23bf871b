//! Nodes whose commands change something, and the nodes that come after them by declared orders and find the change.

use std::collections::{HashMap, HashSet};

use super::All;
use super::guards::{Conditions, ResolvedLeaf};
use super::index::Index;
use super::nodes::Graph;
use super::policies::inside;
use crate::base::formula::Formula;
use crate::base::place::SystemPlace;
use crate::data::access::{AccessSet, FilterTerm, ResourceId, StoreChange};
use crate::data::order::Strength;
use crate::declare::problem::Warning;
use crate::verify::plan::{Plan, PlannedPair, PlannedSyncPoint};
use schedule_graph::Edge;
use schedule_graph::internal::{
    CommandInput, CommandPair, InsertedSyncPoint, command_pairs, unordered_command_pairs,
};

/// The pairs that need a sync point, and what their commands may change.
pub(crate) struct Pairs {
    pairs: Vec<CommandPair>,
    /// Pairs without an order, of a node whose commands declare a change, and a node that uses it.
    unordered: Vec<CommandPair>,
    names: Vec<ResourceId>,
}

/// What commands may change, as a key.
#[derive(Clone, PartialEq, Eq, Hash)]
enum ChangeKey {
    Resource(ResourceId),
    StoreChange(StoreChange),
    DefaultStore,
}

/// The changes of all commands, with numbers.
#[derive(Default)]
struct ChangeNumbers {
    of: HashMap<ChangeKey, u32>,
    /// `names[c]`: what change c is of.
    names: Vec<ResourceId>,
    /// `is_precise[c]`: whether change c is that of one resource or component.
    is_precise: Vec<bool>,
    /// The changes of a resource, a component or a whole store.
    by_id: HashMap<ResourceId, Vec<u32>>,
    /// The changes of the components in a store.
    by_store: HashMap<ResourceId, Vec<u32>>,
    default_store: Option<u32>,
}

impl Pairs {
    /// Finds the pairs. O(uses + terms of queries), and the cost of [`command_pairs`] if there are commands.
    pub(crate) fn find(all: All<'_>, graph: &Graph, conditions: &Conditions) -> Self {
        let access = |idx: usize| all.node(idx).system().map(|system| &*system.access);
        let nodes: Vec<(u32, &AccessSet)> = all
            .there()
            .filter_map(|(idx, _)| Some((graph.node_of[idx], access(idx)?)))
            .collect();
        let mut numbers = ChangeNumbers::default();
        let (mut changes, mut declared) = (Vec::new(), Vec::new());
        for &(node, access) in nodes.iter().filter(|(_, access)| access.has_commands) {
            let of_node = numbers
                .of_commands(access)
                .into_iter()
                .map(|change| (node, change));
            declared.extend(
                of_node
                    .clone()
                    .filter(|change| numbers.is_precise[change.1 as usize]),
            );
            changes.extend(of_node);
        }
        if changes.is_empty() {
            return Self {
                pairs: Vec::new(),
                unordered: Vec::new(),
                names: Vec::new(),
            };
        }
        let mut uses = Vec::new();
        for (node, access) in nodes {
            let of_node = numbers.of_uses(access);
            uses.extend(of_node.into_iter().map(|change| (node, change)));
        }
        uses.sort_unstable();
        uses.dedup();
        let sync_points: Vec<u32> = all
            .there()
            .filter(|(_, node)| node.applies_commands())
            .map(|(idx, _)| graph.node_of[idx])
            .collect();
        let guards_of = |node: u32| Guards {
            of: graph.guards_of(conditions, graph.added(node)),
        };
        let guards: HashMap<u32, Guards> = sync_points
            .iter()
            .map(|&node| (node, guards_of(node)))
            .collect();
        let edges: Vec<Edge> = (0..)
            .zip(&graph.edges)
            .filter(|(edge, _)| {
                let order = graph.order_edges.get(edge);
                order.is_none_or(|&order| all.order(order).strength != Strength::WithoutCommands)
            })
            .map(|(_, edge)| *edge)
            .collect();
        let input = CommandInput {
            n_nodes: graph.n_planned(),
            edges: &edges,
            levels: graph.levels(),
            n_changes: numbers.names.len(),
            changes: &changes,
            uses: &uses,
            sync_points: &sync_points,
        };
        let mut known: HashMap<u32, Guards> = HashMap::new();
        let mut pairs = command_pairs(
            &input,
            |sync_point| !guards[&sync_point].of.is_empty(),
            |sync_point, user| {
                let of_user = known.entry(user).or_insert_with(|| {
                    let mut idx = Some(graph.added(user));
                    let mut of = Vec::new();
                    while let Some(node) = idx {
                        of.extend(graph.guards_of(conditions, node));
                        idx = all.node(node).level;
                    }
                    Guards { of }
                });
                of_user.include(&guards[&sync_point])
            },
        );
        let excluded = excluded(all, graph);
        pairs.retain(|pair| {
            let pair = [pair.writer, pair.user];
            let names =
                |of: &[HashSet<u32>; 2]| of.iter().zip(&pair).all(|(of, node)| of.contains(node));
            !excluded.iter().any(names)
        });
        let unordered = unordered_command_pairs(&CommandInput {
            edges: &graph.edges,
            changes: &declared,
            ..input
        });
        Self {
            pairs,
            unordered,
            names: numbers.names,
        }
    }

    /// The pairs as edges between nodes of the graph.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let edge = |pair: &CommandPair| Edge {
            from: pair.writer,
            to: pair.user,
        };
        self.pairs.iter().map(edge).collect()
    }

    /// Returns a warning for each pair without an order. `plan`: the finished plan.
    pub(super) fn warnings(&self, all: All<'_>, graph: &Graph, plan: &Plan) -> Vec<Warning> {
        if self.unordered.is_empty() {
            return Vec::new();
        }
        let ranks = plan.ranks();
        let rank = |node: u32| ranks[node as usize];
        // The ranks of the sync points that always run, each with the loop around it.
        let declared = all
            .there()
            .filter(|(idx, node)| node.applies_commands() && !graph.is_guarded(*idx))
            .map(|(idx, _)| graph.node_of[idx]);
        let inserted = (0..plan.sync_points.len()).map(|idx| graph.node_of_sync_point(idx));
        let sync_points: Vec<u32> = declared.chain(inserted).map(rank).collect();
        let is_ordered_by_exclusion =
            |pair: &&CommandPair| !graph.needs().never_both_run(pair.writer, pair.user);
        let unordered = self.unordered.iter().filter(is_ordered_by_exclusion);
        let warning = |pair: &CommandPair| {
            let (writer, user) = (rank(pair.writer), rank(pair.user));
            let is_between = |&point: &u32| {
                let enclosing_loop = plan.enclosing_loop(point);
                let is_run = enclosing_loop.is_none()
                    || enclosing_loop == plan.enclosing_loop(writer)
                    || enclosing_loop == plan.enclosing_loop(user);
                writer < point && point < user && is_run
            };
            Warning::UnorderedCommands {
                writer: graph.place(all, pair.writer),
                user: graph.place(all, pair.user),
                change: self.names[pair.change as usize].clone(),
                is_late: !sync_points.iter().any(is_between),
            }
        };
        unordered.map(warning).collect()
    }

    /// Returns the inserted sync points, with names.
    pub(super) fn sync_points(
        &self,
        all: All<'_>,
        graph: &Graph,
        inserted: &[InsertedSyncPoint],
    ) -> Vec<PlannedSyncPoint> {
        let planned = |inserted: &InsertedSyncPoint| {
            let pairs: Vec<PlannedPair> = inserted
                .pairs
                .iter()
                .map(|&pair| self.planned(pair))
                .collect();
            let SystemPlace { name, location } = graph.place(all, pairs[0].user);
            PlannedSyncPoint {
                place: SystemPlace {
                    name: format!("sync point before {name}"),
                    location,
                },
                enclosing_loop: inserted.around,
                pairs,
            }
        };
        inserted.iter().map(planned).collect()
    }

    /// Returns a pair with what its commands may change.
    fn planned(&self, pair: Edge) -> PlannedPair {
        let Edge { from, to } = pair;
        let key = |pair: &CommandPair| (pair.user, pair.writer);
        let found = self.pairs.binary_search_by_key(&(to, from), key);
        let found = self.pairs[found.expect("it is one of the pairs")];
        PlannedPair {
            writer: from,
            user: to,
            change: self.names[found.change as usize].clone(),
        }
    }
}

impl ChangeNumbers {
    fn number(&mut self, key: ChangeKey, name: &ResourceId) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.of.entry(key.clone()).or_insert(next);
        if number == next {
            self.names.push(name.clone());
            self.is_precise.push(matches!(
                key,
                ChangeKey::Resource(_) | ChangeKey::StoreChange(StoreChange::Component { .. })
            ));
            match key {
                ChangeKey::Resource(id) | ChangeKey::StoreChange(StoreChange::Store(id)) => {
                    self.by_id.entry(id).or_default().push(number);
                }
                ChangeKey::StoreChange(StoreChange::Component {
                    component, store, ..
                }) => {
                    self.by_id.entry(component).or_default().push(number);
                    self.by_store.entry(store).or_default().push(number);
                }
                ChangeKey::DefaultStore => self.default_store = Some(number),
            }
        }
        number
    }

    /// Returns the changes that the commands of a node may make.
    fn of_commands(&mut self, access: &AccessSet) -> Vec<u32> {
        let inserts = access.inserts.iter();
        let mut found: Vec<u32> = inserts
            .map(|id| self.number(ChangeKey::Resource(id.clone()), id))
            .collect();
        for change in &access.changes {
            let name = match change {
                StoreChange::Component { component, .. } => component,
                StoreChange::Store(store) => store,
            };
            found.push(self.number(ChangeKey::StoreChange(change.clone()), name));
        }
        if access.has_bare_commands {
            for store in access.stores() {
                found.push(self.number(
                    ChangeKey::StoreChange(StoreChange::Store(store.clone())),
                    store,
                ));
            }
            // Renamed when a node that uses it is found.
            let unnamed = ResourceId::named("entities");
            found.push(self.number(ChangeKey::DefaultStore, &unnamed));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the changes that a node finds.
    fn of_uses(&mut self, access: &AccessSet) -> Vec<u32> {
        let mut found = Vec::new();
        for one in access.uses.iter().filter(|one| !one.is_deferred()) {
            found.extend(self.by_id.get(&one.resource).into_iter().flatten());
            if let Some(default) = self.default_store
                && one.resource.is_default_store()
            {
                self.names[default as usize] = one.resource.clone();
                found.push(default);
            }
            // Each query reads its store once.
            if one.kind.is_write()
                || access.n_reads(&one.resource) > access.n_queries(&one.resource)
            {
                found.extend(self.by_store.get(&one.resource).into_iter().flatten());
            }
        }
        for (_, filter) in &access.queries {
            let mut open = vec![filter.term()];
            while let Some(term) = open.pop() {
                match term {
                    FilterTerm::With(component) | FilterTerm::Without(component) => {
                        let component = ResourceId::of_type(component);
                        found.extend(self.by_id.get(&component).into_iter().flatten());
                    }
                    FilterTerm::All(parts) | FilterTerm::Any(parts) => open.extend(*parts),
                }
            }
        }
        for all in &access.all {
            let is_excepted = |key: &ChangeKey| match key {
                ChangeKey::Resource(id)
                | ChangeKey::StoreChange(
                    StoreChange::Store(id) | StoreChange::Component { store: id, .. },
                ) => all.except.contains(id),
                ChangeKey::DefaultStore => all.except.iter().any(ResourceId::is_default_store),
            };
            let others = self.of.iter().filter(|(key, _)| !is_excepted(key));
            found.extend(others.map(|(_, number)| *number));
        }
        found
    }
}

/// The nodes on the two sides of each order without commands. Other orders of these nodes do not include the commands either.
fn excluded(all: All<'_>, graph: &Graph) -> Vec<[HashSet<u32>; 2]> {
    let orders: Vec<_> = all
        .orders()
        .filter(|(_, order)| order.strength == Strength::WithoutCommands)
        .collect();
    if orders.is_empty() {
        return Vec::new();
    }
    let groups = graph.located_groups();
    let index = Index::new(all, &groups);
    let sides = orders.into_iter().filter_map(|(_, order)| {
        let [first, then] = [&order.first, &order.then].map(|target| {
            let found = index.find(target, order.location).ok()?;
            let inside = inside(all, graph, found).into_iter();
            Some(inside.map(|idx| graph.node_of[idx]).collect())
        });
        Some([first?, then?])
    });
    sides.collect()
}

/// The guards of a node. All of them must hold.
struct Guards {
    of: Vec<Formula<(usize, u32)>>,
}

impl Guards {
    /// Whether each of the other guards is one of these.
    fn include(&self, other: &Self) -> bool {
        let mut others = other.of.iter();
        others.all(|guard| self.of.iter().any(|own| own == guard))
    }
}

/// The key of a leaf.
pub(super) fn leaf_key(leaf: &ResolvedLeaf) -> (usize, u32) {
    (leaf.node, leaf.index)
}
