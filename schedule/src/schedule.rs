//! The built schedule: systems in an order in which they can run.

use core::fmt;
use core::panic::AssertUnwindSafe;
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::thread::ThreadId;

use crate::access::{Access, ResourceType};
use crate::builder::Builder;
use crate::executor::serial;
use crate::failure::{Cause, Failure, MissingResource, Panic, RunError, SystemPlace};
use crate::output::Answer;
use crate::param::Lookup;
use crate::resource::{Resources, Status, Version};
use crate::system::{Instance, Run, System};

/// Systems that run together, in the order in which they were added.
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
/// let mut year = Schedule::builder().name("year").add::<sow>().add::<reap>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Log(Vec::new()));
/// year.run(&mut resources)?;
/// assert_eq!(resources.get::<Log>().unwrap().0, ["sow", "reap"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Schedule {
    name: String,
    nodes: Vec<Node>,
    /// Whether any node uses a main-thread value.
    has_main_thread: bool,
    /// What the nodes are prepared for.
    prepared: Option<Prepared>,
}

/// Pointers that nodes looked up are good as long as this stays the same.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Prepared {
    version: Version,
    /// `None` where no node uses a main-thread value.
    thread: Option<ThreadId>,
}

/// A system of a schedule.
pub(crate) struct Node {
    pub(crate) place: SystemPlace,
    pub(crate) system: Box<dyn Run>,
    pub(crate) is_exclusive: bool,
    has_commands: bool,
    access: &'static Access,
    /// Needed, and not there when the node was last prepared.
    pub(crate) missing: Option<&'static ResourceType>,
    pub(crate) has_failed: bool,
    /// Of the last run; `true` for systems that are no conditions.
    pub(crate) answer: bool,
}

impl Node {
    pub(crate) fn new(place: SystemPlace, instance: Instance) -> Self {
        let access = instance.access();
        let mut is_exclusive = false;
        let mut has_commands = false;
        access.for_each(&mut |leaf, _| match leaf {
            Access::Exclusive => is_exclusive = true,
            Access::Commands => has_commands = true,
            _ => {}
        });
        Self {
            place,
            system: instance.into_run(),
            is_exclusive,
            has_commands,
            access,
            missing: None,
            has_failed: false,
            answer: true,
        }
    }

    pub(crate) fn failure(&self, cause: Cause) -> Failure {
        Failure {
            system: self.place.clone(),
            cause,
        }
    }
}

/// Lets every node look up its resources.
pub(crate) fn prepare(nodes: &mut [Node], resources: &Resources) {
    for node in nodes {
        let mut lookup = Lookup::new(resources);
        node.system.prepare(&mut lookup);
        node.missing = lookup.missing();
    }
}

impl Schedule {
    /// Starts an empty schedule.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(name: String, nodes: Vec<Node>) -> Self {
        let mut has_main_thread = false;
        for node in &nodes {
            node.access.for_each(&mut |leaf, _| {
                if let Access::Read(resource) | Access::Write(resource) = leaf {
                    has_main_thread |= resource.is_main_thread;
                }
            });
        }
        Self {
            name,
            nodes,
            has_main_thread,
            prepared: None,
        }
    }

    /// What the schedule is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the systems, in the order in which they run.
    pub fn systems(&self) -> impl ExactSizeIterator<Item = &str> {
        self.nodes.iter().map(|node| node.place.name.as_str())
    }

    /// Runs every system once.
    ///
    /// A system that returns an error or panics does not keep the others from running.
    ///
    /// # Errors
    ///
    /// [`RunError::Missing`] if resources are missing: then nothing has run. [`RunError::Failed`] if systems failed:
    /// then everything else has run.
    pub fn run(&mut self, resources: &mut Resources) -> Result<(), RunError> {
        self.prepare(resources)?;
        let mut failures = serial::run(&mut self.nodes, resources);
        self.apply_commands(resources, &mut failures);
        if failures.is_empty() {
            Ok(())
        } else {
            Err(RunError::Failed { failures })
        }
    }

    /// Looks all resources up, unless that was done for these resources and this thread already.
    fn prepare(&mut self, resources: &Resources) -> Result<(), RunError> {
        let now = Prepared {
            version: resources.version(),
            thread: self.has_main_thread.then(|| std::thread::current().id()),
        };
        if self.prepared == Some(now) {
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
        let mut inserted = Vec::new();
        for node in &self.nodes {
            node.access.for_each(&mut |leaf, _| {
                if let Access::Inserts(resource) = leaf {
                    inserted.push(resource.type_id);
                }
            });
        }
        let mut missing: Vec<MissingResource> = Vec::new();
        let mut known = HashMap::new();
        for node in &self.nodes {
            node.access.for_each(&mut |leaf, is_optional| {
                let (Access::Read(resource) | Access::Write(resource)) = leaf else {
                    return;
                };
                let status = resources.status(resource);
                let will_be_there =
                    !resource.is_main_thread && inserted.contains(&resource.type_id);
                if is_optional || status == Status::Present || will_be_there {
                    return;
                }
                let key = (resource.type_id, resource.is_main_thread);
                let idx = *known.entry(key).or_insert_with(|| {
                    missing.push(MissingResource {
                        resource: resource.name.to_string(),
                        is_main_thread: resource.is_main_thread,
                        is_on_another_thread: status == Status::OnAnotherThread,
                        needed_by: Vec::new(),
                    });
                    missing.len() - 1
                });
                let needed_by = &mut missing[idx].needed_by;
                if needed_by.last() != Some(&node.place) {
                    needed_by.push(node.place.clone());
                }
            });
        }
        missing
    }

    /// Carries out what the systems recorded, in their order; drops what those recorded that failed.
    fn apply_commands(&mut self, resources: &mut Resources, failures: &mut Vec<Failure>) {
        for node in self.nodes.iter_mut().filter(|node| node.has_commands) {
            let result = catch_unwind(AssertUnwindSafe(|| {
                let resources = (!node.has_failed).then_some(&mut *resources);
                node.system.settle(resources);
            }));
            if let Err(payload) = result {
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

/// Runs a single system, as a schedule of its own would, and returns its answer: for tests.
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
pub fn run_one<S: System>(resources: &mut Resources) -> Result<S::Answer, RunError> {
    let place = SystemPlace {
        name: S::NAME.to_string(),
        location: S::FUNCTION.location(),
    };
    let mut schedule = Schedule::new(
        "run_one".to_string(),
        vec![Node::new(place, S::FUNCTION.instantiate())],
    );
    schedule.run(resources)?;
    Ok(S::Answer::from_bool(schedule.nodes[0].answer))
}
