//! Limits of rates and systems.

use std::sync::Mutex;

use proptest::prelude::*;
use schedule_macros::Checkpoint;

use super::*;
use crate::data::limits::LimitMiss;
use crate::data::limits::{MeasuredRun, RunTimes};
use crate::data::target::Target;
use crate::run::report::{LimitKind, LimitedPart, TimeLimits};

/// A hook that keeps the texts of all misses.
fn keep(texts: &Arc<Mutex<Vec<String>>>) -> impl FnMut(&LimitMiss, &mut Resources) + Send + use<> {
    let texts = Arc::clone(texts);
    move |miss, resources| {
        assert!(resources.contains::<Clock>());
        texts.lock().unwrap().push(miss.to_string());
    }
}

/// How long the systems take.
#[derive(Resource, Clone, Copy)]
#[resource(crate = crate)]
struct Takes {
    fast: Duration,
    after_fast: Duration,
    slow: Duration,
}

/// Two systems of one rate with 1 ms before them, and one of another rate, in this order.
fn busy(executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure("free", |timer: &SimulatedTimer| timer.advance(MS))
        .add_closure("fast", |takes: &Takes, timer: &SimulatedTimer| {
            timer.advance(takes.fast);
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("after_fast", |takes: &Takes, timer: &SimulatedTimer| {
            timer.advance(takes.after_fast);
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("slow", |takes: &Takes, timer: &SimulatedTimer| {
            timer.advance(takes.slow);
        })
        .run_if(Condition::of::<is_due<Slow>>())
        .order("free", "fast")
        .order("fast", "after_fast")
        .order("after_fast", "slow");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

fn busy_resources(timer: &SimulatedTimer, takes: Takes) -> Resources {
    let mut resources = resources(timer);
    resources.insert(takes);
    resources.insert(Rate::<Fast>::every(10 * MS).deadline(5 * MS).budget(3 * MS));
    resources.insert(Rate::<Slow>::every(20 * MS));
    resources
}

#[test]
fn rate_is_measured_from_its_due_time_to_the_end_of_its_last_system() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let timer = SimulatedTimer::new().until(40 * MS).jitter(|due| {
            if due == 30 * MS {
                2 * MS
            } else {
                Duration::ZERO
            }
        });
        let takes = Takes {
            fast: MS,
            after_fast: 2 * MS,
            slow: MS,
        };
        let mut resources = busy_resources(&timer, takes);
        let texts = Arc::default();
        let mut driver = Driver::with_timer(busy(executor), timer).on_limit_miss(keep(&texts));
        driver.run(&mut resources).unwrap();
        let times = *resources.get::<Rate<Fast>>().unwrap().run_times();
        // 1 ms before, and 3 ms of its own. The run at 30 ms begins 2 ms late.
        assert_eq!((times.response.n(), times.response.max()), (4, 6 * MS));
        assert_eq!((times.busy.n(), times.busy.max()), (4, 3 * MS));
        assert_eq!((times.n_deadline_missed, times.n_over_budget), (1, 0));
        assert_eq!(
            *texts.lock().unwrap(),
            [
                "`Rate<Fast>` missed its deadline by 1.0ms in run 3: it ended 6.0ms after its due time, the deadline is 5.0ms; the run began 2.0ms late; its systems took 3.0ms; `after_fast` took longest of the measured systems: 2.0ms"
            ]
        );
        let stats = driver.stats();
        assert_eq!((stats.n_deadline_missed, stats.n_over_budget), (1, 0));
        let slow = *resources.get::<Rate<Slow>>().unwrap().run_times();
        assert_eq!(slow.busy.n(), 0, "it has no limits");
        let rate = resources.get_mut::<Rate<Fast>>().unwrap();
        assert_eq!(
            (
                rate.lateness_histogram().n(),
                rate.lateness_histogram().max()
            ),
            (4, 2 * MS)
        );
        rate.reset_metrics();
        assert_eq!(
            (rate.run_times().busy.n(), rate.lateness_histogram().n()),
            (0, 0)
        );
    }
}

#[test]
fn system_is_measured_from_the_due_time_of_the_run() {
    let timer = SimulatedTimer::new().until(40 * MS);
    let takes = Takes {
        fast: MS,
        after_fast: MS,
        slow: 2 * MS,
    };
    let mut resources = busy_resources(&timer, takes);
    let mut schedule = busy(Executor::Serial);
    let limits = TimeLimits::new().deadline(3 * MS).budget(MS);
    schedule.set_limits("slow", limits).unwrap();
    schedule.set_limits("after_fast", limits).unwrap();
    let texts = Arc::default();
    let mut driver = Driver::with_timer(schedule, timer).on_limit_miss(keep(&texts));
    driver.run(&mut resources).unwrap();
    assert_eq!(
        texts.lock().unwrap().len(),
        4,
        "both limits, at 0 and 20 ms"
    );
    assert!(
        texts.lock().unwrap()[1]
            .ends_with("exceeded its budget by 1.0ms in run 0: it took 2.0ms, the budget is 1.0ms")
    );
    let report = driver.report(&resources);
    let [after_fast, slow] = &report.systems[..] else {
        panic!("{report}")
    };
    assert_eq!((&*slow.system, slow.limits), ("slow", limits));
    assert_eq!(
        (slow.times.n_deadline_missed, slow.times.n_over_budget),
        (2, 2)
    );
    assert_eq!(
        (slow.times.response.max(), slow.times.response.n()),
        (5 * MS, 2)
    );
    assert_eq!(
        (
            after_fast.times.response.max(),
            after_fast.times.response.n()
        ),
        (3 * MS, 4)
    );
    assert_eq!(after_fast.times.n_deadline_missed, 0);
    let text = report.to_string();
    assert!(
        text.contains(
            "\n  `Rate<Fast>`, every 10ms: 4 on time, 0 late, 0 skipped, 0 disabled, 0 failed\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("\n  `slow`: 2 deadlines missed, 2 times over budget; "),
        "{text}"
    );
    let text = driver.schedule().report().to_string();
    assert!(
        text.contains("\nlimits\n  `after_fast`: 0 deadlines"),
        "{text}"
    );

    // A change keeps them. New limits replace them.
    let schedule = driver.schedule_mut();
    schedule
        .change(|builder| builder.add_closure("more", || {}))
        .unwrap();
    assert_eq!(schedule.report().limited, report.systems);
    schedule
        .set_limits("after_fast", TimeLimits::new())
        .unwrap();
    schedule.set_limits("slow", limits.budget(2 * MS)).unwrap();
    assert!(schedule.set_limits("absent", limits).is_err());
    let [slow] = &schedule.report().limited[..] else {
        panic!("one has limits")
    };
    assert_eq!((slow.times.busy.n(), slow.limits.budget), (0, Some(2 * MS)));
}

#[test]
fn steps_of_a_loop_are_one_run_and_failed_systems_are_measured() {
    let mut builder = Schedule::builder();
    builder.repeat_while::<is_due<Fast>>(|body| {
        body.add_closure("step", |timer: &SimulatedTimer, mut n: Local<u32>| {
            timer.advance(MS);
            *n += 1;
            assert!(*n < 6, "the last step panics");
        })
    });
    let timer = SimulatedTimer::new().until(40 * MS);
    let mut resources = resources(&timer);
    let rate = Rate::<Fast>::every(10 * MS).catch_up(8);
    resources.insert(rate.deadline(23 * MS).budget(2 * MS));
    resources.get_mut::<Clock>().unwrap().advance(20 * MS);
    let kinds = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&kinds);
    let mut schedule = builder.build().unwrap();
    schedule
        .set_limits("step", TimeLimits::new().deadline(MS * 100))
        .unwrap();
    let mut driver = Driver::with_timer(schedule, timer)
        .on_limit_miss(move |miss, _| {
            assert!(matches!(miss.of, LimitedPart::EntireRate(_)));
            kept.lock()
                .unwrap()
                .push((miss.nth_run, miss.kind, miss.took));
        })
        .on_error(|_, _| ControlFlow::Continue(()));
    driver.run(&mut resources).unwrap();
    // Three steps at 20 ms, for 0, 10 and 20 ms. They end 23 ms after the first due time.
    assert_eq!(*kinds.lock().unwrap(), [(0, LimitKind::Budget, 3 * MS)]);
    let times = *resources.get::<Rate<Fast>>().unwrap().run_times();
    assert_eq!((times.busy.n(), times.response.max()), (4, 23 * MS));
    assert_eq!(
        driver.schedule().report().limited[0].times.response,
        times.response
    );
    assert_eq!(driver.stats().n_failed, 1);
}

#[test]
fn numbers_of_misses_saturate() {
    let mut times = RunTimes {
        n_deadline_missed: u64::MAX,
        n_over_budget: u64::MAX,
        ..RunTimes::default()
    };
    let run = MeasuredRun {
        due: Duration::ZERO,
        response: 2 * MS,
        busy: 2 * MS,
    };
    times.note(&TimeLimits::new().deadline(MS).budget(MS), &run);
    assert_eq!(
        (times.n_deadline_missed, times.n_over_budget),
        (u64::MAX, u64::MAX)
    );
}

#[test]
fn systems_without_limits_are_not_measured() {
    let timer = SimulatedTimer::new().until(40 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer);
    driver.run(&mut resources).unwrap();
    assert_eq!(driver.schedule().n_measured(), 0);
    resources.insert(Rate::<Fast>::every(10 * MS).budget(MS));
    driver.set_stop_token(StopToken::new());
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(driver.schedule().n_measured(), 1, "a new rate has limits");
    assert_eq!(driver.into_schedule().n_measured(), 0);
}

impl Schedule {
    fn n_measured(&self) -> usize {
        self.measured_nodes().count()
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        // Miri has no file system.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn times_are_those_of_a_sequential_calculation(
        takes in prop::collection::vec((0_u32..12, 0_u32..12), 1..20),
        late in prop::collection::vec(0_u32..8, 20),
        executor in prop_oneof![Just(Executor::Serial), Just(Executor::Parallel)],
    ) {
        let jitter = late.clone();
        let mut n_waits = 0;
        let timer = SimulatedTimer::new().jitter(move |_| {
            n_waits += 1;
            jitter[n_waits - 1] * MS
        });
        let n_runs = takes.len();
        let queue = takes.clone();
        let mut builder = Schedule::builder();
        builder
            .add_closure("before", move |timer: &SimulatedTimer, mut n: Local<usize>| {
                timer.advance(queue[*n].0 * MS);
                *n += 1;
            });
        let queue = takes.clone();
        builder
            .add_closure("work", move |timer: &SimulatedTimer, stop: &StopToken, mut n: Local<usize>| {
                timer.advance(queue[*n].1 * MS);
                *n += 1;
                if *n == n_runs {
                    stop.stop();
                }
            })
            .run_if(Condition::of::<is_due<Fast>>())
            .order("before", "work");
        let mut schedule = builder.build().unwrap();
        schedule.set_executor(executor);
        schedule.set_limits("work", TimeLimits::new().deadline(9 * MS).budget(4 * MS)).unwrap();
        let mut resources = resources(&timer);
        let rate = Rate::<Fast>::every(10 * MS).tolerance(Duration::ZERO);
        resources.insert(rate.deadline(9 * MS).budget(4 * MS));
        let mut driver = Driver::with_timer(schedule, timer);
        resources.insert(driver.stop_token());
        driver.run(&mut resources).unwrap();

        let (mut now, mut next, mut n_waits) = (0, 0, 0);
        let (mut n_missed, mut n_over, mut longest) = (0, 0, 0);
        for (before, work) in takes {
            if now < next {
                now = next + late[n_waits];
                n_waits += 1;
            }
            let (begin, due) = (now, next);
            now += before + work;
            while next <= begin {
                next += 10;
            }
            n_missed += u64::from(now - due > 9);
            n_over += u64::from(work > 4);
            longest = longest.max(now - due);
        }
        let of_rate = *resources.get::<Rate<Fast>>().unwrap().run_times();
        prop_assert_eq!((of_rate.n_deadline_missed, of_rate.n_over_budget), (n_missed, n_over));
        prop_assert_eq!(of_rate.response.max(), longest * MS);
        prop_assert_eq!(of_rate, driver.schedule().report().limited[0].times);
        prop_assert_eq!(driver.stats().n_deadline_missed, 2 * n_missed);
    }
}

#[test]
fn rate_is_not_measured_in_runs_for_which_it_was_not_due() {
    let either = Condition::of::<is_due<Fast>>() | Condition::of::<is_due<Slow>>();
    let schedule = Schedule::builder()
        .add_closure("work", |timer: &SimulatedTimer| timer.advance(MS))
        .run_if(either)
        .build()
        .unwrap();
    let timer = SimulatedTimer::new().until(300 * MS);
    let mut resources = resources(&timer);
    resources.insert(Rate::<Fast>::every(10 * MS));
    resources.insert(Rate::<Slow>::every(100 * MS).deadline(5 * MS));
    let mut driver = Driver::with_timer(schedule, timer);
    driver.run(&mut resources).unwrap();
    assert_eq!(driver.stats().n_runs, 30);
    let times = *resources.get::<Rate<Slow>>().unwrap().run_times();
    assert_eq!((times.response.n(), times.response.max()), (3, MS));
    assert_eq!(times.n_deadline_missed, 0);
}

#[test]
fn removed_limits_are_not_measured_any_more() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    let mut schedule = schedule(Executor::Serial);
    schedule
        .set_limits("slow", TimeLimits::new().budget(MS))
        .unwrap();
    resources.insert(Rate::<Fast>::every(10 * MS).budget(MS));
    let mut driver = Driver::with_timer(schedule, timer.clone());
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(driver.schedule().n_measured(), 2);
    driver
        .schedule_mut()
        .set_limits("slow", TimeLimits::new())
        .unwrap();
    timer.advance(5 * MS);
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(driver.schedule().n_measured(), 1);
    resources.insert(Rate::<Fast>::every(10 * MS));
    timer.advance(5 * MS);
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(driver.stats().n_runs, 3);
    assert_eq!(driver.schedule().n_measured(), 0);
}

/// A loop of two iterations with an inner loop. Each system and condition in it takes 1 ms, but `step` 2 ms. The system after it takes
/// 4 ms.
fn looping() -> Schedule {
    let times = |n: usize| {
        move |timer: &SimulatedTimer, mut nth: Local<usize>| {
            timer.advance(MS);
            *nth = (*nth + 1) % (n + 1);
            *nth != 0
        }
    };
    let mut builder = Schedule::builder();
    builder
        .add_closure("rate", || {})
        .run_if(Condition::of::<is_due<Fast>>())
        .repeat_while_closure("outer", times(2), |body| {
            body.add_closure("step", |timer: &SimulatedTimer| timer.advance(2 * MS))
                .repeat_while_closure("inner", times(1), |body| {
                    body.add_closure("deep", |timer: &SimulatedTimer| timer.advance(MS))
                })
                .order("step", "inner")
        })
        .in_group_named("looping")
        .add_closure("after", |timer: &SimulatedTimer| timer.advance(4 * MS))
        .in_group_named("looping")
        .order("outer", "after");
    builder.build().unwrap()
}

#[test]
fn limits_of_a_loop_are_of_all_systems_in_it() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let limits = TimeLimits::new().deadline(12 * MS).budget(12 * MS);
        for target in [Target::from("outer"), Target::group("looping")] {
            let timer = SimulatedTimer::new().until(30 * MS);
            let mut resources = resources(&timer);
            resources.remove::<Rate<Slow>>();
            resources.insert(Rate::<Fast>::every(20 * MS));
            let mut schedule = looping();
            schedule.set_executor(executor);
            schedule.set_limits(target, limits).unwrap();
            schedule
                .set_limits("inner", TimeLimits::new().budget(5 * MS))
                .unwrap();
            let mut driver = Driver::with_timer(schedule, timer);
            driver.run(&mut resources).unwrap();
            let report = driver.report(&resources);
            let of = |name: &str| {
                let mut systems = report.systems.iter();
                let times = systems.find(|one| one.system == name)?.times;
                let n_misses = (times.n_deadline_missed, times.n_over_budget);
                Some((times.response.max(), times.busy.max(), n_misses))
            };
            // Outer conditions 3, steps 4, inner conditions 4, deep 2.
            assert_eq!(of("outer"), Some((13 * MS, 13 * MS, (2, 2))));
            assert_eq!(of("inner"), Some((12 * MS, 6 * MS, (0, 2))));
            if report.systems.len() == 3 {
                assert_eq!(of("after"), Some((17 * MS, 4 * MS, (2, 0))));
            }
        }
    }
}

