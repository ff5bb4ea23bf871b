//! The built schedule: a plan with its systems. It exists only verified.

use core::fmt;
use core::panic::AssertUnwindSafe;
use std::collections::{HashMap, HashSet};
use std::panic::catch_unwind;

use crate::access::ResourceId;
use crate::executor::serial;
use crate::failure::{Cause, Failure, MissingResource, Panic, RunError};
use crate::node::{Node, Outcome, prepare};
use crate::place::SystemPlace;
use crate::plan::Plan;
use crate::problem::{Accepted, Warning};
use crate::resource::{Resources, Status, Version};
use crate::system::System;

/// Systems of which any two that conflict are ordered.
///
/// They run in one order that keeps to every order that was declared, and else as close to the order of addition as
/// that allows.
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
    /// By rank.
    nodes: Vec<Node>,
    plan: Plan,
    /// Whether any node uses a main-thread value.
    has_main_thread: bool,
    accepted: Vec<Accepted>,
    warnings: Vec<Warning>,
    /// What the nodes are prepared for.
    prepared: Option<Version>,
}

impl Schedule {
    /// `nodes[v]` is node v of the plan; they are kept by rank.
    pub(crate) fn new(name: String, nodes: Vec<Node>, plan: Plan) -> Self {
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let by_rank = plan.order.iter().map(|&node| nodes[node as usize].take());
        let nodes: Vec<Node> = by_rank
            .map(|node| node.expect("a rank of its own"))
            .collect();
        Self {
            name,
            has_main_thread: nodes.iter().any(|node| node.access.is_main_thread),
            nodes,
            plan,
            accepted: Vec::new(),
            warnings: Vec::new(),
            prepared: None,
        }
    }

    /// The same, which tells of these.
    pub(crate) fn telling(mut self, accepted: Vec<Accepted>, warnings: Vec<Warning>) -> Self {
        self.accepted = accepted;
        self.warnings = warnings;
        self
    }

    /// What the schedule is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the systems, in the order in which one thread runs them.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        let systems = self.nodes.iter().filter(|node| node.system.is_some());
        systems.map(|node| node.place.name.as_str())
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

    /// Runs every system once.
    ///
    /// A system that returns an error or panics does not keep the others from running, but for those that were
    /// declared to come after it, and those that were to read what it writes: they are skipped.
    ///
    /// # Errors
    ///
    /// [`RunError::Missing`] if resources are missing: then nothing has run. [`RunError::Failed`] if systems failed:
    /// then everything else has run.
    pub fn run(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        self.prepare(resources)?;
        let mut failures = serial::run(&mut self.nodes, &self.plan, resources);
        // An exclusive system may have put other resources in their place, in which the nodes have looked since.
        if self.prepared != Some(resources.version()) {
            self.prepared = None;
        }
        self.apply_commands(resources, &mut failures);
        if failures.is_empty() {
            return Ok(());
        }
        let skipped = self
            .nodes
            .iter()
            .filter(|node| node.outcome == Outcome::Skipped && node.system.is_some());
        Err(RunError::Failed {
            failures,
            skipped: skipped.map(|node| node.place.clone()).collect(),
        })
    }

    /// Looks all resources up, unless that was done for these resources already.
    fn prepare(&mut self, resources: &Resources) -> Result<(), RunError> {
        let now = resources.version();
        // The storage of a main-thread value may be gone while its thread ends, and nothing else changes then: such
        // values are looked up for every run.
        if !self.has_main_thread && self.prepared == Some(now) {
            return Ok(());
        }
        self.prepared = None;
        let missing = self.missing(resources);
        if !missing.is_empty() {
            return Err(RunError::Missing(missing));
        }
        prepare(&mut self.nodes, resources);
        // What commands will insert may be missing yet; then the next run looks again.
        if self.nodes.iter().all(|node| node.missing.is_none()) {
            self.prepared = Some(now);
        }
        Ok(())
    }

    /// Every resource that is needed, missing and not declared to be inserted by commands; in the order of the nodes.
    fn missing(&self, resources: &Resources) -> Vec<MissingResource> {
        let inserted: HashSet<&ResourceId> = self
            .nodes
            .iter()
            .flat_map(|node| &node.access.inserts)
            .collect();
        let mut missing: Vec<MissingResource> = Vec::new();
        let mut known: HashMap<&ResourceId, usize> = HashMap::new();
        for node in &self.nodes {
            for one in node.access.uses.iter().filter(|one| !one.is_optional) {
                let status = resources.status(&one.resource);
                if status == Status::Present || inserted.contains(&one.resource) {
                    continue;
                }
                let idx = *known.entry(&one.resource).or_insert_with(|| {
                    missing.push(MissingResource {
                        resource: one.resource.to_string(),
                        is_named: one.resource.text().is_some(),
                        is_main_thread: one.resource.is_main_thread(),
                        is_on_another_thread: status == Status::OnAnotherThread,
                        is_written: false,
                        needed_by: Vec::new(),
                    });
                    missing.len() - 1
                });
                let missing = &mut missing[idx];
                missing.is_written |= one.is_write;
                if !missing.needed_by.contains(&node.place) {
                    missing.needed_by.push(node.place.clone());
                }
            }
        }
        missing
    }

    /// Carries out what the systems recorded, in their order; drops what those recorded that failed.
    fn apply_commands(&mut self, resources: &mut Resources, failures: &mut Vec<Failure>) {
        for node in self
            .nodes
            .iter_mut()
            .filter(|node| node.access.has_commands)
        {
            let Some(system) = &mut node.system else {
                continue;
            };
            let is_done = node.outcome == Outcome::Finished;
            let result = catch_unwind(AssertUnwindSafe(|| {
                system.settle(is_done.then_some(&mut *resources));
            }));
            if let Err(payload) = result {
                // What another parameter of the system recorded goes too; dropping it may panic once more.
                let dropped = catch_unwind(AssertUnwindSafe(|| system.settle(None)));
                if let Err(payload) = dropped {
                    core::mem::forget(payload);
                }
                failures.push(node.failure(Cause::CommandPanic(Panic::new(payload))));
            }
        }
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedule")
            .field("name", &self.name)
            .field("systems", &self.systems().collect::<Vec<_>>())
            .finish()
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
    let node = Node::new(place, S::FUNCTION.instantiate());
    let mut schedule = Schedule::new("run_one".to_string(), vec![node], Plan::of_one());
    schedule.run(resources)?;
    Ok(schedule.nodes[0].answer)
}
