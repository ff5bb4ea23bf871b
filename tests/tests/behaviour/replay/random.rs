//! Random schedules with random inputs: the recording is the same on every executor, and is replayed on every executor.

use proptest::prelude::*;
use schedule::dynamic::{DynamicSystem, View};
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::replay::{RecordedResources, Recorder, Replayer};
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use schedule::{Builder, FailurePolicy};

use super::{diverged, frames};
use crate::levels::for_each_case;
use crate::numbered::{Cell, with_cells, with_number};
use schedule_tests::on::On;

const N_CELLS: usize = 6;

/// The cells with these numbers and higher ones are inputs.
const FIRST_INPUT: usize = 4;

impl<const N: usize> Snapshot for Cell<N> {
    const NAME: &'static str = ["cell 0", "cell 1", "cell 2", "cell 3", "cell 4", "cell 5"][N];
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.0)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Ok(Self(from.read()?))
    }

    fn schema() -> Schema {
        Schema::of::<u64>()
    }
}

fn recorded() -> RecordedResources {
    RecordedResources::new()
        .state::<Cell<0>>()
        .state::<Cell<1>>()
        .state::<Cell<2>>()
        .state::<Cell<3>>()
        .input::<Cell<4>>()
        .input::<Cell<5>>()
}

/// A system, a condition or a loop.
#[derive(Clone, Debug)]
struct Node {
    /// Of each cell, whether it is written. `None` if it is not accessed. Inputs are only read.
    uses: [Option<bool>; N_CELLS],
    work: Work,
    /// The condition, of those before it at its level or outside, and whether it is negated.
    guard: Option<(prop::sample::Index, bool)>,
    carries_on: bool,
}

#[derive(Clone, Debug)]
enum Work {
    /// Fails if the digest of its values is a multiple of this number.
    System(u64),
    Condition,
    SyncPoint,
    /// Repeats the body while the digest is not a multiple of 3, at most this often. Fails if it would go on.
    Loop(u64, Vec<Node>),
}

fn nodes(depth: u32) -> BoxedStrategy<Vec<Node>> {
    let work = prop_oneof![
        4 => (3..40_u64).prop_map(Work::System),
        3 => Just(Work::Condition),
        1 => Just(Work::SyncPoint),
    ];
    let work = match depth {
        0 => work.boxed(),
        _ => {
            let body = (2..9_u64, nodes(depth - 1)).prop_map(|(n, body)| Work::Loop(n, body));
            prop_oneof![4 => work, 1 => body].boxed()
        }
    };
    let uses = [(); N_CELLS].map(|()| prop::option::weighted(0.35, any::<bool>()));
    let guard = prop::option::weighted(0.6, any::<(prop::sample::Index, bool)>());
    let node = (uses, work, guard, prop::bool::weighted(0.2)).prop_map(
        |(mut uses, work, guard, carries_on)| {
            for one in uses[FIRST_INPUT..].iter_mut().flatten() {
                *one = false;
            }
            Node {
                uses,
                work,
                guard,
                carries_on,
            }
        },
    );
    prop::collection::vec(node, 1..if depth == 2 { 12 } else { 4 }).boxed()
}

/// The changes before a run: the inputs, and the system that is switched.
#[derive(Clone, Debug)]
struct Change {
    /// Of each input: removes it, sets it, or leaves it.
    inputs: [Option<Option<u8>>; N_CELLS - FIRST_INPUT],
    switched: Option<prop::sample::Index>,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let input = || {
        prop_oneof![
            3 => Just(None),
            6 => any::<u8>().prop_map(|value| Some(Some(value))),
            1 => Just(Some(None)),
        ]
    };
    let switched = prop::option::weighted(0.3, any::<prop::sample::Index>());
    let change =
        ([input(), input()], switched).prop_map(|(inputs, switched)| Change { inputs, switched });
    prop::collection::vec(change, 1..12)
}

fn mix(digest: u64, value: u64) -> u64 {
    (digest ^ value)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(23)
}

/// Returns the digest of all values of a node, and writes it. `salt`: changes the digest.
fn run(view: &mut View<'_>, number: usize, uses: &[Option<bool>; N_CELLS], salt: u64) -> u64 {
    let mut digest = mix(number as u64, salt);
    for cell in (0..N_CELLS).filter(|&cell| uses[cell].is_some()) {
        let value = with_number!(cell, N => view.get::<Cell<N>>().map_or(0, |cell| cell.0));
        digest = mix(digest, value);
    }
    for cell in (0..N_CELLS).filter(|&cell| uses[cell] == Some(true)) {
        with_number!(cell, N => if let Ok(cell) = view.get_mut::<Cell<N>>() {
            cell.0 = mix(digest, cell.0);
        });
    }
    digest
}

/// Adds the nodes of a case to a builder.
struct Adding {
    n_added: usize,
    /// The node that decides differently.
    salted: Option<usize>,
    /// The conditions that can guard the next node.
    conditions: Vec<NodeId>,
    ids: Vec<NodeId>,
}

#[derive(Checkpoint)]
struct SyncPoint;

