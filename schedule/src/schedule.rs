//! The built schedule: a plan with its systems. It exists only verified.

mod compiled;
mod debug;
mod explained;
mod switch;

use core::time::Duration;
use std::collections::HashMap;
use std::sync::Arc;

use rayon::ThreadPool;

use self::switch::Ranks;
use crate::asking::Settlings;
use crate::choices::{Choice, Choices, Occurrence};
use crate::compile::{Implied, Known, Places};
use crate::cost::{Average, Cost};
use crate::declarations::Declarations;
use crate::executor::{Executor, PreparedExecutor};
use crate::failure::{FailurePolicy, RunError};
use crate::lock::Lock;
use crate::node::{RunNode, Work};
use crate::nodes::Nodes;
use crate::outcome::Outcome;
use crate::place::SystemPlace;
use crate::plan::Plan;
use crate::problem::{Accepted, Warning};
use crate::profile::{Profile, ProfileError, SystemCost};
use crate::report::{Report, exclusive, policy_orders};
use crate::resource::Resources;
use crate::simulation::Simulation;
use crate::span::{Around, WholeSpan};
use crate::system::System;
use crate::time::Instant;
use crate::timeline::Recording;
use schedule_graph::Edge;
use schedule_graph::Machine;

/// Systems of which any two that conflict are ordered.
///
/// A run gives what one thread would give that runs them one after the other, in an order that keeps to every order that
/// was declared, and else as close to the order of addition as that allows. Systems that do not conflict may run at once,
/// see [`Executor`].
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Log(Vec<&'static str>);
///
/// #[system]
/// fn sow(log: &mut Log) {
///     log.0.push("sow");
/// }
///
/// #[system]
/// fn reap(log: &mut Log) {
///     log.0.push("reap");
/// }
///
/// let mut year = Schedule::builder().name("year").chain::<(sow, reap)>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Log(Vec::new()));
/// year.run(&mut resources)?;
/// assert_eq!(resources.get::<Log>().unwrap().0, ["sow", "reap"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Schedule {
    name: String,
    nodes: Nodes,
    plan: Plan,
    execution: PreparedExecutor,
    settlings: Settlings,
    accepted: Vec<Accepted>,
    warnings: Vec<Warning>,
    /// Its declarations, without the systems: those are in `nodes`.
    pub(crate) declarations: Declarations,
    /// Their implied conditions.
    implied: Implied,
    /// The names of the nodes of both.
    pub(crate) places: Places,
    /// Results of the verdict that a change starts from.
    known: Known,
    /// For [`set_enabled`](Self::set_enabled).
    ranks: Ranks,
}

impl Schedule {
    /// `nodes[v]` is node v of the plan; they are kept by rank.
    fn new(name: String, nodes: Vec<RunNode>, plan: Plan) -> Self {
        let mut nodes: Vec<Option<RunNode>> = nodes.into_iter().map(Some).collect();
        let by_rank = plan.order.iter().map(|&node| nodes[node as usize].take());
        let by_rank = by_rank.map(|node| node.expect("a rank of its own"));
        let mut by_rank: Vec<RunNode> = by_rank.collect();
        for one in &plan.loops {
            if let Work::Loop(repeat) = &mut by_rank[one.begin as usize].work {
                repeat.end = one.end;
            }
            by_rank[one.end as usize].work = Work::LoopEnd(one.begin);
        }
        for (rank, node) in (0..).zip(&mut by_rank) {
            node.is_guarded = plan.guard(rank).is_some();
        }
        Self {
            name,
            settlings: Settlings::new(&by_rank, &plan),
            nodes: Nodes::new(by_rank),
            plan,
            execution: PreparedExecutor::default(),
            accepted: Vec::new(),
            warnings: Vec::new(),
            declarations: Declarations::default(),
            implied: Implied::default(),
            places: Places::default(),
            known: Known::default(),
            ranks: Ranks::default(),
        }
    }

