//! Executors: they run the nodes of a schedule. `README.md` in the folder `executor` describes runs on several threads.

mod auto;
mod bits;
mod board;
mod borrowed;
mod direct;
mod entrance;
pub(crate) mod help;
pub(crate) mod idle;
mod join;
mod knowledge;
mod lane;
mod nesting;
mod next_helpers;
pub(crate) mod occupation;
mod parallel;
pub(crate) mod period;
pub(crate) mod placement;
pub(crate) mod prepared;
pub(crate) mod processors;
mod ready;
mod refused;
pub(crate) mod role;
mod serial;
mod steady;
mod step;
mod sweep;
mod timetabled;

use std::sync::Arc;

use rayon::ThreadPool;

use self::auto::{LATENCY, Mode, ModeSelector, TIMETABLED_NODE, Temperature};
pub use self::knowledge::Expected;
use self::knowledge::ExpectedTimes;
use self::parallel::Parallel;
use self::period::{Due, Period};
use self::prepared::Prepared;
use self::processors::n_threads;
use self::step::RunOptions;
use self::timetabled::Timetabled;
use crate::base::cost::{Cost, Costs};
use crate::base::time::{self, Instant};
use crate::data::executor_choice::Executor;
use crate::data::record::RecordedRun;
use crate::data::resource::Resources;
use crate::run::node::RunNode;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;
use schedule_graph::internal::Precedence;
use schedule_graph::internal::{Timetable, TimetableInput};

/// The executor of one schedule, with its state between runs.
#[derive(Default)]
pub(crate) struct PreparedExecutor {
    executor: Executor,
    next_run: NextRunMode,
    pool: Option<Arc<ThreadPool>>,
    prepared: Prepared,
    /// Created by the first parallel run.
    several: Option<ParallelExecutors>,
    /// The maximum number of helpers of the last choice of `Auto`.
    max_helpers: u32,
    auto: ModeSelector,
    due: Arc<Due>,
    /// The mode of the next run, if helpers were asked to wait for it.
    awaited: Option<Mode>,
    /// A period that was set, or one that `Auto` has learned.
    period: Option<Box<Period>>,
}

/// The executor of the next run, and whether that run is recorded. This is one value, so that each run makes one test instead of two.
#[derive(Debug, Default)]
enum NextRunMode {
    #[default]
    Auto,
    Serial,
    Parallel,
    Recorded(RecordedRun),
}

impl NextRunMode {
    fn of(executor: Executor) -> Self {
        match executor {
            Executor::Auto => NextRunMode::Auto,
            Executor::Serial => NextRunMode::Serial,
            Executor::Parallel => NextRunMode::Parallel,
        }
    }
}

/// The executors for several threads.
#[derive(Default)]
struct ParallelExecutors {
    /// `None` if no two nodes can run at the same time.
    parallel: Option<Parallel>,
    /// `None` in the same case, if the schedule has loops, or if costs are unknown.
    timetabled: Option<Timetabled>,
}

impl PreparedExecutor {
    pub(crate) fn set_executor(&mut self, executor: Executor) {
        self.executor = executor;
        if !matches!(self.next_run, NextRunMode::Recorded(_)) {
            self.next_run = NextRunMode::of(executor);
        }
        self.drop_learned_period();
        if let Some(period) = &mut self.period {
            period.end_run(None);
        }
        // `Auto` makes plans from costs, `Parallel` does not use costs.
        self.several = None;
        self.auto.discard_choice();
    }

