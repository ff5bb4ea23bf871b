//! Tests rates against a clock that the test sets, and against an interpreter with an explicit list of due times.

use super::*;
use crate::systems::rate::observer::{NotQueried, QueryOutcome, RunEnd, SystemWork};

mod interpreter;

const MS: Duration = Duration::from_millis(1);
const US: Duration = Duration::from_micros(1);

const RAN: QueryOutcome = QueryOutcome {
    work: SystemWork::Ran,
    not_queried: NotQueried::Unreached,
};

fn not_queried(not_queried: NotQueried) -> QueryOutcome {
    QueryOutcome {
        work: SystemWork::Disabled,
        not_queried,
    }
}

impl<M> Rate<M> {
    fn evaluate_at(&mut self, now: Duration) -> bool {
        self.evaluate(Nanos::of(now))
    }

    fn run_ended_at(&mut self, now: Duration, outcome: QueryOutcome) {
        self.end_run_at(now, outcome, false);
    }

    fn end_run_at(&mut self, now: Duration, outcome: QueryOutcome, is_refused: bool) {
        let end = RunEnd {
            now: Nanos::of(now),
            is_driven: self.is_driven,
            is_refused,
        };
        self.run_ended(end, outcome);
    }
}

fn clock_at(now: Duration) -> Clock {
    let mut clock = Clock::new();
    clock.advance(now);
    clock
}

/// Evaluates the rate as the condition of a loop in one run of a schedule.
fn in_turn(rate: &mut Rate<u8>, now_ms: u32) -> u32 {
    let mut n = 0;
    while rate.evaluate_at(now_ms * MS) {
        n += 1;
    }
    rate.run_ended_at(now_ms * MS, RAN);
    n
}

/// Evaluates the rate as a guard in one run of a schedule.
fn once(rate: &mut Rate<u8>, now_ms: u32) -> bool {
    let is_due = rate.evaluate_at(now_ms * MS);
    rate.run_ended_at(now_ms * MS, RAN);
    is_due
}

#[test]
fn fixed_step_runs_once_per_due_time_and_keeps_the_remainder() {
    let mut rate = Rate::every(10 * MS).catch_up(100);
    assert_eq!(in_turn(&mut rate, 0), 1, "due at its start");
    assert_eq!(in_turn(&mut rate, 9), 0);
    assert_eq!(rate.leftover(), 9 * MS);
    assert_eq!(in_turn(&mut rate, 35), 3);
    assert_eq!(rate.leftover(), 5 * MS);
    assert_eq!(in_turn(&mut rate, 40), 1);
    assert_eq!(rate.leftover(), Duration::ZERO);
    assert_eq!((rate.n_missed(), rate.counts().total()), (0, 5));
}

#[test]
fn due_times_beyond_the_limit_of_catch_up_are_skipped() {
    let mut rate = Rate::every(10 * MS).catch_up(3);
    assert_eq!(in_turn(&mut rate, 104), 3);
    let counts = rate.counts();
    assert_eq!((counts.on_time, counts.late, counts.skipped), (1, 2, 8));
    assert_eq!(rate.leftover(), 4 * MS, "the rest of a period stays");
    assert_eq!(in_turn(&mut rate, 110), 1);
}

#[test]
fn one_run_serves_all_past_due_times_and_keeps_the_phase() {
    let mut rate = Rate::every(10 * MS);
    assert!(once(&mut rate, 0));
    assert!(once(&mut rate, 47));
    let counts = rate.counts();
    assert_eq!((counts.on_time, counts.late, counts.skipped), (1, 1, 4));
    assert!(!once(&mut rate, 49));
    assert!(!once(&mut rate, 50), "served early, at 47");
    assert!(once(&mut rate, 60));
    assert_eq!(rate.lateness(), Duration::ZERO);
}

#[test]
fn lateness_is_measured_against_the_first_missed_due_time() {
    for rate in [
        Rate::every(10 * MS),
        Rate::every(10 * MS).catch_up(100),
        Rate::every(10 * MS).catch_up(2),
        Rate::every(10 * MS).tolerance(Duration::ZERO),
    ] {
        let mut rate: Rate<u8> = rate;
        assert!(in_turn(&mut rate, 0) > 0);
        assert_eq!(rate.lateness(), Duration::ZERO);
        assert!(in_turn(&mut rate, 110) > 0);
        assert_eq!(rate.lateness(), 100 * MS, "{rate:?}");
        assert!(in_turn(&mut rate, 120) > 0);
        assert_eq!(rate.lateness(), Duration::ZERO);
        assert_eq!(rate.max_lateness(), 100 * MS);
        assert_eq!(rate.counts().total(), 13);
        rate.reset_metrics();
        assert_eq!(rate.max_lateness(), Duration::ZERO);
        assert_eq!(rate.counts(), RateCounts::default());
    }
}

