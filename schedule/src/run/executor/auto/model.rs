//! Computes the time of runs from the costs of nodes.

use core::time::Duration;

use super::Mode;
use super::estimate::Start;
use super::planned::Planned;
use crate::base::cost::Costs;
use crate::base::time::Instant;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;

/// Nanoseconds per node of a serial run, without its system.
const SERIAL_NODE: f64 = 3.0;
/// Nanoseconds per node of a timetable, without its system.
pub(crate) const TIMETABLED_NODE: u32 = 15;
/// Nanoseconds per node of a run by readiness, without its system.
const PARALLEL_NODE: f64 = 60.0;
/// Nanoseconds until another thread sees a completed node.
pub(crate) const LATENCY: u32 = 150;
/// Nanoseconds that the caller needs to wake a thread.
const ASK: f64 = 7e3;
/// Nanoseconds until a woken thread arrives.
const WAKE: f64 = 35e3;
/// Nanoseconds: a run with less work is always serial.
pub(super) const LEAST_WORK: u64 = 3_000;
/// Runs are serial if the parallelism (work divided by critical path) is less than this.
///
/// No run is shorter than its critical path, so several threads save at most `1 - 1 / 1.1` = 9 % of the work. Handing
/// out systems costs a part of that. The error of the model is larger than the rest, since measured costs vary, and a
/// busy machine may slow down one mode for many runs. So a choice would be a guess.
pub(super) const LEAST_PARALLELISM: f64 = 1.1;

/// Nanoseconds: threads share a per-entity system whose cost is not less than this.
const LEAST_SHARED_COST: u32 = 10_000;
/// The number of threads that can share a per-entity system. The time of a run is also at least its work, divided by the number of
/// threads.
const SHARES: u32 = 16;

/// The costs of the nodes of a schedule, and values computed from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) costs: Costs,
    /// Nanoseconds: the length of the critical path.
    pub(super) span: u64,
    pub(super) planned: Planned,
    /// Scratch memory, see [`Plan::span`].
    ends: Vec<u64>,
}

impl Model {
    /// Creates the model with these costs, as if they had been measured.
    pub(super) fn new(costs: Costs, plan: &Plan) -> Self {
        let mut model = Self {
            costs,
            ..Self::default()
        };
        model.find_span(plan);
        model
    }

    /// Learns the costs from a timed run. Returns the number of timed executions, and the factor of [`Costs::learn`].
    pub(super) fn learn(&mut self, nodes: &mut Nodes, plan: &Plan) -> (u32, f64) {
        let abouts = nodes.by_rank.iter_mut().map(|node| &mut node.about);
        let mut n_timed = 0;
        let took = abouts.map(|about| {
            let n_executions = core::mem::take(&mut about.n_timed);
            n_timed += n_executions;
            (core::mem::take(&mut about.took), n_executions)
        });
        let slowdown = self.costs.learn(took);
        self.planned.note_timed();
        self.note_costs(plan);
        (n_timed, slowdown)
    }

    /// Enables and disables nodes. `is_on`: by rank.
    pub(super) fn switch(&mut self, is_on: impl Iterator<Item = bool>, plan: &Plan) {
        self.costs.switch(is_on);
        self.note_costs(plan);
    }

    fn note_costs(&mut self, plan: &Plan) {
        self.find_span(plan);
        self.planned.note_costs(&self.costs);
    }

    fn find_span(&mut self, plan: &Plan) {
        let mut next = 0;
        let costs = self.costs.iter().map(|cost| {
            let rank = next;
            next += 1;
            // All threads share a per-entity system that takes long enough.
            if cost >= LEAST_SHARED_COST && plan.sweeps.of(rank).is_some() {
                cost / SHARES
            } else {
                cost
            }
        });
        self.span = plan.span(costs, &mut self.ends);
    }

    /// Records that plans were made for the current costs.
    pub(super) fn note_plan(
        &mut self,
        n_threads: usize,
        makespan: Option<u64>,
        has_parallel: bool,
        made: (Instant, Duration),
    ) {
        self.planned = Planned::new(
            &self.planned,
            &self.costs,
            n_threads,
            makespan,
            has_parallel,
            made,
        );
    }

    /// Nanoseconds: the mean cost of a node.
    pub(super) fn mean_cost(&self) -> u64 {
        self.costs.work() / (self.costs.iter().len() as u64).max(1)
    }

    /// Whether several threads can be faster. True while costs are unknown.
    pub(super) fn can_be_faster(&self) -> bool {
        !self.costs.is_known() || self.costs.work() >= LEAST_WORK && self.has_parallelism()
    }

    /// Whether the schedule has enough parallelism, see [`LEAST_PARALLELISM`].
    fn has_parallelism(&self) -> bool {
        self.costs.work() as f64 >= LEAST_PARALLELISM * self.span as f64
    }

    /// The maximum number of threads that can be busy at once: at least two, at most `n_threads`.
    pub(super) fn n_workers(&self, n_threads: usize) -> usize {
        let parallelism = self.costs.work().div_ceil(self.span.max(1)) + 1;
        let parallelism = usize::try_from(parallelism).unwrap_or(usize::MAX);
        parallelism.clamp(2, n_threads.max(2))
    }

    /// Nanoseconds: the time of a run of this mode and start. Infinite if the mode is impossible.
    pub(super) fn ns(&self, start: Start, mode: Mode, n_threads: usize) -> f64 {
        let work = self.costs.work() as f64;
        let n_nodes = self.costs.iter().len() as f64;
        let of_node = match mode {
            Mode::Serial => return work + SERIAL_NODE * n_nodes,
            Mode::Timetabled => TIMETABLED_NODE.into(),
            Mode::Parallel => PARALLEL_NODE,
        };
        let makespan = match self.planned.makespan(mode, work, n_threads) {
            Some(f64::INFINITY) => return f64::INFINITY,
            Some(planned) => planned,
            None => {
                let shared = (work + of_node * n_nodes) / n_threads as f64;
                shared.max(self.span as f64)
            }
        };
        match start {
            Start::Helped | Start::Awaited => makespan,
            // Until helpers arrive, the caller works alone.
            Start::Cold | Start::Alone => {
                let alone = WAKE.min(work);
                ASK + alone + makespan * (work - alone) / work.max(1.0)
            }
        }
    }
}
