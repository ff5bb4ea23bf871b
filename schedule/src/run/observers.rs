//! The nodes that query the resources that get a report at the end of a run (`observer.rs`), and the outcomes of these
//! nodes.
//!
//! A node that does not run cannot record this. So the end of each run computes the reports from the outcomes of these
//! nodes and of the nodes that they guard.

use core::time::Duration;
use std::collections::{BTreeMap, HashSet};

use crate::base::identity::Name;
use crate::base::nanos::Nanos;
use crate::base::program::Answer;
use crate::data::resource::{Resources, SlotHint};
use crate::run::node::{RunNode, Work as NodeWork};
use crate::run::nodes::Nodes;
use crate::run::outcome::Outcome;
use crate::systems::rate::Clock;
use crate::systems::rate::observer::{
    DueTimes, NotQueried, ObserverType, QueryOutcome, RunEnd, SystemWork,
};
use crate::verify::plan::Plan;

/// The resources that get reports, each with the nodes that query it.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    all: Box<[Observer]>,
    clock: SlotHint,
}

#[derive(Debug)]
struct Observer {
    ty: ObserverType,
    /// The rank of the only node that queries it, if its systems run whenever that node does. This does not hold if a node has failed or is
    /// disabled.
    sure: Option<u32>,
    hint: SlotHint,
    queries: Vec<QueryNode>,
    /// The ranks of the systems that these nodes guard, and of those in loops among the guarded nodes. Each once, ascending.
    systems: Vec<u32>,
}

/// A node that queries a resource.
#[derive(Debug)]
struct QueryNode {
    rank: u32,
    /// The ranks of the nodes that it guards, without other conditions. Empty for a loop.
    guarded: Vec<u32>,
    /// Whether it is the only query of the resource, and not in a loop or the condition of one.
    is_only_query: bool,
}

impl Observers {
    /// O(nodes + leaves of guards).
    pub(crate) fn new(nodes: &[RunNode], plan: &Plan) -> Self {
        if nodes.iter().all(|node| node.about.observer.is_none()) {
            return Self::default();
        }
        let mut guarded_by: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (rank, node) in (0..).zip(nodes) {
            if matches!(node.work, NodeWork::Nothing | NodeWork::LoopEnd(_)) {
                continue;
            }
            if let Some(guard) = plan.guard(rank) {
                for condition in guard.conditions() {
                    guarded_by.entry(condition).or_default().push(rank);
                }
            }
        }
        let conditions: HashSet<u32> = guarded_by.keys().copied().collect();
        let mut observers: Vec<Observer> = Vec::new();
        for (rank, node) in (0..).zip(nodes) {
            let Some(ty) = node.about.observer else {
                continue;
            };
            let mut guarded = guarded_by.remove(&rank).unwrap_or_default();
            guarded.retain(|guarded| !conditions.contains(guarded));
            let systems = systems_of(nodes, rank, &guarded);
            let query = QueryNode {
                rank,
                guarded,
                is_only_query: node.is_system() && plan.enclosing_loop(rank).is_none(),
            };
            let is_same = |one: &&mut Observer| one.ty.resource == ty.resource;
            match observers.iter_mut().find(is_same) {
                Some(observer) => {
                    observer.queries.push(query);
                    observer.systems.extend(systems);
                    observer
                        .queries
                        .iter_mut()
                        .for_each(|one| one.is_only_query = false);
                }
                None => observers.push(Observer {
                    ty,
                    sure: None,
                    hint: SlotHint::default(),
                    queries: vec![query],
                    systems,
                }),
            }
        }
        for observer in &mut observers {
            observer.systems.sort_unstable();
            observer.systems.dedup();
            if let [query] = &observer.queries[..] {
                observer.sure = query.runs_its_systems(nodes, plan).then_some(query.rank);
            }
        }
        Self {
            all: observers.into(),
            clock: SlotHint::default(),
        }
    }

