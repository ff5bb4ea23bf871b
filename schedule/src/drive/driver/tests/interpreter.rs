//! Tests drivers in random simulated time against an interpreter that lists all due times.

use proptest::prelude::*;

use super::*;
use crate::data::target::Target;

/// A rate as specified: a due time at the start and after each period, each of which ends once. Without a tolerance.
#[derive(Debug)]
struct Due {
    period: u64,
    catch_up: Option<u64>,
    next: u64,
    /// The time of the last run. `None` before the first one.
    seen: Option<u64>,
    /// Whether the last run was a pause.
    is_paused: bool,
    n_on_time: u64,
    n_late: u64,
    n_skipped: u64,
}

impl Due {
    /// A run at this time in which a guard is false.
    fn pause(&mut self, now: u64) {
        // The time before the first run was no pause.
        let begin = self.seen.unwrap_or(self.next);
        self.next += now.saturating_sub(begin);
        self.seen = Some(now);
        self.is_paused = true;
    }

    /// When the driver runs for this rate.
    fn next_run(&self) -> u64 {
        if self.is_paused {
            self.next.max(self.seen.unwrap() + self.period)
        } else {
            self.next
        }
    }

    /// A run at this time. Returns whether the rate is due.
    fn run(&mut self, now: u64) -> bool {
        self.seen = Some(now);
        if core::mem::take(&mut self.is_paused) {
            // The pause can have lasted until now.
            self.next += now.saturating_sub(self.next).min(self.period);
        }
        let mut open: Vec<u64> = Vec::new();
        while self.next <= now {
            open.push(self.next);
            self.next += self.period;
        }
        if open.is_empty() {
            return false;
        }
        let served = match self.catch_up {
            None => open[0],
            Some(at_most) => {
                let first = open.len().saturating_sub(at_most as usize);
                self.n_skipped += first as u64;
                // The others are open still.
                open.drain(..first);
                self.next = open[0] + self.period;
                open.truncate(1);
                open[0]
            }
        };
        self.n_skipped += open.len() as u64 - 1;
        let is_late = match self.catch_up {
            None => now > served,
            Some(_) => now >= served + self.period,
        };
        if is_late {
            self.n_late += 1;
        } else {
            self.n_on_time += 1;
        }
        true
    }

    fn first_after(&self, time: u64) -> u64 {
        let mut due = self.next_run();
        while due <= time {
            due += self.period;
        }
        due
    }
}

/// What happens to the time around a run, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// How late the wake-up before the run is.
    jitter: u64,
    /// How long the run takes.
    stall: u64,
    /// How far the timer jumps back before the run, if the driver waits for it.
    back: u64,
    /// Whether the guard of the slow loop is false.
    is_paused: bool,
}

fn moment() -> impl Strategy<Value = Moment> {
    let jitter = prop_oneof![3 => Just(0_u64), 2 => 0_u64..20, 1 => 20_u64..200];
    let stall = prop_oneof![3 => 0_u64..5, 1 => 0_u64..60, 1 => 100_u64..400];
    let back = prop_oneof![6 => Just(0_u64), 1 => 0_u64..100];
    let is_paused = prop::bool::weighted(0.3);
    (jitter, stall, back, is_paused).prop_map(|(jitter, stall, back, is_paused)| Moment {
        jitter,
        stall,
        back,
        is_paused,
    })
}

/// The begin of each run, and whether each rate was due.
#[derive(Resource, Default, Debug, PartialEq)]
#[resource(crate = crate)]
struct Log(Vec<(u64, [bool; 2])>);

/// A timer whose waits end late. A wait after a jump back ends early, before its time.
#[derive(Resource, Clone)]
#[resource(crate = crate)]
struct JumpyTimer {
    time: SimulatedTimer,
    moments: Arc<[Moment]>,
    n_runs: Arc<AtomicU64>,
    /// The number of runs at the last jump, plus 1.
    jumped: Arc<AtomicU64>,
}

impl JumpyTimer {
    fn new(moments: Vec<Moment>) -> Self {
        let time = SimulatedTimer::new();
        time.set(ns(1000));
        Self {
            time,
            moments: moments.into(),
            n_runs: Arc::default(),
            jumped: Arc::default(),
        }
    }

    /// Whether the guard of the slow loop is false in this run.
    fn is_paused(&self) -> bool {
        self.moments[self.n_runs.load(Ordering::Relaxed) as usize].is_paused
    }

    /// Ends a run. Returns whether it was the last one.
    fn end_run(&self) -> bool {
        let nth = self.n_runs.fetch_add(1, Ordering::Relaxed) as usize;
        self.time.advance(ns(self.moments[nth].stall));
        nth + 1 == self.moments.len()
    }
}

impl Timer for JumpyTimer {
    fn now(&self) -> Duration {
        self.time.now()
    }

