//! Builds a random case as a schedule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use schedule::access::ResourceId;
use schedule::error::Cause;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{BuildError, Builder, FailurePolicy, RunError};
use schedule_hecs::prelude::*;

use super::case::{Case, Change, Fault, Work};
use super::interpreter::{Outcome, Visit, bundle, chosen, parts, written};
use super::parts::{N, Value, mix, with_part};
use super::pool;
use crate::on::On;

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

/// The behaviour that all systems share.
pub(super) struct Body {
    pub(super) idx: usize,
    pub(super) visit: Visit,
    probe: Arc<Probe>,
}

impl Body {
    /// Returns the failure of this run, and the number that a computation starts with.
    pub(super) fn start(&self) -> (Option<Fault>, u64) {
        (
            self.probe.faults.lock().unwrap()[self.idx],
            self.idx as u64 + 1,
        )
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
                    with_part!(part, T => if let Some(component) = world.get::<T>(entity) {
                        *component = T::new(written(number, part));
                    });
                }
            }
        }
    }
}

/// A schedule of a case, with a world that persists between runs.
pub(super) struct Subject {
    on: On,
    pub(super) schedule: Schedule,
    resources: Resources,
    probe: Arc<Probe>,
}

/// Adds the systems and orders of a case.
fn builder(case: &Case, probe: &Arc<Probe>) -> Builder {
    let mut builder = Schedule::builder();
    let mut ids: Vec<NodeId> = Vec::new();
    for (idx, node) in case.nodes.iter().enumerate() {
        let body = |visit| Body {
            idx,
            visit,
            probe: Arc::clone(probe),
        };
        match &node.work {
            Work::Query(nth, visit) => pool::add(&mut builder, *nth, body(*visit)),
            Work::Count => {
                let body = body(Visit::Next);
                builder.add_closure(idx.to_string(), move |world: &World| {
                    let ids = world.entities();
                    let seen = ids.fold(body.start().1, |seen, id| mix(seen, id.to_bits().get()));
                    body.end(Ok(seen))
                });
            }
            Work::Change(changes) => {
                let (body, changes) = (body(Visit::Next), changes.clone());
                builder.add_closure(idx.to_string(), move |world: &mut World| {
                    change(world, &changes);
                    body.end(Ok(world.len() as u64))
                });
            }
        }
        ids.extend(builder.last());
        if node.carries_on {
            builder.failure_policy_for(ids[idx], FailurePolicy::CarryOn);
        }
    }
    for &(first, then) in &case.orders {
        builder.order(ids[first], ids[then]);
    }
    builder
}

/// Returns the pairs that race if no policy orders them, with the smaller index first.
pub(super) fn races(case: &Case) -> Vec<(usize, usize)> {
    let built = builder(case, &Arc::default()).build();
    let races = built.err().map(|error: BuildError| {
        let number = |name: &str| name.parse::<usize>().unwrap();
        let races = error.races();
        let pair = races.map(|race| (number(&race.first.name), number(&race.second.name)));
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
        Some(Self {
            on,
            schedule,
            resources,
            probe,
        })
    }

    fn world(&mut self) -> &mut World {
        self.resources.get_mut().unwrap()
    }

    /// Returns the results of a run, as data and as text.
    pub(super) fn run(&mut self, faults: &[Option<Fault>]) -> (Outcome, String) {
        let known = self.world().entities().collect();
        *self.probe.known.lock().unwrap() = known;
        *self.probe.faults.lock().unwrap() = faults.to_vec();
        let error = self.on.run(&mut self.schedule, &mut self.resources).err();
        let number = |name: &str| name.parse().unwrap();
        let failures = error.iter().flat_map(RunError::failures).map(|failure| {
            let fault = match &failure.cause {
                Cause::Error(_) => Fault::Error,
                // Borrows of hecs that are already taken panic, too.
                Cause::Panic(panic) => {
                    let expected = format!("panic of {}", failure.system.name);
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
            entities: Vec::new(),
        };
        let world = self.world();
        let entities: Vec<Entity> = world.entities().collect();
        for entity in entities {
            let mut values = [None; N];
            for part in parts(u8::MAX) {
                with_part!(part, T => values[part] = world.get::<T>(entity).map(|one| one.number()));
            }
            outcome.entities.push((entity, values));
        }
        let text = error.map_or_else(String::new, |error| error.to_string());
        (outcome, text)
    }
}
