//! Random schedules with folds, loops, orders, failures and panics. All executors must agree with a sequential loop, in which each system
//! joins its partial results as soon as it has finished.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use schedule::Builder;
use schedule::dynamic::ClosureSystem;
use schedule::prelude::*;

use super::never;
use schedule_tests::n_cases;
use schedule_tests::on::On;

const N_RUNS: u32 = 3;

/// The number in a partial result whose join panics.
const POISON: u32 = u32::MAX;

#[derive(Resource, Default)]
struct List<const N: usize>(Vec<u32>);

impl<const N: usize> Foldable for List<N> {
    type Partial = Vec<u32>;

    fn join(&mut self, mut partial: Vec<u32>) {
        assert!(!partial.contains(&POISON));
        self.0.append(&mut partial);
    }
}

#[system]
fn ever() -> bool {
    true
}

/// How a system uses a list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    No,
    Read,
    Write,
    Fold,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Error,
    Panic,
    /// A join of the system panics.
    Join,
}

#[derive(Clone, Debug)]
struct System {
    kinds: [Kind; 2],
    /// The fault, and the execution in which it occurs.
    fault: Option<(Fault, u32)>,
    /// Whether the system runs after this earlier system of its level. The distance is taken modulo the number of systems before it.
    after: Option<usize>,
    /// The answer of the condition that guards the system. Such a system runs after no other.
    guard: Option<bool>,
}

#[derive(Clone, Debug)]
enum Node {
    System(System),
    /// A loop: how its condition uses the lists, the number of iterations, and the body.
    Loop([Kind; 2], u32, Vec<Node>),
}

fn kinds() -> impl Strategy<Value = [Kind; 2]> {
    let kind = prop_oneof![
        4 => Just(Kind::No),
        2 => Just(Kind::Read),
        1 => Just(Kind::Write),
        6 => Just(Kind::Fold),
    ];
    prop::array::uniform2(kind)
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let fault = prop_oneof![
        2 => Just(Fault::Error),
        2 => Just(Fault::Panic),
        1 => Just(Fault::Join),
    ];
    let fault = prop::option::weighted(0.15, (fault, 0..6_u32));
    let after = prop::option::weighted(0.2, 0..10_usize);
    let guard = prop::option::weighted(0.4, prop::bool::ANY);
    let system = (kinds(), fault, after, guard).prop_map(|(kinds, fault, after, guard)| {
        let after = after.filter(|_| !matches!(fault, Some((Fault::Join, _))));
        Node::System(System {
            kinds,
            fault,
            after: after.filter(|_| guard.is_none()),
            guard,
        })
    });
    let node = system.prop_recursive(2, 30, 5, |node| {
        let body = prop::collection::vec(node, 0..5);
        (kinds(), 0..3_u32, body).prop_map(|(kinds, n, body)| Node::Loop(kinds, n, body))
    });
    prop::collection::vec(node, 1..9)
}

/// What happened in a run: the values that systems read, by system, and the failed and skipped systems.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    read: Vec<(String, Vec<u32>)>,
    failed: Vec<String>,
    skipped: Vec<String>,
}

type Read = Arc<Mutex<Vec<(String, Vec<u32>)>>>;

/// A parameter that uses a list in one way.
trait Uses {
    /// Uses the list in an execution of the system `name`, with a number of its own.
    fn apply(self, name: &str, number: u32, read: &Read);
}

impl Uses for () {
    fn apply(self, _: &str, _: u32, _: &Read) {}
}

impl<const N: usize> Uses for &List<N> {
    fn apply(self, name: &str, _: u32, read: &Read) {
        read.lock()
            .unwrap()
            .push((name.to_string(), self.0.clone()));
    }
}

impl<const N: usize> Uses for &mut List<N> {
    fn apply(self, name: &str, number: u32, read: &Read) {
        (&*self).apply(name, number, read);
        self.0.push(number);
    }
}

impl<const N: usize> Uses for Fold<'_, List<N>> {
    fn apply(mut self, _: &str, number: u32, _: &Read) {
        self.push(number);
    }
}

/// Calls `$then!(A, B)` with the parameters of two kinds of uses.
macro_rules! with_kinds {
    ($kinds:expr, $then:ident) => {
        with_kinds!(@ $kinds, $then,
            (No, ()) (Read, &List<0>) (Write, &mut List<0>) (Fold, Fold<List<0>>))
    };
    (@ $kinds:expr, $then:ident, $(($kind:ident, $ty:ty))*) => {
        match $kinds {
            $(
                [Kind::$kind, Kind::No] => $then!($ty, ()),
                [Kind::$kind, Kind::Read] => $then!($ty, &List<1>),
                [Kind::$kind, Kind::Write] => $then!($ty, &mut List<1>),
                [Kind::$kind, Kind::Fold] => $then!($ty, Fold<List<1>>),
            )*
        }
    };
}

