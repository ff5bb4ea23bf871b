//! The program of a random case, with dynamic systems, closures, and systems for each entity.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};

use schedule::access::ResourceId;
use schedule::columns::Columns;
use schedule::dynamic::{DynamicSystem, View};
use schedule::entity::Component;
use schedule::error::Cause;
use schedule::message::KeepLatest;

use schedule::{Builder, Condition, FailurePolicy, Policy, SavedResources, ScheduleState};
use schedule_tests::on::On;

use super::super::*;
use super::case::{Asked, Case, Fault, MessageUse, N_TYPES, Node, Work};
use super::model::{EACH, Entry, Model, Reason, Seen, Trace, written};

/// A message that is a number.
trait Number: Message + Snapshot + Clone {
    fn new(number: u64) -> Self;
    fn number(&self) -> u64;
}

macro_rules! numbers {
    ($($T:ident $name:tt),*) => {
        $(
            #[derive(Message, Snapshot, Serialize, Deserialize, Clone, Debug)]
            #[snapshot(name = $name)]
            struct $T(u64);

            impl Number for $T {
                fn new(number: u64) -> Self {
                    Self(number)
                }

                fn number(&self) -> u64 {
                    self.0
                }
            }
        )*
    };
}

numbers!(Red "red", Green "green", Blue "blue");

/// Evaluates an expression with the message type of a number.
macro_rules! with_type {
    ($number:expr, $T:ident => $then:expr) => {
        match $number {
            0 => {
                type $T = Red;
                $then
            }
            1 => {
                type $T = Green;
                $then
            }
            _ => {
                type $T = Blue;
                $then
            }
        }
    };
}

/// The answers of the typed conditions.
#[derive(Resource)]
struct Answers([bool; 2]);

#[derive(Resource)]
struct Plain(u64);

#[system]
fn first_answer(answers: &Answers) -> bool {
    answers.0[0]
}

#[system]
fn second_answer(answers: &Answers) -> bool {
    answers.0[1]
}

/// How often each node was executed, and what the executions saw.
#[derive(Resource, Clone, Default)]
struct Log(Arc<Mutex<Noted>>);

type Noted = (BTreeMap<String, u32>, Vec<Entry>);

impl Log {
    fn count(&self, name: &str) -> u32 {
        let count = &mut self.0.lock().unwrap().0;
        let count = count.entry(name.to_string()).or_default();
        *count += 1;
        *count
    }

    fn push(&self, name: &str, count: u32, seen: Seen) {
        self.0
            .lock()
            .unwrap()
            .1
            .push((name.to_string(), count, seen));
    }
}

#[derive(Component)]
struct Index(u32);

#[derive(Columns)]
struct Thing {
    index: Index,
}

#[system(for_each = Columns<Thing>)]
fn write_each(index: &Index, mut messages: MessageWriter<Red>) {
    let number = u64::from(index.0);
    if number.is_multiple_of(7) && number < 50 || number.is_multiple_of(900) {
        messages.write(Red(number));
    }
}

#[system(for_each = Columns<Thing>)]
fn read_each(index: &Index, messages: MessageReader<Red>, #[resource] log: &Log) {
    if index.0 == 0 {
        log.push(EACH, 0, vec![seen_of(0, messages)]);
    }
}

fn seen_of<T: Number, K>(of_type: usize, messages: MessageReader<T, K>) -> (usize, Vec<u64>, u64) {
    let numbers: Vec<u64> = messages.iter().map(Number::number).collect();
    assert_eq!(numbers.len(), messages.len());
    (of_type, numbers, messages.n_missed())
}

impl Node {
    fn fail(&self, count: u32) -> Result<(), BoxError> {
        match self.fault.filter(|&(_, at)| at == count) {
            Some((Fault::Error, _)) => Err("an error".into()),
            Some((Fault::Panic, _)) => resume_unwind(Box::new("a panic")),
            None => Ok(()),
        }
    }

    /// The function of a dynamic system. Returns whether it saw messages, and the number of the execution.
    fn call(&self, view: &mut View<'_>, log: &Log) -> Result<(bool, u32), BoxError> {
        let count = log.count(&self.name);
        let mut seen = Seen::new();
        for (of_type, one) in self.uses.iter().enumerate() {
            if one.reads.is_some() {
                with_type!(of_type, T => seen.push(seen_of(of_type, view.messages::<T>()?)));
            }
        }
        let saw_any = seen.iter().any(|(_, messages, _)| !messages.is_empty());
        log.push(&self.name, count, seen);
        for (of_type, one) in self.uses.iter().enumerate() {
            if one.writes {
                let messages = written(self, count, of_type, 0).into_iter();
                with_type!(of_type, T => view.message_writer::<T>()?.extend(messages.map(T::new)));
            }
        }
        if self.cell == Some(true) {
            view.get_mut::<Plain>()?.0 += 1;
        }
        self.fail(count)?;
        Ok((saw_any, count))
    }

