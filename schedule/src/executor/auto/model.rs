//! What runs take, if nodes cost what is known of them.

use core::time::Duration;

use super::Way;
use super::estimate::Start;
use super::planned::Planned;
use crate::cost::Costs;
use crate::nodes::Nodes;
use crate::plan::Plan;
use crate::time::Instant;

/// Nanoseconds: what a node of a serial run takes besides its system.
const SERIAL_NODE: f64 = 3.0;
/// Nanoseconds: what a node of a timetable takes besides its system.
pub(crate) const TIMETABLED_NODE: u32 = 15;
/// Nanoseconds: what a node that is ready takes besides its system.
const PARALLEL_NODE: f64 = 60.0;
/// Nanoseconds: how long it takes until another thread sees what one has done.
pub(crate) const LATENCY: u32 = 150;
/// Nanoseconds: what the caller needs to wake a thread.
const ASK: f64 = 7e3;
/// Nanoseconds: until it is there.
const WAKE: f64 = 35e3;
/// Nanoseconds: less work than this is never worth another thread.
pub(super) const LEAST_WORK: u64 = 3_000;
/// Several threads are never used if the parallelism, which is work divided by critical path, is less than this.
///
/// No run takes less than its critical path, so several threads save at most a part of `1 - 1 / 1.1` = 9 % of the work. To
/// hand systems to threads costs a part of that. The rest is less than the error of what a model can learn of such runs:
/// measured costs vary by about a seventh, and a busy machine slows one way or the other by more than 9 % for many runs in a
/// row. So such a choice would be a guess, and a wrong guess costs more than a right one saves.
pub(super) const LEAST_PARALLELISM: f64 = 1.1;

/// The nodes of a schedule: what they cost, and what follows from that.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) costs: Costs,
    /// What the most costly path takes: nanoseconds.
    pub(super) span: u64,
    pub(super) planned: Planned,
    /// See [`Plan::span`].
    ends: Vec<u64>,
}

impl Model {
    /// With these costs, as if they had been measured.
    pub(super) fn new(costs: Costs, plan: &Plan) -> Self {
        let mut model = Self {
            costs,
            ..Self::default()
        };
        model.find_span(plan);
        model
    }

    /// Learns what nodes cost from a timed run. Returns how many of them the clock was read for.
    pub(super) fn learn(&mut self, nodes: &mut Nodes, plan: &Plan) -> u32 {
        let abouts = nodes.by_rank.iter_mut().map(|node| &mut node.about);
        let mut n_timed = 0;
        let took = abouts.map(|about| {
            let n_executions = core::mem::take(&mut about.n_timed);
            n_timed += n_executions;
            (core::mem::take(&mut about.took), n_executions)
        });
        self.costs.learn(took);
        self.note_costs(plan);
        n_timed
    }

    /// Some nodes are off from now on, and the others on. `is_on`: by rank.
    pub(super) fn switch(&mut self, is_on: impl Iterator<Item = bool>, plan: &Plan) {
        self.costs.switch(is_on);
        self.note_costs(plan);
    }

    fn note_costs(&mut self, plan: &Plan) {
        self.find_span(plan);
        self.planned.note_costs(&self.costs);
    }

    fn find_span(&mut self, plan: &Plan) {
        self.span = plan.span(self.costs.iter(), &mut self.ends);
    }

    /// Plans were made for these costs.
    pub(super) fn note_plan(
        &mut self,
        n_threads: usize,
        makespan: Option<u64>,
        has_parallel: bool,
        made: (Instant, Duration),
    ) {
        self.planned = Planned::new(&self.costs, n_threads, makespan, has_parallel, made);
    }

    /// Nanoseconds: what a node costs, on the average.
    pub(super) fn mean_cost(&self) -> u64 {
        self.costs.work() / (self.costs.iter().len() as u64).max(1)
    }

    /// Whether it can make sense to ask for other threads.
    pub(super) fn may_pay(&self) -> bool {
        !self.costs.is_known() || self.costs.work() >= LEAST_WORK && self.has_parallelism()
    }

    /// Whether systems could run at once for long enough, see [`LEAST_PARALLELISM`].
    fn has_parallelism(&self) -> bool {
        self.costs.work() as f64 >= LEAST_PARALLELISM * self.span as f64
    }

    /// As many as could be busy at once, of so many, and two at least.
    pub(super) fn n_workers(&self, n_threads: usize) -> usize {
        let parallelism = self.costs.work().div_ceil(self.span.max(1)) + 1;
        let parallelism = usize::try_from(parallelism).unwrap_or(usize::MAX);
        parallelism.clamp(2, n_threads.max(2))
    }

    /// Nanoseconds: what a run takes that goes this way from this start.
    pub(super) fn ns(&self, start: Start, way: Way, n_threads: usize) -> f64 {
        let work = self.costs.work() as f64;
        let n_nodes = self.costs.iter().len() as f64;
        let of_node = match way {
            Way::Serial => return work + SERIAL_NODE * n_nodes,
            Way::Timetabled => TIMETABLED_NODE.into(),
            Way::Parallel => PARALLEL_NODE,
        };
        let makespan = match self.planned.makespan(way, work, n_threads) {
            Some(f64::INFINITY) => return f64::INFINITY,
            Some(planned) => planned,
            None => {
                let shared = (work + of_node * n_nodes) / n_threads as f64;
                shared.max(self.span as f64)
            }
        };
        match start {
            Start::Helped => makespan,
            // Before help is there, the caller does what is there to do.
            Start::Cold | Start::Alone => {
                let alone = WAKE.min(work);
                ASK + alone + makespan * (work - alone) / work.max(1.0)
            }
        }
    }
}
