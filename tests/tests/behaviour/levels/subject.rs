//! A random graph as a schedule: systems that do what the interpreter says, and tell when they should not run.

use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use schedule::prelude::*;
use schedule::{
    BuildError, Builder, Condition, DynamicSystem, NodeId, Output, Problem, ResourceId, RunError,
    Target, View,
};

use super::case::{
    Answer, Asked, Case, Fault, Formula, Guard, Level, N_RESOURCES, Node, Thing, Values, Work,
    branch, counted, digest, is_again, is_true, own_reads, typed_reads, written,
};
use super::interpreter::{Chosen, Outcome, Refusal};
use crate::on::On;

#[derive(Resource)]
struct Cell<const N: usize>(u64);

#[derive(Checkpoint)]
struct Point;

#[derive(Checkpoint)]
struct Flush;

#[derive(Group)]
struct G0;

#[derive(Group)]
struct G1;

#[derive(Group)]
struct G2;

#[derive(Group)]
struct G3;

/// What a selector answers.
#[derive(Branch, Clone, Copy)]
enum Three {
    Low,
    Middle,
    High,
}

impl Three {
    fn of(index: u32) -> Self {
        [Self::Low, Self::Middle, Self::High][index as usize]
    }
}

#[system]
fn typed0(probe: &Shared, cell: &Cell<0>) -> bool {
    is_true(probe.0.read(Asked::Typed(0), Some((0, cell.0))))
}

#[system]
fn typed1(probe: &Shared, cell: &Cell<1>) -> bool {
    is_true(probe.0.read(Asked::Typed(1), Some((1, cell.0))))
}

#[system]
fn typed2(probe: &Shared, cell: &Cell<2>) -> Three {
    Three::of(branch(probe.0.read(Asked::Typed(2), Some((2, cell.0)))))
}

/// Does something with a constant instead of a number.
macro_rules! with_number {
    ($number:expr, $N:ident => $then:expr) => {
        with_number!($number, $N => $then, 0 1 2 3 4)
    };
    ($number:expr, $N:ident => $then:expr, $($each:literal)*) => {
        match $number {
            $($each => {
                const $N: usize = $each;
                $then
            })*
            _ => unreachable!("there are {N_RESOURCES} resources"),
        }
    };
}

/// What the systems of a schedule share, beside resources.
struct Probe {
    /// Who ran, and what it made of what it found.
    log: Mutex<Vec<(String, u64)>>,
    /// By node: how often it ran in this run, or `u64::MAX` if nothing may fail.
    n_runs: Vec<AtomicU64>,
    /// By resource: how many read it now; −1 if one writes it. The last is the right to run alone.
    gates: [AtomicIsize; N_RESOURCES + 1],
}

/// The same as a resource, which nobody writes.
#[derive(Resource)]
struct Shared(Arc<Probe>);

/// A function that is in its gates, until this is dropped.
struct Inside<'a> {
    probe: &'a Probe,
    accesses: &'a [(usize, bool)],
}

impl Probe {
    fn enter<'a>(&'a self, accesses: &'a [(usize, bool)]) -> Inside<'a> {
        for &(resource, is_write) in accesses {
            let gate = &self.gates[resource];
            let is_free = if is_write {
                gate.swap(-1, Ordering::SeqCst) == 0
            } else {
                gate.fetch_add(1, Ordering::SeqCst) >= 0
            };
            assert!(is_free, "overlaps with another one on {resource}");
        }
        Inside {
            probe: self,
            accesses,
        }
    }

    fn log(&self, asked: Asked, found: impl IntoIterator<Item = u64>) -> u64 {
        let digest = digest(asked.seed(), found);
        self.log.lock().unwrap().push((asked.label(), digest));
        // Now and then, others get a chance to come in between.
        if digest.is_multiple_of(8) {
            thread::yield_now();
        }
        digest
    }

