//! The maximum speed-up of two workers.

use core::cmp::Reverse;
use core::fmt;
use std::collections::BinaryHeap;

use crate::orders::Orders;
use crate::random_graph::Dice;

/// The maximum speed-up of two workers over one, without any overhead.
///
/// With equal costs both values are equal. Otherwise the optimum, which is NP-hard to find, lies between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The speed-up of the shortest schedule that was found.
    pub found: f64,
    /// An upper bound for all schedules.
    pub at_most: f64,
}

/// The number of lists that are tried if the first is not known to be optimal.
const N_LISTS: usize = 2_000;
/// The maximum percentage by which critical paths are lengthened in these lists.
const NOISE: usize = 30;

impl Best {
    /// `weights[i]`: the cost of system i, at least 1; len = n_systems.
    ///
    /// Equal weights: Coffman and Graham 1972, O(systems² × orders). Others: list schedules with the critical path first
    /// (Graham 1966), then with paths that are lengthened at random with a fixed seed; O(lists × orders × log systems),
    /// and O(systems³) for the bound.
    pub fn of_two(orders: &Orders, weights: &[u64]) -> Self {
        let work: u64 = weights.iter().sum();
        let speedup = |makespan: u64| work as f64 / makespan as f64;
        if weights.windows(2).all(|pair| pair[0] == pair[1]) {
            let n_rounds = rounds(orders, &urgencies(orders));
            let best = orders.n_systems() as f64 / n_rounds as f64;
            return Self {
                found: best,
                at_most: best,
            };
        }
        let least = least_makespan(orders, weights);
        let paths = paths_from(orders, weights);
        let mut found = makespan(orders, weights, &paths);
        let mut dice = Dice::new(1);
        for _ in 0..N_LISTS {
            if found == least {
                break;
            }
            let mut lengthened = |&path: &u64| path * (100 + dice.below(NOISE) as u64);
            let urgencies: Vec<u64> = paths.iter().map(&mut lengthened).collect();
            found = found.min(makespan(orders, weights, &urgencies));
        }
        Self {
            found: speedup(found),
            at_most: speedup(least),
        }
    }

    /// Whether the result is optimal.
    pub fn is_proven(&self) -> bool {
        self.found == self.at_most
    }
}

impl fmt::Display for Best {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.found)?;
        if !self.is_proven() {
            write!(f, " to {:.2}", self.at_most)?;
        }
        Ok(())
    }
}

/// `paths[i]`: the length of the longest path that begins with system i, including system i.
fn paths_from(orders: &Orders, weights: &[u64]) -> Vec<u64> {
    let mut paths = weights.to_vec();
    for system in (0..paths.len()).rev() {
        let after = orders.successors(system).iter().map(|&then| paths[then]);
        paths[system] += after.max().unwrap_or(0);
    }
    paths
}

/// `starts[i]`: the length of the longest path that ends right before system i.
fn paths_before(orders: &Orders, weights: &[u64]) -> Vec<u64> {
    let mut starts = vec![0; weights.len()];
    for (first, then) in orders.pairs() {
        starts[then] = starts[then].max(starts[first] + weights[first]);
    }
    starts
}

/// A lower bound for the length of schedules for two workers.
///
/// Systems whose earliest start is at least `from`, and which are followed by paths of length at least `to`, share the time
/// between these two points (Fernández and Bussell 1973). If both are zero, this bound is half of the work. If only one
/// system is left, it is a path.
fn least_makespan(orders: &Orders, weights: &[u64]) -> u64 {
    let starts = paths_before(orders, weights);
    let paths = paths_from(orders, weights);
    let systems = || starts.iter().zip(&paths).zip(weights);
    let behind = |((_, path), weight): ((&u64, &u64), &u64)| path - weight;
    let longest = paths.iter().max().copied().unwrap_or(0);
    let shares = starts.iter().flat_map(|&from| {
        systems().map(behind).map(move |to| {
            let between = systems().filter(|&one| *one.0.0 >= from && behind(one) >= to);
            let work: u64 = between.map(|(_, weight)| weight).sum();
            if work == 0 {
                0
            } else {
                from + work.div_ceil(2) + to
            }
        })
    });
    shares.max().unwrap_or(0).max(longest)
}

/// The length of the list schedule of two workers: a free worker takes the most urgent ready system.
fn makespan(orders: &Orders, weights: &[u64], urgencies: &[u64]) -> u64 {
    let mut n_pending = orders.n_predecessors();
    let roots = (0..n_pending.len()).filter(|&system| n_pending[system] == 0);
    let mut ready: BinaryHeap<(u64, usize)> =
        roots.map(|system| (urgencies[system], system)).collect();
    // The end of each system.
    let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while running.len() < 2
            && let Some((_, system)) = ready.pop()
        {
            running.push(Reverse((now + weights[system], system)));
        }
        let Some(&Reverse((end, _))) = running.peek() else {
            return now;
        };
        now = end;
        // All systems that end now are completed before a worker takes another one.
        while let Some(&Reverse((end, system))) = running.peek()
            && end == now
        {
            running.pop();
            for &then in orders.successors(system) {
                n_pending[then] -= 1;
                if n_pending[then] == 0 {
                    ready.push((urgencies[then], then));
                }
            }
        }
    }
}

