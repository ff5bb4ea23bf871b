//! Builds a random case as a schedule. Its systems write the values of the interpreter, and panic if they overlap.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread;

use schedule::dynamic::{DynamicSystem, View};
use schedule::error::Cause;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{Builder, FailurePolicy, RunError};

use super::case::{Case, Change, Fault, N_RESOURCES, Node, Values, Work};
use super::interpreter::{Outcome, digest, written};
use crate::gates::Gates;
use crate::numbered::{Cell, cell_id, with_cells, with_number};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Point;

#[derive(Checkpoint)]
struct SyncPoint;

/// Data that the systems of a schedule share, apart from resources.
#[derive(Default)]
struct Probe {
    /// The failure of each system in this run.
    faults: Mutex<Vec<Option<Fault>>>,
    /// The executed systems.
    ran: Mutex<Vec<usize>>,
    /// For each resource, and two additional numbers as in [`Node::access`].
    gates: Gates<{ N_RESOURCES + 2 }>,
}

/// The behaviour that all kinds of systems share.
struct Body {
    idx: usize,
    /// The accesses, each with the fact whether it is a write.
    accesses: Vec<(usize, bool)>,
    probe: Arc<Probe>,
}

impl Body {
    fn new(idx: usize, node: &Node, probe: &Arc<Probe>) -> Self {
        let accesses = (0..N_RESOURCES + 2).filter_map(|r| Some((r, node.access(r)?)));
        Self {
            idx,
            accesses: accesses.collect(),
            probe: Arc::clone(probe),
        }
    }

    /// Runs the system: half of its work, then a failure if required, then the other half.
    fn run(
        &self,
        found: impl IntoIterator<Item = Option<u64>>,
        mut write: impl FnMut(usize, u64),
    ) -> Result<(), String> {
        let Self { idx, probe, .. } = self;
        let _inside = probe.gates.enter(&self.accesses);
        probe.ran.lock().unwrap().push(*idx);
        let digest = digest(*idx, found);
        // Sometimes lets other threads run in between.
        if digest.is_multiple_of(8) {
            thread::yield_now();
        }
        let mut to_write = self
            .accesses
            .iter()
            .filter(|one| one.1)
            .map(|one| one.0)
            .filter(|&r| r < N_RESOURCES);
        if let Some(resource) = to_write.next() {
            write(resource, digest);
        }
        let fault = probe.faults.lock().unwrap()[*idx];
        match fault {
            None => to_write.for_each(|resource| write(resource, digest)),
            // Without the panic hook, which would print thousands of messages.
            Some(Fault::Panic) => resume_unwind(Box::new(format!("panic of {idx}"))),
            Some(_) => return Err(format!("error of {idx}")),
        }
        Ok(())
    }
}

fn insert(resources: &mut Resources, resource: usize, value: u64) {
    with_number!(resource, N => { resources.insert(Cell::<N>(value)); });
}

fn remove(resources: &mut Resources, resource: usize) {
    with_number!(resource, N => { resources.remove::<Cell<N>>(); });
}

fn value(resources: &Resources, resource: usize) -> Option<u64> {
    with_number!(resource, N => resources.get::<Cell<N>>().map(|cell| cell.0))
}

fn value_mut(resources: &mut Resources, resource: usize) -> Option<&mut u64> {
    with_number!(resource, N => resources.get_mut::<Cell<N>>().map(|cell| &mut cell.0))
}

pub(super) fn values(resources: &Resources) -> Values {
    std::array::from_fn(|resource| value(resources, resource))
}

fn apply(change: Change, idx: usize, resources: &mut Resources) {
    match change {
        Change::Mix(resource) => {
            if let Some(value) = value_mut(resources, resource) {
                *value = written(idx as u64, *value);
            }
        }
        Change::Remove(resource) => remove(resources, resource),
        Change::Insert(resource) => insert(resources, resource, idx as u64),
        Change::Panic => resume_unwind(Box::new(format!("panic of a command of {idx}"))),
    }
}

