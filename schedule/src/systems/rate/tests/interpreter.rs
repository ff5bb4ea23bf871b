//! Tests rates against an interpreter that lists all due times.

use proptest::prelude::*;

use super::*;

/// A rate as specified: a list of due times, each of which ends once.
struct Interpreter {
    period: u64,
    /// `None` is the default.
    tolerance: Option<u64>,
    catch_up: Option<u64>,
    counts_paused: bool,
    /// The due times without an outcome.
    open: Vec<u64>,
    /// Whether the first of them is the start, to which the tolerance does not apply.
    is_start_open: bool,
    /// Whether no run has evaluated it or settled its due times.
    is_new: bool,
    ended: Vec<Ending>,
    seen: u64,
    lateness: u64,
    /// Whether the next run that evaluates the rate is a new start.
    is_reset: bool,
}

/// A run of the schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ran {
    /// The rate is evaluated, and its systems have this outcome.
    Queried(SystemWork),
    NotQueried(NotQueried),
    /// There was no run.
    No,
}

/// When the rate is reset or restarted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reset {
    BeforeRun,
    /// By the systems with this rate, each time that they run.
    InRun,
    /// It is restarted, not reset.
    RestartBeforeRun,
    /// It is restarted by the systems with this rate, each time that they run.
    RestartInRun,
    No,
}

impl Interpreter {
    /// All due times before and after this time are replaced.
    fn restart(&mut self, now: u64) {
        self.open = vec![now + self.period];
        self.is_start_open = false;
        self.is_reset = false;
        self.is_new = false;
        self.seen = now;
    }

    fn early(&self) -> u64 {
        match (self.tolerance, self.catch_up) {
            (Some(tolerance), _) => tolerance.min(self.period / 2),
            (None, Some(_)) => 0,
            (None, None) => self.period / 2,
        }
    }

    fn late_after(&self) -> u64 {
        match (self.tolerance, self.catch_up) {
            (None, Some(_)) => self.period - 1,
            _ => self.early(),
        }
    }

    /// The due times after this one are in steps of another period.
    fn set_period(&mut self, period: u64) {
        if !self.is_start_open && !self.is_reset {
            self.extend(self.seen);
            while self.open[0] <= self.seen {
                self.end(Ending::Skipped);
            }
            let last = self.open[0].saturating_sub(self.period);
            self.open = vec![(last + period).max(self.seen)];
        }
        self.open.truncate(1);
        self.period = period;
    }

    /// Adds due times until one is after `until`.
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
        let early = self.early();
        self.extend(now + early);
        if self.is_start_open && now < self.open[0] {
            return 0;
        }
        let due = self.open.iter();
        due.filter(|due| **due <= now + early).count()
    }

    /// Runs the schedule, and returns how often the systems run.
    fn run(&mut self, now: u64, ran: Ran, is_loop: bool) -> usize {
        if self.is_reset {
            if !matches!(ran, Ran::Queried(_)) {
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
            Ran::Queried(work) => {
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
                    let is_late = now.saturating_sub(self.open[0]) > self.late_after();
                    let ending = match work {
                        // Only the last iteration is cut short.
                        SystemWork::Failed if run == n_runs => Ending::Failed,
                        SystemWork::Skipped if run == n_runs => Ending::Skipped,
                        SystemWork::Disabled if run == n_runs => Ending::Disabled,
                        _ if is_late => Ending::Late,
                        _ => Ending::OnTime,
                    };
                    self.end(ending);
                }
                if self.catch_up.is_none() {
                    (n_kept..n_due).for_each(|_| self.end(Ending::Skipped));
                }
            }
            Ran::NotQueried(NotQueried::Unreached) => return 0,
            Ran::NotQueried(NotQueried::Paused) if !self.counts_paused => {
                // The time before the first run was no pause.
                let begin = if self.is_new { self.open[0] } else { self.seen };
                let paused = now.saturating_sub(begin);
                self.open.iter_mut().for_each(|due| *due += paused);
            }
            Ran::NotQueried(NotQueried::Disabled) => {
                (0..n_due).for_each(|_| self.end(Ending::Disabled));
            }
            Ran::NotQueried(NotQueried::Paused | NotQueried::Skipped) => {
                if self.catch_up.is_none() {
                    (0..n_due).for_each(|_| self.end(Ending::Skipped));
                }
            }
        }
        self.seen = now;
        self.is_new = false;
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
        8 => Just(Ran::Queried(SystemWork::Ran)),
        1 => Just(Ran::Queried(SystemWork::Failed)),
        1 => Just(Ran::Queried(SystemWork::Skipped)),
        1 => Just(Ran::Queried(SystemWork::Disabled)),
        1 => Just(Ran::NotQueried(NotQueried::Paused)),
        1 => Just(Ran::NotQueried(NotQueried::Disabled)),
        1 => Just(Ran::NotQueried(NotQueried::Skipped)),
        1 => Just(Ran::NotQueried(NotQueried::Unreached)),
        1 => Just(Ran::No),
    ]
}

/// When the period is changed, and to which one.
#[derive(Clone, Copy, Debug)]
enum NewPeriod {
    BeforeRun(u64),
    /// By the systems with this rate, each time that they run.
    InRun(u64),
    No,
}