impl System {
    /// The number that an execution writes.
    fn number(&self, name: &str, n_runs: u32) -> u32 {
        match self.fault {
            Some((Fault::Join, at)) if at == n_runs => POISON,
            _ => name.bytes().map(u32::from).sum::<u32>() + 10_000 * n_runs,
        }
    }

    fn add(&self, builder: &mut Builder, name: &str, read: &Read) {
        let (own, read, mut n_runs) = (self.clone(), Arc::clone(read), 0);
        let label = name.to_string();
        let run = move |one: &mut dyn FnMut(&str, u32, &Read)| {
            n_runs += 1;
            one(&label, own.number(&label, n_runs), &read);
            match own.fault {
                Some((Fault::Error, at)) if at == n_runs => Err("an error"),
                Some((Fault::Panic, at)) if at == n_runs => panic!("a panic"),
                _ => Ok(()),
            }
        };
        macro_rules! add {
            ($first:ty, $second:ty) => {{
                let mut run = run;
                builder.add_closure(name, move |first: $first, second: $second| {
                    let mut both = Some((first, second));
                    run(&mut |name, number, read| {
                        let (first, second) = both.take().expect("one call");
                        first.apply(name, number, read);
                        second.apply(name, number, read);
                    })
                });
            }};
        }
        with_kinds!(self.kinds, add);
        match self.guard {
            Some(false) => builder.run_if(schedule::Condition::of::<never>()),
            Some(true) => builder.run_if(schedule::Condition::of::<ever>()),
            None => builder,
        };
    }
}

/// Adds the nodes of a level. The names of the nodes are paths.
fn add(builder: &mut Builder, nodes: &[Node], path: &str, read: &Read) {
    for (idx, node) in nodes.iter().enumerate() {
        let name = format!("{path}{idx}");
        match node {
            Node::System(system) => {
                system.add(builder, &name, read);
                if let Some(first) = system.first(nodes, idx) {
                    builder.order(format!("{path}{first}"), name);
                }
            }
            Node::Loop(kinds, n_iterations, body) => {
                let condition = Condition::new(&name, *n_iterations, read);
                add_loop(builder, *kinds, condition, body, &name, read);
            }
        }
    }
}

fn add_loop(
    builder: &mut Builder,
    kinds: [Kind; 2],
    mut condition: Condition,
    body: &[Node],
    name: &str,
    read: &Read,
) {
    let add_body = |builder: &mut Builder| add(builder, body, &format!("{name}."), read);
    macro_rules! add {
        ($first:ty, $second:ty) => {
            looped(
                builder,
                name,
                move |first: $first, second: $second| {
                    let (name, number, read, answer) = condition.ask();
                    first.apply(name, number, read);
                    second.apply(name, number, read);
                    answer
                },
                add_body,
            )
        };
    }
    with_kinds!(kinds, add);
}

fn looped<M, C: ClosureSystem<M>>(
    builder: &mut Builder,
    name: &str,
    condition: C,
    add_body: impl FnOnce(&mut Builder),
) {
    builder.repeat_while_closure(name, condition, |body| {
        add_body(body);
        body
    });
}

/// The condition of a loop. It is true a fixed number of times, then false once, and so on.
#[derive(Clone)]
struct Condition {
    name: String,
    n_iterations: u32,
    n_asked: u32,
    read: Read,
}

impl Condition {
    fn new(name: &str, n_iterations: u32, read: &Read) -> Self {
        Self {
            name: name.to_string(),
            n_iterations,
            n_asked: 0,
            read: Arc::clone(read),
        }
    }

    fn ask(&mut self) -> (&str, u32, &Read, bool) {
        self.n_asked += 1;
        let answer = !self.n_asked.is_multiple_of(self.n_iterations + 1);
        (&self.name, 100_000 + self.n_asked, &self.read, answer)
    }
}

impl System {
    /// The index of the system of the same level that runs first, if there is one.
    fn first(&self, nodes: &[Node], idx: usize) -> Option<usize> {
        let first = self.after?.checked_rem(idx)?;
        matches!(nodes[first], Node::System(_)).then_some(first)
    }
}

/// The sequential loop.
struct Loop {
    lists: [Vec<u32>; 2],
    trace: Trace,
    /// The number of executions of each system and condition.
    n_runs: std::collections::HashMap<String, u32>,
}

impl Loop {
    fn execute(&mut self, kinds: [Kind; 2], name: &str, number: u32) {
        for (list, kind) in self.lists.iter_mut().zip(kinds) {
            if matches!(kind, Kind::Read | Kind::Write) {
                self.trace.read.push((name.to_string(), list.clone()));
            }
            if matches!(kind, Kind::Write) || kind == Kind::Fold && number != POISON {
                list.push(number);
            }
        }
    }

    fn count(&mut self, name: &str) -> u32 {
        let n_runs = self.n_runs.entry(name.to_string()).or_default();
        *n_runs += 1;
        *n_runs
    }