    /// What the schedule is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the systems, in the order in which one thread runs them.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        let systems = self.nodes.by_rank.iter().filter(|node| node.is_system());
        systems.map(|node| node.about.place.name.as_str())
    }

    /// The races that somebody has accepted, and why.
    pub fn accepted(&self) -> &[Accepted] {
        &self.accepted
    }

    /// What is odd in the declaration, and no error.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The number of orders that only a policy or a weak order asked for, without those that others imply.
    ///
    /// Found when asked: O(systems × orders / 64).
    pub fn n_policy_orders(&self) -> usize {
        self.plan.n_policy_edges()
    }

    /// What a run would take, if systems took so long, found without running anything.
    ///
    /// `cost_of` is asked by name for each system and for the condition of each loop, in the order in which one thread runs
    /// them: for what it takes in a whole run, also where a loop runs it several times, and zero where its guard does not
    /// hold. A loop is simulated as one pass. Checkpoints and sync points take nothing.
    ///
    /// Cost: O(systems × orders / 64).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::prelude::*;
    /// use schedule::report::Machine;
    ///
    /// #[derive(Resource)]
    /// struct Wheat(u32);
    ///
    /// #[derive(Resource)]
    /// struct Wool(u32);
    ///
    /// #[system]
    /// fn reap(wheat: &mut Wheat) {}
    ///
    /// #[system]
    /// fn shear(wool: &mut Wool) {}
    ///
    /// #[system(after = (reap, shear))]
    /// fn sell(wheat: &Wheat, wool: &Wool) {}
    ///
    /// let market = Schedule::builder().add::<reap>().add::<shear>().add::<sell>().build()?;
    /// let simulation = market.simulate(Machine::new(2), |system| match system {
    ///     "reap" => Duration::from_micros(30),
    ///     _ => Duration::from_micros(20),
    /// });
    /// assert_eq!(simulation.makespan(), Duration::from_micros(50));
    /// assert_eq!(simulation.speedup(), 1.4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simulate(
        &self,
        machine: Machine,
        mut cost_of: impl FnMut(&str) -> Duration,
    ) -> Simulation {
        let nodes = &self.nodes.by_rank;
        let costs_ns = self.costs_ns(&mut cost_of);
        let is_bound = self.bound();
        Simulation::of_plan(
            &self.name,
            &self.plan,
            machine,
            &costs_ns,
            &is_bound,
            |rank| {
                let node = &nodes[rank as usize];
                node.has_run().then(|| node.about.place.name.clone())
            },
        )
    }

    /// By rank: what each node takes, in nanoseconds, if systems take so long.
    pub(crate) fn costs_ns(&self, cost_of: &mut dyn FnMut(&str) -> Duration) -> Vec<u64> {
        let cost = |node: &RunNode| match node.has_run() {
            true => cost_of(&node.about.place.name).as_nanos() as u64,
            false => 0,
        };
        self.nodes.by_rank.iter().map(cost).collect()
    }

    /// By rank: whether only the thread that calls `run` may run it. The end of a loop asks its condition again.
    pub(crate) fn bound(&self) -> Vec<bool> {
        let nodes = &self.nodes.by_rank;
        let is_bound = |node: &RunNode| match node.work {
            Work::LoopEnd(begin) => nodes[begin as usize].is_bound(),
            _ => node.is_bound(),
        };
        nodes.iter().map(is_bound).collect()
    }

    /// The orders that were chosen for races under [`Policy::Optimize`](crate::Policy::Optimize), without those that others
    /// imply: to be kept, and given to [`Builder::pin`](crate::Builder::pin).
    ///
    /// Found when asked: O(systems × orders / 64).
    pub fn choices(&self) -> Choices {
        let nodes = &self.nodes.by_rank;
        // As the builder counts them: in the order in which they were added.
        let mut ranks: Vec<u32> = (0..nodes.len() as u32).collect();
        ranks.sort_unstable_by_key(|&rank| self.plan.order[rank as usize]);
        let mut n_called: HashMap<&str, usize> = HashMap::new();
        let mut nth = vec![0; nodes.len()];
        for rank in ranks {
            let node = &nodes[rank as usize];
            if !matches!(node.work, Work::Nothing | Work::LoopEnd(_)) {
                let n_called = n_called.entry(&node.about.place.name).or_default();
                *n_called += 1;
                nth[rank as usize] = *n_called;
            }
        }
        let occurrence = |rank: u32| {
            let rank = match nodes[rank as usize].work {
                Work::LoopEnd(begin) => begin,
                _ => rank,
            };
            Occurrence {
                name: nodes[rank as usize].about.place.name.clone(),
                nth: nth[rank as usize],
            }
        };
        let choice = |Edge { from, to }| Choice {
            first: occurrence(from),
            then: occurrence(to),
        };
        self.plan.chosen_edges().map(choice).collect()
    }

    /// What the systems cost on the average and how often they run, as far as timed runs have shown; `None` if there was none, or
    /// none was run by [`Executor::Auto`].
    pub fn profile(&self) -> Option<Profile> {
        let costs: Vec<Cost> = self.execution.costs().collect();
        let cost = |rank: u32| {
            let average = costs.get(rank as usize)?.average();
            Some(SystemCost {
                system: self.nodes.by_rank[rank as usize].about.place.name.clone(),
                ns: average.ns(),
                runs_per_1000: average.runs_per_1000(),
            })
        };
        let profile = Profile {
            schedule: self.name.clone(),
            costs: self.systems_in_insertion_order().filter_map(cost).collect(),
        };
        (!costs.is_empty()).then_some(profile)
    }

    /// Takes these costs for measured ones, as if one run had shown them. Runs go by what is measured from now on, and averages
    /// take it in.
    ///
    /// # Errors
    ///
    /// If it was measured for a schedule with another name, or with other systems. Then all is as before.
    pub fn set_profile(&mut self, profile: &Profile) -> Result<(), ProfileError> {
        let nodes = &self.nodes.by_rank;
        let name = |rank: u32| nodes[rank as usize].about.place.name.as_str();
        let known = profile.costs_of(&self.name, self.systems_in_insertion_order().map(name))?;
        let mut costs = vec![Cost::known(0, 0); nodes.len()];
        for (rank, cost) in self.systems_in_insertion_order().zip(known) {
            costs[rank as usize] = Cost::known(cost.ns, cost.runs_per_1000);
        }
        self.execution
            .set_costs(costs.into_iter(), &self.nodes, &self.plan);
        Ok(())
    }

    /// By rank: what each node takes on the average, and how often it runs; what is off takes nothing, whatever it would take.
    /// `None` as long as nothing is known.
    pub(crate) fn averages(&self) -> Option<Vec<Average>> {
        let costs = self.execution.costs();
        let is_known = costs.len() > 0;
        let averages = costs.zip(self.nodes.are_in_use());
        let averages = averages.map(|(cost, is_in_use)| match is_in_use {
            true => cost.average(),
            false => Average::default(),
        });
        is_known.then(|| averages.collect())
    }

    /// The ranks of what runs anything, in the order of addition.
    fn systems_in_insertion_order(&self) -> impl Iterator<Item = u32> {
        let mut ranks: Vec<u32> = (0..self.nodes.by_rank.len() as u32).collect();
        ranks.sort_unstable_by_key(|&rank| self.plan.order[rank as usize]);
        let has_run = |&rank: &u32| self.nodes.by_rank[rank as usize].has_run();
        ranks.into_iter().filter(has_run)
    }

    /// What was resolved, as text that changes only when that does: to be kept in a file beside the source, so that a test
    /// fails when an order changes that nobody meant to change.
    ///
    /// Made when asked: O(nodes × edges / 64).
    pub fn lock(&self) -> Lock {
        Lock::of(&self.graph())
    }

    /// What the systems cost and how runs go; what is odd in the declaration, which races somebody has accepted, and what
    /// policies have put in order.
    ///
    /// Made when asked: O(nodes × edges / 64).
    pub fn report(&self) -> Report {
        let n_systems = self.systems_in_insertion_order().count();
        let mut report = Report::new(&self.name, n_systems, self.profile(), &self.execution);
        if let Some(averages) = self.averages() {
            let ns: Vec<u32> = averages.iter().map(Average::ns).collect();
            let work = ns.iter().map(|&ns| u64::from(ns)).sum();
            let span = self.plan.span(ns.into_iter(), &mut Vec::new());
            report.work = Duration::from_nanos(work);
            report.critical_path = Duration::from_nanos(span);
        }
        report.warnings = self.warnings.clone();
        report.warnings.extend(self.lints());
        report.accepted = self.accepted.clone();
        let graph = self.graph();
        report.policy_orders = policy_orders(&graph);
        report.exclusive = exclusive(&graph);
        report
    }

    /// How the next runs go; else as [`Executor::Auto`].
    pub fn set_executor(&mut self, executor: Executor) {
        self.execution.set_executor(executor);
    }

    /// Where the threads come from that help the one that calls `run`; else from the pool of that thread, which is
    /// rayon's global one outside of all pools.
    ///
    /// A pool of n threads means that up to n systems run at once, of which one on the thread that calls `run`. A
    /// `Streaming` parameter (crate `schedule-stream`) takes its helpers from there, too.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use schedule::prelude::*;
    ///
    /// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(4).build()?);
    /// let mut frame = Schedule::builder().build()?;
    /// frame.set_pool(pool);
    /// frame.run(&mut Resources::new())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.nodes.set_pool(Some(Arc::clone(&pool)));
        self.execution.set_pool(pool);
    }

    /// Runs every system once.
    ///
    /// A system that returns an error or panics does not keep the others from running, but for those that were
    /// declared to come after it, and those that were to read what it writes: they are skipped, unless another
    /// [`FailurePolicy`](crate::FailurePolicy) was chosen.
    ///
    /// Once a schedule has run, a run allocates no memory of its own, also if systems fail and once their report is dropped.
    /// Exceptions are: a thread of a pool is asked to help (rayon boxes the request), a system records commands (each is
    /// boxed), and [`Executor::Auto`] plans anew because costs have changed.
    ///
    /// A system may block for a while, use rayon, or run another schedule. It may wait for another system only if it is
    /// declared to come after that one: how many threads help is not promised, and may be none.
    ///
    /// # Deadlocks
    ///
    /// While the thread that calls `run` waits for helpers, it runs no other jobs of its pool. A helper starts no system on
    /// top of another rayon job. So `run` may be called under a lock. A system may hold a lock, or initialise a `LazyLock`,
    /// while it waits in `par_iter`, `join` or `scope`, and other systems may use the same lock or value.
    ///
    /// These cases deadlock:
    ///
    /// - *A system waits for the calling worker.* If `run` is called on a worker of the pool, as in `install`, and a system on
    ///   another thread calls `rayon::broadcast` in that pool, it waits for the caller, which waits for the system. Call `run`
    ///   from outside of the pool, or bind the system to the calling thread with `#[system(main_thread)]`.
    /// - *A system blocks on a spawned job.* If all workers of the pool are in runs or blocked, nobody runs the job, as
    ///   anywhere in rayon. Use `join` or `scope`: a thread that waits there runs the job itself.
    /// - *A rayon job needs a lock that is held over a rayon call.* A thread that waits in the `par_iter` of a system runs
    ///   other rayon jobs, such as pieces of the `par_iter` of another system. Suppose that the initialiser of a `LazyLock`
    ///   uses `par_iter`, and such a piece reads the same value: the piece waits for the initialiser below it on the stack.
    ///   Read the value before the first run ([`LazyLock::force`](std::sync::LazyLock::force)), or in the system before its
    ///   `par_iter`. A lock must not be held over a rayon call if jobs take the same lock.
    /// - *Several runs or streams share a pool, and each caller outside of it holds a lock over a rayon call.* Their helpers
    ///   can occupy all threads of the pool, and wait there for these locks. Give each caller a pool of its own.
    /// - *A pool helps for the first time while its threads wait in other jobs.* Each of these threads may take the job for
    ///   its idle state, and start a system on top of it, until the thread has been idle once. Run a schedule
    ///   on the pool once before its threads hold locks over rayon calls.
    ///
    /// # Errors
    ///
    /// [`RunError::Missing`] if resources are missing: then nothing has run. [`RunError::Failed`] if systems failed:
    /// then everything else has run.
    pub fn run(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        self.in_span(|this| {
            this.nodes.prepare(resources)?;
            this.execution.run(&mut this.nodes, &this.plan, resources);
            this.settle(resources);
            this.nodes.conclude()
        })
    }

    /// As [`run`](Self::run), and writes down who ran when, on which worker: see [`Recording::timeline`], which also tells
    /// what each waited for.
    ///
    /// Any executor does, and goes as it would else; each node writes down its own turns, so that nobody waits for that.
    /// A system takes some 100 ns more, half of them since the clock is read twice. A run that is not recorded takes nothing
    /// more. Nothing is written down if resources are missing.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Wheat(u32);
    ///
    /// #[system]
    /// fn reap(wheat: &mut Wheat) {}
    ///
    /// #[system(after = reap)]
    /// fn bake(wheat: &Wheat) {}
    ///
    /// let mut year = Schedule::builder().name("year").add::<reap>().add::<bake>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Wheat(3));
    /// let (result, recording) = year.record(&mut resources);
    /// result?;
    /// let timeline = recording.timeline();
    /// let [reaped, baked] = &timeline.executions[..] else { unreachable!() };
    /// assert_eq!((&*baked.system, baked.waited_for), ("bake", Some(0)));
    /// assert!(baked.start >= reaped.end);
    /// let trace = timeline.to_trace(); // for Perfetto
    /// # assert!(trace.contains("bake"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(&mut self, resources: &mut Resources) -> (Result<(), RunError>, Recording<'_>) {
        let (result, run, begin, end) = self.in_span(|this| {
            let run = this.nodes.number_run();
            let prepared = this.nodes.prepare(resources);
            let begin = Instant::now();
            if prepared.is_ok() {
                this.execution
                    .record(&mut this.nodes, &this.plan, resources, run);
                this.settle(resources);
            }
            let end = Instant::now();
            (
                prepared.and_then(|()| this.nodes.conclude()),
                run,
                begin,
                end,
            )
        });
        let recording = Recording {
            schedule: &self.name,
            nodes: &self.nodes,
            plan: &self.plan,
            run,
            begin,
            end,
        };
        (result, recording)
    }

    /// Carries out what is left of the commands of a run, and tells those resources of its end that count by it.
    fn settle(&mut self, resources: &mut Resources) {
        self.nodes.settle(self.nodes.by_rank.len(), resources);
        self.settlings.settle(&self.nodes, &self.plan, resources);
    }

    /// Does this in the span of a run, in which those of systems are.
    #[inline]
    fn in_span<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let executor = self.execution.executor();
        let whole = WholeSpan::run(&self.name, || self.systems().count(), &executor);
        let around = whole.around();
        if !around.is_some() {
            return run(self);
        }
        self.nodes.set_around(&around);
        let result = run(self);
        self.nodes.set_around(&Around::NOTHING);
        result
    }
}

/// Runs a single system, as a schedule of its own would, and returns its answer, `true` where it has none: for tests.
///
/// ```
/// use schedule::{prelude::*, run_one};
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn is_dead(health: &Health) -> bool {
///     health.0 <= 0
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Health(-3));
/// assert!(run_one::<is_dead>(&mut resources)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`Schedule::run`].
pub fn run_one<S: System>(resources: &mut Resources) -> Result<bool, RunError> {
    // One system conflicts with nothing; what its attribute orders it against is not there.
    let place = SystemPlace {
        name: S::NAME.to_string(),
        location: S::FUNCTION.location(),
    };
    let mut node = RunNode::system(place, S::FUNCTION.instantiate(), FailurePolicy::default());
    node.about.settles = S::SETTLES;
    let mut schedule = Schedule::new("run_one".to_string(), vec![node], Plan::of_one());
    schedule.run(resources)?;
    Ok(schedule.nodes.outcomes.get(0) != Outcome::Finished(0))
}
