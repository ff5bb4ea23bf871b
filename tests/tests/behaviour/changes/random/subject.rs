//! A case as two schedules.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};

use schedule::condition::{added, changed, removed};
use schedule::prelude::*;
use schedule::snapshot::{Snapshot, SnapshotReader, SnapshotWriter};
use schedule::{BoxError, Builder, SavedResources, Target};
use schedule_tests::on::On;
use serde::{Deserialize, Serialize};

use super::interpreter::Records;
use super::{Asks, Case, Ends, N_RESOURCES, Node, Step, Work, dice};

macro_rules! watched {
    ($($name:ident $saved:tt),*) => {$(
        #[derive(Debug, Default, Resource, Snapshot, Serialize, Deserialize)]
        #[snapshot(name = $saved)]
        struct $name(u64);

        impl Watched for $name {
            fn value(&mut self) -> &mut u64 {
                &mut self.0
            }
        }
    )*};
}

trait Watched: Resource + Default {
    fn value(&mut self) -> &mut u64;
}

watched!(First "first", Second "second", Third "third");

impl Foldable for Third {
    type Partial = u64;

    fn join(&mut self, partial: u64) {
        self.0 += partial;
    }
}

#[derive(Checkpoint)]
struct Applied;

/// Calls a generic function with the type of a resource.
macro_rules! with_type {
    ($resource:expr, $function:ident($($argument:expr),*)) => {
        match $resource {
            0 => $function::<First>($($argument),*),
            1 => $function::<Second>($($argument),*),
            _ => $function::<Third>($($argument),*),
        }
    };
}

/// What the systems of both schedules share. Not a resource, because it changes nothing.
#[derive(Default)]
struct Shared {
    seed: u64,
    n_runs: u64,
    n_executions: BTreeMap<usize, u64>,
    records: Records,
}

/// A node's way to the shared data.
#[derive(Clone)]
struct Access {
    shared: Arc<Mutex<Shared>>,
    node: usize,
}

impl Access {
    fn roll(&self) -> (u64, u64) {
        let shared = &mut *self.shared.lock().unwrap();
        let nth = shared.n_executions.entry(self.node).or_default();
        *nth += 1;
        (dice(shared.seed, shared.n_runs, self.node, *nth), *nth)
    }

    fn record(&self, text: String) {
        let shared = &mut *self.shared.lock().unwrap();
        shared.records.entry(self.node).or_default().push(text);
    }

    fn end(&self, dice: u64) -> Result<(), BoxError> {
        let ends = Ends::of(dice);
        self.record(format!("{ends:?}"));
        match ends {
            Ends::Well => Ok(()),
            Ends::Fails => Err("failed".into()),
            // Without a message on the terminal.
            Ends::Panics => resume_unwind(Box::new("panicked")),
        }
    }
}

pub(super) struct Subject<'a> {
    case: &'a Case,
    on: On,
    shared: Arc<Mutex<Shared>>,
    schedules: [Schedule; 2],
    resources: Resources,
}

fn saved() -> SavedResources {
    SavedResources::new()
        .with_optional::<First>()
        .with_optional::<Second>()
        .with_optional::<Third>()
}

impl<'a> Subject<'a> {
    pub(super) fn new(case: &'a Case, on: On) -> Self {
        let mut resources = Resources::new();
        resources.insert(First(0));
        resources.insert(Second(0));
        resources.insert(Third(0));
        let shared = Arc::new(Mutex::new(Shared {
            seed: case.seed,
            ..Shared::default()
        }));
        Self::with(case, on, shared, resources)
    }

    fn with(case: &'a Case, on: On, shared: Arc<Mutex<Shared>>, resources: Resources) -> Self {
        let schedules = case.schedules.each_ref().map(|nodes| {
            let mut builder = Schedule::builder();
            builder.policy(Policy::InsertionOrder);
            add_all(&mut builder, nodes, &shared, &mut BTreeMap::new());
            let mut schedule = builder.build().expect("the schedule has no problem");
            on.set(&mut schedule);
            schedule
        });
        Self {
            case,
            on,
            shared,
            schedules,
            resources,
        }
    }

    pub(super) fn step(&mut self, step: Step) -> Records {
        match step {
            Step::Run(nth) => {
                let _ = self.on.run(&mut self.schedules[nth], &mut self.resources);
                let shared = &mut *self.shared.lock().unwrap();
                shared.n_runs += 1;
                shared.n_executions.clear();
                return core::mem::take(&mut shared.records);
            }
            Step::Insert(resource) => with_type!(resource, insert(&mut self.resources)),
            Step::Remove(resource) => with_type!(resource, remove(&mut self.resources)),
            Step::Write(resource) => with_type!(resource, write(&mut self.resources)),
            Step::Read(resource) => with_type!(resource, read(&self.resources)),
        }
        Records::new()
    }

    pub(super) fn save(&mut self) -> Vec<Vec<u8>> {
        let mut bytes = vec![saved().save(&self.resources).unwrap()];
        for schedule in &mut self.schedules {
            let mut writer = SnapshotWriter::new();
            writer.section(&schedule.save_state().unwrap()).unwrap();
            bytes.push(writer.finish());
        }
        bytes
    }

