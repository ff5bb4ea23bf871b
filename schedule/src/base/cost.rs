//! Costs of nodes, measured in some runs.

mod average;

use core::time::Duration;
use std::sync::OnceLock;

use crate::base::time::Instant;

pub(crate) use self::average::Average;

/// The cost of each node in a run, in nanoseconds: the sum over all iterations of a loop. A node that runs in one of four runs counts a
/// quarter of its cost in each run.
/// A disabled node counts as 0, but its measured cost is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    /// `of_nodes[rank]`; len = n_nodes, or 0 if nothing is known.
    of_nodes: Vec<Cost>,
    /// The sum of the costs in nanoseconds, without disabled nodes.
    work: u64,
}

/// The share of runs in which a node runs is the mean of about this number of timed runs.
const MEMORY: f32 = 32.0;

/// The cost of a node in nanoseconds. `smooth` and `share` follow recent runs and select the mode. Reports use `average`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// The last three measurements of runs in which the node ran. The first one fills all three.
    recent: [u32; 3],
    /// The cost in a run in which the node runs.
    smooth: u32,
    /// From 0 to 1: the share of runs in which the node runs.
    share: f32,
    average: Average,
    is_on: bool,
}

impl Cost {
    /// A cost as if it had been measured: nanoseconds per run of the schedule, and executions in 1,000 runs.
    pub(crate) fn known(ns: u32, runs_per_1000: u32) -> Self {
        // A node that runs several times in a run is in a loop. In how many runs the loop was entered is not known.
        let (share, smooth) = match (ns, runs_per_1000) {
            (0, 0) => (0.0, 0),
            (1.., 1..1_000) => {
                let share = runs_per_1000 as f32 / 1e3;
                (share, (f64::from(ns) / f64::from(share)).round() as u32)
            }
            _ => (1.0, ns),
        };
        Self {
            recent: [smooth; 3],
            smooth,
            share,
            average: Average::known(ns, runs_per_1000),
            is_on: true,
        }
    }

    /// A cost of which nothing is known.
    fn unknown() -> Self {
        Self {
            share: 0.0,
            average: Average::default(),
            ..Self::known(0, 0)
        }
    }

    /// Nanoseconds per run while the node is enabled. 0 if it never runs.
    pub(crate) fn ns(&self) -> u32 {
        (f64::from(self.smooth) * f64::from(self.share)).round() as u32
    }

    pub(crate) fn average(&self) -> Average {
        self.average
    }

    fn counted(&self) -> u32 {
        if self.is_on { self.ns() } else { 0 }
    }

    /// Moves halfway towards the median of the last three measurements, so that a single interruption of the thread has
    /// no effect. A change by more than a factor of two takes effect at once.
    ///
    /// A run in which the node did not run only changes `share`. If it counted as a cost of 0, the median would be 0 in one run and
    /// the full cost in another one, for a node that runs in every second run.
    fn learn(&mut self, ns: u32, n_executions: u32) {
        self.average.learn(ns, n_executions);
        let has_run = n_executions > 0;
        if has_run && self.share == 0.0 {
            (self.recent, self.smooth) = ([ns; 3], ns);
        }
        let weight = 1.0 / (self.average.n_runs() as f32).clamp(1.0, MEMORY);
        self.share += weight * (f32::from(u8::from(has_run)) - self.share);
        if has_run {
            self.learn_time(ns);
        }
    }

    fn learn_time(&mut self, ns: u32) {
        let [_, second, last] = self.recent;
        self.recent = [second, last, ns];
        let mut sorted = self.recent;
        sorted.sort_unstable();
        let middle = sorted[1];
        self.smooth = if middle / 2 > self.smooth || middle < self.smooth / 2 {
            middle
        } else {
            // Rounds up, so that the median is also reached from below.
            middle.midpoint(self.smooth) + u32::from(middle > self.smooth)
        };
    }
}

impl Costs {
    /// The costs by rank. All nodes are enabled.
    pub(crate) fn of(costs: impl Iterator<Item = Cost>) -> Self {
        let of_nodes = costs.map(|cost| Cost {
            is_on: true,
            ..cost
        });
        let of_nodes: Vec<Cost> = of_nodes.collect();
        let work = sum(&of_nodes);
        Self { of_nodes, work }
    }

    /// Learns from one run. `took`: the time and the number of executions of each node, by rank.
    ///
    /// Returns the factor by which executions take longer than before. How often they run has no effect.
    pub(crate) fn learn(&mut self, took: impl Iterator<Item = (Duration, u32)>) -> f64 {
        let took = took.map(|(took, n_executions)| (nanoseconds(took), n_executions));
        if self.of_nodes.is_empty() {
            *self = Self::of(took.map(|(ns, n_executions)| {
                let mut cost = Cost::unknown();
                cost.learn(ns, n_executions);
                cost
            }));
            return 1.0;
        }
        let (mut before, mut after) = (0.0, 0.0);
        for (cost, (ns, n_executions)) in self.of_nodes.iter_mut().zip(took) {
            if cost.is_on {
                let smooth = cost.smooth;
                cost.learn(ns, n_executions);
                if smooth > 0 {
                    before += f64::from(smooth) * f64::from(cost.share);
                    after += f64::from(cost.smooth) * f64::from(cost.share);
                }
            }
        }
        self.work = sum(&self.of_nodes);
        if before > 0.0 { after / before } else { 1.0 }
    }

    /// Enables and disables nodes. `is_on`: by rank.
    pub(crate) fn switch(&mut self, is_on: impl Iterator<Item = bool>) {
        for (cost, is_on) in self.of_nodes.iter_mut().zip(is_on) {
            cost.is_on = is_on;
        }
        self.work = sum(&self.of_nodes);
    }

    /// Whether costs are known.
    pub(crate) fn is_known(&self) -> bool {
        !self.of_nodes.is_empty()
    }

    /// The total cost of all enabled nodes in nanoseconds.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// The costs by rank, rounded for a plan: costs that differ by at most a seventh become equal. Otherwise noise
    /// would decide which of two nodes is more urgent, instead of the nodes after them. O(nodes × log(nodes)).
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

    /// The costs by rank, in nanoseconds.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        self.of_nodes.iter().map(Cost::counted)
    }

    /// The costs of all nodes, including disabled ones.
    pub(crate) fn of_all(&self) -> impl ExactSizeIterator<Item = Cost> {
        self.of_nodes.iter().copied()
    }
}

fn sum(costs: &[Cost]) -> u64 {
    costs.iter().map(|cost| u64::from(cost.counted())).sum()
}

/// The number of nanoseconds. Durations of more than about four seconds are capped at `u32::MAX`.
fn nanoseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos()).unwrap_or(u32::MAX)
}

/// The time that it takes to read the clock twice in a row.
pub(crate) fn clock() -> Duration {
    static CLOCK: OnceLock<Duration> = OnceLock::new();
    *CLOCK.get_or_init(|| {
        let once = |_| Instant::now().elapsed();
        // The minimum, because some of the measurements were interrupted.
        (0..64).map(once).min().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests;
