//! Random requests, compared with an interpreter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use schedule::error::Cause;
use schedule::param::NextRun;
use schedule::prelude::*;
use schedule::{Builder, Target};

use super::{Control, Fast, MS, Midway};
use crate::trace::Trace;
use schedule_tests::n_cases;
use schedule_tests::on::On;

const MAX_SYSTEMS: usize = 5;
const MAX_BODY: usize = 2;
const MAX_ITERATIONS: usize = 3;

/// A schedule: systems in insertion order, then a loop, then a sync point and more systems.
#[derive(Clone, Debug)]
struct Case {
    /// Whether each system is in the group.
    in_group: Vec<bool>,
    /// Declared orders between systems, from lower to higher indices.
    orders: Vec<(usize, usize)>,
    n_body: usize,
    /// The loop and the sync point are added before this system.
    middle: usize,
}

/// What a system asks for.
#[derive(Clone, Debug)]
enum Ask {
    Switch(Name, bool),
    Period(u8, Duration),
}

#[derive(Clone, Copy, Debug)]
enum Name {
    System(usize),
    Body(usize),
    Loop,
    Group,
    Unknown,
}

/// A run: the systems that fail, the number of iterations, and the requests of each execution.
#[derive(Clone, Debug)]
struct Script {
    fails: Vec<bool>,
    n_iterations: usize,
    of_systems: Vec<Vec<Ask>>,
    /// By node of the body, then by iteration.
    of_body: Vec<Vec<Vec<Ask>>>,
    /// By evaluation of the condition.
    of_loop: Vec<Vec<Ask>>,
}

fn ask() -> impl Strategy<Value = Ask> {
    let name = prop_oneof![
        4 => (0..MAX_SYSTEMS).prop_map(Name::System),
        2 => (0..MAX_BODY).prop_map(Name::Body),
        1 => Just(Name::Loop),
        1 => Just(Name::Group),
        1 => Just(Name::Unknown),
    ];
    prop_oneof![
        5 => (name, any::<bool>()).prop_map(|(name, is_enabled)| Ask::Switch(name, is_enabled)),
        2 => (0..3_u8, 1..9_u32).prop_map(|(rate, n)| Ask::Period(rate, n * MS)),
    ]
}

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    prop::collection::vec(ask(), 0..3)
}

fn scripts() -> impl Strategy<Value = Script> {
    use prop::collection::vec;
    let fails = vec(prop::bool::weighted(0.15), MAX_SYSTEMS);
    (
        fails,
        0..=MAX_ITERATIONS,
        vec(asks(), MAX_SYSTEMS),
        vec(vec(asks(), MAX_ITERATIONS), MAX_BODY),
        vec(asks(), MAX_ITERATIONS + 1),
    )
        .prop_map(
            |(fails, n_iterations, of_systems, of_body, of_loop)| Script {
                fails,
                n_iterations,
                of_systems,
                of_body,
                of_loop,
            },
        )
}

fn cases() -> impl Strategy<Value = Case> {
    (1..=MAX_SYSTEMS).prop_flat_map(|n| {
        let orders = prop::collection::vec((0..n, 0..n), 0..5).prop_map(|orders| {
            let forward = orders.into_iter().filter(|(from, to)| from < to);
            forward.collect()
        });
        (
            prop::collection::vec(any::<bool>(), n),
            orders,
            0..=MAX_BODY,
            0..=n,
        )
            .prop_map(|(in_group, orders, n_body, middle)| Case {
                in_group,
                orders,
                n_body,
                middle,
            })
    })
}

impl Name {
    fn text(self) -> String {
        match self {
            Name::System(idx) => format!("s{idx}"),
            Name::Body(idx) => format!("b{idx}"),
            Name::Loop => "loop".into(),
            Name::Group => "group".into(),
            Name::Unknown => "unknown".into(),
        }
    }
}

/// The outcome of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    /// The executed systems and conditions, sorted.
    executed: Vec<String>,
    /// The failed systems in schedule order, each with the number of its wrong requests.
    failed: Vec<(String, usize)>,
    skipped: Vec<String>,
    /// The enabled nodes after the run.
    enabled: BTreeSet<String>,
    periods: [Duration; 2],
}

/// Runs one system after the other, and applies the requests at the end.
struct Interpreter<'a> {
    case: &'a Case,
    enabled: BTreeSet<String>,
    periods: [Duration; 2],
}

impl<'a> Interpreter<'a> {
    fn new(case: &'a Case) -> Self {
        let systems = (0..case.in_group.len()).map(Name::System);
        let body = (0..case.n_body).map(Name::Body);
        let all = systems.chain(body).chain([Name::Loop]);
        Self {
            case,
            enabled: all.map(Name::text).collect(),
            periods: [10 * MS, 10 * MS],
        }
    }