    fn with_uses(&self, mut system: DynamicSystem) -> DynamicSystem {
        for (of_type, one) in self.uses.iter().enumerate() {
            with_type!(of_type, T => {
                if one.writes {
                    system = system.writes_messages::<T>();
                }
                system = match one.reads {
                    Some(Some(n)) => system.reads_latest_messages::<T>(n),
                    Some(None) => system.reads_messages::<T>(),
                    None => system,
                };
            });
        }
        match self.cell {
            Some(true) => system.writes(ResourceId::of::<Plain>()),
            Some(false) => system.reads(ResourceId::of::<Plain>()),
            None => system,
        }
    }

    fn add(&self, builder: &mut Builder, log: &Log) {
        let (own, log) = (self.clone(), log.clone());
        let name = self.name.as_str();
        match &self.work {
            Work::System => {
                let run = DynamicSystem::new(name, move |view| own.call(view, &log).map(|_| ()));
                builder.add_dynamic(self.with_uses(run));
            }
            Work::Gate => {
                let run = DynamicSystem::new(name, move |view| {
                    own.call(view, &log).map(|(saw_any, _)| saw_any)
                });
                builder.add_dynamic(self.with_uses(run));
            }
            Work::Closure => own.add_closure(builder, log),
            Work::EachWriter => _ = builder.add::<write_each>().named(name),
            Work::EachReader => _ = builder.add::<read_each>().named(name),
            Work::Loop(n_iterations, body) => {
                let n_asked = n_iterations + 1;
                let of_body = log.clone();
                let condition = DynamicSystem::new(name, move |view| {
                    let (_, count) = own.call(view, &log)?;
                    Ok::<_, BoxError>(!count.is_multiple_of(n_asked))
                });
                builder.repeat_while_dynamic(self.with_uses(condition), |builder| {
                    add_level(builder, body, &of_body);
                    builder
                });
            }
        }
    }

    fn add_closure(self, builder: &mut Builder, log: Log) {
        let name = self.name.clone();
        let MessageUse { reads, writes } = self.uses[0];
        macro_rules! add {
            ($($parameter:ident: $ty:ty),*) => {
                builder.add_closure(name, move |$(mut $parameter: $ty),*| {
                    let count = log.count(&self.name);
                    let mut seen = Seen::new();
                    $($parameter.note(&mut seen);)*
                    log.push(&self.name, count, seen);
                    $($parameter.write_all(&self, count);)*
                    self.fail(count)
                })
            };
        }
        match (reads, writes) {
            // Its read was removed.
            (None, false) => builder.add_closure(name, move || {
                let count = log.count(&self.name);
                log.push(&self.name, count, Seen::new());
                self.fail(count)
            }),
            (None, true) => add!(writer: MessageWriter<Red>),
            (Some(None), false) => add!(reader: MessageReader<Red>),
            (Some(Some(_)), false) => add!(reader: MessageReader<Red, KeepLatest<2>>),
            (Some(None), true) => add!(reader: MessageReader<Red>, writer: MessageWriter<Red>),
            (Some(Some(_)), true) => {
                add!(writer: MessageWriter<Red>, reader: MessageReader<Red, KeepLatest<2>>)
            }
        };
    }
}

/// A parameter of a closure.
trait Used {
    fn note(&self, _: &mut Seen) {}
    fn write_all(&mut self, _: &Node, _: u32) {}
}

impl<K> Used for MessageReader<'_, Red, K> {
    fn note(&self, seen: &mut Seen) {
        seen.push(seen_of(0, *self));
    }
}

impl Used for MessageWriter<'_, Red> {
    fn write_all(&mut self, node: &Node, count: u32) {
        self.extend(written(node, count, 0, 0).into_iter().map(Red));
    }
}

fn add_level(builder: &mut Builder, nodes: &[Node], log: &Log) {
    for node in nodes {
        node.add(builder, log);
        match &node.guard {
            None => {}
            Some((asked, answer)) => {
                let condition = match asked {
                    Asked::Typed(0) => Condition::of::<first_answer>(),
                    Asked::Typed(_) => Condition::of::<second_answer>(),
                    Asked::Gate(gate) => Condition::added(nodes[*gate].name.as_str()),
                };
                builder.run_if(if *answer { condition } else { !condition });
            }
        }
        for &first in &node.after {
            builder.order(nodes[first].name.as_str(), node.name.as_str());
        }
    }
}

fn build(case: &Case, nodes: &[Node], log: &Log, on: On) -> Schedule {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.failure_policy(if case.skips_dependents {
        FailurePolicy::SkipDependents
    } else {
        FailurePolicy::CarryOn
    });
    builder.add::<first_answer>().add::<second_answer>();
    add_level(&mut builder, nodes, log);
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    schedule
}

/// The program.
pub(super) struct Subject<'c> {
    case: &'c Case,
    on: On,
    log: Log,
    schedules: [Schedule; 2],
    resources: Resources,
    senders: Senders,
}

type Senders = (
    schedule::message::MessageSender<Red>,
    schedule::message::MessageSender<Green>,
    schedule::message::MessageSender<Blue>,
);

/// What is saved.
pub(super) struct Saved {
    states: [ScheduleState; 2],
    bytes: Vec<u8>,
}