    /// What a condition makes of the one resource that it reads, if it does.
    fn read(&self, asked: Asked, found: Option<(usize, u64)>) -> u64 {
        let alone = (N_RESOURCES, false);
        let accesses: Vec<_> = found
            .iter()
            .map(|one| (one.0, false))
            .chain([alone])
            .collect();
        let _inside = self.enter(&accesses);
        self.log(asked, found.map(|one| one.1))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        for &(resource, is_write) in self.accesses {
            let gate = &self.probe.gates[resource];
            if is_write {
                gate.store(0, Ordering::SeqCst);
            } else {
                gate.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}

/// A node that does something with what it declares.
struct Body {
    idx: usize,
    accesses: Vec<(usize, bool)>,
    fault: Option<(u64, Fault)>,
    probe: Arc<Probe>,
}

impl Body {
    /// Half of its work, then it may fail, then the other half.
    fn run(&self, view: &mut View<'_>) -> Result<u64, String> {
        let _inside = self.probe.enter(&self.accesses);
        let cells = || self.accesses.iter().filter(|one| one.0 < N_RESOURCES);
        let get = |one: &(usize, bool)| with_number!(one.0, N => view.get::<Cell<N>>().expect("declared").0);
        let found: Vec<u64> = cells().map(get).collect();
        let digest = self.probe.log(Asked::Node(self.idx), found);
        let mut write = |one: &(usize, bool)| {
            with_number!(one.0, N => {
                let cell = view.get_mut::<Cell<N>>().expect("declared");
                cell.0 = written(digest, cell.0);
            });
        };
        let mut to_write = cells().filter(|one| one.1);
        to_write.next().map(&mut write);
        self.may_fail()?;
        to_write.for_each(write);
        Ok(digest)
    }

    /// As [`Body::run`], of one that touches nothing.
    fn run_untouching(&self) -> Result<u64, String> {
        let _inside = self.probe.enter(&self.accesses);
        let digest = self.probe.log(Asked::Node(self.idx), None);
        self.may_fail()?;
        Ok(digest)
    }

    /// Fails, if it is time.
    fn may_fail(&self) -> Result<(), String> {
        let n_runs = self.probe.n_runs[self.idx].fetch_add(1, Ordering::SeqCst);
        match self.fault.filter(|fault| fault.0 == n_runs) {
            // No panic hook: it would print thousands of times.
            Some((_, Fault::Panic)) => resume_unwind(Box::new(format!("panic of {}", self.idx))),
            Some((_, Fault::Error)) => Err(format!("error of {}", self.idx)),
            None => Ok(()),
        }
    }

    fn into_system<O: Output>(
        self,
        node: &Node,
        mut answer: impl FnMut(Result<u64, String>) -> O + Send + 'static,
    ) -> DynamicSystem {
        let name = self.idx.to_string();
        let mut system = DynamicSystem::new(name, move |view| answer(self.run(view)));
        for (resource, is_write) in node.uses.into_iter().enumerate() {
            let id = || with_number!(resource, N => ResourceId::of::<Cell<N>>());
            system = match is_write {
                None => system,
                Some(true) => system.writes(id()),
                Some(false) => system.reads(id()),
            };
        }
        if node.is_exclusive {
            system = system.exclusive();
        }
        system
    }
}

/// A node that is added to be removed again.
#[derive(Clone, Debug)]
pub(super) struct Junk {
    pub(super) uses: [Option<bool>; N_RESOURCES],
    /// It is a loop, with one part.
    pub(super) is_loop: bool,
    pub(super) is_guarded: bool,
    pub(super) group: Option<usize>,
    /// By node that was added so far: whether it comes before that, if they are ordered.
    pub(super) orders: Vec<Option<bool>>,
}

/// A case on its way into a builder.
#[derive(Clone)]
struct Growing<'a> {
    case: &'a Case,
    probe: Arc<Probe>,
    own: Vec<Condition>,
    /// By node, as far as they were added.
    ids: Vec<Option<NodeId>>,
}

impl<'a> Growing<'a> {
    fn new(case: &'a Case) -> Self {
        assert_eq!([0, 1, 2].map(typed_reads), [0, 1, 2]);
        let probe = Arc::new(Probe {
            log: Mutex::default(),
            n_runs: case.nodes.iter().map(|_| AtomicU64::new(0)).collect(),
            gates: Default::default(),
        });
        Self {
            case,
            own: own_conditions(&probe),
            probe,
            ids: vec![None; case.nodes.len()],
        }
    }

    /// Says all that concerns these nodes and the ones before them only; with the last ones, also what concerns groups.
    fn say(&mut self, builder: &mut Builder, nodes: Range<usize>) {
        let case = self.case;
        let is_last = nodes.end == case.nodes.len();
        self.add_level(builder, None, nodes.clone());
        for (group, declared) in case.groups.iter().enumerate().filter(|_| is_last) {
            for guard in &declared.guards {
                speak_of(builder, group);
                builder.guard(self.condition(guard));
            }
        }
        let time = |thing: Thing| match thing {
            Thing::Node(idx) => idx,
            Thing::Group(_) | Thing::Implied(_) => case.nodes.len() - 1,
        };
        for &(first, then, is_weak) in &case.orders {
            if !nodes.contains(&time(first).max(time(then))) {
                continue;
            }
            let (first, then) = (self.target(first), self.target(then));
            if is_weak {
                builder.order_if_conflicting(first, then);
            } else {
                builder.order(first, then);
            }
        }
        if nodes.start == 0 {
            builder.policy(case.policy);
            for (resource, policy) in case.resources.iter().enumerate() {
                let id = with_number!(resource, N => ResourceId::of::<Cell<N>>());
                if let Some(policy) = *policy {
                    builder.policy_for_resource(id, policy);
                }
            }
        }
        for &(one, other, policy) in &case.pairs {
            if !nodes.contains(&one.max(other)) {
                continue;
            }
            let (one, other) = (self.node(one), self.node(other));
            if policy == Policy::Accepted {
                builder.accept(one, other, "they say so");
            } else {
                builder.policy_between(one, other, policy);
            }
        }
        for idx in nodes {
            let node = &case.nodes[idx];
            if !matches!(node.work, Work::Flush | Work::Checkpoint) {
                builder.failure_policy_for(self.node(idx), node.on_failure);
            }
        }
    }

    /// Adds something that is to be removed again. Returns its number.
    fn throw_in(&self, builder: &mut Builder, junk: &Junk) -> Option<NodeId> {
        let mut system = DynamicSystem::new("junk", |_| true);
        for (resource, is_write) in (0..).zip(junk.uses) {
            let id = || with_number!(resource, N => ResourceId::of::<Cell<N>>());
            system = match is_write {
                None => system,
                Some(true) => system.writes(id()),
                Some(false) => system.reads(id()),
            };
        }
        if junk.is_loop {
            builder.repeat_while_dynamic(system, |parts| {
                parts.add_closure("junk in junk", || ()).only_if::<typed0>()
            });
        } else {
            builder.add_dynamic(system);
        }
        if junk.is_guarded {
            builder.only_if::<typed1>();
        }
        if let Some(group) = junk.group {
            join(builder, group);
        }
        let number = builder.last()?;
        let known: Vec<NodeId> = self.ids.iter().flatten().copied().collect();
        for (at, is_first) in known.iter().zip(&junk.orders) {
            match is_first {
                None => {}
                Some(true) => drop(builder.order(number, *at).accept(number, *at, "junk")),
                Some(false) => drop(builder.order(*at, number)),
            }
        }
        Some(number)
    }

    /// These nodes of a level, and what is in them.
    fn add_level(&mut self, builder: &mut Builder, level: Level, nodes: Range<usize>) {
        let is_first = level.is_some() || nodes.start == 0;
        for (idx, group) in self.case.groups.iter().enumerate() {
            if is_first && group.level == level {
                speak_of(builder, idx);
                for &holder in &group.holders {
                    join(builder, holder);
                }
            }
        }
        for idx in nodes {
            let node = &self.case.nodes[idx];
            if node.level == level {
                self.add(builder, idx, node);
                node.groups.iter().for_each(|&group| join(builder, group));
                for guard in &node.guards {
                    builder.guard(self.condition(guard));
                }
            }
        }
    }

    fn add(&mut self, builder: &mut Builder, idx: usize, node: &Node) {
        let accesses = node.uses.iter().enumerate();
        let accesses = accesses.filter_map(|(one, is_write)| Some((one, (*is_write)?)));
        let body = Body {
            idx,
            accesses: accesses.chain([(N_RESOURCES, node.is_exclusive)]).collect(),
            fault: node.fault,
            probe: Arc::clone(&self.probe),
        };
        match node.work {
            Work::System => {
                builder.add_dynamic(body.into_system(node, |done| done.map(drop)));
            }
            Work::Recorder(resource) => {
                // It records before it may fail: what it recorded is dropped then, and it counts anew.
                let mut count = 0;
                let digest = digest(idx, None);
                builder.add_closure(idx.to_string(), move |mut commands: Commands| {
                    let mut next = count;
                    let written_to_it = counted(&mut next, digest);
                    commands.push(move |resources| {
                        with_number!(resource, N => {
                            let cell = resources.get_mut::<Cell<N>>().expect("nobody removes it");
                            cell.0 = written(written_to_it, cell.0);
                        });
                    });
                    body.run_untouching()?;
                    count = next;
                    Ok::<(), String>(())
                });
            }
            Work::Flush => {
                builder.flush::<Flush>().named(idx.to_string());
            }
            Work::Checkpoint => {
                builder.checkpoint::<Point>().named(idx.to_string());
            }
            Work::Condition => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| is_true(counted(&mut count, digest)))
                };
                builder.add_dynamic(body.into_system(node, answer));
            }
            Work::Selector => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| Three::of(branch(counted(&mut count, digest))))
                };
                builder.add_dynamic(body.into_system(node, answer));
            }
            Work::Typed(typed) => {
                match typed {
                    0 => builder.add::<typed0>(),
                    1 => builder.add::<typed1>(),
                    _ => builder.add::<typed2>(),
                };
                builder.named(idx.to_string());
            }
            Work::Loop(limit, at_most) => {
                let mut count = 0;
                let answer = move |done: Result<u64, String>| {
                    done.map(|digest| is_again(&mut count, limit, digest))
                };
                builder.repeat_while_dynamic(body.into_system(node, answer), |parts| {
                    self.add_level(parts, Some(idx), 0..self.case.nodes.len());
                    parts
                });
                if let Some(at_most) = at_most {
                    builder.at_most(at_most);
                }
            }
        }
        self.ids[idx] = builder.last();
    }

    /// By number if it was added, else by name.
    fn node(&self, idx: usize) -> Target {
        self.ids[idx].map_or_else(|| idx.to_string().as_str().into(), Target::from)
    }

    fn target(&self, thing: Thing) -> Target {
        match thing {
            Thing::Node(idx) => self.node(idx),
            Thing::Group(group) => group_target(group),
            Thing::Implied(_) => unreachable!("nothing names it"),
        }
    }

    fn condition(&self, guard: &Guard) -> Condition {
        match guard {
            Formula::Not(one) => !self.condition(one),
            Formula::All(two) => self.condition(&two[0]) & self.condition(&two[1]),
            Formula::Any(two) => self.condition(&two[0]) | self.condition(&two[1]),
            &Formula::Is((asked, answer)) => match (asked, answer) {
                (Asked::Node(idx), Answer::Bool(true)) => Condition::added(self.node(idx)),
                (Asked::Node(idx), Answer::Bool(false)) => {
                    Condition::added_chosen(self.node(idx), false)
                }
                (Asked::Node(idx), Answer::Branch(branch)) => {
                    Condition::added_chosen(self.node(idx), Three::of(branch))
                }
                (Asked::Typed(0), _) => Condition::of::<typed0>(),
                (Asked::Typed(1), _) => Condition::of::<typed1>(),
                (Asked::Typed(_), Answer::Branch(branch)) => {
                    Condition::chosen::<typed2, _>(Three::of(branch))
                }
                (Asked::Typed(_), Answer::Bool(_)) => unreachable!("it is a selector"),
                (Asked::Own(own), _) => self.own[own].clone(),
            },
        }
    }
}

