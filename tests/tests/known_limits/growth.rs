//! Cost that grows with the square of a size, or with what happened before: told by what is allocated, which is the same in each
//! run.

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule_tests::child::Child;

use super::counting::{allocated, retained};
use super::harness::still_fails;

/// Checks that twice the size takes about twice the memory: four times is what a square takes.
#[track_caller]
fn assert_about_linear(n: usize, work: impl Fn(usize)) {
    let [one, twice] = [n, 2 * n].map(|n| allocated(|| work(n)).0);
    let ratio = twice as f64 / one as f64;
    assert!(
        ratio < 2.6,
        "work of twice the size allocates {ratio:.2} times as much: {one} and {twice} bytes"
    );
}

fn system(name: impl Into<String>) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

#[test]
fn memory_of_a_schedule_does_not_depend_on_past_changes() {
    let case = Child::new(|| {
        let mut schedule = Schedule::builder()
            .add_dynamic(system("stays"))
            .build()
            .unwrap();
        let mut retained_after = |n_changes: usize| {
            for _ in 0..n_changes {
                schedule
                    .change(|builder| builder.add_dynamic(system("comes and goes")))
                    .unwrap();
                schedule
                    .change(|builder| builder.remove("comes and goes"))
                    .unwrap();
            }
            retained()
        };
        // Lists may double once in a while.
        let [first, second] = [100, 400].map(&mut retained_after);
        let grown = second.saturating_sub(first);
        assert!(
            grown < 4096,
            "{grown} bytes more are retained after 400 more changes"
        );
    });
    case.run();
}

#[test]
fn cost_of_a_change_does_not_depend_on_past_changes() {
    let case = Child::new(|| {
        let mut schedule = Schedule::builder()
            .add_dynamic(system("stays"))
            .build()
            .unwrap();
        let mut allocated_by = |n_changes: usize| {
            let change = || {
                for _ in 0..n_changes {
                    schedule
                        .change(|builder| builder.add_dynamic(system("comes and goes")))
                        .unwrap();
                    schedule
                        .change(|builder| builder.remove("comes and goes"))
                        .unwrap();
                }
            };
            allocated(change).0
        };
        let [first, _, second] = [50, 400, 50].map(&mut allocated_by);
        assert!(
            second < 2 * first,
            "50 changes allocate {first} bytes, and {second} bytes after 400 others"
        );
    });
    case.run();
}

/// Systems one after the other.
fn in_order(n: usize) -> Schedule {
    let mut builder = Schedule::builder();
    let mut before = None;
    for nth in 0..n {
        builder.add_dynamic(system(format!("s{nth}")));
        let this = builder.last().unwrap();
        if let Some(before) = before.replace(this) {
            builder.order(before, this);
        }
    }
    builder.build().unwrap()
}

#[test]
fn lock_of_twice_the_systems_takes_twice_the_memory() {
    let case = Child::new(|| {
        assert_about_linear_of(|schedule| schedule.lock().to_string());
    });
    case.run();
}

#[test]
fn report_of_twice_the_systems_takes_twice_the_memory() {
    let case = Child::new(|| {
        assert_about_linear_of(|schedule| schedule.report().to_string());
    });
    case.run();
}

/// Checks what is made of a schedule: see [`assert_about_linear`].
#[track_caller]
fn assert_about_linear_of(work: impl Fn(&Schedule) -> String) {
    const N: usize = 1_000;
    let [one, twice] = [N, 2 * N].map(in_order);
    assert_about_linear(N, |n| {
        let schedule = if n == N { &one } else { &twice };
        assert!(!work(schedule).is_empty());
    });
}