    /// The same in a new program.
    pub(super) fn restored(&self, bytes: &[Vec<u8>]) -> Self {
        let shared = Arc::clone(&self.shared);
        let mut restored = Self::with(self.case, self.on, shared, Resources::new());
        saved().restore(&bytes[0], &mut restored.resources).unwrap();
        for (schedule, bytes) in restored.schedules.iter_mut().zip(&bytes[1..]) {
            let state = SnapshotReader::new(bytes).unwrap().restore().unwrap();
            schedule.restore_state(&state).unwrap();
        }
        restored
    }
}

fn insert<R: Watched>(resources: &mut Resources) {
    resources.insert(R::default());
}

fn remove<R: Watched>(resources: &mut Resources) {
    resources.remove::<R>();
}

fn write<R: Watched>(resources: &mut Resources) {
    if let Some(value) = resources.get_mut::<R>() {
        *value.value() += 1;
    }
}

fn read<R: Watched>(resources: &Resources) {
    let _ = resources.get::<R>();
}

/// Adds the nodes. `ids`: those of the conditions so far.
fn add_all(
    builder: &mut Builder,
    nodes: &[Node],
    shared: &Arc<Mutex<Shared>>,
    ids: &mut BTreeMap<usize, Target>,
) {
    for node in nodes {
        let access = Access {
            shared: Arc::clone(shared),
            node: node.number,
        };
        let name = format!("node {}", node.number);
        let leaves = node.leaves.iter().map(|(condition, is_true)| {
            let leaf = Condition::added(ids[condition].clone());
            if *is_true { leaf } else { !leaf }
        });
        let guard = leaves.reduce(|all, leaf| if node.is_any { all | leaf } else { all & leaf });
        match &node.work {
            Work::Plain(resource) => with_type!(resource, add_plain(builder, &name, access)),
            Work::Noted(resource) => with_type!(resource, add_noted(builder, &name, access)),
            Work::Look(resource) => with_type!(resource, add_look(builder, &name, access)),
            Work::Command(resource) => {
                with_type!(resource, add_command(builder, &name, access, *resource));
            }
            Work::Fold => {
                builder.add_closure(name, move |mut third: Fold<Third>| {
                    *third += 1;
                    access.end(access.roll().0)
                });
            }
            Work::SyncPoint => _ = builder.apply_commands::<Applied>(),
            Work::Asks(asks) => {
                match asks {
                    Asks::Changed(resource) => with_type!(resource, add_changed(builder)),
                    Asks::Added(resource) => with_type!(resource, add_added(builder)),
                    Asks::Removed(resource) => with_type!(resource, add_removed(builder)),
                    Asks::Dice => {
                        _ = builder.add_closure(name, move || access.roll().0 & 1 == 1);
                    }
                }
                ids.insert(node.number, builder.last().unwrap().into());
            }
            Work::Loop(body) => {
                let condition = move || {
                    let (dice, nth) = access.roll();
                    dice & 3 != 0 && nth <= 5
                };
                builder.repeat_while_closure(name, condition, |builder| {
                    add_all(builder, body, shared, ids);
                    builder
                });
            }
        }
        if let Some(guard) = guard {
            builder.run_if(guard);
        }
    }
}

fn add_plain<R: Watched>(builder: &mut Builder, name: &str, access: Access) {
    builder.add_closure(name, move |value: Option<&mut R>| {
        if let Some(value) = value {
            *value.value() += 1;
        }
        access.end(access.roll().0)
    });
}

fn add_noted<R: Watched>(builder: &mut Builder, name: &str, access: Access) {
    builder.add_closure(name, move |value: Option<Mut<R>>| {
        let (dice, _) = access.roll();
        if let Some(mut value) = value
            && dice & 1 == 1
        {
            *value.value() += 1;
        }
        access.end(dice)
    });
}

fn add_look<R: Watched>(builder: &mut Builder, name: &str, access: Access) {
    builder.add_closure(name, move |value: Option<Ref<R>>| {
        access.record(match value {
            None => "missing".to_string(),
            Some(value) => format!("{} {}", value.is_changed(), value.is_added()),
        });
    });
}

fn add_command<R: Watched>(builder: &mut Builder, name: &str, access: Access, nth: usize) {
    builder.add_closure(name, move |mut commands: Commands| {
        let (dice, _) = access.roll();
        commands.push(move |resources| match dice & 3 {
            0 => insert::<R>(resources),
            1 if nth < N_RESOURCES - 1 => remove::<R>(resources),
            2 => write::<R>(resources),
            _ => {}
        });
        access.end(dice)
    });
}

fn add_changed<R: Watched>(builder: &mut Builder) {
    builder.add::<changed<R>>();
}

fn add_added<R: Watched>(builder: &mut Builder) {
    builder.add::<added<R>>();
}

fn add_removed<R: Watched>(builder: &mut Builder) {
    builder.add::<removed<R>>();
}