    /// The nodes that a name stands for. `None` if the schedule has no such thing.
    fn nodes(&self, name: Name) -> Option<Vec<String>> {
        let n_systems = self.case.in_group.len();
        let members = (0..n_systems).filter(|&idx| self.case.in_group[idx]);
        let members: Vec<String> = members.map(|idx| Name::System(idx).text()).collect();
        match name {
            Name::System(idx) if idx < n_systems => Some(vec![name.text()]),
            Name::Body(idx) if idx < self.case.n_body => Some(vec![name.text()]),
            Name::Loop => Some(vec![name.text()]),
            Name::Group if !members.is_empty() => Some(members),
            _ => None,
        }
    }

    fn run(&mut self, script: &Script) -> Seen {
        let mut executed = Vec::new();
        let mut asked: Vec<(String, Ask)> = Vec::new();
        let mut failed: BTreeMap<usize, (String, usize)> = BTreeMap::new();
        let mut positions: BTreeMap<String, usize> = BTreeMap::new();
        let mut lost: BTreeSet<usize> = BTreeSet::new();
        let mut skipped = Vec::new();
        for idx in 0..=self.case.in_group.len() {
            if idx == self.case.middle {
                self.run_loop(script, &mut executed, &mut asked, &mut positions);
            }
            if idx == self.case.in_group.len() {
                break;
            }
            let name = Name::System(idx).text();
            positions.insert(name.clone(), 10 * idx + 9);
            let mut before = self.case.orders.iter().filter(|(_, to)| *to == idx);
            let is_lost = before.any(|(from, _)| lost.contains(from));
            let is_enabled = self.enabled.contains(&name);
            if is_lost {
                lost.insert(idx);
            }
            if is_lost && is_enabled {
                skipped.push(name);
            } else if is_enabled {
                executed.push(name.clone());
                if script.fails[idx] {
                    lost.insert(idx);
                    failed.insert(positions[&name], (name, 0));
                } else {
                    let of_system = script.of_systems[idx].iter();
                    asked.extend(of_system.map(|ask| (name.clone(), ask.clone())));
                }
            }
        }
        for (system, ask) in asked {
            let is_known = match ask {
                Ask::Switch(name, is_enabled) => match self.nodes(name) {
                    Some(nodes) if is_enabled => {
                        self.enabled.extend(nodes);
                        true
                    }
                    Some(nodes) => {
                        self.enabled.retain(|one| !nodes.contains(one));
                        true
                    }
                    None => false,
                },
                Ask::Period(rate, period) => match self.periods.get_mut(usize::from(rate)) {
                    Some(of_rate) => {
                        *of_rate = period;
                        true
                    }
                    None => false,
                },
            };
            if !is_known {
                let position = positions[&system];
                failed.entry(position).or_insert((system, 0)).1 += 1;
            }
        }
        executed.sort();
        Seen {
            executed,
            failed: failed.into_values().collect(),
            skipped,
            enabled: self.enabled.clone(),
            periods: self.periods,
        }
    }

    fn run_loop(
        &self,
        script: &Script,
        executed: &mut Vec<String>,
        asked: &mut Vec<(String, Ask)>,
        positions: &mut BTreeMap<String, usize>,
    ) {
        let first = 10 * self.case.middle;
        positions.insert("loop".into(), first);
        for idx in 0..self.case.n_body {
            positions.insert(Name::Body(idx).text(), first + 1 + idx);
        }
        if !self.enabled.contains("loop") {
            return;
        }
        let mut add = |name: &str, asks: &[Ask]| {
            executed.push(name.to_string());
            asked.extend(asks.iter().map(|ask| (name.to_string(), ask.clone())));
        };
        for iteration in 0..=script.n_iterations {
            add("loop", &script.of_loop[iteration]);
            if iteration == script.n_iterations {
                break;
            }
            for idx in 0..self.case.n_body {
                let name = Name::Body(idx).text();
                if self.enabled.contains(&name) {
                    add(&name, &script.of_body[idx][iteration]);
                }
            }
        }
    }
}

/// The rest of a run, by node.
#[derive(Default)]
struct Rest {
    asks: BTreeMap<String, VecDeque<Vec<Ask>>>,
    fails: BTreeSet<String>,
    n_iterations: usize,
}

#[derive(Clone, Default)]
struct Shared {
    trace: Trace,
    rest: Arc<Mutex<Rest>>,
}

impl Shared {
    fn begin(&self, script: &Script) {
        let mut asks = BTreeMap::new();
        for (idx, of_system) in script.of_systems.iter().enumerate() {
            let all = VecDeque::from([of_system.clone()]);
            asks.insert(Name::System(idx).text(), all);
        }
        for (idx, of_body) in script.of_body.iter().enumerate() {
            asks.insert(Name::Body(idx).text(), of_body.clone().into());
        }
        asks.insert("loop".into(), script.of_loop.clone().into());
        let fails = (0..).zip(&script.fails).filter(|(_, fails)| **fails);
        *self.rest.lock().unwrap() = Rest {
            asks,
            fails: fails.map(|(idx, _)| Name::System(idx).text()).collect(),
            n_iterations: script.n_iterations,
        };
    }