fn touched(node: &Node) -> Vec<usize> {
    let touched = (0..N_RESOURCES).filter(|&resource| node.access(resource).is_some());
    touched.collect()
}

/// Adds a node. If possible, adds a function with one parameter, which looks up its resource once. Otherwise adds a dynamic system, which
/// looks up its resources in every run.
fn add_node(builder: &mut Builder, idx: usize, node: &Node, probe: &Arc<Probe>) {
    let body = Body::new(idx, node, probe);
    let name = idx.to_string();
    let is_plain = node.all.is_none() && !node.is_exclusive && !node.is_main_thread;
    let touched = touched(node);
    let first = touched
        .first()
        .map(|&one| (one, node.access(one) == Some(true)));
    match (&node.work, first) {
        (Work::Checkpoint, _) => builder.checkpoint::<Point>(),
        (Work::ApplyCommands, _) => builder.apply_commands::<SyncPoint>().named(name),
        (Work::Alter(changes), _) => {
            let changes = changes.clone();
            builder.add_closure(name, move |resources: &mut Resources| {
                for &change in &changes {
                    apply(change, idx, resources);
                }
                let found = values(resources);
                body.run(found, |resource, digest| {
                    if let Some(value) = value_mut(resources, resource) {
                        *value = written(digest, *value);
                    }
                })
            })
        }
        (Work::Record(changes), None) => {
            let changes = changes.clone();
            builder.add_closure(name, move |mut commands: Commands| {
                record(&changes, idx, &mut commands);
                body.run(None, |_, _| ())
            })
        }
        (Work::Record(changes), Some((resource, false))) => {
            let changes = changes.clone();
            with_number!(resource, N => builder.add_closure(
                name,
                move |cell: Option<&Cell<N>>, mut commands: Commands| {
                    record(&changes, idx, &mut commands);
                    body.run([cell.map(|cell| cell.0)], |_, _| ())
                },
            ))
        }
        (Work::Record(changes), Some((resource, true))) => {
            let changes = changes.clone();
            with_number!(resource, N => builder.add_closure(
                name,
                move |mut cell: Option<&mut Cell<N>>, mut commands: Commands| {
                    record(&changes, idx, &mut commands);
                    body.run([cell.as_ref().map(|cell| cell.0)], |_, digest| {
                        if let Some(cell) = &mut cell {
                            cell.0 = written(digest, cell.0);
                        }
                    })
                },
            ))
        }
        (Work::Mix, Some((resource, false))) if is_plain && touched.len() == 1 => {
            with_number!(resource, N => builder.add_closure(name, move |cell: &Cell<N>| {
                body.run([Some(cell.0)], |_, _| ())
            }))
        }
        (Work::Mix, Some((resource, true))) if is_plain && touched.len() == 1 => {
            with_number!(resource, N => builder.add_closure(name, move |cell: &mut Cell<N>| {
                body.run([Some(cell.0)], |_, digest| cell.0 = written(digest, cell.0))
            }))
        }
        (Work::Mix, _) => builder.add_dynamic(dynamic(body, node, touched)),
    };
}

fn record(changes: &[Change], idx: usize, commands: &mut Commands) {
    for &change in changes {
        commands.push(move |resources| apply(change, idx, resources));
    }
}

fn dynamic(body: Body, node: &Node, touched: Vec<usize>) -> DynamicSystem {
    let get = |view: &View<'_>, resource| with_number!(resource, N => view.get::<Cell<N>>().ok().map(|cell| cell.0));
    let mut system = DynamicSystem::new(body.idx.to_string(), move |view| {
        let found: Vec<_> = touched.iter().map(|&one| get(view, one)).collect();
        body.run(found, |resource, digest| {
            with_number!(resource, N => if let Ok(cell) = view.get_mut::<Cell<N>>() {
                cell.0 = written(digest, cell.0);
            });
        })
    });
    system = with_cells(system, &node.uses);
    system = match node.all {
        None => system,
        Some(true) => system.writes_all_except([]),
        Some(false) => system.reads_all_except([]),
    };
    if node.is_exclusive {
        system = system.exclusive();
    }
    if node.is_main_thread {
        system = system.on_main_thread();
    }
    system
}