/// The closures that conditions are made of.
fn own_conditions(probe: &Arc<Probe>) -> Vec<Condition> {
    let asked = [Asked::Own(0), Asked::Own(1)];
    assert_eq!((own_reads(0), own_reads(1)), (Some(3), None));
    let probes = [Arc::clone(probe), Arc::clone(probe)];
    let [one, other] = probes;
    vec![
        Condition::closure(asked[0].label(), move |cell: &Cell<3>| {
            is_true(one.read(asked[0], Some((3, cell.0))))
        }),
        Condition::closure(asked[1].label(), move || {
            is_true(other.read(asked[1], None))
        }),
    ]
}

fn group_target(group: usize) -> Target {
    match group {
        0 => Target::of::<G0>(),
        1 => Target::of::<G1>(),
        2 => Target::of::<G2>(),
        _ => Target::of::<G3>(),
    }
}

fn speak_of(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.group::<G0>(),
        1 => builder.group::<G1>(),
        2 => builder.group::<G2>(),
        _ => builder.group::<G3>(),
    };
}

fn join(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.in_group::<G0>(),
        1 => builder.in_group::<G1>(),
        2 => builder.in_group::<G2>(),
        _ => builder.in_group::<G3>(),
    };
}

/// A schedule of a case, with resources that it keeps from run to run.
pub(super) struct Subject {
    on: On,
    schedule: Schedule,
    resources: Resources,
    probe: Arc<Probe>,
    /// By node.
    ids: Vec<NodeId>,
}