#[derive(Checkpoint)]
#[checkpoint(crate = crate)]
struct Here;

#[derive(Checkpoint)]
#[checkpoint(crate = crate)]
struct Apply;

#[test]
fn checkpoints_and_sync_points_cannot_have_limits() {
    let mut builder = Schedule::builder();
    builder.checkpoint::<Here>().apply_commands::<Apply>();
    let mut schedule = builder.build().unwrap();
    for target in [Target::of::<Here>(), Target::of::<Apply>()] {
        let error = schedule.set_limits(target, TimeLimits::new().budget(MS));
        let text = error.unwrap_err().to_string();
        assert!(text.contains("` cannot have limits at "), "{text}");
        assert!(text.contains("limits.rs:"), "{text}");
    }
}

#[test]
fn timer_that_goes_backwards_in_a_run_causes_no_misses() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let timer = SimulatedTimer::new();
        timer.set(5000 * MS);
        let mut builder = Schedule::builder();
        builder
            .add_closure("before", |timer: &SimulatedTimer| timer.advance(MS))
            .run_if(Condition::of::<is_due<Fast>>())
            .add_closure("jump", |timer: &SimulatedTimer| {
                timer.set(100 * MS);
                timer.advance(MS);
            })
            .run_if(Condition::of::<is_due<Fast>>())
            .order("before", "jump");
        let mut schedule = builder.build().unwrap();
        schedule.set_executor(executor);
        let limits = TimeLimits::new().deadline(3 * MS).budget(3 * MS);
        for system in ["before", "jump"] {
            schedule.set_limits(system, limits).unwrap();
        }
        let mut resources = resources(&timer);
        resources.remove::<Rate<Slow>>();
        resources.insert(Rate::<Fast>::every(10 * MS).deadline(3 * MS).budget(3 * MS));
        let mut driver = Driver::with_timer(schedule, timer);
        driver.run_if_due(&mut resources).unwrap();
        let stats = driver.stats();
        assert_eq!((stats.n_deadline_missed, stats.n_over_budget), (0, 0));
        let report = driver.report(&resources);
        assert_eq!(report.rates[0].times.busy.max(), MS, "{report}");
        assert_eq!(report.systems[0].times.response.max(), MS, "{report}");
    }
}
