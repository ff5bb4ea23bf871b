//! Builds a random case as a schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};

use schedule::access::ResourceId;
use schedule::error::Cause;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{BuildError, Builder, Condition, FailurePolicy, RunError};
use schedule_hecs::EntityCommands;
use schedule_hecs::prelude::*;

use super::case::{Case, Change, Fault, Node, Visit, Work};
use super::changes::{Recipient, Recorded, bundle, chosen, parts, recorded, written};
use super::interpreter::Outcome;
use super::parts::{A, N, Value, mix, with_part};
use super::{each, pool};
use schedule_tests::on::On;

/// Data that the systems of a schedule share, apart from the world.
#[derive(Default)]
struct Probe {
    /// The failure of each system in this run.
    faults: Mutex<Vec<Option<Fault>>>,
    /// The entities at the start of this run.
    known: Mutex<Vec<Entity>>,
    /// What the systems have computed in this run.
    seen: Mutex<BTreeMap<usize, u64>>,
}

/// The same data as a resource, for `for_each` systems.
#[derive(Resource)]
pub(super) struct Shared(Arc<Probe>);

impl Shared {
    /// Returns the failure of a node in this run.
    pub(super) fn fault(&self, idx: usize) -> Option<Fault> {
        self.0.faults.lock().unwrap()[idx]
    }
}

#[derive(Checkpoint)]
struct SyncPoint;

/// The behaviour that all other systems share.
pub(super) struct Body {
    pub(super) idx: usize,
    pub(super) visit: Visit,
    probe: Arc<Probe>,
}

impl Body {
    /// Returns the failure of this run, and the number that a computation starts with.
    pub(super) fn start(&self) -> (Option<Fault>, u64) {
        let fault = self.probe.faults.lock().unwrap()[self.idx];
        (fault, self.idx as u64 + 1)
    }

    /// Fails as this run requires.
    ///
    /// # Errors
    ///
    /// Fails if the fault is an error.
    pub(super) fn fail(&self, fault: Option<Fault>) -> Result<(), String> {
        match fault {
            None => Ok(()),
            Some(Fault::Error) => Err(format!("error of {}", self.idx)),
            // Without the panic hook, which would print thousands of messages.
            Some(Fault::Panic) => resume_unwind(Box::new(format!("panic of {}", self.idx))),
        }
    }

    /// Records the result of a computation.
    pub(super) fn end(&self, seen: Result<u64, String>) -> Result<(), String> {
        self.probe.seen.lock().unwrap().insert(self.idx, seen?);
        Ok(())
    }

    /// Returns the entities at the start of this run.
    pub(super) fn known(&self) -> Vec<Entity> {
        self.probe.known.lock().unwrap().clone()
    }
}

fn change(world: &mut World, changes: &[Change]) {
    for (number, change) in changes.iter().enumerate() {
        let entities: Vec<Entity> = world.entities().collect();
        match *change {
            Change::Spawn(n, set) => (0..n).for_each(|_| {
                world.spawn(bundle(set, number).build());
            }),
            Change::Despawn(at) => {
                if let Some(entity) = chosen(at, &entities) {
                    world.despawn(entity).unwrap();
                }
            }
            Change::Insert(at, set) => {
                if let Some(entity) = chosen(at, &entities) {
                    world.insert(entity, bundle(set, number).build()).unwrap();
                }
            }
            Change::Remove(at, part) => {
                if let Some(entity) = chosen(at, &entities) {
                    with_part!(part, T => drop(world.remove::<(T,)>(entity)));
                }
            }
            Change::Write(at, part) => {
                if let Some(entity) = chosen(at, &entities) {
                    with_part!(part, T => if let Some(component) = world.get_mut::<T>(entity) {
                        *component = T::new(written(number, part));
                    });
                }
            }
        }
    }
}