    /// Reports the end of a run to each resource, if there is a clock. O(1) if there are no such resources, otherwise at most O(guarded
    /// nodes).
    #[inline]
    pub(crate) fn notify(&self, nodes: &Nodes, plan: &Plan, resources: &mut Resources) {
        if !self.all.is_empty() {
            self.notify_all(nodes, plan, resources);
        }
    }

    #[inline(never)]
    fn notify_all(&self, nodes: &Nodes, plan: &Plan, resources: &mut Resources) {
        let Some(clock) = resources.find::<Clock>(&self.clock) else {
            return;
        };
        let end = RunEnd {
            now: Nanos::of(clock.now()),
            is_driven: clock.is_driven(),
            is_refused: nodes.is_refused(),
        };
        let (outcomes, has_no_skips) = (&*nodes.outcomes, nodes.outcomes.has_no_skips());
        for observer in &self.all {
            let outcome = match observer.sure {
                Some(rank) if has_no_skips && !outcomes.is_guard_false(rank) => RAN,
                _ => observer.outcome(nodes, plan),
            };
            (observer.ty.run_ended)(resources, &observer.hint, end, outcome);
        }
    }
}

impl Observer {
    /// The outcome of its nodes.
    #[inline(never)]
    fn outcome(&self, nodes: &Nodes, plan: &Plan) -> QueryOutcome {
        let outcomes = self.queries.iter().map(|query| query.outcome(nodes, plan));
        let all = outcomes.reduce(|one, other| QueryOutcome {
            work: one.work.max(other.work),
            not_queried: one.not_queried.max(other.not_queried),
        });
        all.expect("an observer has a query")
    }
}

impl Observers {
    /// The due times of each rate. `None` for a rate that is not a resource.
    pub(crate) fn due_times<'a>(
        &'a self,
        resources: &'a Resources,
    ) -> impl Iterator<Item = Option<DueTimes>> + 'a {
        self.all
            .iter()
            .map(|one| (one.ty.due_times)(resources, &one.hint))
    }

    /// Moves the due times of all rates back if the clock was set back to this time.
    pub(crate) fn clock_set(&self, resources: &mut Resources, now: Duration) {
        for one in &self.all {
            (one.ty.clock_set)(resources, &one.hint, now);
        }
    }

    /// The ranks of the systems of rate `nth`, each once.
    pub(crate) fn systems_of(&self, nth: usize) -> impl Iterator<Item = u32> {
        self.all[nth].systems.iter().copied()
    }

    /// The functions of rate `nth`.
    pub(crate) fn ty(&self, nth: usize) -> ObserverType {
        self.all[nth].ty
    }

    /// The number of rates.
    pub(crate) fn n_rates(&self) -> usize {
        self.all.len()
    }

    /// The names of the rates.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> {
        self.all.iter().map(|one| one.ty.name)
    }
}

/// The resource was queried, and its systems ran if they were due.
const RAN: QueryOutcome = QueryOutcome {
    work: SystemWork::Ran,
    not_queried: NotQueried::Unreached,
};

impl QueryNode {
    /// Whether a system ran each time that this query returned `true`, unless a node failed or is disabled.
    fn runs_its_systems(&self, nodes: &[RunNode], plan: &Plan) -> bool {
        let is_true = Some(Answer {
            rank: self.rank,
            index: 1,
        });
        let mut guarded = self.guarded.iter();
        let is_certain = |&rank: &u32| {
            plan.enclosing_loop(rank).is_none() && nodes[rank as usize].only_if.get() == is_true
        };
        self.is_only_query && (self.guarded.is_empty() || guarded.any(is_certain))
    }