#[test]
fn guard_catches_up_one_due_time_per_run() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).starting_at(10 * MS).catch_up(8);
    // The run at 50 is late by three periods.
    let asked = [10, 50, 51, 52, 53, 54, 60];
    let due = asked.map(|now| once(&mut rate, now));
    assert_eq!(due, [true, true, true, true, true, false, true]);
    assert_eq!(rate.n_missed(), 0);
}

#[test]
fn punctual_guard_misses_no_due_time() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(3);
    for run in 0..100 {
        assert!(once(&mut rate, run * 10));
    }
    assert_eq!(rate.counts().on_time, 100);
    assert_eq!(rate.counts().total(), 100);
}

#[test]
fn loop_that_fails_in_each_run_continues_in_the_next() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(2);
    for run in 0..10 {
        assert!(rate.evaluate_at(run * 10 * MS), "and its body fails");
        let failed = QueryOutcome {
            work: SystemWork::Failed,
            ..RAN
        };
        rate.run_ended_at(run * 10 * MS, failed);
    }
    assert_eq!((rate.counts().failed, rate.counts().total()), (10, 10));
}

#[test]
fn longest_time_does_not_overflow() {
    let mut rate: Rate<u8> = Rate::every(Duration::from_nanos(1)).catch_up(2);
    assert_eq!(
        [
            rate.evaluate_at(Duration::MAX),
            rate.evaluate_at(Duration::MAX)
        ],
        [true, true]
    );
    assert!(!rate.evaluate_at(Duration::MAX));
    assert_eq!(rate.leftover(), Duration::ZERO, "times saturate");
    rate.run_ended_at(Duration::MAX, not_queried(NotQueried::Disabled));
    assert!(rate.counts().total() > 2);
}

#[test]
fn rate_is_due_once_at_the_end_of_time() {
    for mut rate in [
        Rate::<u8>::every(10 * MS),
        Rate::every(10 * MS).tolerance(Duration::ZERO),
        Rate::every(10 * MS).catch_up(1),
    ] {
        assert!(rate.evaluate_at(Duration::MAX), "{rate:?}");
        assert!(!rate.evaluate_at(Duration::MAX), "{rate:?}");
    }
}

#[test]
fn a_rate_is_due_exactly_at_its_start() {
    let mut rate = Rate::every(10 * MS)
        .starting_at(1000 * MS)
        .tolerance(Duration::ZERO);
    assert!(!once(&mut rate, 999));
    assert!(once(&mut rate, 1000));
    assert!(!once(&mut rate, 1009));
    assert!(once(&mut rate, 1010));
    let mut rate = Rate::every(10 * MS).starting_at(1000 * MS).catch_up(9);
    assert_eq!(in_turn(&mut rate, 999), 0);
    assert_eq!(in_turn(&mut rate, 1021), 3);
    assert_eq!(rate.n_missed(), 0);
}

#[test]
fn a_rate_is_due_within_its_tolerance_before_a_due_time() {
    for (tolerance, second) in [(None, 105), (Some(2), 108), (Some(0), 110)] {
        let mut rate = Rate::every(10 * MS).starting_at(100 * MS);
        if let Some(tolerance) = tolerance {
            rate = rate.tolerance(tolerance * MS);
        }
        let due = (80..115).filter(|&now| once(&mut rate, now));
        assert_eq!(due.collect::<Vec<_>>(), [100, second], "{tolerance:?}");
    }
}

#[test]
fn rate_equal_to_its_loop_is_due_despite_an_early_wake_up() {
    let mut rate: Rate<u8> = Rate::hertz(1000.0);
    for run in 0..1000_u32 {
        let jitter = [US, Duration::ZERO, 2 * US][run as usize % 3];
        assert!(
            rate.evaluate_at(run * MS + US - jitter.min(run * MS + US)),
            "{run}"
        );
        rate.run_ended_at(run * MS, RAN);
    }
    assert_eq!((rate.counts().on_time, rate.counts().total()), (1000, 1000));
}

