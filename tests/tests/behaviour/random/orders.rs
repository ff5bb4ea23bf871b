//! Orders of random schedules: pairs of nodes, of which the first runs before the second.

use std::collections::BTreeSet;

use proptest::sample::Index;

/// Returns orders without a cycle: each leads from the smaller to the greater key. Half of them contradict the insertion order.
pub(crate) fn acyclic(orders: &[(Index, Index)], keys: &[u16]) -> Vec<(usize, usize)> {
    let pairs = orders.iter().filter_map(|(a, b)| {
        let (a, b) = (a.index(keys.len()), b.index(keys.len()));
        let is_before = (keys[a], a) < (keys[b], b);
        (a != b).then_some(if is_before { (a, b) } else { (b, a) })
    });
    pairs.collect()
}

/// Returns all nodes that are reachable along these orders.
pub(crate) fn reachable(orders: &[(usize, usize)], from: usize) -> BTreeSet<usize> {
    let (mut reachable, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(idx) = open.pop() {
        let next = orders
            .iter()
            .filter(|order| order.0 == idx)
            .map(|order| order.1);
        open.extend(next.filter(|&next| reachable.insert(next)));
    }
    reachable
}

/// Returns the topological order in which the smallest possible index is always next, or `None` if there is a cycle.
pub(crate) fn smallest_first(n_nodes: usize, orders: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut sorted = Vec::new();
    while sorted.len() < n_nodes {
        let is_ready = |&idx: &usize| {
            let mut before = orders.iter().filter(|order| order.1 == idx);
            !sorted.contains(&idx) && before.all(|order| sorted.contains(&order.0))
        };
        sorted.push((0..n_nodes).find(is_ready)?);
    }
    Some(sorted)
}
