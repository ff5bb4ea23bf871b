//! Conditions: systems whose result decides which other systems run.
//!
//! `cargo run -p examples --example conditions`
//!
//! An elevator moves one floor per run. Its doors open at each floor that called it, and after an alarm only on floor 0.

use std::collections::BTreeSet;

use schedule::condition::exists;
use schedule::prelude::*;

#[derive(Resource)]
struct Floor(u32);

#[derive(Resource)]
struct Calls(BTreeSet<u32>);

#[derive(Resource)]
struct Alarm;

/// A system that returns `bool` is a condition.
#[system]
fn is_called(floor: &Floor, calls: &Calls) -> bool {
    calls.0.contains(&floor.0)
}

#[derive(Branch, Clone, Copy)]
enum Move {
    Up,
    Down,
    Rest,
}

/// A system that returns one of several branches is a selector.
#[system]
fn next_move(floor: &Floor, calls: &Calls) -> Move {
    match calls.0.first() {
        Some(&lowest) if lowest < floor.0 => Move::Down,
        Some(_) => Move::Up,
        None => Move::Rest,
    }
}

#[derive(Group)]
struct Moves;

schedule! {
    Step {
        // `evacuate` writes `Calls`, which both conditions read, so it needs an order. `exists` is a ready-made condition.
        |calls: &mut Calls| { calls.0 = [0].into(); } as evacuate: before (is_called, next_move) if exists<Alarm>,
        // A run evaluates each condition once. At most one of these three runs, so they need no order.
        |calls: &mut Calls, floor: &Floor| { calls.0.remove(&floor.0); } as open_doors: if is_called,
        group Moves: if not(is_called) {
            |floor: &mut Floor| { floor.0 += 1; } as rise: if is(next_move, Move::Up),
            |floor: &mut Floor| { floor.0 -= 1; } as sink: if is(next_move, Move::Down),
        }
    }
}

fn main() -> Result<(), BoxError> {
    let mut elevator = Resources::new();
    elevator.insert(Floor(2));
    elevator.insert(Calls([1, 4].into()));
    let mut step = Step::new();
    for n_runs in 1..=11 {
        if n_runs == 7 {
            elevator.insert(Alarm);
        }
        step.run(&mut elevator)?;
        let calls = &elevator.get::<Calls>().unwrap().0;
        println!(
            "run {n_runs:2}: floor {}, calls {calls:?}",
            elevator.get::<Floor>().unwrap().0
        );
    }
    Ok(())
}