    fn wait_until(&self, time: Duration, _: &StopToken) {
        if time <= self.now() {
            return;
        }
        let n_runs = self.n_runs.load(Ordering::Relaxed);
        let moment = self.moments[n_runs as usize];
        let is_first = self.jumped.swap(n_runs + 1, Ordering::Relaxed) != n_runs + 1;
        if moment.back > 0 && is_first {
            self.time.set(self.now().saturating_sub(ns(moment.back)));
        } else {
            self.time.set(time + ns(moment.jitter));
        }
    }
}

fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

/// A schedule with two rates, the second of which is that of a loop with a guard. The last system ends the run: it advances the timer.
fn subject(executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure("begin", |clock: &Clock, log: &mut Log| {
            log.0.push((clock.now().as_nanos() as u64, [false; 2]));
        })
        .add_closure("fast", |log: &mut Log| {
            log.0.last_mut().unwrap().1[0] = true
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .repeat_while::<is_due<Slow>>(|body| {
            body.add_closure("slow", |log: &mut Log| {
                log.0.last_mut().unwrap().1[1] = true
            })
        })
        .run_if(Condition::closure("is_on", |timer: &JumpyTimer| {
            !timer.is_paused()
        }))
        .add_closure("end", |timer: &JumpyTimer, stop: &StopToken| {
            if timer.end_run() {
                stop.stop();
            }
        });
    builder
        .order("begin", "fast")
        .order("fast", Target::of::<is_due<Slow>>())
        .order(Target::of::<is_due<Slow>>(), "end");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 256 },
        // Miri has no file system.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_due_time_is_lost_or_served_twice(
        periods in [5_u64..60, 5_u64..60],
        starts in [0_u64..80, 0_u64..80],
        catch_up in [prop::option::of(1_u32..5), prop::option::of(1_u32..5)],
        executor in prop_oneof![Just(Executor::Serial), Just(Executor::Parallel)],
        moments in prop::collection::vec(moment(), 1..40),
    ) {
        let rate = |nth: usize| (ns(periods[nth]), ns(starts[nth]));
        fn made<M>((period, start): (Duration, Duration), catch_up: Option<u32>) -> Rate<M> {
            let rate = Rate::every(period).starting_at(start);
            match catch_up {
                // Its default tolerance is 0.
                Some(at_most) => rate.catch_up(at_most),
                None => rate.tolerance(Duration::ZERO),
            }
        }
        let timer = JumpyTimer::new(moments.clone());
        let mut resources = Resources::new();
        resources.insert(Clock::new());
        resources.insert_default::<Log>();
        resources.insert(timer.clone());
        resources.insert(made::<Fast>(rate(0), catch_up[0]));
        resources.insert(made::<Slow>(rate(1), catch_up[1]));
        let overruns = Arc::new(AtomicU64::new(0));
        let n_overruns = Arc::clone(&overruns);
        let mut driver = Driver::with_timer(subject(executor), timer).on_overrun(move |_, _| {
            n_overruns.fetch_add(1, Ordering::Relaxed);
        });
        resources.insert(driver.stop_token());
        driver.run(&mut resources).unwrap();

        // The interpreter.
        let mut rates = [0, 1].map(|nth| Due {
            period: periods[nth],
            catch_up: catch_up[nth].map(u64::from),
            next: starts[nth],
            seen: None,
            is_paused: false,
            n_on_time: 0,
            n_late: 0,
            n_skipped: 0,
        });
        let mut now = 0;
        let mut expected = Log::default();
        let mut n_expected_overruns = 0;
        for moment in &moments {
            let due = rates.iter().map(|rate| rate.next_run()).min().unwrap();
            if now < due {
                now = due + moment.jitter;
            }
            let [fast, slow] = &mut rates;
            let mut are_due = [fast.run(now), false];
            if moment.is_paused {
                slow.pause(now);
            } else {
                // The loop makes up for all open due times.
                while slow.run(now) {
                    are_due[1] = true;
                }
            }
            expected.0.push((now, are_due));
            let next = rates.iter().map(|rate| rate.first_after(now)).min().unwrap();
            now += moment.stall;
            n_expected_overruns += u64::from(now > next);
        }

        prop_assert_eq!(resources.get::<Log>().unwrap(), &expected);
        prop_assert_eq!(overruns.load(Ordering::Relaxed), n_expected_overruns);
        let counts = [
            resources.get::<Rate<Fast>>().unwrap().counts(),
            resources.get::<Rate<Slow>>().unwrap().counts(),
        ];
        for (counts, rate) in counts.into_iter().zip(&rates) {
            prop_assert_eq!(
                (counts.on_time, counts.late, counts.skipped),
                (rate.n_on_time, rate.n_late, rate.n_skipped)
            );
            prop_assert_eq!(counts.total(), rate.n_on_time + rate.n_late + rate.n_skipped);
        }
    }
}
