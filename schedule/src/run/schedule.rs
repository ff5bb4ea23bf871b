//! The built schedule: a plan with its systems. The plan was verified, or has only one system.

mod compiled;
mod debug;
mod explained;
mod measuring;
#[cfg(feature = "snapshot")]
mod noted;
mod one;
mod parameter;
mod pool;
mod rates;
mod recorded;
mod refused;
mod requests;
#[cfg(feature = "snapshot")]
mod saved;
mod settings;
mod switch;
#[cfg(all(test, not(loom)))]
mod tests;

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::HashMap;

pub(crate) use self::measuring::{MeasuredRanks, SlowAmong};
pub use self::one::{evaluate_one, run_one};
pub use self::parameter::RefusedSchedule;
use self::requests::ResolvedRequests;
#[cfg(feature = "snapshot")]
pub use self::saved::{RestoreError, ScheduleState};
use self::switch::Ranks;
use crate::base::cost::{Average, Cost};
use crate::base::program::{OnlyAnswer, Program};
use crate::base::span::{ParentSpan, WholeSpan};
use crate::data::access::AccessSet;
use crate::data::resource::Resources;
use crate::declare::choices::{Choice, Choices, Occurrence};
use crate::declare::declarations::Declarations;
use crate::declare::failure::RunError;
use crate::declare::problem::{Accepted, Warning};
use crate::run::changes::note_guards;
use crate::run::executor::{PreparedExecutor, processors};
use crate::run::node::{RunNode, Work};
use crate::run::nodes::Nodes;
use crate::run::observers::Observers;
use crate::run::report::{OnlyRead, Report, never_both, policy_orders, sweeps, sync_points};
use crate::run::simulation::Simulation;
use crate::run::stretches::note_stretches;
use crate::run::timeline::Recording;
use crate::verify::compile::{Implied, Known, Places};
use crate::verify::folds::Folds;
use crate::verify::lock::Lock;
use crate::verify::plan::Plan;
use crate::verify::profile::{Profile, ProfileError, SystemCost};
use schedule_graph::Edge;
use schedule_graph::Machine;

/// A verified schedule: any two systems that conflict are ordered.
///
/// A run produces the same result as a serial run on one thread. The serial order keeps all declared orders, and
/// otherwise follows insertion order as closely as possible. Systems that do not conflict can run at the same time. See
/// [`Executor`](crate::Executor).
///
/// A system can own and run another schedule, whose systems run others. Each level needs at most 10 kB of stack, also without
/// optimisation. A schedule that is dropped within the drops of 16 others is dropped right after these.
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
    /// A number that no other schedule has. A change of its nodes or limits gives it another one.
    version: u64,
    nodes: Nodes,
    plan: Plan,
    execution: PreparedExecutor,
    /// Whether runs move to a thread of the pool.
    moves_to_pool: bool,
    observers: Observers,
    accepted: Vec<Accepted>,
    warnings: Vec<Warning>,
    /// The declarations, without the systems. `nodes` contains the systems.
    pub(crate) declarations: Declarations,
    /// The implied conditions of the declarations.
    implied: Implied,
    /// The names of all declared and implied nodes.
    pub(crate) places: Places,
    /// Results of the verification that the next change reuses.
    known: Known,
    /// Memory that [`set_enabled`](Self::set_enabled) reuses.
    ranks: Ranks,
    /// The requests of the last run. Empty between runs.
    requests: ResolvedRequests,
}