fn record(commands: &mut Commands, recorded: &[Recorded]) {
    let mut tickets = Vec::new();
    for command in recorded {
        match *command {
            Recorded::Spawn(set, number) => {
                tickets.push(commands.spawn(bundle(set, number).build()));
            }
            Recorded::SpawnA(number) => _ = commands.spawn((A::new(number),)),
            Recorded::Insert(to, set, number) => {
                entity(commands, to, &tickets).insert(bundle(set, number).build());
            }
            Recorded::Remove(from, part) => with_part!(part, T => {
                entity(commands, from, &tickets).remove::<(T,)>();
            }),
            Recorded::Despawn(of) => entity(commands, of, &tickets).despawn(),
        }
    }
}

fn entity<'c>(
    commands: &'c mut Commands,
    recipient: Recipient,
    tickets: &[Ticket],
) -> EntityCommands<'c> {
    match recipient {
        Recipient::Entity(entity) => commands.entity(entity),
        Recipient::Spawned(nth) => commands.entity(&tickets[nth]),
    }
}

/// A schedule of a case, with a world that persists between runs.
pub(super) struct Subject {
    on: On,
    pub(super) schedule: Schedule,
    resources: Resources,
    probe: Arc<Probe>,
    /// By node.
    can_fail: Vec<bool>,
}

/// Adds the systems and orders of a case.
fn builder(case: &Case, probe: &Arc<Probe>) -> Builder {
    let mut builder = Schedule::builder();
    let mut ids: Vec<Option<NodeId>> = vec![None; case.nodes.len()];
    for idx in (0..case.nodes.len()).filter(|&idx| case.nodes[idx].level.is_none()) {
        add(&mut builder, case, idx, probe, &mut ids);
    }
    for (idx, node) in case.nodes.iter().enumerate() {
        if let Some(condition) = node.condition {
            let condition = Condition::added(ids[condition].unwrap());
            builder.at(ids[idx].unwrap()).run_if(condition);
        }
    }
    for &(first, then) in &case.orders {
        builder.order(ids[first].unwrap(), ids[then].unwrap());
    }
    builder
}

/// Adds a node, and the nodes that it contains.
fn add(
    builder: &mut Builder,
    case: &Case,
    idx: usize,
    probe: &Arc<Probe>,
    ids: &mut [Option<NodeId>],
) {
    let node = &case.nodes[idx];
    let name = idx.to_string();
    let body = |visit| Body {
        idx,
        visit,
        probe: Arc::clone(probe),
    };
    match &node.work {
        Work::Query(nth, visit) => pool::add(builder, *nth, body(*visit)),
        Work::Count => {
            let body = body(Visit::Next);
            builder.add_closure(name, move |world: &World| {
                let ids = world.entities();
                let seen = ids.fold(body.start().1, |seen, id| mix(seen, id.to_bits().get()));
                body.end(Ok(seen))
            });
        }
        Work::Change(changes) => {
            let (body, changes) = (body(Visit::Next), changes.clone());
            builder.add_closure(name, move |world: &mut World| {
                change(world, &changes);
                body.end(Ok(world.len() as u64))
            });
        }
        Work::Each(nth) => each::add(builder, *nth, idx),
        Work::Record(changes) => {
            let (body, changes) = (body(Visit::Next), changes.clone());
            builder.add_closure(name, move |mut commands: Commands| {
                record(&mut commands, &recorded(&changes, &body.known()));
                let (fault, seen) = body.start();
                body.fail(fault)?;
                body.end(Ok(seen))
            });
        }
        Work::ApplyCommands => {
            builder.apply_commands::<SyncPoint>().named(name);
        }
        Work::Condition(nth) => pool::add_condition(builder, *nth, idx),
        Work::Loop(n_iterations) => {
            let n_iterations = *n_iterations;
            let condition = move |mut n_evaluations: Local<u64>| {
                *n_evaluations += 1;
                !n_evaluations.is_multiple_of(n_iterations + 1)
            };
            builder.repeat_while_closure(name, condition, |inner| {
                for idx in (0..case.nodes.len()).filter(|&one| case.nodes[one].level == Some(idx)) {
                    add(inner, case, idx, probe, ids);
                }
                inner
            });
        }
    }
    ids[idx] = builder.last();
    if node.carries_on
        && let Some(id) = ids[idx]
    {
        builder.failure_policy_for(id, FailurePolicy::CarryOn);
    }
}

