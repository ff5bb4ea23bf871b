//! Random schedules that write and watch resources. All executors and an interpreter must find the same changes.
//!
//! Two schedules share the resources, and the program writes between their runs. In the middle, both and the resources are saved, and
//! restored in a new program.

mod interpreter;
mod subject;

use proptest::prelude::*;
use schedule_tests::n_cases;
use schedule_tests::on::On;

use self::interpreter::Interpreter;
use self::subject::Subject;

/// The number of watched resources. The last one is folded into, so it is never removed.
pub(super) const N_RESOURCES: usize = 3;

/// The condition of a guard.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asks {
    Changed(usize),
    Added(usize),
    Removed(usize),
    /// A dice.
    Dice,
}

#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Takes `&mut T`.
    Plain(usize),
    /// Takes `Mut<T>`, and writes through it if a dice says so.
    Noted(usize),
    /// Takes `Ref<T>`.
    Look(usize),
    /// Inserts, writes or removes the resource later.
    Command(usize),
    Fold,
    SyncPoint,
    Asks(Asks),
    /// The body.
    Loop(Vec<Node>),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    /// Picks conditions among those before the node, at its level or further out. The answer that each needs.
    guard: Vec<(prop::sample::Index, bool)>,
    /// Whether one true leaf is enough.
    pub(super) is_any: bool,
    /// Its number in the schedule.
    pub(super) number: usize,
    /// The numbers of the conditions in its guard.
    pub(super) leaves: Vec<(usize, bool)>,
}

/// What the program does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Run(usize),
    Insert(usize),
    Remove(usize),
    Write(usize),
    Read(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) schedules: [Vec<Node>; 2],
    steps: Vec<Step>,
    /// The number of steps before the restore.
    restored_after: prop::sample::Index,
    pub(super) seed: u64,
}

/// The decision of a node in one execution, as a number. `nth`: the number of the execution in this run.
pub(super) fn dice(seed: u64, run: u64, node: usize, nth: u64) -> u64 {
    let mut hash = seed;
    for part in [run, node as u64, nth] {
        hash = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash
}

/// How an execution of a system ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ends {
    Well,
    Fails,
    Panics,
}

impl Ends {
    pub(super) fn of(dice: u64) -> Self {
        match dice >> 8 & 7 {
            0 => Self::Fails,
            1 => Self::Panics,
            _ => Self::Well,
        }
    }
}

fn asks() -> impl Strategy<Value = Work> {
    let resource = 0..N_RESOURCES;
    prop_oneof![
        4 => resource.clone().prop_map(Asks::Changed),
        2 => resource.clone().prop_map(Asks::Added),
        2 => resource.prop_map(Asks::Removed),
        2 => Just(Asks::Dice),
    ]
    .prop_map(Work::Asks)
}

fn node(work: impl Strategy<Value = Work>) -> impl Strategy<Value = Node> {
    let leaf = (any::<prop::sample::Index>(), prop::bool::weighted(0.8));
    let guard = prop::collection::vec(leaf, 0..3);
    (work, guard, any::<bool>()).prop_map(|(work, guard, is_any)| Node {
        work,
        guard,
        is_any,
        number: 0,
        leaves: Vec::new(),
    })
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let resource = 0..N_RESOURCES;
    let work = prop_oneof![
        3 => resource.clone().prop_map(Work::Plain),
        3 => resource.clone().prop_map(Work::Noted),
        3 => resource.clone().prop_map(Work::Look),
        2 => resource.prop_map(Work::Command),
        1 => Just(Work::Fold),
        1 => Just(Work::SyncPoint),
        6 => asks(),
    ];
    let flat = prop::collection::vec(node(work), 1..9).boxed();
    let in_loops = flat.clone().prop_recursive(2, 16, 2, |inner| {
        (
            prop::collection::vec(node(asks()), 0..2),
            node(inner.prop_map(Work::Loop)),
        )
            .prop_map(|(mut all, one)| {
                all.push(one);
                all
            })
    });
    (flat.clone(), in_loops, flat, any::<bool>()).prop_map(|(mut all, inner, last, has_loops)| {
        if has_loops {
            all.extend(inner);
            all.extend(last);
        }
        all
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let resource = 0..N_RESOURCES;
    let removable = 0..N_RESOURCES - 1;
    let step = prop_oneof![
        6 => (0..2_usize).prop_map(Step::Run),
        1 => resource.clone().prop_map(Step::Insert),
        1 => removable.prop_map(Step::Remove),
        1 => resource.clone().prop_map(Step::Write),
        1 => resource.prop_map(Step::Read),
    ];
    let steps = prop::collection::vec(step, 2..16);
    (
        [nodes(), nodes()],
        steps,
        any::<prop::sample::Index>(),
        any::<u64>(),
    )
        .prop_map(|(mut schedules, steps, restored_after, seed)| {
            for schedule in &mut schedules {
                number(schedule, &mut 0, &mut Vec::new());
            }
            Case {
                schedules,
                steps,
                restored_after,
                seed,
            }
        })
}

/// Numbers the nodes, and picks the conditions of their guards. `known`: the conditions so far.
fn number(nodes: &mut [Node], next: &mut usize, known: &mut Vec<usize>) {
    let n_outside = known.len();
    for node in nodes {
        node.number = *next;
        *next += 1;
        if !known.is_empty() {
            let leaves = node.guard.iter();
            let leaves =
                leaves.map(|(picked, is_true)| (known[picked.index(known.len())], *is_true));
            node.leaves = leaves.collect();
        }
        match &mut node.work {
            Work::Asks(_) => known.push(node.number),
            Work::Loop(body) => number(body, next, known),
            _ => {}
        }
    }
    known.truncate(n_outside);
}

impl Case {
    fn has_loops(&self) -> bool {
        let mut nodes = self.schedules.iter().flatten();
        nodes.any(|node| matches!(node.work, Work::Loop(_)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(400))
    })]

    #[test]
    fn every_executor_finds_the_changes_of_the_reference_model(case in cases()) {
        let restored_after = case.restored_after.index(case.steps.len());
        for &on in On::EACH {
            if matches!(on, On::Timetabled(_)) && case.has_loops() {
                continue; // Only without loops.
            }
            let mut law = Interpreter::new(&case);
            let mut subject = Subject::new(&case, on);
            for (nth, &step) in case.steps.iter().enumerate() {
                if nth == restored_after {
                    let bytes = subject.save();
                    subject = subject.restored(&bytes);
                    prop_assert_eq!(subject.save(), bytes, "step {} {:?}", nth, on);
                }
                let expected = law.step(step);
                let found = subject.step(step);
                prop_assert_eq!(found, expected, "step {} {:?}", nth, on);
            }
        }
    }
}