impl Schedule {
    /// `nodes[v]` is node v of the plan. The schedule stores the nodes by rank.
    fn new(name: String, nodes: Vec<RunNode>, mut plan: Plan) -> Self {
        processors::note();
        let mut nodes: Vec<Option<RunNode>> = nodes.into_iter().map(Some).collect();
        let by_rank = plan
            .order
            .iter()
            .map(|&node| nodes[node as usize].take())
            .map(|node| node.expect("a rank of its own"));
        let mut by_rank: Vec<RunNode> = by_rank.collect();
        for one in &plan.loops {
            if let Work::Loop(repeat) = &mut by_rank[one.begin as usize].work {
                repeat.end = one.end;
            }
            by_rank[one.end as usize].work = Work::LoopEnd(one.begin);
        }
        for (rank, node) in (0..).zip(&mut by_rank) {
            let guard = plan.guard(rank);
            node.is_guarded = guard.is_some();
            node.only_if = OnlyAnswer::of(guard.and_then(Program::only_answer));
        }
        let accesses: Vec<&AccessSet> = by_rank.iter().map(|node| &*node.about.access).collect();
        plan.folds = Folds::new(&accesses, &plan.loops, |rank| plan.enclosing_loop(rank));
        for (rank, node) in (0..).zip(&mut by_rank) {
            node.is_folding = plan.folds.has_member(rank);
        }
        note_stretches(&mut by_rank, &plan);
        note_guards(&mut by_rank, &plan);
        Self {
            name,
            version: new_version(),
            observers: Observers::new(&by_rank, &plan),
            nodes: Nodes::new(by_rank),
            plan,
            execution: PreparedExecutor::default(),
            moves_to_pool: false,
            accepted: Vec::new(),
            warnings: Vec::new(),
            declarations: Declarations::default(),
            implied: Implied::default(),
            places: Places::default(),
            known: Known::default(),
            ranks: Ranks::default(),
            requests: ResolvedRequests::default(),
        }
    }

