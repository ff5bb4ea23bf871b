//! Conditions with many operands, and schedules within each other (`nested.rs`). No code is recursive over operands, so the stack does
//! not grow with their number.
//!
//! A case that could overflow the stack runs in its own process, on a thread with a small stack.

#![cfg(not(miri))]

mod nested;

use std::fmt::Write as _;
use std::ops::{BitAnd, BitOr, Not};
use std::thread;

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Condition};
use schedule_tests::child::Child;

/// Number of operands of a condition.
const N: usize = 20_000;

/// Number of systems that the operands name.
const N_CONDITIONS: usize = 8;

/// The stack size of a thread: an eighth of Rust's default.
const STACK: usize = 256 << 10;

/// The answer of each condition.
#[derive(Clone, Copy, Resource)]
struct Answers([bool; N_CONDITIONS]);

/// The number of executions of the guarded systems.
#[derive(Default, PartialEq, Eq, Debug, Resource)]
struct Ran([u32; 2]);

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap();
}

/// Returns the condition of this number, by its name.
fn leaf(nth: usize) -> Condition {
    Condition::added(format!("c{}", nth % N_CONDITIONS))
}

/// Adds one operand to a condition, or to the value of a condition.
fn grow<T>(how: How, nth: usize, so_far: T, more: T) -> T
where
    T: Not<Output = T> + BitAnd<Output = T> + BitOr<Output = T>,
{
    match how {
        How::And => so_far & more,
        How::Or => so_far | more,
        How::OrInFront => more | so_far,
        How::Not => !so_far,
        How::NotAnd => !(so_far & more),
        How::NotOr => !(more | so_far),
        How::AndOr if nth.is_multiple_of(2) => so_far & more,
        How::AndOr => so_far | more,
        How::AndNotOr if nth.is_multiple_of(3) => so_far & !more,
        How::AndNotOr => !(so_far | more),
    }
}

/// The operators with which a condition grows.
#[derive(Clone, Copy, Debug)]
enum How {
    And,
    Or,
    OrInFront,
    Not,
    NotAnd,
    NotOr,
    AndOr,
    AndNotOr,
}

const ALL: [How; 8] = [
    How::And,
    How::Or,
    How::OrInFront,
    How::Not,
    How::NotAnd,
    How::NotOr,
    How::AndOr,
    How::AndNotOr,
];

fn condition(how: How) -> Condition {
    (1..N).fold(leaf(0), |so_far, nth| grow(how, nth, so_far, leaf(nth)))
}

/// Computes the value of the condition in the same way as the condition is made.
fn value(how: How, Answers(answers): Answers) -> bool {
    (1..N).fold(answers[0], |so_far, nth| {
        grow(how, nth, so_far, answers[nth % N_CONDITIONS])
    })
}

/// Returns a builder with two conflicting systems. The first runs if the condition is true.
fn builder(guard: Condition) -> Builder {
    let mut builder = Schedule::builder();
    for nth in 0..N_CONDITIONS {
        builder.add_closure(format!("c{nth}"), move |answers: &Answers| answers.0[nth]);
    }
    builder.add_closure("first", |ran: &mut Ran| ran.0[0] += 1);
    builder.run_if(guard);
    builder.add_closure("second", |ran: &mut Ran| ran.0[1] += 1);
    builder
}

/// Returns all combinations of answers.
fn answers() -> impl Iterator<Item = Answers> {
    (0..1 << N_CONDITIONS)
        .map(|bits| Answers([0, 1, 2, 3, 4, 5, 6, 7].map(|nth| bits >> nth & 1 == 1)))
}

#[test]
fn condition_with_many_operands_is_dropped_on_a_small_stack() {
    for how in ALL {
        let case = Child::new(move || on_a_small_stack(move || drop(condition(how))));
        case.label(format!("{how:?}")).run();
    }
}

#[test]
fn condition_with_many_operands_is_cloned_on_a_small_stack() {
    for how in ALL {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let condition = condition(how);
                let clone = condition.clone();
                drop(condition);
                assert!(!format!("{clone:?}").is_empty());
            });
        });
        case.label(format!("{how:?}")).run();
    }
}

#[test]
fn condition_with_many_operands_is_debug_formatted_on_a_small_stack() {
    for how in ALL {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let text = format!("{:?}", condition(how));
                let n_leaves = match how {
                    How::Not => 1,
                    _ => N,
                };
                assert_eq!(text.matches("Is(").count(), n_leaves);
                assert_eq!(text.matches('(').count(), text.matches(')').count());
            });
        });
        case.label(format!("{how:?}")).run();
    }
}

#[test]
fn schedule_with_a_large_condition_runs_on_a_small_stack() {
    for how in ALL {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let mut builder = builder(condition(how));
                let mut schedule = builder.order("first", "second").build().unwrap();
                let mut resources = Resources::new();
                let mut n_runs = [0, 0];
                resources.insert(Ran::default());
                for answers in answers() {
                    resources.insert(answers);
                    schedule.run(&mut resources).unwrap();
                    n_runs[0] += u32::from(value(how, answers));
                    n_runs[1] += 1;
                    assert_eq!(*resources.get::<Ran>().unwrap(), Ran(n_runs));
                }
            });
        });
        case.label(format!("{how:?}")).run();
    }
}

#[test]
fn schedule_with_a_large_condition_is_printed_on_a_small_stack() {
    for how in ALL {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let mut builder = builder(condition(how));
                let schedule = builder.order("first", "second").build().unwrap();
                let n_leaves = match how {
                    How::Not => 1,
                    _ => N,
                };
                let graph = schedule.graph();
                let guards = graph.nodes.iter().filter_map(|node| node.guard.as_deref());
                let guard = guards.collect::<String>();
                let mut text = format!("{schedule:?}");
                write!(text, "{}{}", schedule.lock(), schedule.report()).unwrap();
                let count = |text: &str| {
                    (0..N_CONDITIONS)
                        .map(|nth| text.matches(&format!("c{nth}")).count())
                        .sum::<usize>()
                };
                assert_eq!(count(&guard), n_leaves);
                assert!(count(&text) >= 2 * n_leaves);
            });
        });
        case.label(format!("{how:?}")).run();
    }
}

/// Two systems conflict without an order. They are accepted because their conditions exclude each other.
#[test]
fn condition_with_many_operands_excludes_another_on_a_small_stack() {
    let all = [
        ("and", condition(How::And)),
        ("not or", !(!leaf(0) | condition(How::Or))),
        (
            "and many",
            (0..N).fold(leaf(0), |so_far, nth| !(!so_far | !leaf(nth))),
        ),
    ];
    for (label, guard) in all {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let other = if label == "not or" { leaf(1) } else { !leaf(1) };
                builder(guard.clone()).build().unwrap_err();
                builder(guard).run_if(other).build().unwrap();
            });
        });
        case.label(label).run();
    }
}

/// Each operand names a different system.
#[test]
fn condition_of_many_systems_is_built_on_a_small_stack() {
    for label in ["and", "or", "not and"] {
        let case = Child::new(move || {
            on_a_small_stack(move || {
                let more = || Condition::closure("is due", || true);
                let guard = (1..N).fold(more(), |so_far, _| match label {
                    "and" => so_far & more(),
                    "or" => so_far | more(),
                    _ => !(!so_far | !more()),
                });
                let mut builder = Schedule::builder();
                builder.add_dynamic(DynamicSystem::new("draw", |_| ()));
                builder.run_if(guard);
                builder.build().unwrap().run(&mut Resources::new()).unwrap();
            });
        });
        case.label(label).run();
    }
}
