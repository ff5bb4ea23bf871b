//! Measurement of the systems whose time is limited.

use core::time::Duration;
use std::sync::Arc;

use super::Schedule;
use crate::data::limits::{LimitedPart, MeasuredRun, TimeLimits};
use crate::data::resource::Resources;
use crate::data::slow_systems::SlowSystems;
use crate::data::stopwatch::{MeasuredNode, Now, TallyId};
use crate::run::node::{RunNode, Work};
use crate::run::timeline::LimitedRanks;

/// The ranks of the nodes that are measured.
pub(crate) struct MeasuredRanks {
    /// The version of the schedule that has these ranks.
    version: u64,
    /// The systems and loops with limits of their own.
    pub(crate) limited: Vec<u32>,
    /// All nodes with a stopwatch, each once.
    pub(crate) all: Vec<u32>,
    /// Whether a system or a loop condition is not measured. Those that evaluate a rate do not count.
    is_partial: bool,
}

/// The systems that can be the reason why a time was exceeded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SlowAmong {
    /// Those of a rate, a system or a loop.
    Part(LimitedRanks),
    /// All that had ended at this time of the clock.
    EndedBy(Duration),
}

impl Schedule {
    /// Measures the systems and loops with limits, and the systems of some rates, in this time. Measures no other systems any more.
    ///
    /// `rates[i]`: whether the systems of rate i are measured. `all`: whether all systems are.
    pub(crate) fn measure(&mut self, now: &Now, rates: &[bool], all: bool) -> MeasuredRanks {
        self.stop_measuring();
        let mut limited = Vec::new();
        for rank in 0..self.nodes.by_rank.len() as u32 {
            if self.nodes.by_rank[rank as usize].about.limited.is_some() {
                limited.push(rank);
                self.measure_node(rank, now);
            }
        }
        for (nth, _) in rates.iter().enumerate().filter(|(_, is)| **is) {
            let tally = self.tally_of_rate(nth);
            for rank in self.observers.systems_of(nth) {
                self.nodes.by_rank[rank as usize].measure(now, Some(tally));
            }
        }
        let is_timed = |node: &RunNode| node.has_runnable() && node.about.observer.is_none();
        if all {
            let nodes = self.nodes.by_rank.iter_mut();
            for node in nodes.filter(|node| is_timed(node)) {
                node.measure(now, None);
            }
        }
        let is_measured = |node: &RunNode| node.about.stopwatch.is_some();
        let by_rank = &self.nodes.by_rank;
        let measured = (0..).zip(by_rank).filter(|(_, node)| is_measured(node));
        MeasuredRanks {
            version: self.version,
            limited,
            all: measured.map(|(rank, _)| rank).collect(),
            is_partial: by_rank
                .iter()
                .any(|node| is_timed(node) && !is_measured(node)),
        }
    }

    /// The measured systems of the last run that can be the reason why a time was exceeded by `by`.
    #[cold]
    pub(crate) fn slow_systems(
        &self,
        measured: &MeasuredRanks,
        among: SlowAmong,
        by: Duration,
    ) -> SlowSystems {
        let systems = measured.all.iter().filter_map(|&rank| {
            let about = &self.nodes.by_rank[rank as usize].about;
            let stopwatch = about.stopwatch.as_ref()?;
            let is_among = match among {
                SlowAmong::EndedBy(end) => stopwatch.measured()?.end <= end,
                SlowAmong::Part(LimitedRanks::OfRate(nth)) => {
                    stopwatch.counts_for(self.tally_of_rate(nth))
                }
                SlowAmong::Part(LimitedRanks::OfSystem(of)) => {
                    of == rank || stopwatch.counts_for(self.tally_of_loop(of))
                }
            };
            let slow = stopwatch.slow_system(&about.place)?;
            is_among.then_some(slow)
        });
        let is_partial = measured.is_partial && matches!(among, SlowAmong::EndedBy(_));
        SlowSystems::of(systems, by, is_partial)
    }

    /// Whether these are ranks of this schedule, and it has not changed since.
    pub(crate) fn has(&self, measured: &MeasuredRanks) -> bool {
        measured.version == self.version
    }

