//! Short runs, which read no clock, and runs after pauses, with helpers that wait for them.

use core::time::Duration;

use super::super::{Mode, UNCLOCKED_RUNS};
use super::{Machine, US};

#[test]
fn nearly_empty_run_does_not_read_the_clock() {
    let mut machine = Machine::with_costs(4, Duration::from_nanos(10));
    let each = Duration::from_nanos(10);
    let took = |_| Duration::from_nanos(100);
    // The first runs are timed.
    assert_eq!(machine.auto.skips_clock(), None);
    let (mut n_seen, mut n_unclocked, mut n_timed) = (0, 0, 0);
    for _ in 0..10_000 {
        if machine.auto.skips_clock().is_some() {
            n_unclocked += 1;
            continue;
        }
        let choice = machine.auto.choose(machine.now, 2);
        assert_eq!(choice.mode, Mode::Serial);
        n_timed += u32::from(choice.is_timed);
        machine.end(choice, each, took(choice.mode));
        n_seen += 1;
    }
    assert!(
        n_unclocked > UNCLOCKED_RUNS / 2 * n_seen,
        "{n_seen} are seen"
    );
    assert!((1..200).contains(&n_timed), "{n_timed} are timed");
}

/// Reading the clock after a pause takes about a microsecond.
#[test]
fn most_short_runs_after_pauses_do_not_read_the_clock() {
    let mut machine = Machine::with_costs(100, US / 10);
    let mut count = |pause: Duration| {
        let mut n_unclocked = 0;
        for _ in 0..1_000 {
            machine.now += pause;
            if machine.auto.skips_clock().is_some() {
                n_unclocked += 1;
                machine.now += 10 * US;
            } else {
                machine.run(US / 10, |mode| [10, 60, 60][mode as usize] * US);
            }
        }
        n_unclocked
    };
    assert!(count(2_000 * US) > 800);
    // Helpers may be worth it if runs follow each other.
    count(Duration::ZERO);
    assert_eq!(count(Duration::ZERO), 0);
}

/// Returns the modes of the last 100 of many runs after pauses. `awaited`: the time of a run on several threads for which helpers wait.
/// They do so if the run before expected it.
fn periodic_runs(awaited: Duration) -> [usize; 3] {
    let mut machine = Machine::with_costs(10, 3 * US);
    let mut modes = Vec::new();
    for _ in 0..500 {
        machine.now += 2000 * US;
        let with_helpers = machine.auto.mode_with_helpers(2);
        let is_awaited = with_helpers != Mode::Serial;
        machine
            .auto
            .note_helpers(is_awaited.then_some(with_helpers));
        let took = |mode| match mode {
            Mode::Serial => 30 * US,
            _ if mode == with_helpers => awaited,
            _ => 70 * US,
        };
        modes.push(machine.run(3 * US, took));
    }
    let count = |mode| modes[400..].iter().filter(|one| **one == mode).count();
    Mode::ALL.map(count)
}

#[test]
fn short_runs_after_pauses_use_waiting_helpers_if_these_make_them_faster() {
    let [serial, ..] = periodic_runs(18 * US);
    assert!(serial < 5, "{serial}");
    let [serial, ..] = periodic_runs(40 * US);
    assert!(serial > 95, "{serial}");
}
