//! Rates against a clock that the test sets, and against an interpreter that keeps a list of due times.

use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);
const US: Duration = Duration::from_micros(1);

const RAN: Ended = Ended {
    work: Work::Ran,
    unasked: Unasked::Unreached,
};

fn unasked(unasked: Unasked) -> Ended {
    Ended {
        work: Work::Disabled,
        unasked,
    }
}

/// As the condition of a loop, in one run of a schedule.
fn in_turn(rate: &mut Rate<u8>, now_ms: u32) -> u32 {
    let mut n = 0;
    while rate.ask(now_ms * MS) {
        n += 1;
    }
    rate.settle(now_ms * MS, RAN);
    n
}

/// As a guard, in one run of a schedule.
fn once(rate: &mut Rate<u8>, now_ms: u32) -> bool {
    let is_due = rate.ask(now_ms * MS);
    rate.settle(now_ms * MS, RAN);
    is_due
}

#[test]
fn a_fixed_step_runs_once_for_each_due_time_and_keeps_the_rest() {
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
fn one_run_serves_all_due_times_that_have_passed_and_stays_in_step() {
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
fn a_guard_that_catches_up_does_so_run_by_run() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).starting_at(10 * MS).catch_up(8);
    // It is late by three periods once.
    let asked = [10, 50, 51, 52, 53, 54, 60];
    let due = asked.map(|now| once(&mut rate, now));
    assert_eq!(due, [true, true, true, true, true, false, true]);
    assert_eq!(rate.n_missed(), 0);
}

#[test]
fn a_guard_that_is_never_late_misses_nothing() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(3);
    for run in 0..100 {
        assert!(once(&mut rate, run * 10));
    }
    assert_eq!(rate.counts().on_time, 100);
    assert_eq!(rate.counts().total(), 100);
}

#[test]
fn a_loop_that_fails_in_each_run_goes_on_in_the_next() {
    let mut rate: Rate<u8> = Rate::every(10 * MS).catch_up(2);
    for run in 0..10 {
        assert!(rate.ask(run * 10 * MS), "and its part fails");
        let failed = Ended {
            work: Work::Failed,
            ..RAN
        };
        rate.settle(run * 10 * MS, failed);
    }
    assert_eq!((rate.counts().failed, rate.counts().total()), (10, 10));
}