    /// Returns the name of the schedule.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the systems, in the order of a serial run.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        let systems = self.nodes.by_rank.iter().filter(|node| node.is_system());
        systems.map(|node| node.about.place.name.as_str())
    }

    /// Returns the accepted races and their reasons.
    pub fn accepted(&self) -> &[Accepted] {
        &self.accepted
    }

    /// Returns the warnings: declarations that are valid but suspicious. [`Report::warnings`] lists the same.
    ///
    /// Cost: O(nodes × orders / 64), because orders that others imply are found by each call.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings.clone();
        warnings.extend(self.redundant_orders());
        warnings
    }

    /// Returns the number of orders that only a policy or a weak order requires, without orders that others imply.
    ///
    /// Cost: O(systems × orders / 64).
    pub fn n_policy_orders(&self) -> usize {
        self.plan.n_policy_edges()
    }

    /// Estimates the duration of a run with these costs, without running anything.
    ///
    /// `cost_of` is called with the name of each system and each loop condition, in the order of a serial run. It
    /// returns the cost in a whole run. For a node of a loop body, this is the cost of all iterations. It is zero if
    /// the guard of the node is false. A loop is simulated as one iteration. Checkpoints and sync points cost nothing.
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
                node.has_runnable().then(|| node.about.place.name.clone())
            },
        )
    }

    /// The costs of the nodes in nanoseconds, by rank.
    pub(crate) fn costs_ns(&self, cost_of: &mut dyn FnMut(&str) -> Duration) -> Vec<u64> {
        let cost = |node: &RunNode| {
            if node.has_runnable() {
                cost_of(&node.about.place.name).as_nanos() as u64
            } else {
                0
            }
        };
        self.nodes.by_rank.iter().map(cost).collect()
    }

    /// Whether only the thread that calls `run` can run a node, by rank. The end of a loop evaluates the loop condition
    /// again.
    pub(crate) fn bound(&self) -> Vec<bool> {
        let nodes = &self.nodes.by_rank;
        let is_bound = |node: &RunNode| match node.work {
            Work::LoopEnd(begin) => nodes[begin as usize].is_bound(),
            _ => node.is_bound(),
        };
        nodes.iter().map(is_bound).collect()
    }

    /// Returns the orders that [`Policy::Optimize`](crate::Policy::Optimize) chose for races, without orders that
    /// others imply. Store them, and pass them to [`Builder::pin`](crate::Builder::pin).
    ///
    /// Cost: O(systems × orders / 64).
    pub fn choices(&self) -> Choices {
        let nodes = &self.nodes.by_rank;
        // Occurrences are numbered in insertion order, as in the builder.
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

    /// Returns the average costs of the systems and how often they run, as measured in timed runs. `None` if there was
    /// no timed run. [`Executor::Auto`](crate::Executor::Auto) times runs.
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

    /// Sets these costs, as if one run had measured them. Later measurements update the averages.
    ///
    /// # Errors
    ///
    /// Fails if the profile was measured for a schedule with another name, or with other systems. The schedule is then
    /// unchanged.
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

    /// The average cost of each node and how often it runs, by rank. The cost of a disabled node is zero. `None` if
    /// nothing is known.
    pub(crate) fn averages(&self) -> Option<Vec<Average>> {
        let costs = self.execution.costs();
        let is_known = costs.len() > 0;
        let averages = costs.zip(self.nodes.are_in_use()).map(|(cost, is_in_use)| {
            if is_in_use {
                cost.average()
            } else {
                Average::default()
            }
        });
        is_known.then(|| averages.collect())
    }

    /// The ranks of the nodes that run a system, in insertion order.
    fn systems_in_insertion_order(&self) -> impl Iterator<Item = u32> {
        let mut ranks: Vec<u32> = (0..self.nodes.by_rank.len() as u32).collect();
        ranks.sort_unstable_by_key(|&rank| self.plan.order[rank as usize]);
        let has_runnable = |&rank: &u32| self.nodes.by_rank[rank as usize].has_runnable();
        ranks.into_iter().filter(has_runnable)
    }

    /// Returns the resolved schedule as a text that changes only when the schedule changes.
    ///
    /// Keep the text in a file next to the source. A test then fails if an order changes unintentionally.
    ///
    /// Cost: O(nodes × edges / 64).
    pub fn lock(&self) -> Lock {
        Lock::of(&self.graph())
    }

    /// Returns a report: costs of the systems, statistics of the runs, warnings, accepted races and orders by policies.
    ///
    /// Cost: O(nodes × edges / 64).
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
        report.warnings = self.warnings();
        report.only_read = OnlyRead::all(self.only_read());
        report.limited = self.limited_systems();
        let nodes = self.nodes.by_rank.iter().map(|node| &node.about);
        let missed = nodes.filter_map(|about| Some(about.missed.as_ref()?.report(&about.place)));
        report.missed_commands = missed.collect();
        report.accepted = self.accepted.clone();
        let graph = self.graph();
        report.policy_orders = policy_orders(&graph);
        report.never_both = never_both(&graph);
        report.sync_points = sync_points(&graph);
        report.sweeps = sweeps(&graph);
        (report.apart, report.n_apart) = self.separate_systems();
        report
    }

    /// Runs every system once.
    ///
    /// If a system returns an error or panics, the run skips the systems that depend on it: those that were declared to
    /// run after it, and those that read the resources that it writes. All other systems run. Another
    /// [`FailurePolicy`](crate::FailurePolicy) changes this.
    ///
    /// After the first run, a run allocates no memory, also if systems fail and the report of the last failure was
    /// dropped. There are five exceptions. A request for help to a pool thread is boxed by rayon. Each recorded
    /// command is boxed, and requests of [`NextRun`](crate::param::NextRun) are stored in a list.
    /// [`Executor::Auto`](crate::Executor::Auto) allocates when it plans again because costs have changed. If a system takes
    /// [`Failures`](crate::param::Failures), long texts of failures are allocated.
    ///
    /// A system can block, use rayon, or run another schedule. It can wait for another system only if it is declared to
    /// run after that system. The number of helper threads is not guaranteed, and can be zero.
    ///
    /// # Deadlocks
    ///
    /// While the thread that calls `run` waits for helpers, it runs no other jobs of its pool. A helper starts no
    /// system on top of another rayon job. So `run` can be called while a lock is held. A system can hold a lock, or
    /// initialise a `LazyLock`, while it waits in `par_iter`, `join` or `scope`. Other systems can use the same lock or
    /// value.
    ///
    /// These cases deadlock:
    ///
    /// - *A system waits for the calling worker.* Suppose that `run` is called on a worker of the pool, as in
    ///   `install`. If a system on another thread calls `rayon::broadcast` in that pool, it waits for the caller, and
    ///   the caller waits for the system. Call `run` from outside of the pool, or bind the system to the calling thread
    ///   with `#[system(main_thread)]`.
    /// - *A system blocks on a spawned job.* If all workers of the pool are in runs or blocked, no thread runs the job.
    ///   This is the same for all uses of rayon. Use `join` or `scope`: a thread that waits there runs the job itself.
    /// - *A rayon job needs a lock that is held over a rayon call.* A thread that waits in the `par_iter` of a system
    ///   runs other rayon jobs, such as pieces of the `par_iter` of another system. Suppose that the initialiser of a
    ///   `LazyLock` uses `par_iter`, and such a piece reads the same value. The piece then waits for the initialiser
    ///   below it on the stack. Read the value before the first run ([`LazyLock::force`](std::sync::LazyLock::force)),
    ///   or in the system before its `par_iter`. Never hold a lock over a rayon call if jobs take the same lock.
    /// - *Several runs or streams share a pool, and each caller outside of it holds a lock over a rayon call.* Their
    ///   helpers can occupy all threads of the pool, and wait there for these locks. Give each caller its own pool.
    /// - *A pool helps for the first time while its threads wait in other jobs.* A thread that has never been idle can
    ///   start a system on top of such a job. Run a schedule on the pool once before its threads hold locks over rayon
    ///   calls.
    ///
    /// # Errors
    ///
    /// - [`RunError::Missing`] if resources are missing. Only systems that run [`always`](crate::Builder::always) have run.
    /// - [`RunError::Failed`] if systems failed. All other systems have run.
    pub fn run(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        self.in_span(|this| {
            if this.moves_to_pool {
                return this.in_pool(|this| this.run_here(resources));
            }
            this.run_here(resources)
        })
    }

    #[inline(always)]
    fn run_here(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        if let Err(refusal) = self.nodes.prepare(resources) {
            return Err(self.run_refused(*refusal, resources, None));
        }
        self.execution.run(&mut self.nodes, &self.plan, resources);
        self.finish_run(resources)
    }

    /// Runs every system once, as [`run`](Self::run) does, and records when and on which worker each system ran. See
    /// [`Recording::timeline`], which also reports the system that each one waited for.
    ///
    /// Every executor can record, and schedules the run as usual. Each node writes only its own executions, so
    /// recording causes no waiting. A run that is not recorded has no extra cost. If resources are missing, only systems that
    /// run [`always`](crate::Builder::always) are recorded.
    ///
    /// The timeline contains no deadlines and budgets, because only a driver knows due times:
    /// [`Driver::record`](crate::Driver::record) records them.
    ///
    /// # Errors
    ///
    /// Fails as [`run`](Self::run) does.
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
            if this.moves_to_pool {
                return this.in_pool(|this| this.record_here(resources));
            }
            this.record_here(resources)
        });
        let recording = Recording {
            schedule: &self.name,
            nodes: &self.nodes,
            plan: &self.plan,
            run,
            begin,
            end,
            limits: None,
        };
        (result, recording)
    }

    /// Ends a run, applies the requests for the next one, and returns the result.
    fn finish_run(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        self.end_run(resources);
        self.take_result(resources)
    }

    /// Applies the remaining commands of a run, and notifies the resources that depend on the end of the run.
    fn end_run(&mut self, resources: &mut Resources) {
        let n_nodes = self.nodes.by_rank.len();
        self.nodes.apply_commands(n_nodes, resources);
        self.nodes.warn_missed(&self.name);
        self.resolve_requests(resources);
        // Without rates, this is not even a call.
        if self.observers.n_rates() > 0 {
            self.observers.notify(&self.nodes, &self.plan, resources);
        }
    }

    /// Returns the result of a run that has ended, and applies its requests.
    fn take_result(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        let result = self.nodes.take_result();
        self.apply_requests(resources);
        result
    }

    /// Runs a closure in the span of a run, which contains the spans of the systems.
    #[inline]
    fn in_span<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let executor = self.execution.executor();
        let whole = WholeSpan::run(&self.name, || self.systems().count(), &executor);
        let parent_span = whole.parent_span();
        if !parent_span.is_some() {
            return run(self);
        }
        self.nodes.set_parent_span(&parent_span);
        let result = run(self);
        self.nodes.set_parent_span(&ParentSpan::NOTHING);
        result
    }
}

/// Returns a version that no schedule has.
fn new_version() -> u64 {
    static N_VERSIONS: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only uniqueness matters.
    N_VERSIONS.fetch_add(1, Ordering::Relaxed)
}