#[test]
fn paused_time_counts_only_if_configured() {
    for (counts_paused, expected) in [(false, 1), (true, 4)] {
        let mut rate = Rate::every(10 * MS).catch_up(8);
        if counts_paused {
            rate = rate.count_paused();
        }
        assert_eq!(in_turn(&mut rate, 0), 1);
        for now in [10, 20, 30] {
            rate.run_ended_at(now * MS, not_queried(NotQueried::Paused));
        }
        assert_eq!(in_turn(&mut rate, 40), expected);
    }
    let mut rate = Rate::every(10 * MS).count_paused();
    assert!(once(&mut rate, 0));
    for now in [10, 20, 30] {
        rate.run_ended_at(now * MS, not_queried(NotQueried::Paused));
    }
    assert!(once(&mut rate, 40));
    assert_eq!((rate.counts().skipped, rate.counts().on_time), (3, 2));
    assert_eq!(rate.lateness(), Duration::ZERO, "those have ended");
}

#[test]
fn reset_discards_elapsed_time() {
    let mut rate = Rate::every(10 * MS).catch_up(8);
    assert_eq!(in_turn(&mut rate, 0), 1);
    rate.reset();
    rate.run_ended_at(55 * MS, not_queried(NotQueried::Disabled));
    assert_eq!(in_turn(&mut rate, 1003), 1);
    assert_eq!(rate.leftover(), Duration::ZERO);
    assert_eq!(in_turn(&mut rate, 1012), 0);
    assert_eq!(in_turn(&mut rate, 1013), 1);
    assert_eq!((rate.n_missed(), rate.max_lateness()), (0, Duration::ZERO));
}

#[test]
fn time_before_the_first_run_is_no_pause() {
    const HOUR: u32 = 3_600_000;
    let paused = not_queried(NotQueried::Paused);
    // The start is the time of the first run, after it, or before it. It is paused for 20 ms after the first run.
    for (start, next) in [(HOUR, HOUR + 20), (HOUR + 15, HOUR + 35), (0, HOUR + 20)] {
        let mut rate = Rate::<u8>::every(10 * MS).starting_at(start * MS);
        rate.run_ended_at(HOUR * MS, paused);
        rate.run_ended_at((HOUR + 20) * MS, paused);
        assert_eq!(rate.next.duration(), next * MS, "{start}");
    }
}

#[test]
fn another_clock_at_an_earlier_time_does_not_stop_a_rate() {
    let mut rate = Rate::every(10 * MS);
    assert!(once(&mut rate, 1000));
    assert!(!once(&mut rate, 3));
    assert!(once(&mut rate, 13));
}

#[test]
#[should_panic(expected = "half of its period")]
fn tolerance_above_half_a_period_panics() {
    let _ = Rate::<u8>::every(10 * MS).tolerance(6 * MS);
}

#[test]
fn clock_that_starts_to_tick_continues_from_its_time() {
    let mut clock = Clock::new();
    clock.advance(500 * MS);
    clock.tick();
    assert!(clock.now() >= 500 * MS && clock.now() < 60_000 * MS);
}

#[test]
fn the_tolerance_does_not_apply_to_the_start() {
    // A loop of 100 µs. The first due time is exact. The second is served half a period early.
    let mut rate: Rate<u8> = Rate::hertz(1000.0).starting_at(2500 * US);
    let due = (0..60).filter(|run| {
        let is_due = rate.evaluate_at(run * 100 * US);
        rate.run_ended_at(run * 100 * US, RAN);
        is_due
    });
    assert_eq!(due.collect::<Vec<_>>(), [25, 30, 40, 50]);
    let mut rate: Rate<u8> = Rate::every(1000 * MS).starting_at(10_000 * MS);
    let due = (0..11_000).step_by(100).filter(|&now| once(&mut rate, now));
    assert_eq!(due.collect::<Vec<_>>(), [10_000, 10_500]);
}

#[test]
fn explicit_tolerance_does_not_apply_to_the_start() {
    for catch_up in [None, Some(3)] {
        let mut rate = Rate::every(10 * MS).starting_at(100 * MS).tolerance(5 * MS);
        if let Some(at_most) = catch_up {
            rate = rate.catch_up(at_most);
        }
        let due = (80..117).filter(|&now| once(&mut rate, now));
        assert_eq!(due.collect::<Vec<_>>(), [100, 105, 115], "{catch_up:?}");
    }
}