impl Subject {
    pub(super) fn new(case: &Case, on: On) -> Result<Self, BuildError> {
        let all = 0..case.nodes.len();
        Self::in_chunks(case, &[all], on)
    }

    /// What is said in several chunks of nodes, built at once.
    pub(super) fn in_chunks(
        case: &Case,
        chunks: &[Range<usize>],
        on: On,
    ) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut builder = Schedule::builder();
        for chunk in chunks {
            growing.say(&mut builder, chunk.clone());
        }
        Ok(Self::of(growing, builder.build()?, on))
    }

    /// The same as part of a schedule that has nothing else to do.
    pub(super) fn as_part(case: &Case, on: On) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut part = Schedule::builder();
        growing.say(&mut part, 0..case.nodes.len());
        let mut builder = Schedule::builder();
        // What `as fits` chooses is a matter of all nodes, also of one that does nothing.
        if !case.has_fits() {
            builder.checkpoint::<Point>().named("whole");
        }
        builder.part(part);
        let schedule = builder.build()?;
        // In the whole they have other numbers.
        growing.ids.iter_mut().for_each(|id| *id = None);
        Ok(Self::of(growing, schedule, on))
    }

    /// The same, added to an empty schedule chunk by chunk. `junk[i]`: what is added with chunk i, and removed with the
    /// next one. A chunk that is refused is said once more with the next one.
    pub(super) fn by_changes(
        case: &Case,
        chunks: &[Range<usize>],
        junk: &[Vec<Junk>],
        on: On,
    ) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut schedule = Schedule::builder()
            .build()
            .expect("nothing is wrong with nothing");
        let mut n_said = 0;
        let mut thrown: Vec<NodeId> = Vec::new();
        for step in 0..chunks.len() {
            let is_last = step + 1 == chunks.len();
            let before = (growing.clone(), format!("{schedule:?}"));
            let mut added = Vec::new();
            let result = schedule.change(|builder| {
                for &junk in &thrown {
                    builder.remove(junk);
                }
                for chunk in &chunks[n_said..=step] {
                    growing.say(builder, chunk.clone());
                }
                for junk in junk[step].iter().filter(|_| !is_last) {
                    added.extend(growing.throw_in(builder, junk));
                }
                builder
            });
            match result {
                Ok(()) => (n_said, thrown) = (step + 1, added),
                Err(error) if is_last => return Err(error),
                Err(_) => {
                    growing = before.0;
                    assert_eq!(format!("{schedule:?}"), before.1);
                }
            }
        }
        Ok(Self::of(growing, schedule, on))
    }

    fn of(growing: Growing<'_>, mut schedule: Schedule, on: On) -> Self {
        on.set(&mut schedule);
        let probe = growing.probe;
        let mut resources = Resources::new();
        resources.insert(Shared(Arc::clone(&probe)));
        for (resource, value) in first_values().into_iter().enumerate() {
            with_number!(resource, N => { resources.insert(Cell::<N>(value)); });
        }
        Self {
            on,
            schedule,
            resources,
            probe,
            ids: growing.ids.into_iter().flatten().collect(),
        }
    }

    /// The order of the systems, and what is accepted.
    pub(super) fn text(&self) -> String {
        let accepted = self.schedule.accepted().iter();
        let accepted =
            accepted.map(|one| (&one.race.first.name, &one.race.second.name, &one.reason));
        let accepted: Vec<_> = accepted.collect();
        let n_orders = self.schedule.n_policy_orders();
        format!("{:?}\n{n_orders} orders\n{accepted:?}", self.schedule)
    }

    /// Switches these things off, and all others on.
    pub(super) fn switch_off(&mut self, things: &[Thing]) {
        for &id in &self.ids {
            self.schedule.set_enabled(id, true).unwrap();
        }
        for &thing in things {
            let target = match thing {
                Thing::Node(idx) => self.ids[idx].into(),
                Thing::Group(group) => group_target(group),
                Thing::Implied(_) => unreachable!("nothing names it"),
            };
            self.schedule.set_enabled(target.clone(), false).unwrap();
            assert!(!self.schedule.is_enabled(target).unwrap() || matches!(thing, Thing::Group(_)));
        }
    }

    pub(super) fn run(&mut self, may_fail: bool) -> Outcome {
        let start = if may_fail { 0 } else { u64::MAX / 2 };
        let n_runs = self.probe.n_runs.iter();
        n_runs.for_each(|one| one.store(start, Ordering::SeqCst));
        let result = self.on.run(&mut self.schedule, &mut self.resources);
        let error = result.err();
        let failures = error.iter().flat_map(RunError::failures);
        let mut failures: Vec<_> = failures
            .map(|failure| failure.system.name.clone())
            .collect();
        let skipped = error.iter().flat_map(RunError::skipped);
        let mut skipped: Vec<_> = skipped.map(|system| system.name.clone()).collect();
        failures.sort_unstable();
        skipped.sort_unstable();
        Outcome {
            log: std::mem::take(&mut *self.probe.log.lock().unwrap()),
            failures,
            skipped,
            is_stopped: false,
        }
    }

    /// Where each stands, by name and level: as one thread comes to them.
    pub(super) fn chosen(&self) -> Chosen {
        let text = format!("{:?}", self.schedule);
        let mut around: Vec<usize> = Vec::new();
        let mut chosen = Chosen::new();
        for (place, line) in text.lines().skip(1).enumerate() {
            let name = line.trim_start();
            around.truncate((line.len() - name.len()) / 2 - 1);
            let level = around.last().copied();
            let name = name.split(", if ").next().expect("a name");
            let is_loop = name.starts_with("repeat while");
            let name = name
                .trim_start_matches("repeat while")
                .trim_start_matches("flush");
            let name = name.trim_matches([' ', '`']).to_string();
            if is_loop {
                around.push(name.parse().expect("a loop is a node"));
            }
            let before = chosen.insert((name, level), place);
            assert_eq!(before, None, "one of a name at each level:\n{text}");
        }
        chosen
    }

    pub(super) fn values(&self) -> Values {
        std::array::from_fn(|resource| {
            let get = |cell: Option<u64>| cell.expect("nobody removes it");
            with_number!(resource, N => get(self.resources.get::<Cell<N>>().map(|cell| cell.0)))
        })
    }
}