    /// Executes a node. Returns whether it succeeds.
    fn execute(&self, name: &str, next_run: &mut NextRun) -> bool {
        self.trace.push(name);
        let mut rest = self.rest.lock().unwrap();
        let asks = rest.asks.get_mut(name).and_then(VecDeque::pop_front);
        for ask in asks.into_iter().flatten() {
            match ask {
                Ask::Switch(Name::Group, is_enabled) => {
                    next_run.set_enabled(Target::group("group"), is_enabled)
                }
                Ask::Switch(name, is_enabled) => next_run.set_enabled(name.text(), is_enabled),
                Ask::Period(0, period) => next_run.set_period::<Control>(period),
                Ask::Period(1, period) => next_run.set_period::<Fast>(period),
                Ask::Period(_, period) => next_run.set_period::<Midway>(period),
            };
        }
        !rest.fails.contains(name)
    }

    fn add_to<'b>(&self, builder: &'b mut Builder, name: Name) -> &'b mut Builder {
        let (shared, text) = (self.clone(), name.text());
        builder.add_closure(name.text(), move |mut next_run: NextRun| {
            if shared.execute(&text, &mut next_run) {
                Ok(())
            } else {
                Err("as requested")
            }
        })
    }

    fn add_loop(&self, builder: &mut Builder, n_body: usize) {
        let shared = self.clone();
        let is_more = move |mut next_run: NextRun| {
            shared.execute("loop", &mut next_run);
            let mut rest = shared.rest.lock().unwrap();
            let is_more = rest.n_iterations > 0;
            rest.n_iterations = rest.n_iterations.saturating_sub(1);
            is_more
        };
        builder
            .repeat_while_closure("loop", is_more, |body| {
                for idx in 0..n_body {
                    self.add_to(body, Name::Body(idx));
                }
                for idx in 1..n_body {
                    // The requests of one iteration are taken in the order of the body.
                    body.order(Name::Body(idx - 1).text(), Name::Body(idx).text());
                }
                body
            })
            .apply_commands::<Midway>();
    }
}

/// A schedule, its resources, and what its systems share.
struct Subject {
    schedule: Schedule,
    resources: Resources,
    shared: Shared,
    on: On,
}

impl Subject {
    fn new(case: &Case, on: On) -> Self {
        let shared = Shared::default();
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        for idx in 0..=case.in_group.len() {
            if idx == case.middle {
                shared.add_loop(&mut builder, case.n_body);
            }
            if idx < case.in_group.len() {
                shared.add_to(&mut builder, Name::System(idx));
                if case.in_group[idx] {
                    builder.in_group_named("group");
                }
            }
        }
        for &(from, to) in &case.orders {
            builder.order(Name::System(from).text(), Name::System(to).text());
        }
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = Resources::new();
        resources.insert(Rate::<Control>::every(10 * MS));
        resources.insert(Rate::<Fast>::every(10 * MS));
        Self {
            schedule,
            resources,
            shared,
            on,
        }
    }

    fn run(&mut self, script: &Script, names: &BTreeSet<String>) -> Seen {
        self.shared.begin(script);
        let result = self.on.run(&mut self.schedule, &mut self.resources);
        let (mut failed, mut skipped) = (Vec::new(), Vec::new());
        if let Err(error) = &result {
            failed.extend(error.failures().iter().map(|one| {
                let n_wrong = match &one.cause {
                    Cause::Request(errors) => errors.len(),
                    _ => 0,
                };
                (one.system.name.clone(), n_wrong)
            }));
            skipped.extend(error.skipped().iter().map(|one| one.name.clone()));
        }
        let mut executed = self.shared.trace.take();
        executed.sort();
        let is_enabled = |name: &&String| self.schedule.is_enabled(name.as_str()).unwrap();
        Seen {
            executed,
            failed,
            skipped,
            enabled: names.iter().filter(is_enabled).cloned().collect(),
            periods: [
                self.resources.get::<Rate<Control>>().unwrap().period(),
                self.resources.get::<Rate<Fast>>().unwrap().period(),
            ],
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(200))
    })]

    #[test]
    fn requests_apply_in_serial_order_on_every_executor(
        case in cases(),
        scripts in prop::collection::vec(scripts(), 1..5),
    ) {
        for &on in On::EACH {
            if matches!(on, On::Timetabled(_)) {
                continue; // Only without loops.
            }
            let mut interpreter = Interpreter::new(&case);
            let names = interpreter.enabled.clone();
            let mut subject = Subject::new(&case, on);
            for (nth, script) in scripts.iter().enumerate() {
                let expected = interpreter.run(script);
                let found = subject.run(script, &names);
                prop_assert_eq!(found, expected, "run {} {:?}", nth, on);
            }
        }
    }
}
