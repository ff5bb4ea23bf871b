//! Conditions of many parts: nothing recurses over them, so the stack does not grow with their number.

use std::hint::black_box;
use std::mem::forget;
use std::thread;

use schedule::prelude::*;
use schedule::{Condition, DynamicSystem};
use schedule_tests::child::Child;

use super::harness::still_fails;

/// How many parts a condition has. More where a frame is smaller: in release, and of what drops one.
const N: usize = if cfg!(debug_assertions) {
    10_000
} else {
    100_000
};
const N_DROPPED: usize = 200_000;

/// What a process says that has used all of its stack.
const OVERFLOWED: &str = "has overflowed its stack";

/// The stack of a thread, as Rust has it by default.
const STACK: usize = 2 << 20;

fn on_a_thread(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap();
}

fn leaf() -> Condition {
    Condition::added("is_due")
}

/// Makes the next condition of the one before it, whose number this is.
type Grow = fn(usize, Condition) -> Condition;

/// How a condition grows.
const GROWTHS: [(&str, Grow); 4] = [
    ("and", |_, condition| condition & leaf()),
    ("or", |_, condition| condition | leaf()),
    ("not", |_, condition| !condition),
    ("and, or", |nth, condition| match nth % 2 {
        0 => condition & leaf(),
        _ => condition | leaf(),
    }),
];

fn deep(n: usize, grow: Grow) -> Condition {
    (0..n).fold(leaf(), |condition, nth| grow(nth, condition))
}

#[test]
fn condition_of_many_parts_is_dropped_on_a_small_stack() {
    for (label, grow) in GROWTHS {
        let case = Child::new(move || on_a_thread(move || drop(deep(N_DROPPED, grow))));
        still_fails(case.label(label), OVERFLOWED);
    }
}

#[test]
fn condition_of_many_parts_is_cloned_on_a_small_stack() {
    for (label, grow) in GROWTHS {
        let case = Child::new(move || {
            on_a_thread(move || {
                let condition = deep(N, grow);
                forget(black_box(condition.clone()));
                forget(condition);
            });
        });
        still_fails(case.label(label), OVERFLOWED);
    }
}

#[test]
fn condition_of_many_parts_is_debug_formatted_on_a_small_stack() {
    for (label, grow) in GROWTHS {
        let case = Child::new(move || {
            on_a_thread(move || {
                let condition = deep(N, grow);
                assert!(format!("{condition:?}").contains("is_due"));
                forget(condition);
            });
        });
        still_fails(case.label(label), OVERFLOWED);
    }
}

#[test]
fn schedule_with_a_condition_of_many_parts_is_built_on_a_small_stack() {
    for (label, grow) in GROWTHS {
        let case = Child::new(move || {
            on_a_thread(move || {
                let mut builder = Schedule::builder();
                builder.add_closure("is_due", || true);
                builder.add_dynamic(DynamicSystem::new("draw", |_| ()));
                builder.guard(deep(N, grow));
                let mut schedule = builder.build().unwrap();
                schedule.run(&mut Resources::new()).unwrap();
                forget((builder, schedule));
            });
        });
        still_fails(case.label(label), OVERFLOWED);
    }
}