    /// Measures a system, or a loop with all systems in it.
    fn measure_node(&mut self, rank: u32, now: &Now) {
        let tally = self.tally_of_loop(rank);
        let by_rank = &mut self.nodes.by_rank;
        let Work::Loop(repeat) = &by_rank[rank as usize].work else {
            return by_rank[rank as usize].measure(now, None);
        };
        let inside = rank as usize..repeat.end as usize;
        for node in by_rank[inside]
            .iter_mut()
            .filter(|node| node.has_runnable())
        {
            node.measure(now, Some(tally));
        }
    }

    fn tally_of_rate(&self, nth: usize) -> TallyId {
        TallyId(nth as u32)
    }

    /// The set of the systems in the loop that begins at this rank.
    fn tally_of_loop(&self, begin: u32) -> TallyId {
        TallyId(self.observers.n_rates() as u32 + begin)
    }

    /// Measures no system any more.
    pub(crate) fn stop_measuring(&mut self) {
        for node in &mut self.nodes.by_rank {
            node.stop_measuring();
        }
    }

    /// Discards the measured executions of the last run.
    pub(crate) fn clear_measured(&mut self, measured: &MeasuredRanks) {
        for &rank in &measured.all {
            if let Some(stopwatch) = &mut self.nodes.by_rank[rank as usize].about.stopwatch {
                stopwatch.clear();
            }
        }
    }

    /// The executions of all these nodes in the last run, if there were any.
    fn measured_together(
        &self,
        ranks: impl Iterator<Item = u32>,
        tally: TallyId,
    ) -> Option<MeasuredNode> {
        let nodes = ranks.filter_map(|rank| {
            let about = &self.nodes.by_rank[rank as usize].about;
            about.stopwatch.as_ref()?.measured_for(tally)
        });
        nodes.reduce(|one, other| MeasuredNode {
            end: one.end.max(other.end),
            busy: one.busy.saturating_add(other.busy),
        })
    }

    /// Notes the executions of the systems of rate `nth` in the last run. Returns the limits and the measured times.
    pub(crate) fn note_rate_times(
        &self,
        nth: usize,
        resources: &mut Resources,
    ) -> Option<(LimitedPart, TimeLimits, MeasuredRun)> {
        let systems = self.observers.systems_of(nth);
        let tally = self.tally_of_rate(nth);
        let MeasuredNode { end, busy } = self.measured_together(systems, tally)?;
        let ty = self.observers.ty(nth);
        let (limits, run) = (ty.note_times)(resources, end, busy)?;
        Some((LimitedPart::EntireRate(ty.name), limits, run))
    }

    /// Notes the executions of a system or a loop with limits in the last run, which was due at this time.
    pub(crate) fn note_system_times(
        &mut self,
        rank: u32,
        due: Duration,
    ) -> Option<(LimitedPart, TimeLimits, MeasuredRun)> {
        let node = &self.nodes.by_rank[rank as usize];
        let measured = match &node.work {
            Work::Loop(repeat) => {
                self.measured_together(rank..repeat.end, self.tally_of_loop(rank))
            }
            _ => node.about.stopwatch.as_ref()?.measured(),
        };
        let MeasuredNode { end, busy } = measured?;
        let about = &mut self.nodes.by_rank[rank as usize].about;
        let limited = about.limited.as_mut()?;
        let run = MeasuredRun {
            due,
            response: end.saturating_sub(due),
            busy,
        };
        limited.times.note(&limited.limits, &run);
        let part = LimitedPart::SingleSystem(Arc::clone(&about.place));
        Some((part, limited.limits, run))
    }

    /// The ranks of the nodes whose executions are measured.
    #[cfg(test)]
    pub(crate) fn measured_nodes(&self) -> impl Iterator<Item = u32> {
        let ranks = (0..).zip(&self.nodes.by_rank);
        let measured = ranks.filter(|(_, node)| node.about.stopwatch.is_some());
        measured.map(|(rank, _)| rank)
    }
}