#[test]
fn the_longest_time_overflows_nothing() {
    let mut rate: Rate<u8> = Rate::every(Duration::from_nanos(1)).catch_up(2);
    assert_eq!(
        [rate.ask(Duration::MAX), rate.ask(Duration::MAX)],
        [true, true]
    );
    assert!(!rate.ask(Duration::MAX));
    assert!(rate.leftover() > Duration::ZERO);
    rate.settle(Duration::MAX, unasked(Unasked::Disabled));
    assert!(rate.counts().total() > 2);
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
fn a_rate_that_equals_its_loop_is_due_though_woken_early() {
    let mut rate: Rate<u8> = Rate::hertz(1000.0);
    for run in 0..1000_u32 {
        let jitter = [US, Duration::ZERO, 2 * US][run as usize % 3];
        assert!(rate.ask(run * MS + US - jitter.min(run * MS + US)), "{run}");
        rate.settle(run * MS, RAN);
    }
    assert_eq!((rate.counts().on_time, rate.counts().total()), (1000, 1000));
}

#[test]
fn paused_time_does_not_count_unless_it_is_told_to() {
    for (counts_paused, expected) in [(false, 1), (true, 4)] {
        let mut rate = Rate::every(10 * MS).catch_up(8);
        if counts_paused {
            rate = rate.count_paused();
        }
        assert_eq!(in_turn(&mut rate, 0), 1);
        for now in [10, 20, 30] {
            rate.settle(now * MS, unasked(Unasked::Paused));
        }
        assert_eq!(in_turn(&mut rate, 40), expected);
    }
    let mut rate = Rate::every(10 * MS).count_paused();
    assert!(once(&mut rate, 0));
    for now in [10, 20, 30] {
        rate.settle(now * MS, unasked(Unasked::Paused));
    }
    assert!(once(&mut rate, 40));
    assert_eq!((rate.counts().skipped, rate.counts().on_time), (3, 2));
    assert_eq!(rate.lateness(), Duration::ZERO, "those have ended");
}

#[test]
fn a_reset_forgets_what_has_passed() {
    let mut rate = Rate::every(10 * MS).catch_up(8);
    assert_eq!(in_turn(&mut rate, 0), 1);
    rate.reset();
    rate.settle(55 * MS, unasked(Unasked::Disabled));
    assert_eq!(in_turn(&mut rate, 1003), 1);
    assert_eq!(rate.leftover(), Duration::ZERO);
    assert_eq!(in_turn(&mut rate, 1012), 0);
    assert_eq!(in_turn(&mut rate, 1013), 1);
    assert_eq!((rate.n_missed(), rate.max_lateness()), (0, Duration::ZERO));
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
fn a_tolerance_of_more_than_half_a_period_is_refused() {
    let _ = Rate::<u8>::every(10 * MS).tolerance(6 * MS);
}

#[test]
fn a_clock_that_ticks_goes_on_from_where_it_was() {
    let mut clock = Clock::new();
    clock.advance(500 * MS);
    clock.tick();
    assert!(clock.now() >= 500 * MS && clock.now() < 60_000 * MS);
}

#[test]
fn the_tolerance_does_not_apply_to_the_start() {
    // A loop of 100 µs; the first due time is exact, the second is served half a period early.
    let mut rate: Rate<u8> = Rate::hertz(1000.0).starting_at(2500 * US);
    let due = (0..60).filter(|run| {
        let is_due = rate.ask(run * 100 * US);
        rate.settle(run * 100 * US, RAN);
        is_due
    });
    assert_eq!(due.collect::<Vec<_>>(), [25, 30, 40, 50]);
    let mut rate: Rate<u8> = Rate::every(1000 * MS).starting_at(10_000 * MS);
    let due = (0..11_000).step_by(100).filter(|&now| once(&mut rate, now));
    assert_eq!(due.collect::<Vec<_>>(), [10_000, 10_500]);
}

#[test]
fn a_tolerance_that_is_set_does_not_apply_to_the_start() {
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
fn a_start_that_is_disabled_does_not_end_early() {
    let mut rate = Rate::every(10 * MS).starting_at(100 * MS);
    rate.settle(97 * MS, unasked(Unasked::Disabled));
    assert_eq!(rate.counts().total(), 0);
    rate.settle(101 * MS, unasked(Unasked::Disabled));
    assert_eq!((rate.counts().disabled, rate.counts().total()), (1, 1));
    assert!(once(&mut rate, 106), "the tolerance applies from here on");
}

#[test]
fn a_reset_rate_starts_exactly_when_it_is_asked_next() {
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
fn a_loop_that_is_woken_just_before_the_start_serves_it_late() {
    let mut rate: Rate<u8> = Rate::hertz(1000.0).starting_at(5 * MS);
    let due = (1..10).map(|run| {
        let now = run * MS - US;
        let is_due = rate.ask(now);
        rate.settle(now, RAN);
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

/// As the condition of a loop whose body resets the rate, in one run of a schedule. Returns the number of passes.
fn resets_in_its_body(rate: &mut Rate<u8>, now_ms: u32) -> u32 {
    let mut n = 0;
    while n < 100 && rate.ask(now_ms * MS) {
        rate.reset();
        n += 1;
    }
    rate.settle(now_ms * MS, RAN);
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

/// A rate as the law has it: due times one by one, each of which ends once.
struct Interpreter {
    period: u64,
    early: u64,
    late_after: u64,
    catch_up: Option<u64>,
    counts_paused: bool,
    /// When the due times are that have not ended.
    open: Vec<u64>,
    /// The first one of these is the start, to which the tolerance does not apply.
    is_start_open: bool,
    ended: Vec<Ending>,
    seen: u64,
    lateness: u64,
    /// The next run that asks it is a new start.
    is_reset: bool,
}

/// A run of the schedule.
#[derive(Clone, Copy, Debug)]
enum Ran {
    /// It is asked, and this becomes of its systems.
    Asked(Work),
    Unasked(Unasked),
    /// There was no run.
    No,
}

/// When a rate is reset.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reset {
    BeforeRun,
    /// By the systems that run by its answer, each time that they run.
    InRun,
    No,
}

impl Interpreter {
    /// Due times up to now, and one more.
    fn extend(&mut self, until: u64) {
        while self.open.last().is_none_or(|last| *last <= until) {
            let last = self.open.last().expect("one is always to come");
            self.open.push(last + self.period);
        }
    }

    fn end(&mut self, ending: Ending) {
        self.ended.push(ending);
        self.open.remove(0);
        self.is_start_open = false;
    }

    fn n_due(&mut self, now: u64) -> usize {
        self.extend(now + self.early);
        if self.is_start_open && now < self.open[0] {
            return 0;
        }
        let due = self.open.iter();
        due.filter(|due| **due <= now + self.early).count()
    }

    /// How often it runs.
    fn run(&mut self, now: u64, ran: Ran, is_loop: bool) -> usize {
        if self.is_reset {
            if !matches!(ran, Ran::Asked(_)) {
                return 0;
            }
            self.is_reset = false;
            self.open = vec![now];
            self.is_start_open = true;
        }
        let n_due = self.n_due(now);
        let mut n_runs = 0;
        match ran {
            Ran::No => return 0,
            Ran::Asked(work) => {
                if n_due > 0 {
                    self.lateness = now.saturating_sub(self.open[0]);
                }
                let at_most = self.catch_up.map_or(1, |at_most| at_most as usize);
                let n_kept = n_due.min(at_most);
                if self.catch_up.is_some() {
                    (n_kept..n_due).for_each(|_| self.end(Ending::Skipped));
                }
                n_runs = if is_loop { n_kept } else { n_kept.min(1) };
                for run in 1..=n_runs {
                    let is_late = now.saturating_sub(self.open[0]) > self.late_after;
                    let ending = match work {
                        // Only the last one is cut short.
                        Work::Failed if run == n_runs => Ending::Failed,
                        Work::Skipped if run == n_runs => Ending::Skipped,
                        Work::Disabled if run == n_runs => Ending::Disabled,
                        _ if is_late => Ending::Late,
                        _ => Ending::OnTime,
                    };
                    self.end(ending);
                }
                if self.catch_up.is_none() {
                    (n_kept..n_due).for_each(|_| self.end(Ending::Skipped));
                }
            }
            Ran::Unasked(Unasked::Unreached) => return 0,
            Ran::Unasked(Unasked::Paused) if !self.counts_paused => {
                let paused = now - self.seen;
                self.open.iter_mut().for_each(|due| *due += paused);
            }
            Ran::Unasked(Unasked::Disabled) => {
                (0..n_due).for_each(|_| self.end(Ending::Disabled));
            }
            Ran::Unasked(Unasked::Paused | Unasked::Skipped) => {
                if self.catch_up.is_none() {
                    (0..n_due).for_each(|_| self.end(Ending::Skipped));
                }
            }
        }
        self.seen = now;
        n_runs
    }

    fn counts(&self) -> RateCounts {
        let mut counts = RateCounts::default();
        self.ended.iter().for_each(|&ending| counts.add(ending, 1));
        counts
    }
}

fn ran() -> impl Strategy<Value = Ran> {
    prop_oneof![
        8 => Just(Ran::Asked(Work::Ran)),
        1 => Just(Ran::Asked(Work::Failed)),
        1 => Just(Ran::Asked(Work::Skipped)),
        1 => Just(Ran::Asked(Work::Disabled)),
        1 => Just(Ran::Unasked(Unasked::Paused)),
        1 => Just(Ran::Unasked(Unasked::Disabled)),
        1 => Just(Ran::Unasked(Unasked::Skipped)),
        1 => Just(Ran::Unasked(Unasked::Unreached)),
        1 => Just(Ran::No),
    ]
}

fn reset() -> impl Strategy<Value = Reset> {
    prop_oneof![
        8 => Just(Reset::No),
        1 => Just(Reset::BeforeRun),
        1 => Just(Reset::InRun),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 512 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Random jitter, stalls and jumps; in nanoseconds.
    #[test]
    fn every_due_time_ends_once_and_as_an_interpreter_says(
        period in 1_u64..40,
        start in 0_u64..100,
        tolerance in prop::option::of(0_u64..20),
        catch_up in prop::option::of(1_u32..5),
        counts_paused: bool,
        is_loop: bool,
        steps in prop::collection::vec(
            (prop_oneof![4 => 0_u64..45, 1 => 100_u64..400], ran(), reset()),
            1..40,
        ),
    ) {
        let ns = Duration::from_nanos;
        let is_loop = is_loop && catch_up.is_some();
        let tolerance = tolerance.map(|tolerance| tolerance.min(period / 2));
        let mut rate: Rate<u8> = Rate::every(ns(period)).starting_at(ns(start));
        let (early, late_after) = match (tolerance, catch_up) {
            (Some(tolerance), _) => (tolerance, tolerance),
            (None, Some(_)) => (0, period - 1),
            (None, None) => (period / 2, period / 2),
        };
        if let Some(tolerance) = tolerance {
            rate = rate.tolerance(ns(tolerance));
        }
        if let Some(at_most) = catch_up {
            rate = rate.catch_up(at_most);
        }
        if counts_paused {
            rate = rate.count_paused();
        }
        let mut interpreter = Interpreter {
            period,
            early,
            late_after,
            catch_up: catch_up.map(u64::from),
            counts_paused,
            open: vec![start],
            is_start_open: true,
            ended: Vec::new(),
            seen: 0,
            lateness: 0,
            is_reset: false,
        };
        let mut now = 0;
        let mut max_lateness = 0;
        for (step, ran, reset) in steps {
            now += step;
            if reset == Reset::BeforeRun {
                rate.reset();
                interpreter.is_reset = true;
            }
            let n_expected = interpreter.run(now, ran, is_loop);
            let mut n_runs = 0;
            let ended = match ran {
                Ran::No => continue,
                Ran::Asked(work) => {
                    while rate.ask(ns(now)) {
                        n_runs += 1;
                        if reset == Reset::InRun {
                            rate.reset();
                            interpreter.is_reset = true;
                        }
                        if !is_loop {
                            break;
                        }
                        prop_assert!(n_runs <= n_expected);
                    }
                    // A loop whose last pass fails asks no more; here it has, which changes nothing.
                    Ended { work, ..RAN }
                }
                Ran::Unasked(why) => unasked(why),
            };
            rate.settle(ns(now), ended);
            prop_assert_eq!(n_runs, n_expected);
            prop_assert_eq!(rate.counts(), interpreter.counts());
            max_lateness = interpreter.lateness.max(max_lateness);
            prop_assert_eq!(rate.lateness(), ns(interpreter.lateness));
            prop_assert_eq!(rate.max_lateness(), ns(max_lateness));
            prop_assert_eq!(rate.next, ns(interpreter.open[0]));
        }
        prop_assert_eq!(rate.counts().total(), interpreter.ended.len() as u64);
    }

    #[test]
    fn jitter_below_the_tolerance_loses_no_due_time_and_counts_none_twice(
        period in 2_u64..2_000,
        n_periods in 1_u64..4,
        tolerance in prop::option::of(1_u64..1_000),
        jitter in prop::collection::vec(-1.0_f64..1.0, 1..100),
    ) {
        let ns = Duration::from_nanos;
        let most = tolerance.map_or(period / 2, |tolerance| tolerance.min(period / 2));
        let mut rate: Rate<u8> = Rate::every(ns(period)).starting_at(ns(period));
        if tolerance.is_some() {
            rate = rate.tolerance(ns(most));
        }
        let mut is_before_start = false;
        for (run, jitter) in (1..).zip(&jitter) {
            // Below the tolerance, which is less than half a period where that is odd.
            let jitter = (jitter * most as f64) as i64;
            let jitter = jitter.clamp(1 - most as i64, most as i64 - 1);
            let now = (run * n_periods * period).checked_add_signed(jitter).unwrap();
            is_before_start |= now < period;
            prop_assert_eq!(rate.ask(ns(now)), now >= period, "run {}", run);
            prop_assert!(!rate.ask(ns(now)), "run {}", run);
            rate.settle(ns(now), RAN);
        }
        let n_runs = jitter.len() as u64;
        let counts = rate.counts();
        if is_before_start {
            // The second run serves the start late, and stands for its own due time as well.
            let n_second = u64::from(n_runs > 1);
            prop_assert_eq!(counts.total(), if n_runs > 1 { n_runs } else { 0 });
            prop_assert_eq!((counts.late, counts.skipped), (n_second, n_second));
            prop_assert_eq!(counts.on_time, n_runs.saturating_sub(2));
            return Ok(());
        }
        prop_assert_eq!(counts.total(), n_runs * n_periods);
        if n_periods == 1 {
            prop_assert_eq!(counts.on_time, n_runs);
        } else {
            prop_assert_eq!(counts.late, n_runs);
        }
    }
}
