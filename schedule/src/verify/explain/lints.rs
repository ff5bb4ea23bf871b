//! Lints: declarations that are valid but suspicious, and resources that systems only read. They cost too much for every build.

use std::collections::{HashMap, HashSet};

use crate::base::place::SystemPlace;
use crate::data::access::{ResourceId, Storage};
use crate::data::order::Strength;
use crate::declare::declarations::Declared;
use crate::declare::problem::{StepOrigin, Warning};
use crate::verify::compile::{All, Found, Graph, Index, known_conditions};
use schedule_graph::Edge;
use schedule_graph::internal::fill_ranked_edges;
use schedule_graph::internal::reduce;

/// Returns a warning for each order that can be removed without an effect: a path of other orders implies it, another
/// order repeats it, or its first system is a condition of its second.
///
/// Orders of another strength than `Always` are skipped: they may become necessary when the schedule changes.
///
/// `ranks[v]`: the rank of node `v` of the graph. O(nodes × orders / 64).
pub(crate) fn redundant_orders(all: All<'_>, ranks: &[u32]) -> Vec<Warning> {
    let conditions = known_conditions(all);
    let mut problems = Vec::new();
    let graph = Graph::new(all, &conditions, &mut problems);
    debug_assert!(
        problems.is_empty(),
        "a schedule was built from the same declarations"
    );
    let mut kept: HashMap<Edge, bool> = HashMap::new();
    let mut edges = graph.edges.clone();
    edges.retain(|edge| kept.insert(*edge, true).is_none());
    let mut ranked = edges.clone();
    fill_ranked_edges(&edges, ranks, &mut ranked);
    for (edge, is_kept) in edges.iter().zip(reduce(ranks.len(), &ranked)) {
        kept.insert(*edge, is_kept);
    }
    let guards = graph
        .edges
        .iter()
        .zip(&graph.origins)
        .filter(|(_, origin)| matches!(origin, StepOrigin::Guard(_)));
    let guards: HashSet<Edge> = guards.map(|(edge, _)| *edge).collect();

    let groups = graph.located_groups();
    let index = Index::new(all, &groups);
    let mut seen: HashSet<(Found, Found)> = HashSet::new();
    let mut redundant = Vec::new();
    for (_, order) in all.orders() {
        let ends = [&order.first, &order.then].map(|target| index.find(target, order.location));
        let (Strength::Always, [Ok(first), Ok(then)]) = (order.strength, ends) else {
            continue;
        };
        let edge = graph.lifted(first, then);
        let is_new = seen.insert((first, then));
        if !is_new || !kept[&edge] || guards.contains(&edge) {
            redundant.push(Warning::RedundantOrder {
                first: index.place(first),
                then: index.place(then),
                location: order.location,
            });
        }
    }
    redundant
}

/// Returns each resource that systems read, but no system is known to provide, and its readers.
///
/// A system provides a resource if it writes the resource, if it writes all resources, or if it declares that its
/// commands insert the resource.
pub(crate) fn only_read(all: All<'_>) -> Vec<(ResourceId, Vec<SystemPlace>)> {
    let accesses = |node: &Declared| node.system().map(|system| system.access.clone());
    let mut readers: Vec<(ResourceId, Vec<SystemPlace>)> = Vec::new();
    let mut idx_of: HashMap<ResourceId, usize> = HashMap::new();
    let mut given: HashSet<ResourceId> = HashSet::new();
    for (idx, node) in all.there() {
        let Some(access) = accesses(node) else {
            continue;
        };
        given.extend(access.inserts.iter().cloned());
        for one in &access.uses {
            // Commands and systems that take the store exclusively provide components.
            if one.resource.storage() == Storage::Entities {
                continue;
            }
            if one.kind.modifies() {
                given.insert(one.resource.clone());
                continue;
            }
            let reader = *idx_of.entry(one.resource.clone()).or_insert_with(|| {
                readers.push((one.resource.clone(), Vec::new()));
                readers.len() - 1
            });
            let (readers, place) = (&mut readers[reader].1, all.place(idx));
            // Several parameters of a system may read one resource.
            if readers.last() != Some(place) {
                readers.push(place.clone());
            }
        }
    }
    let writers = all.there().filter_map(|(_, node)| accesses(node));
    let writers: Vec<_> = writers
        .filter(|access| access.all.iter().any(|all| all.is_write))
        .collect();
    readers.retain(|(resource, _)| {
        let writes = writers.iter().any(|access| {
            (access.is_exclusive && resource.is_main_thread()) || access.allows(resource, true)
        });
        !given.contains(resource) && !writes
    });
    readers
}