    fn outcome(&self, nodes: &Nodes, plan: &Plan) -> QueryOutcome {
        let outcome = nodes.outcomes.get(self.rank);
        if self.is_only_query && outcome == Outcome::Finished(0) {
            // The resource was queried, and does not look at its systems, since they were not due.
            return RAN;
        }
        let work = match outcome {
            Outcome::Finished(_) => self.work(nodes, plan),
            Outcome::Failed => SystemWork::Failed,
            // This node did not query the resource, so it has the least value.
            Outcome::Skipped | Outcome::GuardFalse | Outcome::Disabled => SystemWork::Disabled,
        };
        let mut not_queried = match outcome {
            Outcome::Finished(_) => NotQueried::Unreached,
            other => not_queried_after(other),
        };
        for begin in enclosing_loops(plan, self.rank, None) {
            // Outcomes in a loop whose body did not run are those of an earlier run.
            match nodes.outcomes.get(begin) {
                Outcome::Finished(_) | Outcome::Failed if has_iterated(nodes, begin) => {}
                Outcome::Finished(_) => not_queried = NotQueried::Unreached,
                other => not_queried = not_queried_after(other),
            }
        }
        QueryOutcome { work, not_queried }
    }

    /// The outcome of the guarded nodes. A loop counts as a guarded node of its own condition.
    fn work(&self, nodes: &Nodes, plan: &Plan) -> SystemWork {
        let has_failed = nodes.outcomes.has_failed();
        let mut work = None;
        for &guarded in &self.guarded {
            let one = work_of(nodes, plan, guarded, plan.enclosing_loop(self.rank));
            work = work.max(Some(one));
            if work == Some(SystemWork::Ran) && !has_failed {
                break;
            }
        }
        work.unwrap_or(SystemWork::Ran)
    }
}

/// The systems that a node guards, and those in loops: its own one, if it is the condition of a loop, and guarded ones.
fn systems_of(nodes: &[RunNode], rank: u32, guarded: &[u32]) -> Vec<u32> {
    let is_system = |&rank: &u32| nodes[rank as usize].is_system();
    let mut systems: Vec<u32> = guarded.iter().copied().filter(is_system).collect();
    for &begin in guarded.iter().chain([&rank]) {
        if let NodeWork::Loop(repeat) = &nodes[begin as usize].work {
            systems.extend((begin + 1..repeat.end).filter(is_system));
        }
    }
    systems
}

/// The reason why a node with this outcome did not run.
fn not_queried_after(outcome: Outcome) -> NotQueried {
    match outcome {
        Outcome::GuardFalse => NotQueried::Paused,
        Outcome::Disabled => NotQueried::Disabled,
        Outcome::Finished(_) | Outcome::Skipped | Outcome::Failed => NotQueried::Skipped,
    }
}

/// The outcome of a node, and of the loops around it inside of loop `level`.
fn work_of(nodes: &Nodes, plan: &Plan, rank: u32, level: Option<usize>) -> SystemWork {
    let mut work = match nodes.outcomes.get(rank) {
        Outcome::Finished(_) => SystemWork::Ran,
        Outcome::Failed => SystemWork::Failed,
        Outcome::Skipped | Outcome::GuardFalse => SystemWork::Skipped,
        Outcome::Disabled => SystemWork::Disabled,
    };
    for begin in enclosing_loops(plan, rank, level) {
        match nodes.outcomes.get(begin) {
            Outcome::Finished(_) | Outcome::Failed if has_iterated(nodes, begin) => {}
            Outcome::Disabled => work = SystemWork::Disabled,
            _ => work = SystemWork::Skipped,
        }
    }
    work
}

/// The begins of the loops around a node, from the inside out, up to but not including loop `level` and the loops
/// around it.
fn enclosing_loops(plan: &Plan, rank: u32, level: Option<usize>) -> impl Iterator<Item = u32> {
    let enclosing_loop = move |rank: u32| {
        let idx = plan
            .enclosing_loop(rank)
            .filter(|idx| Some(*idx) != level)?;
        Some(plan.loops[idx].begin)
    };
    core::iter::successors(enclosing_loop(rank), move |&begin| enclosing_loop(begin))
}

/// Whether the body of this loop ran when the loop was last executed.
fn has_iterated(nodes: &Nodes, begin: u32) -> bool {
    match &nodes.by_rank[begin as usize].work {
        NodeWork::Loop(repeat) => repeat.n_iterations > 0,
        _ => false,
    }
}