    pub(crate) fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = Some(pool);
        if let Some(period) = &mut self.period {
            period.end_run(None);
        }
        self.prepared = Prepared::default();
        // Helpers that were requested from the previous pool may still arrive, and they count as helpers.
        self.several = None;
        self.auto.discard_choice();
    }

    /// Replaces the nodes. `known[rank]`: the cost of a node that was there before, `None` for a new one.
    ///
    /// A new system counts as costly as the median of the others until it is measured.
    pub(crate) fn renew(&mut self, known: &[Option<Cost>], all: &Nodes, plan: &Plan) {
        let nodes = || known.iter().zip(&all.by_rank);
        let systems = nodes()
            .filter(|(_, node)| node.has_runnable())
            .filter_map(|(cost, _)| *cost);
        let mut sorted: Vec<u32> = systems.map(|cost| cost.ns()).collect();
        sorted.sort_unstable();
        let costs = match sorted.get(sorted.len() / 2) {
            Some(&median) => Costs::of(nodes().map(|(cost, node)| {
                if node.has_runnable() {
                    cost.unwrap_or(Cost::known(median, 1_000))
                } else {
                    Cost::known(0, 0)
                }
            })),
            None => Costs::default(),
        };
        self.auto.renew(costs, plan);
        self.note_switch(all, plan);
        self.several = None;
    }

    /// Runs all nodes. They must be the same in each call, and prepared for these resources on this thread.
    #[inline]
    pub(crate) fn run(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        self.begin_run();
        self.dispatch(nodes, plan, resources);
        self.end_run(nodes, plan);
    }

    #[inline]
    fn dispatch(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        match &self.next_run {
            NextRunMode::Auto => self.execute_auto(nodes, plan, resources),
            NextRunMode::Serial => {
                nodes.reserve(plan);
                execute_serial(nodes, plan, resources, RunOptions::default());
            }
            NextRunMode::Parallel => {
                self.execute_parallel(nodes, plan, resources, RunOptions::default())
            }
            NextRunMode::Recorded(_) => self.dispatch_recorded(nodes, plan, resources),
        }
    }

    /// Runs all nodes for a driver that records this run, but no other one.
    #[cold]
    fn dispatch_recorded(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        let usual = NextRunMode::of(self.executor);
        match core::mem::replace(&mut self.next_run, usual) {
            NextRunMode::Recorded(run) if run.is_awaited() => {
                self.execute_recorded(nodes, plan, resources, &run);
            }
            // The driver has ended its run without running this schedule.
            _ => self.dispatch(nodes, plan, resources),
        }
    }

    /// Like [`run`](Self::run), but each node also records its times in this run.
    pub(crate) fn record(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        run: &RecordedRun,
    ) {
        self.begin_run();
        self.execute_recorded(nodes, plan, resources, run);
        self.end_run(nodes, plan);
    }

    /// Records the next call of [`run`](Self::run), if it begins while the run is awaited.
    pub(crate) fn record_next(&mut self, run: RecordedRun) {
        self.next_run = NextRunMode::Recorded(run);
    }

    /// Makes the next call of [`run`](Self::run) a run that is not recorded.
    pub(crate) fn record_no_run(&mut self) {
        self.next_run = NextRunMode::of(self.executor);
    }

    #[cold]
    fn execute_recorded(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        run: &RecordedRun,
    ) {
        let how = RunOptions::default().watched(false, Some(run));
        match self.executor {
            Executor::Auto => self.execute_auto_with(nodes, plan, resources, how),
            Executor::Serial => {
                nodes.reserve(plan);
                execute_serial(nodes, plan, resources, how);
            }
            Executor::Parallel => self.execute_parallel(nodes, plan, resources, how),
        }
    }

    /// Returns the costs of enabled nodes, by rank. Empty while costs are unknown.
    pub(crate) fn costs(&self) -> impl ExactSizeIterator<Item = Cost> {
        self.auto.costs().of_all()
    }

    /// Sets the costs, by rank, as if they had been measured.
    pub(crate) fn set_costs(
        &mut self,
        costs: impl Iterator<Item = Cost>,
        nodes: &Nodes,
        plan: &Plan,
    ) {
        let rate = self.auto.rate().clone();
        self.auto = ModeSelector::with_costs(Costs::of(costs), plan);
        *self.auto.rate() = rate;
        self.note_switch(nodes, plan);
        self.several = None;
    }

    /// Updates the costs after nodes were enabled or disabled.
    pub(crate) fn note_switch(&mut self, nodes: &Nodes, plan: &Plan) {
        self.auto.switch(nodes.are_in_use(), plan);
    }

    pub(crate) fn executor(&self) -> Executor {
        self.executor
    }

    /// Ends a run after 100 runs that began at a steady rate.
    #[cfg(test)]
    pub(crate) fn end_steady_run(
        &mut self,
        period: core::time::Duration,
        nodes: &Nodes,
        plan: &Plan,
    ) {
        let now = Instant::now();
        for nth in (0..100).rev() {
            self.auto.rate().note_begin(now - nth * period);
        }
        self.end_run(nodes, plan);
    }

    #[cfg(test)]
    pub(crate) fn n_unclocked(&mut self) -> &mut u32 {
        self.auto.n_unclocked()
    }

    pub(crate) fn knowledge(&self) -> ExpectedTimes {
        self.auto.knowledge(|| n_threads(self.pool.as_deref()))
    }

    fn execute_parallel(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: RunOptions<'_>,
    ) {
        let several = self.several.get_or_insert_with(|| ParallelExecutors {
            parallel: parallel(nodes, plan, &uniform_precedence(nodes, plan), &self.due),
            timetabled: None,
        });
        let pool = self.pool.as_deref();
        match &mut several.parallel {
            Some(parallel) if n_threads(pool) > 1 => {
                self.prepared.prepare(self.pool.as_ref());
                let max_helpers = n_threads(pool) as u32 - 1;
                parallel.run(nodes, plan, resources, how, pool, max_helpers);
            }
            _ => execute_serial(nodes, plan, resources, how),
        }
    }

    fn execute_auto(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        self.execute_auto_with(nodes, plan, resources, RunOptions::default());
    }

    /// Runs all nodes in the mode that `Auto` selects. A recorded run counts as any other run, so the mode is the same.
    #[inline(always)]
    fn execute_auto_with(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: RunOptions<'_>,
    ) {
        if let Some(temperature) = self.auto.skips_clock() {
            let how = RunOptions {
                is_cold: temperature == Temperature::Cold,
                ..how
            };
            return execute_serial(nodes, plan, resources, how);
        }
        // Without a clock, `Auto` cannot measure.
        if !time::has_clock() {
            return execute_serial(nodes, plan, resources, how);
        }
        let start = Instant::now();
        if let Some((mode, temperature)) = self.auto.repetition(start) {
            let how = RunOptions {
                is_cold: temperature == Temperature::Cold,
                ..how
            };
            let max_helpers = self.max_helpers;
            self.finish_in_mode(nodes, plan, resources, how, mode, max_helpers);
            let end = Instant::now();
            return match how.recorded {
                None => self.auto.end_repetition(start, end),
                Some(_) => self.auto.end_recorded_repetition(end),
            };
        }
        self.choose_and_measure(nodes, plan, resources, start, how);
    }

    #[inline(never)]
    fn choose_and_measure(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        start: Instant,
        how: RunOptions<'_>,
    ) {
        // Reading the number of threads creates the global pool, so it is read only if helpers may pay off.
        let n_threads = if self.auto.costs().is_known() && self.auto.can_be_faster() {
            n_threads(self.pool.as_deref())
        } else {
            1
        };
        let mut choice = self.auto.choose(start, n_threads);
        self.max_helpers = choice.max_helpers;
        choice.is_watched |= how.recorded.is_some();
        let how = RunOptions {
            is_cold: choice.temperature == Temperature::Cold,
            ..how.watched(choice.is_timed, how.recorded)
        };
        let mode = match choice.mode {
            Mode::Serial => {
                let until = start + choice.limit;
                self.start_serial(nodes, plan, resources, how, until, n_threads)
            }
            mode => {
                if self.several.is_none() || self.auto.must_plan(start, n_threads) {
                    self.plan(nodes, plan, start, n_threads);
                    // Helpers that wait do so for the previous plan.
                    self.auto.note_helpers(None);
                    choice.has_planned = true;
                }
                self.finish_in_mode(nodes, plan, resources, how, mode, choice.max_helpers)
            }
        };
        let end = Instant::now();
        let is_whole = choice.mode != Mode::Serial || mode == Mode::Serial;
        choice.mode = mode;
        let took = is_whole.then(|| end.duration_since(start));
        self.auto.learn(choice, end, took, n_threads, nodes, plan);
    }

    /// Runs on this thread, and switches to several threads if the run exceeds its limit. Returns the final mode.
    fn start_serial(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        mut how: RunOptions<'_>,
        until: Instant,
        n_threads: usize,
    ) -> Mode {
        let n_nodes = nodes.by_rank.len() as u32;
        let is_known = self.auto.costs().is_known();
        // The rest of a run is given by rank, so a run in another order is not divided.
        if is_known && n_threads == 1 || !plan.sweeps.is_by_rank() {
            serial::run(nodes, plan, resources, how, n_nodes);
            return Mode::Serial;
        }
        // If costs are unknown, the run is timed, so the clock is read after each node anyway.
        let step = if is_known { n_nodes.div_ceil(2) } else { 1 };
        loop {
            how.first = serial::run(nodes, plan, resources, how, how.first + step);
            if how.first >= n_nodes {
                return Mode::Serial;
            }
            let now = Instant::now();
            if now > until {
                let n_threads = processors::n_threads(self.pool.as_deref());
                if self.several.is_none() && n_threads > 1 {
                    self.plan(nodes, plan, now, n_threads);
                }
                // The costs are wrong, so a timetable made from them is not used.
                let mode = if n_threads > 1 {
                    Mode::Parallel
                } else {
                    Mode::Serial
                };
                let max_helpers = n_threads as u32 - 1;
                return self.finish_in_mode(nodes, plan, resources, how, mode, max_helpers);
            }
        }
    }

    /// Runs the remaining nodes. Falls back to a serial run if no plan for several threads exists. Returns the mode
    /// that was used.
    fn finish_in_mode(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: RunOptions<'_>,
        mode: Mode,
        max_helpers: u32,
    ) -> Mode {
        let pool = self.pool.as_deref();
        let several = self.several.as_mut().filter(|_| mode != Mode::Serial);
        if several.is_some() {
            self.prepared.prepare(self.pool.as_ref());
        }
        match several {
            Some(ParallelExecutors {
                timetabled: Some(timetabled),
                ..
            }) if mode == Mode::Timetabled => {
                timetabled.run(nodes, plan, resources, how, pool, max_helpers);
                Mode::Timetabled
            }
            Some(ParallelExecutors {
                parallel: Some(parallel),
                ..
            }) => {
                parallel.run(nodes, plan, resources, how, pool, max_helpers);
                Mode::Parallel
            }
            _ => {
                serial::run(nodes, plan, resources, how, u32::MAX);
                Mode::Serial
            }
        }
    }

    /// Prepares the executors for several threads from the known costs.
    fn plan(&mut self, nodes: &Nodes, plan: &Plan, now: Instant, n_threads: usize) {
        if !self.auto.costs().is_known() {
            self.several = Some(ParallelExecutors {
                parallel: parallel(nodes, plan, &uniform_precedence(nodes, plan), &self.due),
                timetabled: None,
            });
            return;
        }
        let costs = self.auto.costs().rounded();
        let (precedence, costs) = plan.precedence_of_sweeps(costs);
        let is_bound = nodes.by_rank.iter().map(RunNode::is_bound);
        let timetable = plan
            .loops
            .is_empty()
            .then(|| {
                Timetable::new(TimetableInput {
                    precedence: &precedence,
                    costs: &costs,
                    is_bound: &is_bound.collect::<Vec<bool>>(),
                    n_workers: self.auto.n_workers(n_threads),
                    per_node: TIMETABLED_NODE,
                    latency: LATENCY,
                })
            })
            .filter(Timetable::is_parallel);
        self.several = Some(ParallelExecutors {
            parallel: parallel(nodes, plan, &precedence, &self.due),
            timetabled: timetable
                .as_ref()
                .map(|one| Timetabled::new(nodes, plan, one, &self.due)),
        });
        let makespan = timetable.map(|timetable| timetable.makespan);
        let has_parallel = can_overlap(plan, &precedence);
        let made = (now, now.elapsed());
        self.auto.note_plan(n_threads, makespan, has_parallel, made);
    }
}

/// Returns `None` if no two nodes can run at the same time.
fn parallel(
    nodes: &Nodes,
    plan: &Plan,
    precedence: &Precedence,
    due: &Arc<Due>,
) -> Option<Parallel> {
    can_overlap(plan, precedence).then(|| Parallel::new(nodes, plan, precedence, due))
}

/// Whether several threads can be busy at the same time.
fn can_overlap(plan: &Plan, precedence: &Precedence) -> bool {
    !precedence.is_chain() || !plan.sweeps.is_empty()
}

/// The precedence if all systems have the same cost.
fn uniform_precedence(nodes: &Nodes, plan: &Plan) -> Precedence {
    let costs = nodes.by_rank.iter().map(|node| node.has_runnable().into());
    plan.precedence_of_sweeps(costs.collect()).0
}

fn execute_serial(nodes: &mut Nodes, plan: &Plan, resources: &mut Resources, how: RunOptions<'_>) {
    serial::run(nodes, plan, resources, how, u32::MAX);
}