pub(super) fn first_values() -> Values {
    std::array::from_fn(|resource| 1000 + resource as u64)
}

/// The name of the problem, as its type has it.
fn kind(problem: &Problem) -> String {
    let text = format!("{problem:?}");
    let is_name = |c: char| c.is_alphanumeric();
    text.chars().take_while(|&c| is_name(c)).collect()
}

/// Whether an error tells what the law says is wrong; else what it should not say, or what is missing.
pub(super) fn check_refusal(error: &BuildError, law: &Refusal) -> Result<(), String> {
    let kinds: BTreeSet<String> = error.problems().iter().map(kind).collect();
    let has = |name: &str| kinds.contains(name);
    let order_kinds = ["Cycle", "WritersFirst", "Race"];
    if !law.wrong.is_empty() {
        let missing = law
            .wrong
            .iter()
            .find(|one| !one.iter().any(|name| has(name)));
        // What a group of several levels means for orders is anybody's guess.
        let is_lone = law.wrong.iter().any(|one| one.contains("GroupOverLevels"));
        let known: BTreeSet<&str> = law.wrong.iter().flatten().copied().collect();
        let is_odd = |name: &&String| {
            !is_lone && !known.contains(name.as_str()) && !order_kinds.contains(&name.as_str())
        };
        return match (missing, kinds.iter().find(is_odd)) {
            (None, None) => Ok(()),
            (Some(one), _) if !is_lone || one.contains("GroupOverLevels") => {
                Err(format!("it does not say {one:?}"))
            }
            (_, Some(odd)) => Err(format!("it says {odd}")),
            (Some(_), None) => Ok(()),
        };
    }
    if let Some(odd) = kinds
        .iter()
        .find(|one| !order_kinds.contains(&one.as_str()))
    {
        return Err(format!("it says {odd}"));
    }
    if has("Cycle") != law.has_cycle {
        return Err(format!("a cycle: {}", has("Cycle")));
    }
    // With a cycle, more is ordered than is.
    if law.has_cycle {
        return Ok(());
    }
    if has("WritersFirst") != law.has_writers_first {
        return Err(format!("writers first: {}", has("WritersFirst")));
    }
    let races: BTreeSet<_> = error
        .races()
        .map(|race| {
            let (a, b) = (race.first.name.clone(), race.second.name.clone());
            (a.clone().min(b.clone()), a.max(b))
        })
        .collect();
    if races != law.races {
        return Err(format!("races {races:?} and not {:?}", law.races));
    }
    Ok(())
}