#[test]
fn disabled_start_is_not_counted_early() {
    let mut rate = Rate::every(10 * MS).starting_at(100 * MS);
    rate.run_ended_at(97 * MS, not_queried(NotQueried::Disabled));
    assert_eq!(rate.counts().total(), 0);
    rate.run_ended_at(101 * MS, not_queried(NotQueried::Disabled));
    assert_eq!((rate.counts().disabled, rate.counts().total()), (1, 1));
    assert!(once(&mut rate, 106), "the tolerance applies from here on");
}

#[test]
fn due_times_fail_at_once_if_a_run_is_refused() {
    let skipped = not_queried(NotQueried::Skipped);
    for rate in [Rate::every(10 * MS), Rate::every(10 * MS).catch_up(9)] {
        let mut rate: Rate<u8> = rate.tolerance(Duration::ZERO);
        assert!(once(&mut rate, 0));
        rate.end_run_at(32 * MS, skipped, true);
        assert_eq!((rate.counts().failed, rate.counts().total()), (3, 4));
        rate.end_run_at(39 * MS, skipped, true);
        assert_eq!(in_turn(&mut rate, 40), 1, "no due time is counted twice");
        // The rate was evaluated for a system that always runs, and that did not run.
        assert!(rate.evaluate_at(50 * MS));
        let work = SystemWork::Skipped;
        rate.end_run_at(50 * MS, QueryOutcome { work, ..skipped }, true);
        assert_eq!((rate.counts().failed, rate.counts().total()), (4, 6));
    }
}

#[test]
fn reset_rate_starts_exactly_at_its_next_evaluation() {
    let mut rate = Rate::every(10 * MS);
    let due = [0, 10, 13, 22, 23, 24].map(|now| {
        if now == 13 {
            rate.reset();
        }
        once(&mut rate, now)
    });
    assert_eq!(due, [true, true, true, true, false, false]);
    assert_eq!((rate.counts().on_time, rate.counts().total()), (4, 4));
}

#[test]
fn restarted_rate_is_due_one_period_later() {
    let mut rate = Rate::every(10 * MS).tolerance(Duration::ZERO);
    let due = (0..46).filter(|&now| {
        // At 13 ms a due time is to come. At 35 ms a rate with `reset` would be due.
        if [13, 35].contains(&now) {
            rate.reset();
            rate.restart(&clock_at(now * MS));
            assert_eq!(rate.next_due(), (now + 10) * MS);
            assert_eq!(rate.leftover(), Duration::ZERO);
        }
        once(&mut rate, now)
    });
    assert_eq!(due.collect::<Vec<_>>(), [0, 10, 23, 33, 45]);
    assert_eq!((rate.counts().on_time, rate.counts().total()), (5, 5));
}

#[test]
fn restart_discards_due_times_and_a_start_to_come() {
    let mut rate = Rate::every(10 * MS).catch_up(8);
    assert_eq!(in_turn(&mut rate, 0), 1);
    rate.restart(&clock_at(1003 * MS));
    assert_eq!(in_turn(&mut rate, 1012), 0);
    assert_eq!(in_turn(&mut rate, 1013), 1);
    assert_eq!((rate.n_missed(), rate.max_lateness()), (0, Duration::ZERO));
    let mut rate = Rate::every(10 * MS).starting_at(100 * MS);
    rate.restart(&clock_at(3 * MS));
    assert_eq!(rate.next_due(), 13 * MS);
    assert!(once(&mut rate, 8), "the default tolerance is half a period");
}

#[test]
fn only_a_pause_after_the_restart_moves_the_due_time() {
    let paused = not_queried(NotQueried::Paused);
    for is_new in [true, false] {
        let mut rate = Rate::<u8>::every(10 * MS);
        if !is_new {
            rate.run_ended_at(Duration::ZERO, paused);
        }
        rate.restart(&clock_at(50 * MS));
        rate.run_ended_at(57 * MS, paused);
        assert_eq!(rate.next.duration(), 67 * MS, "{is_new}");
    }
}

#[test]
fn restart_with_a_clock_that_was_set_back_counts_from_its_time() {
    let mut rate = Rate::every(10 * MS);
    assert!(once(&mut rate, 1000));
    rate.restart(&clock_at(3 * MS));
    assert!(!once(&mut rate, 4));
    assert!(once(&mut rate, 13));
}

