//! How the nodes of a schedule come to run. `README.md` in the folder `executor` tells of several threads.

mod auto;
mod bits;
mod borrowed;
mod occupation;
mod parallel;
mod ready;
mod serial;
mod step;

use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use rayon::ThreadPool;

use self::auto::{Auto, Choice, HAND_OVER, Way};
use self::parallel::Parallel;
use self::step::How;
use crate::batch::Batches;
use crate::nodes::Nodes;
use crate::plan::Plan;
use crate::report::{Report, SystemCost};
use crate::resource::Resources;

/// How a schedule runs: see [`Schedule::set_executor`](crate::Schedule::set_executor). The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Executor {
    /// One way or the other, whatever takes less time: what systems cost is measured now and then.
    ///
    /// A run that is not worth a second thread stays on the one that calls `run`, and costs what a loop over the systems
    /// would. Else systems that take less than it costs to hand them to a thread are handed over together.
    #[default]
    Auto,
    /// One system after the other, on the thread that calls `run`.
    Serial,
    /// Every system as soon as what comes before it is done, on the thread that calls `run` and on threads of a pool
    /// that help it.
    Parallel,
}

/// The executor of one schedule, with what it keeps from run to run.
#[derive(Default)]
pub(crate) struct Execution {
    executor: Executor,
    pool: Option<Arc<ThreadPool>>,
    /// Made by the first parallel run; `Some(None)` if there is nothing to run at once.
    parallel: Option<Option<Parallel>>,
    auto: Auto,
}

impl Execution {
    pub(crate) fn set_executor(&mut self, executor: Executor) {
        self.executor = executor;
        // One makes batches, the other does not.
        self.parallel = None;
        self.auto.forget_plan();
    }

    pub(crate) fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.pool = Some(pool);
        // Those who were asked for in another pool may still be about to come, and count as helpers.
        self.parallel = None;
        self.auto.forget_plan();
    }

    /// Runs all nodes, always the same ones, which are prepared for these resources on this thread.
    pub(crate) fn run(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        match self.executor {
            Executor::Auto => self.run_auto(nodes, plan, resources),
            Executor::Serial => run_serial(nodes, plan, resources),
            Executor::Parallel => self.run_parallel(nodes, plan, resources),
        }
    }

    /// What is known, of systems in nodes of these ranks.
    pub(crate) fn report(&self, schedule: &str, nodes: &Nodes) -> Report {
        let mut costs = self.auto.costs().iter();
        let by_rank = nodes.by_rank.iter();
        let costs = by_rank.map(|node| (node, costs.next()));
        let systems = costs.filter(|(node, _)| node.has_run());
        let systems = systems.map(|(node, cost)| SystemCost {
            system: node.about.place.name.clone(),
            cost: cost.map(|ns| Duration::from_nanos(ns.into())),
        });
        let mut report = Report {
            schedule: schedule.to_string(),
            executor: self.executor,
            systems: systems.collect(),
            work: Duration::ZERO,
            critical_path: Duration::ZERO,
            n_batches: 0,
            n_serial_runs: 0,
            n_parallel_runs: 0,
            expected: Vec::new(),
        };
        self.auto
            .tell(&mut report, || n_threads(self.pool.as_deref()));
        report
    }

    fn run_parallel(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        let make = || Parallel::new(nodes, plan, &one_each(nodes, plan));
        if let Some(parallel) = self.parallel.get_or_insert_with(make) {
            let n_threads = n_threads(self.pool.as_deref());
            if n_threads > 1 {
                let (pool, how) = (self.pool.as_deref(), How::default());
                parallel.run(nodes, plan, resources, how, pool, n_threads as u32 - 1);
                return;
            }
        }
        run_serial(nodes, plan, resources);
    }

    fn run_auto(&mut self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        if self.auto.is_unseen() {
            return run_serial(nodes, plan, resources);
        }
        let start = Instant::now();
        // Nobody makes a pool that is not needed.
        let n_threads = match self.auto.may_pay() {
            true => n_threads(self.pool.as_deref()),
            false => 1,
        };
        let choice = self.auto.choose(start, n_threads);
        let is_whole = match choice.way {
            Way::Serial => self.run_impatiently(nodes, plan, resources, choice, start, n_threads),
            Way::Parallel => {
                self.help(nodes, plan, resources, choice, 0, start);
                true
            }
        };
        let end = Instant::now();
        let took = is_whole.then(|| end.duration_since(start));
        self.auto.learn(choice, end, took, n_threads, nodes, plan);
    }

    /// Runs on this thread, and gives the rest to several if it takes too long. Returns whether it did not.
    fn run_impatiently(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        choice: Choice,
        start: Instant,
        n_threads: usize,
    ) -> bool {
        let n_nodes = nodes.by_rank.len() as u32;
        let mut how = How {
            first: 0,
            is_timed: choice.is_timed,
        };
        if n_threads == 1 {
            serial::run(nodes, plan, resources, how, n_nodes);
            return true;
        }
        // Where nothing is known, the clock is read after each node anyway.
        let step = match self.auto.costs().is_known() {
            true => n_nodes.div_ceil(2),
            false => 1,
        };
        loop {
            how.first = serial::run(nodes, plan, resources, how, how.first + step);
            if how.first >= n_nodes {
                return true;
            }
            let now = Instant::now();
            if now.duration_since(start) > choice.patience {
                self.help(nodes, plan, resources, choice, how.first, now);
                return false;
            }
        }
    }

    /// Runs all from a rank on, on several threads, if that is possible.
    fn help(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        choice: Choice,
        first: u32,
        now: Instant,
    ) {
        if self.parallel.is_none() || self.auto.must_plan(now) {
            self.plan(nodes, plan, now);
        }
        let how = How {
            first,
            is_timed: choice.is_timed,
        };
        match &mut self.parallel {
            Some(Some(parallel)) => {
                let pool = self.pool.as_deref();
                parallel.run(nodes, plan, resources, how, pool, choice.max_helpers);
            }
            _ => {
                serial::run(nodes, plan, resources, how, u32::MAX);
            }
        }
    }

    /// Plans for several threads, by what is known of the costs.
    fn plan(&mut self, nodes: &Nodes, plan: &Plan, now: Instant) {
        let batches = if self.auto.costs().is_known() {
            let costs: Vec<u32> = self.auto.costs().iter().collect();
            let kind = |rank| Parallel::kind(nodes, plan, rank);
            let most = self.auto.most_in_batch();
            Batches::new(&plan.precedence(&costs), &costs, HAND_OVER, most, kind)
        } else {
            one_each(nodes, plan)
        };
        self.parallel = Some(Parallel::new(nodes, plan, &batches));
        self.auto.note_plan(batches.len(), now, now.elapsed());
    }
}

/// Every node by itself; whatever runs something costs as much.
fn one_each(nodes: &Nodes, plan: &Plan) -> Batches {
    let costs = nodes.by_rank.iter().map(|node| node.has_run().into());
    Batches::of_one_each(plan.precedence(&costs.collect::<Vec<u32>>()))
}

fn run_serial(nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
    serial::run(nodes, plan, resources, How::default(), u32::MAX);
}

/// Those that take part, the one that calls among them.
fn n_threads(pool: Option<&ThreadPool>) -> usize {
    match pool {
        Some(pool) => pool.current_num_threads(),
        None => rayon::current_num_threads(),
    }
}