impl Adding {
    fn add<'b>(&mut self, builder: &'b mut Builder, nodes: &[Node]) -> &'b mut Builder {
        let n_outside = self.conditions.len();
        for node in nodes {
            self.add_node(builder, node);
        }
        self.conditions.truncate(n_outside);
        builder
    }

    fn add_node(&mut self, builder: &mut Builder, node: &Node) {
        let number = self.n_added;
        self.n_added += 1;
        let (uses, name) = (node.uses, format!("n{number}"));
        let salt = u64::from(self.salted == Some(number));
        match &node.work {
            &Work::System(fails) => {
                let system = DynamicSystem::new(name, move |view| {
                    if run(view, number, &uses, salt).is_multiple_of(fails) {
                        Err(format!("failure of {number}"))
                    } else {
                        Ok(())
                    }
                });
                builder.add_dynamic(with_cells(system, &uses));
            }
            Work::Condition => {
                let system = DynamicSystem::new(name, move |view| {
                    run(view, number, &uses, salt).is_multiple_of(2)
                });
                builder.add_dynamic(with_cells(system, &uses));
            }
            Work::SyncPoint => {
                builder.apply_commands::<SyncPoint>().named(name);
            }
            Work::Loop(at_most, body) => {
                let mut n_asked = 0_u64;
                let system = DynamicSystem::new(name, move |view| {
                    n_asked += 1;
                    !mix(run(view, number, &uses, salt), n_asked).is_multiple_of(3)
                });
                builder.repeat_while_dynamic(with_cells(system, &uses), |builder| {
                    self.add(builder, body)
                });
                builder.at_most(*at_most);
            }
        }
        let id = builder.last();
        if let Some((guard, is_negated)) = &node.guard
            && !self.conditions.is_empty()
        {
            let condition = Condition::added(self.conditions[guard.index(self.conditions.len())]);
            builder.run_if(if *is_negated { !condition } else { condition });
        }
        let Some(id) = id else { return };
        if node.carries_on {
            builder.failure_policy_for(id, FailurePolicy::CarryOn);
        }
        if let Work::Condition = node.work {
            self.conditions.push(id);
        }
        self.ids.push(id);
    }
}

fn schedule(nodes: &[Node], salted: Option<usize>, on: On) -> (Schedule, Vec<NodeId>) {
    let mut adding = Adding {
        n_added: 0,
        salted,
        conditions: Vec::new(),
        ids: Vec::new(),
    };
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    adding.add(&mut builder, nodes);
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    (schedule, adding.ids)
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    for cell in 0..N_CELLS {
        with_number!(cell, N => { resources.insert(Cell::<N>(N as u64)); });
    }
    resources
}

/// Records a run after each change. Also returns the results as texts.
fn record(
    nodes: &[Node],
    changes: &[Change],
    salted: Option<usize>,
    on: On,
) -> (Vec<u8>, Vec<String>) {
    let (mut schedule, ids) = schedule(nodes, salted, on);
    let mut resources = resources();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    let mut texts = Vec::new();
    for change in changes {
        for (input, value) in (FIRST_INPUT..).zip(change.inputs) {
            with_number!(input, N => match value {
                None => {}
                Some(None) => drop(resources.remove::<Cell<N>>()),
                Some(Some(value)) => drop(resources.insert(Cell::<N>(value.into()))),
            });
        }
        if let Some(switched) = &change.switched
            && !ids.is_empty()
        {
            let id = *switched.get(&ids);
            let is_enabled = schedule.is_enabled(id).unwrap();
            schedule.set_enabled(id, !is_enabled).unwrap();
        }
        texts.push(super::text(recorder.run(&mut schedule, &mut resources)));
    }
    (recorder.finish().unwrap(), texts)
}

const ON: [On; 5] = [
    On::Serial,
    On::Threads(1),
    On::Threads(2),
    On::Threads(4),
    On::Auto,
];

#[test]
fn recordings_are_the_same_on_every_executor_and_replayed_on_every_executor() {
    for_each_case(&(nodes(2), changes()), |(nodes, changes)| {
        let (bytes, texts) = record(&nodes, &changes, None, On::Serial);
        for on in ON {
            let (bytes_on, texts_on) = record(&nodes, &changes, None, on);
            prop_assert_eq!(&texts_on, &texts, "{:?}", on);
            prop_assert!(bytes_on == bytes, "{:?}", on);
            let (mut schedule, _) = schedule(&nodes, None, on);
            let mut resources = Resources::new();
            let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
            for text in &texts {
                let run = replayer
                    .run(&mut schedule, &mut resources)
                    .unwrap_or_else(|error| panic!("{on:?} {error}"));
                prop_assert_eq!(&super::text(run.unwrap().result), text, "{:?}", on);
            }
            let end = replayer.run(&mut schedule, &mut resources);
            prop_assert!(end.unwrap().is_none());
        }
        Ok(())
    });
}

/// Another version of one system: the run that is reported is the first one whose recorded decisions differ.
#[test]
fn first_run_of_another_version_that_differs_is_found() {
    let all = (nodes(2), changes(), any::<prop::sample::Index>());
    for_each_case(&all, |(nodes, changes, salted)| {
        let (bytes, _) = record(&nodes, &changes, None, On::Serial);
        let salted = Some(salted.index(nodes.len()));
        let (other, _) = record(&nodes, &changes, salted, On::Serial);
        let ends = |bytes| frames(bytes).into_iter().filter(|frame| frame.kind == 4);
        let mut pairs = ends(&bytes).zip(ends(&other));
        let expected = pairs.position(|(one, other)| one.content != other.content);
        for on in [On::Serial, On::Threads(2)] {
            let (mut schedule, _) = schedule(&nodes, salted, on);
            let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
            let result = replayer.run_all(&mut schedule, &mut Resources::new());
            match expected {
                None => prop_assert_eq!(result.unwrap(), changes.len() as u64),
                Some(expected) => {
                    let divergence = diverged(result);
                    prop_assert_eq!(divergence.nth_run, expected as u64, "{}", divergence);
                    prop_assert!(!divergence.systems.is_empty());
                }
            }
        }
        Ok(())
    });
}