#[test]
fn loop_woken_just_before_the_start_serves_it_late() {
    let mut rate: Rate<u8> = Rate::hertz(1000.0).starting_at(5 * MS);
    let due = (1..10).map(|run| {
        let now = run * MS - US;
        let is_due = rate.evaluate_at(now);
        rate.run_ended_at(now, RAN);
        (is_due, rate.lateness(), rate.counts().late)
    });
    let due: Vec<_> = due.collect();
    assert_eq!(due[4], (false, Duration::ZERO, 0), "1 µs before the start");
    assert_eq!(due[5], (true, MS - US, 1), "the start is served late");
    assert!(due[6..].iter().all(|one| *one == (true, Duration::ZERO, 1)));
    // One run cannot serve two due times.
    let counts = rate.counts();
    assert_eq!((counts.on_time, counts.late, counts.skipped), (3, 1, 1));
    assert_eq!((counts.total(), rate.n_missed()), (5, 1));
}

#[test]
fn new_period_of_a_system_takes_effect_at_the_end_of_the_run() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).tolerance(5 * MS);
    assert!(once(&mut rate, 0));
    assert!(rate.evaluate_at(10 * MS));
    rate.set_period(4 * MS);
    assert_eq!(rate.period(), 10 * MS);
    rate.run_ended_at(10 * MS, RAN);
    assert_eq!((rate.period(), rate.next_due()), (4 * MS, 14 * MS));
    let due = (11..23).filter(|&now| once(&mut rate, now));
    assert_eq!(
        due.collect::<Vec<_>>(),
        [12, 16, 20],
        "half of the new period early"
    );
}

#[test]
fn new_period_before_the_start_keeps_the_start() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).starting_at(7 * MS);
    rate.set_period(3 * MS);
    assert_eq!(rate.next_due(), 7 * MS);
    let due = (0..14).filter(|&now| once(&mut rate, now));
    assert_eq!(due.collect::<Vec<_>>(), [7, 9, 12]);
}

#[test]
fn much_shorter_period_causes_no_burst() {
    let mut rate: Rate<u8> = Rate::every(100 * MS).catch_up(50);
    assert_eq!(in_turn(&mut rate, 0), 1);
    assert_eq!(in_turn(&mut rate, 90), 0);
    rate.set_period(MS);
    assert_eq!(in_turn(&mut rate, 91), 2, "at 90 and 91 ms");
    assert_eq!((rate.n_missed(), rate.counts().total()), (0, 3));
}

#[test]
fn next_due_time_is_the_first_without_an_outcome() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(2);
    assert_eq!(rate.next_due(), Duration::ZERO);
    assert!(once(&mut rate, 3));
    assert_eq!(rate.next_due(), 10 * MS);
    assert!(once(&mut rate, 25));
    assert_eq!(rate.next_due(), 20 * MS, "it still makes up for this one");
    rate.reset();
    assert_eq!(rate.next_due(), 20 * MS);
    assert!(once(&mut rate, 33));
    assert_eq!(rate.next_due(), 43 * MS);
}

/// Evaluates the rate as the condition of a loop whose body resets it, in one run of a schedule. Returns the number of
/// iterations.
fn resets_in_its_body(rate: &mut Rate<u8>, now_ms: u32) -> u32 {
    let mut n = 0;
    while n < 100 && rate.evaluate_at(now_ms * MS) {
        rate.reset();
        n += 1;
    }
    rate.run_ended_at(now_ms * MS, RAN);
    n
}

#[test]
fn a_reset_in_the_body_of_its_loop_takes_effect_in_the_next_run() {
    for catch_up in [Some(8), Some(2), None] {
        let mut rate = Rate::every(10 * MS);
        if let Some(at_most) = catch_up {
            rate = rate.catch_up(at_most);
        }
        // Due at 0, 10, 20 and 30 ms.
        let in_the_first = catch_up.map_or(1, |at_most| at_most.min(4));
        assert_eq!(resets_in_its_body(&mut rate, 30), in_the_first);
        assert_eq!(resets_in_its_body(&mut rate, 133), 1);
        assert_eq!(rate.lateness(), Duration::ZERO, "it started anew");
        assert_eq!(in_turn(&mut rate, 135), 1, "the last reset");
        assert_eq!(in_turn(&mut rate, 139), 0);
        assert_eq!(rate.counts().total(), 6);
    }
}
