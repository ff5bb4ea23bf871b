//! The remedy of a graph of any size, found window by window.

use super::VerifyInput;
use super::phases::Phases;
use super::remedy::Remedy;
use super::walk::WalkMemory;
use crate::arena::Heap;
use crate::graph::order::fill_ranks;

/// All pairs that [`Remedy`] finds, in execution order.
pub(super) fn remedy(input: &VerifyInput<'_>, phases: &mut Phases<'_>) -> Vec<(u32, u32)> {
    let order = phases.sort_for_remedy().to_vec();
    let mut policies = phases.race_policies();
    let mut ranks = vec![0; order.len()];
    fill_ranks(&order, &mut ranks);
    let mut edges = [input.declared, input.weak].concat();
    let mut found = Vec::new();
    let mut first = 0;
    while first < order.len() {
        let extent = input.walk_extent(order.len(), edges.len());
        let mut heap = Heap::of(|arena| WalkMemory::take(arena, extent));
        let memory = WalkMemory::take(&mut heap.arena(), extent);
        let mut remedy = Remedy::new(*input, &order, &edges, first, memory);
        first = remedy.end();
        let of_window: Vec<_> = core::iter::from_fn(|| remedy.next(&mut policies)).collect();
        edges.extend(of_window.iter().map(|(_, edge)| edge));
        found.extend(of_window);
    }
    let rank = |node: u32| ranks[node as usize];
    found.sort_unstable_by_key(|(_, edge)| (rank(edge.from), rank(edge.to)));
    found.into_iter().map(|(pair, _)| pair).collect()
}