    /// Runs the nodes of a level once. Returns whether a node failed, and for each list whether a join panics.
    fn run(&mut self, nodes: &[Node], path: &str) -> (bool, [bool; 2]) {
        let mut is_failed = false;
        let mut is_poisoned = [false; 2];
        let mut is_out = vec![false; nodes.len()];
        // By node and list: whether a join of a system before it in declared order has panicked. Systems that access the list then are
        // skipped.
        let mut is_bad = vec![[false; 2]; nodes.len()];
        for (idx, node) in nodes.iter().enumerate() {
            let name = format!("{path}{idx}");
            match node {
                Node::System(system) => {
                    if let Some(first) = system.first(nodes, idx) {
                        is_bad[idx] = is_bad[first];
                        let uses_bad =
                            is_bad[idx].iter().zip(system.kinds).any(|(is_bad, kind)| {
                                *is_bad && matches!(kind, Kind::Read | Kind::Write)
                            });
                        if is_out[first] || uses_bad {
                            is_out[idx] = true;
                            self.skip(name);
                            continue;
                        }
                    }
                    if system.guard == Some(false) {
                        continue;
                    }
                    let n_runs = self.count(&name);
                    let fault = system.fault.filter(|(_, at)| *at == n_runs);
                    let fault = fault.map(|(fault, _)| fault);
                    let mut kinds = system.kinds;
                    if fault.is_some() && fault != Some(Fault::Join) {
                        // What a failed system wrote stays. Its partial results are dropped.
                        kinds = kinds.map(|kind| if kind == Kind::Fold { Kind::No } else { kind });
                        is_out[idx] = true;
                        is_failed = true;
                    }
                    let folds = kinds.contains(&Kind::Fold);
                    if fault == Some(Fault::Join) {
                        for list in 0..2 {
                            is_bad[idx][list] |= kinds[list] == Kind::Fold;
                            is_poisoned[list] |= kinds[list] == Kind::Fold;
                        }
                    }
                    let fails = match fault {
                        Some(Fault::Join) => folds,
                        fault => fault.is_some(),
                    };
                    if fails && !self.trace.failed.contains(&name) {
                        self.trace.failed.push(name.clone());
                    }
                    self.execute(kinds, &name, system.number(&name, n_runs));
                }
                Node::Loop(kinds, n_iterations, body) => loop {
                    let n_asked = self.count(&name);
                    self.execute(*kinds, &name, 100_000 + n_asked);
                    if n_asked.is_multiple_of(n_iterations + 1) {
                        break;
                    }
                    let (mut fails, of_body) = self.run(body, &format!("{name}."));
                    for list in 0..2 {
                        // A loop that only folds is joined after it. Otherwise it fails.
                        if only_folds(node, list) {
                            is_poisoned[list] |= of_body[list]
                        } else {
                            fails |= of_body[list]
                        }
                    }
                    if fails {
                        is_out[idx] = true;
                        is_failed = true;
                        break;
                    }
                },
            }
        }
        (is_failed, is_poisoned)
    }

    fn skip(&mut self, name: String) {
        if !self.trace.skipped.contains(&name) {
            self.trace.skipped.push(name);
        }
    }
}

/// Whether a node does nothing but fold into a list.
fn only_folds(node: &Node, list: usize) -> bool {
    let (kinds, body) = match node {
        Node::System(system) => (&system.kinds, &[][..]),
        Node::Loop(kinds, _, body) => (kinds, &body[..]),
    };
    matches!(kinds[list], Kind::No | Kind::Fold) && body.iter().all(|node| only_folds(node, list))
}

/// Sorts a trace by system. The executions of one system stay in order.
fn sorted(mut trace: Trace) -> Trace {
    trace.read.sort_by(|(a, _), (b, _)| a.cmp(b));
    trace.failed.sort();
    trace.skipped.sort();
    trace
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(200))
    })]

    #[test]
    fn every_executor_agrees_with_a_sequential_loop(nodes in nodes()) {
        for &on in On::EACH {
            let read = Read::default();
            let mut builder = Schedule::builder();
            builder.policy(Policy::InsertionOrder);
            add(&mut builder, &nodes, "", &read);
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert(List::<0>::default());
            resources.insert(List::<1>::default());
            let mut model = Loop {
                lists: Default::default(),
                trace: Trace::default(),
                n_runs: Default::default(),
            };
            for run in 0..N_RUNS {
                model.trace = Trace::default();
                model.run(&nodes, "");
                let mut found = Trace::default();
                if let Err(error) = schedule.run(&mut resources) {
                    let failed = error.failures().iter();
                    found.failed = failed.map(|one| one.system.name.clone()).collect();
                    let skipped = error.skipped().iter();
                    found.skipped = skipped.map(|one| one.name.clone()).collect();
                }
                found.read = std::mem::take(&mut *read.lock().unwrap());
                let expected = sorted(std::mem::take(&mut model.trace));
                prop_assert_eq!(sorted(found), expected, "run {} {:?}", run, on);
                let lists = [
                    &resources.get::<List<0>>().unwrap().0,
                    &resources.get::<List<1>>().unwrap().0,
                ];
                prop_assert_eq!(lists, model.lists.each_ref(), "run {} {:?}", run, on);
            }
        }
    }
}
