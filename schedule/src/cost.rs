//! What nodes take, as measured now and then.

use core::time::Duration;
use std::sync::OnceLock;

use crate::time::Instant;

/// What each node of a schedule takes in a run, in nanoseconds: the sum over all passes of a loop, and 0 where it is
/// skipped. What is switched off costs nothing as long as it is; what was known of it stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    /// `of_nodes[rank]`; len = n_nodes, or 0 as long as nothing is known.
    of_nodes: Vec<Cost>,
    /// Their sum.
    work: u64,
}

/// What a node takes.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// The last measurements; the first one three times over.
    recent: [u32; 3],
    smooth: u32,
    is_on: bool,
}

impl Cost {
    fn new(ns: u32) -> Self {
        Self {
            recent: [ns; 3],
            smooth: ns,
            is_on: true,
        }
    }

    fn counted(&self) -> u32 {
        if self.is_on { self.smooth } else { 0 }
    }

    /// The median of the last three, so that nothing comes of a single one in which the thread was interrupted; and half
    /// of what was known before, unless it has become something else.
    fn learn(&mut self, ns: u32) {
        let [_, second, last] = self.recent;
        self.recent = [second, last, ns];
        let mut sorted = self.recent;
        sorted.sort_unstable();
        let middle = sorted[1];
        self.smooth = if middle / 2 > self.smooth || middle < self.smooth / 2 {
            middle
        } else {
            // Up, so that it is reached from below, too.
            middle.midpoint(self.smooth) + u32::from(middle > self.smooth)
        };
    }
}

impl Costs {
    /// These, as if they had been measured.
    pub(crate) fn known(ns: impl Iterator<Item = u32>) -> Self {
        let of_nodes: Vec<Cost> = ns.map(Cost::new).collect();
        let work = sum(&of_nodes);
        Self { of_nodes, work }
    }

    /// Learns from one run. `took`: what each node took, by rank.
    pub(crate) fn learn(&mut self, took: impl Iterator<Item = Duration>) {
        let took = took.map(nanoseconds);
        if self.of_nodes.is_empty() {
            *self = Self::known(took);
            return;
        }
        for (cost, ns) in self.of_nodes.iter_mut().zip(took) {
            if cost.is_on {
                cost.learn(ns);
            }
        }
        self.work = sum(&self.of_nodes);
    }

    /// Some are off from now on, and the others on. `is_on`: by rank.
    pub(crate) fn switch(&mut self, is_on: impl Iterator<Item = bool>) {
        for (cost, is_on) in self.of_nodes.iter_mut().zip(is_on) {
            cost.is_on = is_on;
        }
        self.work = sum(&self.of_nodes);
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        !self.of_nodes.is_empty()
    }

    /// What all nodes take together: nanoseconds.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// By rank, as far as a plan needs to know them: costs that differ by less than a seventh are the same. Else noise would
    /// decide which of two nodes is more urgent, where what depends on them should. O(nodes × log(nodes)).
    pub(crate) fn rounded(&self) -> Vec<u32> {
        let mut costs: Vec<u32> = self.iter().collect();
        let mut ranks: Vec<u32> = (0..costs.len() as u32).collect();
        ranks.sort_unstable_by_key(|&rank| costs[rank as usize]);
        let mut left = &ranks[..];
        while let Some(&first) = left.first() {
            let least = costs[first as usize];
            let n_alike = left.partition_point(|&rank| costs[rank as usize] - least <= least / 7);
            let (alike, behind) = left.split_at(n_alike);
            let middle = costs[alike[n_alike / 2] as usize];
            for &rank in alike {
                costs[rank as usize] = middle;
            }
            left = behind;
        }
        costs
    }

    /// By rank: nanoseconds.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        self.of_nodes.iter().map(Cost::counted)
    }

    /// The same as if all were on.
    pub(crate) fn of_all(&self) -> impl ExactSizeIterator<Item = u32> {
        self.of_nodes.iter().map(|cost| cost.smooth)
    }
}

fn sum(costs: &[Cost]) -> u64 {
    costs.iter().map(|cost| u64::from(cost.counted())).sum()
}

/// The greatest number for more than four seconds.
fn nanoseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos()).unwrap_or(u32::MAX)
}

/// What it takes to read the clock twice in a row.
pub(crate) fn clock() -> Duration {
    static CLOCK: OnceLock<Duration> = OnceLock::new();
    *CLOCK.get_or_init(|| {
        let once = |_| Instant::now().elapsed();
        // The least: some were interrupted.
        (0..64).map(once).min().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests;