fn new_period() -> impl Strategy<Value = NewPeriod> {
    prop_oneof![
        8 => Just(NewPeriod::No),
        1 => (1_u64..40).prop_map(NewPeriod::BeforeRun),
        1 => (1_u64..40).prop_map(NewPeriod::InRun),
    ]
}

fn reset() -> impl Strategy<Value = Reset> {
    prop_oneof![
        8 => Just(Reset::No),
        1 => Just(Reset::BeforeRun),
        1 => Just(Reset::InRun),
        1 => Just(Reset::RestartBeforeRun),
        1 => Just(Reset::RestartInRun),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 512 },
        // Miri has no file system.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Random jitter, stalls and jumps, in nanoseconds.
    #[test]
    fn every_due_time_is_counted_once_as_in_the_reference_interpreter(
        period in 1_u64..40,
        start in 0_u64..100,
        tolerance in prop::option::of(0_u64..20),
        catch_up in prop::option::of(1_u32..5),
        counts_paused: bool,
        is_loop: bool,
        steps in prop::collection::vec(
            (prop_oneof![4 => 0_u64..45, 1 => 100_u64..400], ran(), reset(), new_period()),
            1..40,
        ),
    ) {
        let ns = Duration::from_nanos;
        let is_loop = is_loop && catch_up.is_some();
        let tolerance = tolerance.map(|tolerance| tolerance.min(period / 2));
        let mut rate: Rate<u8> = Rate::every(ns(period)).starting_at(ns(start));
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
            tolerance,
            catch_up: catch_up.map(u64::from),
            counts_paused,
            open: vec![start],
            is_start_open: true,
            is_new: true,
            ended: Vec::new(),
            seen: 0,
            lateness: 0,
            is_reset: false,
        };
        let mut now = 0;
        let mut max_lateness = 0;
        for (step, ran, reset, new_period) in steps {
            now += step;
            if let NewPeriod::BeforeRun(period) = new_period {
                rate.set_period(ns(period));
                interpreter.set_period(period);
            }
            if reset == Reset::BeforeRun {
                rate.reset();
                interpreter.is_reset = true;
            }
            if reset == Reset::RestartBeforeRun {
                rate.restart(&clock_at(ns(now)));
                interpreter.restart(now);
            }
            // A restart in its body ends the loop.
            let is_loop = is_loop && reset != Reset::RestartInRun;
            let n_expected = interpreter.run(now, ran, is_loop);
            let mut n_runs = 0;
            let ended = match ran {
                Ran::No => continue,
                Ran::Queried(work) => {
                    while rate.evaluate_at(ns(now)) {
                        n_runs += 1;
                        if reset == Reset::InRun {
                            rate.reset();
                            interpreter.is_reset = true;
                        }
                        if reset == Reset::RestartInRun {
                            rate.restart(&clock_at(ns(now)));
                            interpreter.restart(now);
                            prop_assert!(!rate.evaluate_at(ns(now)));
                        }
                        if let NewPeriod::InRun(period) = new_period {
                            rate.set_period(ns(period));
                        }
                        if !is_loop {
                            break;
                        }
                        prop_assert!(n_runs <= n_expected);
                    }
                    // A loop whose last iteration fails does not evaluate its condition again. Here it was evaluated,
                    // which changes nothing.
                    QueryOutcome { work, ..RAN }
                }
                Ran::NotQueried(why) => not_queried(why),
            };
            rate.run_ended_at(ns(now), ended);
            if let NewPeriod::InRun(period) = new_period
                && n_runs > 0
            {
                interpreter.set_period(period);
            }
            prop_assert_eq!(n_runs, n_expected);
            prop_assert_eq!(rate.period(), ns(interpreter.period));
            prop_assert_eq!(rate.counts(), interpreter.counts());
            max_lateness = interpreter.lateness.max(max_lateness);
            prop_assert_eq!(rate.lateness(), ns(interpreter.lateness));
            prop_assert_eq!(rate.max_lateness(), ns(max_lateness));
            let is_paused = ran == Ran::NotQueried(NotQueried::Paused)
                && !counts_paused
                && !interpreter.is_reset;
            let next = if is_paused { interpreter.open[0].max(now + interpreter.period) } else { interpreter.open[0] };
            prop_assert_eq!(rate.next_due(), ns(next));
        }
        prop_assert_eq!(rate.counts().total(), interpreter.ended.len() as u64);
    }

    #[test]
    fn jitter_below_the_tolerance_neither_loses_nor_repeats_due_times(
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
            // Less than the tolerance, which is less than half a period for odd periods.
            let jitter = (jitter * most as f64) as i64;
            let jitter = jitter.clamp(1 - most as i64, most as i64 - 1);
            let now = (run * n_periods * period).checked_add_signed(jitter).unwrap();
            is_before_start |= now < period;
            prop_assert_eq!(rate.evaluate_at(ns(now)), now >= period, "run {}", run);
            prop_assert!(!rate.evaluate_at(ns(now)), "run {}", run);
            rate.run_ended_at(ns(now), RAN);
        }
        let n_runs = jitter.len() as u64;
        let counts = rate.counts();
        if is_before_start {
            // The second run serves the start late, and also counts for its own due time.
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