fn saved_resources() -> SavedResources {
    SavedResources::new()
        .with::<Messages<Red>>()
        .with::<Messages<Green>>()
        .with::<Messages<Blue>>()
}

impl<'c> Subject<'c> {
    pub(super) fn new(case: &'c Case, on: On) -> Self {
        let log = Log::default();
        let mut resources = Resources::new();
        resources.insert(Messages::<Red>::with_bound(case.bounds[0]));
        resources.insert(Messages::<Green>::with_bound(case.bounds[1]));
        resources.insert(Messages::<Blue>::with_bound(case.bounds[2]));
        resources.insert(Answers([true, false]));
        resources.insert(Plain(0));
        resources.insert(log.clone());
        let things = 0..case.n_entities;
        let things: Columns<Thing> = things.map(|n| Thing { index: Index(n) }).collect();
        resources.insert(things);
        Self {
            schedules: [0, 1].map(|nth| build(case, &case.schedules[nth], &log, on)),
            senders: senders(&resources),
            case,
            on,
            log,
            resources,
        }
    }

    pub(super) fn systems(&self) -> [Vec<&str>; 2] {
        self.schedules
            .each_ref()
            .map(|schedule| schedule.systems().collect())
    }

    pub(super) fn run(&mut self, nth: usize) -> Trace {
        let result = self.on.run(&mut self.schedules[nth], &mut self.resources);
        let mut trace = Trace {
            log: core::mem::take(&mut self.log.0.lock().unwrap().1),
            ..Trace::default()
        };
        if let Err(error) = result {
            for failure in error.failures() {
                let reason = match &failure.cause {
                    Cause::Full(full) => {
                        let reader = full.reader.iter().map(|reader| reader.name.clone());
                        Reason::Full(full.bound, full.n_unread, reader.collect())
                    }
                    cause => Reason::Text(cause.to_string()),
                };
                let name = failure.system.name.clone();
                trace.failed.entry(name).or_default().push(reason);
            }
        }
        trace
    }

    pub(super) fn send(&mut self, of_type: usize, number: u64) -> bool {
        with_type!(of_type, T => self.messages::<T>().send(T::new(number)).is_ok())
    }

    pub(super) fn send_by_other(&self, of_type: usize, number: u64) -> bool {
        match of_type {
            0 => self.senders.0.try_send(Red(number)).is_ok(),
            1 => self.senders.1.try_send(Green(number)).is_ok(),
            _ => self.senders.2.try_send(Blue(number)).is_ok(),
        }
    }

    pub(super) fn clear(&mut self, of_type: usize) {
        with_type!(of_type, T => self.messages::<T>().clear());
    }

    pub(super) fn set_bound(&mut self, of_type: usize, bound: usize) {
        with_type!(of_type, T => self.messages::<T>().set_bound(bound));
    }

    /// The number of kept messages, and of dropped ones, of each type.
    pub(super) fn numbers(&mut self) -> [(usize, u64); N_TYPES] {
        [0, 1, 2].map(|of_type| {
            with_type!(of_type, T => {
                let messages = self.messages::<T>();
                (messages.len(), messages.n_dropped())
            })
        })
    }

    fn messages<T: Number>(&mut self) -> &mut Messages<T> {
        self.resources.get_mut().unwrap()
    }

    pub(super) fn answer(&mut self, nth: usize, answer: bool) {
        self.resources.get_mut::<Answers>().unwrap().0[nth] = answer;
    }

    pub(super) fn switch(&mut self, nth: usize, name: &str, is_enabled: bool) {
        self.schedules[nth].set_enabled(name, is_enabled).unwrap();
    }

    pub(super) fn rebuild(&mut self, nth: usize) {
        self.schedules[nth] = build(self.case, &self.case.schedules[nth], &self.log, self.on);
    }

    pub(super) fn save(&mut self) -> Saved {
        Saved {
            states: self
                .schedules
                .each_mut()
                .map(|schedule| schedule.save_state().unwrap()),
            bytes: saved_resources().save(&self.resources).unwrap(),
        }
    }

    /// `model`: the state of the interpreter when the program was saved.
    pub(super) fn restore(
        &mut self,
        saved: &Saved,
        model: &Model,
        is_new: bool,
        is_state_first: bool,
    ) {
        if is_new {
            *self = Self::new(self.case, self.on);
        }
        if is_state_first {
            self.restore_states(saved);
        }
        saved_resources()
            .restore(&saved.bytes, &mut self.resources)
            .unwrap();
        if !is_state_first {
            self.restore_states(saved);
        }
        self.resources.get_mut::<Answers>().unwrap().0 = model.answers;
        self.log.0.lock().unwrap().0 = model.counts().clone();
    }

    fn restore_states(&mut self, saved: &Saved) {
        for (schedule, state) in self.schedules.iter_mut().zip(&saved.states) {
            schedule.restore_state(state).unwrap();
        }
    }
}

fn senders(resources: &Resources) -> Senders {
    (
        resources.get::<Messages<Red>>().unwrap().sender(),
        resources.get::<Messages<Green>>().unwrap().sender(),
        resources.get::<Messages<Blue>>().unwrap().sender(),
    )
}