/// A schedule of a case, with resources that persist between runs.
pub(super) struct Subject {
    on: On,
    pub(super) schedule: Schedule,
    pub(super) resources: Resources,
    ids: Vec<NodeId>,
    probe: Arc<Probe>,
}

/// The initial value of a resource, before the first run, or after a run for a missing resource.
fn stock(resource: usize) -> u64 {
    1000 + resource as u64
}

impl Subject {
    /// Returns `None` if the case is rejected.
    pub(super) fn new(case: &Case, on: On) -> Option<Self> {
        let probe = Arc::default();
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        let mut ids: Vec<NodeId> = Vec::new();
        for (idx, node) in case.nodes.iter().enumerate() {
            add_node(&mut builder, idx, node, &probe);
            ids.extend(builder.last());
            if node.carries_on {
                builder.failure_policy_for(ids[idx], FailurePolicy::CarryOn);
            }
        }
        for &(first, then) in &case.orders {
            builder.order(ids[first], ids[then]);
        }
        for (resource, _) in (0..).zip(case.writers_first).filter(|one| one.1) {
            builder.policy_for_resource(cell_id(resource), Policy::WritersFirst);
        }
        let mut schedule = builder.build().ok()?;
        on.set(&mut schedule);
        let mut resources = Resources::new();
        (0..N_RESOURCES).for_each(|resource| insert(&mut resources, resource, stock(resource)));
        Some(Self {
            on,
            schedule,
            resources,
            ids,
            probe,
        })
    }

    /// Switches nodes off or on according to `is_off`.
    pub(super) fn switch(&mut self, is_off: &[bool]) {
        for (id, is_off) in self.ids.iter().zip(is_off) {
            self.schedule.set_enabled(*id, !is_off).unwrap();
        }
    }

    /// Returns the results of a run, as data and as text.
    pub(super) fn run(&mut self, faults: &[Option<Fault>]) -> (Outcome, String) {
        *self.probe.faults.lock().unwrap() = faults.to_vec();
        let result = self.on.run(&mut self.schedule, &mut self.resources);
        let error = result.err();
        let mut ran = std::mem::take(&mut *self.probe.ran.lock().unwrap());
        ran.sort_unstable();
        let number = |name: &str| name.parse().unwrap();
        let failures = error.iter().flat_map(RunError::failures).map(|failure| {
            let fault = match &failure.cause {
                Cause::Error(_) => Fault::Error,
                Cause::Panic(_) => Fault::Panic,
                Cause::Missing(_) => Fault::Missing,
                Cause::CommandPanic(_) => Fault::Command,
                other => panic!("{other}"),
            };
            (number(&failure.system.name), fault)
        });
        let skipped = error.iter().flat_map(RunError::skipped);
        let outcome = Outcome {
            ran,
            failures: failures.collect(),
            skipped: skipped.map(|system| number(&system.name)).collect(),
        };
        (
            outcome,
            error.map_or_else(String::new, |error| error.to_string()),
        )
    }

    pub(super) fn restock(&mut self) {
        for resource in 0..N_RESOURCES {
            if value(&self.resources, resource).is_none() {
                insert(&mut self.resources, resource, stock(resource));
            }
        }
    }
}

pub(super) fn first_values() -> Values {
    std::array::from_fn(|resource| Some(stock(resource)))
}

pub(super) fn restocked(values: Values) -> Values {
    std::array::from_fn(|resource| values[resource].or(Some(stock(resource))))
}