/// Returns the node of a name: its last number.
pub(super) fn number(name: &str) -> usize {
    let mut numbers = name.rsplit(|c: char| !c.is_ascii_digit());
    numbers
        .find(|one| !one.is_empty())
        .unwrap()
        .parse()
        .unwrap()
}

/// Returns the pairs that race if no policy orders them, with the smaller index first. A node of a loop stands for
/// the loop if the other one is outside.
pub(super) fn races(case: &Case) -> BTreeSet<(usize, usize)> {
    let built = builder(case, &Arc::default()).build();
    let races = built.err().map(|error: BuildError| {
        let races = error.races();
        let pair = races.map(|race| {
            let [a, b] = [&race.first, &race.second].map(|one| number(&one.name));
            case.of_one_level(a, b)
        });
        pair.map(|(a, b)| (a.min(b), a.max(b))).collect()
    });
    races.unwrap_or_default()
}

impl Subject {
    /// Returns `None` if the case is rejected.
    pub(super) fn new(case: &Case, on: On) -> Option<Self> {
        let probe = Arc::default();
        let mut builder = builder(case, &probe);
        builder.policy(Policy::InsertionOrder);
        if let Some(part) = case.writers_first {
            let component = with_part!(part, T => ResourceId::of_component::<World, T>());
            builder.policy_for_resource(component, Policy::WritersFirst);
        }
        let mut schedule = builder.build().ok()?;
        on.set(&mut schedule);
        let mut world = World::new();
        change(&mut world, &case.world);
        let mut resources = Resources::new();
        resources.insert(world);
        resources.insert(Shared(Arc::clone(&probe)));
        Some(Self {
            on,
            schedule,
            resources,
            probe,
            can_fail: case.nodes.iter().map(Node::can_fail).collect(),
        })
    }

    fn world(&mut self) -> &mut World {
        self.resources.get_mut().unwrap()
    }

    /// Returns the results of a run, as data and as text.
    pub(super) fn run(&mut self, faults: &[Option<Fault>]) -> (Outcome, String) {
        let known = self.world().entities().collect();
        *self.probe.known.lock().unwrap() = known;
        let of_nodes = self.can_fail.iter().zip(faults);
        let faults = of_nodes.map(|(&can_fail, fault)| fault.filter(|_| can_fail));
        *self.probe.faults.lock().unwrap() = faults.collect();
        let error = self.on.run(&mut self.schedule, &mut self.resources).err();
        let failures = error.iter().flat_map(RunError::failures).map(|failure| {
            let fault = match &failure.cause {
                Cause::Error(_) => Fault::Error,
                // Borrows of hecs that are already taken panic, too.
                Cause::Panic(panic) => {
                    let expected = format!("panic of {}", number(&failure.system.name));
                    assert_eq!(panic.message(), expected);
                    Fault::Panic
                }
                other => panic!("{other}"),
            };
            (number(&failure.system.name), fault)
        });
        let skipped = error.iter().flat_map(RunError::skipped);
        let mut outcome = Outcome {
            seen: std::mem::take(&mut self.probe.seen.lock().unwrap()),
            failures: failures.collect(),
            skipped: skipped.map(|system| number(&system.name)).collect(),
            missed: Vec::new(),
            n_missed: 0,
            entities: Vec::new(),
        };
        let world = self.world();
        let missed = world.take_missed();
        outcome.missed = missed.first().iter().map(|one| one.kind).collect();
        outcome.n_missed = missed.n_total();
        let entities: Vec<Entity> = world.entities().collect();
        for entity in entities {
            let mut values = [None; N];
            for part in parts(u8::MAX) {
                with_part!(part, T => values[part] = world.get_mut::<T>(entity).map(|one| one.number()));
            }
            outcome.entities.push((entity, values));
        }
        let text = error.map_or_else(String::new, |error| error.to_string());
        (outcome, text)
    }
}
