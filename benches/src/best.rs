//! How fast two workers can be at best.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::orders::Orders;

/// How many times as fast as one worker two are at best, if every system costs the same and nothing else costs
/// anything.
///
/// Exact, for two workers and equal costs: Coffman and Graham 1972. O(systems² × orders).
pub fn speedup_of_two(orders: &Orders) -> f64 {
    let n_systems = orders.n_systems();
    n_systems as f64 / makespan(orders, &urgencies(orders)) as f64
}

/// `urgencies[i]`: from 1, the greatest first to be run.
///
/// From the last systems to the first: of those whose successors all have one, the least goes to the one whose
/// successors, the most urgent first, come first in lexicographic order. So a critical path comes first, and of equally
/// long ones the one on which more depends.
fn urgencies(orders: &Orders) -> Vec<usize> {
    let n_systems = orders.n_systems();
    let mut urgencies = vec![0; n_systems];
    for urgency in 1..=n_systems {
        let of_successors = |system: usize| {
            let successors = orders.successors(system).iter();
            let mut of_successors: Vec<usize> = successors.map(|&then| urgencies[then]).collect();
            of_successors.sort_unstable_by_key(|&urgency| Reverse(urgency));
            of_successors
        };
        let open = (0..n_systems).filter(|&system| urgencies[system] == 0);
        let candidates = open.map(|system| (of_successors(system), system));
        // A zero is a successor without one.
        let candidates = candidates.filter(|(successors, _)| !successors.contains(&0));
        let (_, next) = candidates.min().expect("orders have no cycles");
        urgencies[next] = urgency;
    }
    urgencies
}

/// Rounds of two systems each, until all have run.
fn makespan(orders: &Orders, urgencies: &[usize]) -> usize {
    let mut n_pending = orders.n_predecessors();
    let roots = (0..n_pending.len()).filter(|&system| n_pending[system] == 0);
    let mut ready: BinaryHeap<(usize, usize)> =
        roots.map(|system| (urgencies[system], system)).collect();
    let mut n_rounds = 0;
    while !ready.is_empty() {
        n_rounds += 1;
        // Both are taken before either is done.
        for (_, system) in [ready.pop(), ready.pop()].into_iter().flatten() {
            for &then in orders.successors(system) {
                n_pending[then] -= 1;
                if n_pending[then] == 0 {
                    ready.push((urgencies[then], then));
                }
            }
        }
    }
    n_rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graph::Dice;

    /// Every way to run them, two at a time or one; `done` is a set of bits.
    fn least_rounds(orders: &Orders, done: u32, known: &mut [Option<usize>]) -> usize {
        if let Some(n_rounds) = known[done as usize] {
            return n_rounds;
        }
        let is_done = |system: usize| done & (1 << system) != 0;
        let is_ready =
            |&then: &usize| !is_done(then) && orders.pairs().all(|(a, b)| b != then || is_done(a));
        let ready: Vec<usize> = (0..orders.n_systems()).filter(is_ready).collect();
        let mut least = usize::MAX;
        for &one in &ready {
            for &other in &ready {
                let done = done | (1 << one) | (1 << other);
                least = least.min(1 + least_rounds(orders, done, known));
            }
        }
        known[done as usize] = Some(least);
        least
    }

    #[test]
    fn no_way_to_run_them_is_shorter() {
        let mut dice = Dice::new(7);
        for _ in 0..300 {
            let n_systems = 1 + dice.below(9);
            let density = 1 + dice.below(10);
            let mut pairs = Vec::new();
            for then in 0..n_systems {
                pairs.extend(
                    (0..then)
                        .filter(|_| dice.below(10) < density / 2)
                        .map(|first| (first, then)),
                );
            }
            let orders = Orders::new(n_systems, pairs);
            let mut known = vec![None; 1 << n_systems];
            known[(1 << n_systems) - 1] = Some(0);
            let least = least_rounds(&orders, 0, &mut known);
            assert_eq!(makespan(&orders, &urgencies(&orders)), least, "{orders:?}");
        }
    }

    #[test]
    fn a_chain_gains_nothing_and_what_is_independent_all() {
        let chain = Orders::new(10, (1..10).map(|then| (then - 1, then)));
        assert_eq!(speedup_of_two(&chain), 1.0);
        assert_eq!(speedup_of_two(&Orders::new(10, [])), 2.0);
    }
}