/// `urgencies[i]`: from 1. The system with the greatest urgency runs first.
///
/// Urgencies are assigned from the last systems to the first. Candidates are the systems whose successors all have an
/// urgency. The next urgency goes to the candidate whose successors, sorted by descending urgency, are lexicographically
/// least. So a critical path comes first, and of paths with equal length the one with more dependents.
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
        // Zero: a successor has no urgency yet.
        let candidates = candidates.filter(|(successors, _)| !successors.contains(&0));
        let (_, next) = candidates.min().expect("orders have no cycles");
        urgencies[next] = urgency;
    }
    urgencies
}

/// Runs two systems in each round, until all have run.
fn rounds(orders: &Orders, urgencies: &[usize]) -> usize {
    let mut n_pending = orders.n_predecessors();
    let roots = (0..n_pending.len()).filter(|&system| n_pending[system] == 0);
    let mut ready: BinaryHeap<(usize, usize)> =
        roots.map(|system| (urgencies[system], system)).collect();
    let mut n_rounds = 0;
    while !ready.is_empty() {
        n_rounds += 1;
        // Both are taken before one of them is completed.
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

    /// Tries all ways to run the systems, one or two at a time. `done`: a set of bits.
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
    fn found_makespan_is_the_shortest_of_all_schedules() {
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
            assert_eq!(rounds(&orders, &urgencies(&orders)), least, "{orders:?}");
        }
    }

    #[test]
    fn speedup_is_1_for_a_chain_and_2_for_independent_systems() {
        let chain = Orders::new(10, (1..10).map(|then| (then - 1, then)));
        let best = |found| Best {
            found,
            at_most: found,
        };
        assert_eq!(Best::of_two(&chain, &[3; 10]), best(1.0));
        assert_eq!(Best::of_two(&Orders::new(10, []), &[3; 10]), best(2.0));
    }

    /// Tries all ways to distribute the systems over two workers. Each starts as soon as its predecessors and the worker allow.
    fn shortest(orders: &Orders, weights: &[u64], ends: &mut [Option<u64>], free: [u64; 2]) -> u64 {
        let predecessors = |then| orders.pairs().filter(move |pair| pair.1 == then);
        let mut least = u64::MAX;
        for system in 0..weights.len() {
            let ready = predecessors(system)
                .map(|(first, _)| ends[first])
                .max_by_key(|end| end.map_or(u64::MAX, |end| end));
            let (None, Some(ready)) = (ends[system], ready.unwrap_or(Some(0))) else {
                continue;
            };
            for worker in 0..2 {
                let mut free = free;
                free[worker] = free[worker].max(ready) + weights[system];
                ends[system] = Some(free[worker]);
                least = least.min(shortest(orders, weights, ends, free));
                ends[system] = None;
            }
        }
        if least == u64::MAX {
            free[0].max(free[1])
        } else {
            least
        }
    }

    #[test]
    fn optimum_lies_between_the_found_speedup_and_the_bound() {
        let mut dice = Dice::new(11);
        let mut n_proven = 0;
        for _ in 0..150 {
            let n_systems = 2 + dice.below(4);
            let weights: Vec<u64> = (0..n_systems).map(|_| 1 + dice.below(9) as u64).collect();
            let pairs = (0..n_systems).flat_map(|then| (0..then).map(move |first| (first, then)));
            let pairs: Vec<_> = pairs.filter(|_| dice.below(3) == 0).collect();
            let orders = Orders::new(n_systems, pairs);
            let shortest = shortest(&orders, &weights, &mut vec![None; n_systems], [0, 0]);
            let optimum = weights.iter().sum::<u64>() as f64 / shortest as f64;
            let best = Best::of_two(&orders, &weights);
            assert!(
                best.found <= optimum,
                "{best:?}, {optimum}: {orders:?}, {weights:?}"
            );
            assert!(
                best.at_most >= optimum,
                "{best:?}, {optimum}: {orders:?}, {weights:?}"
            );
            n_proven += usize::from(best.is_proven());
        }
        assert!(n_proven >= 120, "the two met {n_proven} times");
    }

    #[test]
    fn heavy_system_at_the_end_of_a_list_starts_first() {
        let best = Best::of_two(&Orders::new(7, []), &[1, 1, 1, 1, 1, 1, 6]);
        assert_eq!((best.found, best.at_most), (2.0, 2.0));
    }
}
