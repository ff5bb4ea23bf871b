//! Deadlines and budgets in the timelines of recorded runs of drivers. All times are simulated, so they are exact.

mod changed;
mod hooks;
mod texts;
mod ties;

use std::time::Duration;

use schedule::Driver;
use schedule::driver::{SimulatedTimer, Timer};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::report::{LimitKind, TimeLimits};
use schedule::timeline::{AppliedLimit, Execution, RelativeTime, Timeline};
use schedule_hecs::prelude::*;

use schedule_tests::on::On;

const MS: Duration = Duration::from_millis(1);

const EXECUTORS: [On; 4] = [On::Serial, On::Auto, On::Threads(2), On::Threads(4)];

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Telemetry;

#[system]
fn prepare(timer: &SimulatedTimer) {
    timer.advance(MS);
}

#[system(in = Control, after = prepare)]
fn estimate(timer: &SimulatedTimer) {
    timer.advance(MS);
}

#[system(in = Control, after = estimate)]
fn control(timer: &SimulatedTimer) {
    timer.advance(2 * MS);
}

#[system(in = Telemetry, after = control)]
fn send(timer: &SimulatedTimer) {
    timer.advance(MS);
}

/// `prepare`, `estimate`, `control`, `send`, in this order: 1, 1, 2 and 1 ms.
fn controller(on: On) -> Schedule {
    let mut schedule = Schedule::builder()
        .name("controller")
        .add::<prepare>()
        .add::<estimate>()
        .add::<control>()
        .add::<send>()
        .group::<Control>()
        .run_if(Condition::of::<is_due<Control>>())
        .group::<Telemetry>()
        .run_if(Condition::of::<is_due<Telemetry>>())
        .build()
        .unwrap();
    on.set(&mut schedule);
    schedule
}

/// `Control` every 10 ms with these limits, `Telemetry` every 20 ms without limits.
fn resources(timer: &SimulatedTimer, limits: TimeLimits) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(timer.clone());
    let mut rate = Rate::<Control>::every(10 * MS);
    if let Some(deadline) = limits.deadline {
        rate = rate.deadline(deadline);
    }
    if let Some(budget) = limits.budget {
        rate = rate.budget(budget);
    }
    resources.insert(rate);
    resources.insert(Rate::<Telemetry>::every(20 * MS));
    resources
}

/// Records a run that ends without an error.
fn record<T: Timer>(driver: &mut Driver<T>, resources: &mut Resources) -> Timeline {
    let (result, recording) = driver.record(resources);
    result.unwrap();
    let timeline = recording.unwrap().timeline();
    check(&timeline);
    timeline
}

fn check(timeline: &Timeline) {
    timeline.check().unwrap();
    for limit in &timeline.limits {
        assert_eq!(limit.is_missed(), limit.exceeded_by().is_some());
        assert_eq!(
            limit.deadline().is_some(),
            limit.kind == LimitKind::Deadline
        );
        // All executions are within the run, and no deadline is measured after its end.
        let end = limit.due.later_by(limit.took).since_begin();
        assert!(limit.kind == LimitKind::Budget || end <= timeline.makespan);
    }
}

/// The names of the systems to which a limit applies, in order.
fn systems<'t>(timeline: &'t Timeline, limit: &AppliedLimit) -> Vec<&'t str> {
    let executions = limit.executions.iter();
    executions
        .map(|&idx| &*timeline.executions[idx].system)
        .collect()
}

/// The executions that exceeded limits, each with the names of the limits.
fn misses(timeline: &Timeline) -> Vec<(&str, Vec<&str>)> {
    let executions = timeline.executions.iter().enumerate();
    let misses = executions.map(|(idx, execution)| {
        let limits = timeline.misses_of(idx).map(|limit| &*limit.of).collect();
        (&*execution.system, limits)
    });
    misses
        .filter(|(_, limits): &(_, Vec<&str>)| !limits.is_empty())
        .collect()
}

/// The part of a limit, its kind, its due time, the limit and the measured time.
type Facts<'t> = (&'t str, LimitKind, RelativeTime, Duration, Duration);

fn facts(timeline: &Timeline) -> Vec<Facts<'_>> {
    let limits = timeline.limits.iter();
    limits
        .map(|one| (&*one.of, one.kind, one.due, one.limit, one.took))
        .collect()
}

#[test]
fn limits_of_a_rate_apply_to_its_systems() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let limits = TimeLimits::new().deadline(3 * MS).budget(3 * MS);
        let mut resources = resources(&timer, limits);
        let mut driver = Driver::with_timer(controller(on), timer);
        let timeline = record(&mut driver, &mut resources);
        assert_eq!(timeline.makespan, 5 * MS, "{on:?}");
        let begin = RelativeTime::After(Duration::ZERO);
        assert_eq!(
            facts(&timeline),
            [
                ("Rate<Control>", LimitKind::Deadline, begin, 3 * MS, 4 * MS),
                ("Rate<Control>", LimitKind::Budget, begin, 3 * MS, 3 * MS),
            ]
        );
        let [deadline, budget] = &timeline.limits[..] else {
            unreachable!()
        };
        assert_eq!(deadline.exceeded_by(), Some(MS));
        assert_eq!(deadline.deadline(), Some(RelativeTime::After(3 * MS)));
        assert_eq!((budget.exceeded_by(), budget.deadline()), (None, None));
        for limit in &timeline.limits {
            assert_eq!(systems(&timeline, limit), ["estimate", "control"], "{on:?}");
        }
        // `estimate` ended before the deadline.
        assert_eq!(misses(&timeline), [("control", vec!["Rate<Control>"])]);
        let times: Vec<_> = ["prepare", "estimate", "control", "send"]
            .into_iter()
            .map(|name| timeline.executions_of(name).next().unwrap())
            .map(|execution| (execution.start, execution.end))
            .collect();
        let ms = |from: u32, to: u32| (from * MS, to * MS);
        assert_eq!(times, [ms(0, 1), ms(1, 2), ms(2, 4), ms(4, 5)], "{on:?}");
    }
}

#[test]
fn limits_that_are_met_are_in_the_timeline() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new().deadline(4 * MS));
        let mut driver = Driver::with_timer(controller(on), timer);
        for nth in 0..3 {
            let timeline = record(&mut driver, &mut resources);
            let [deadline] = &timeline.limits[..] else {
                panic!("{timeline:?}")
            };
            assert_eq!((deadline.took, deadline.exceeded_by()), (4 * MS, None));
            assert!(misses(&timeline).is_empty());
            let n_sent = timeline.executions_of("send").count();
            assert_eq!(n_sent, usize::from(nth != 1));
        }
        assert_eq!(driver.stats().n_runs, 3);
    }
}

#[test]
fn limits_of_systems_come_first_and_count_from_the_due_time_of_the_run() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new().deadline(10 * MS));
        let mut schedule = controller(on);
        let limits = TimeLimits::new().deadline(4 * MS).budget(MS);
        schedule.set_limits("send", limits).unwrap();
        schedule.set_limits("prepare", limits).unwrap();
        let mut driver = Driver::with_timer(schedule, timer);
        let timeline = record(&mut driver, &mut resources);
        let of: Vec<_> = timeline
            .limits
            .iter()
            .map(|one| (&*one.of, one.took, one.is_missed()))
            .collect();
        assert_eq!(
            of,
            [
                ("prepare", MS, false),
                ("prepare", MS, false),
                ("send", 5 * MS, true),
                ("send", MS, false),
                ("Rate<Control>", 4 * MS, false),
            ],
            "{on:?}"
        );
        assert_eq!(systems(&timeline, &timeline.limits[2]), ["send"]);
        assert_eq!(misses(&timeline), [("send", vec!["send"])]);
        // `send` is not due in the next run.
        let timeline = record(&mut driver, &mut resources);
        assert_eq!(timeline.limits.len(), 3, "{on:?}");
    }
}

/// Adds up to three iterations of a loop with an inner loop of one iteration.
fn looping(on: On) -> Schedule {
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
        .run_if(Condition::of::<is_due<Control>>())
        .repeat_while_closure("outer", times(2), |body| {
            body.add_closure("step", |timer: &SimulatedTimer| timer.advance(2 * MS))
                .repeat_while_closure("inner", times(1), |body| {
                    body.add_closure("deep", |timer: &SimulatedTimer| timer.advance(MS))
                })
                .order("step", "inner")
        })
        .add_closure("after", |timer: &SimulatedTimer| timer.advance(4 * MS))
        .order("rate", "outer")
        .order("outer", "after");
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    schedule
}

#[test]
fn limits_of_a_loop_apply_to_all_executions_in_it() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        let mut schedule = looping(on);
        let limits = TimeLimits::new().deadline(8 * MS).budget(5 * MS);
        schedule.set_limits("outer", limits).unwrap();
        schedule
            .set_limits("inner", TimeLimits::new().budget(6 * MS))
            .unwrap();
        let mut driver = Driver::with_timer(schedule, timer);
        let timeline = record(&mut driver, &mut resources);
        let [deadline, budget, inner] = &timeline.limits[..] else {
            panic!("{timeline:?}")
        };
        let iteration = ["outer", "step", "inner", "deep", "inner"];
        let all = [&iteration[..], &iteration[..], &["outer"]].concat();
        assert_eq!(systems(&timeline, deadline), all, "{on:?}");
        assert_eq!(systems(&timeline, budget), all);
        assert_eq!((deadline.took, budget.took), (13 * MS, 13 * MS));
        assert_eq!(budget.exceeded_by(), Some(8 * MS));
        let inner_iteration = ["inner", "deep", "inner"];
        assert_eq!(
            systems(&timeline, inner),
            [inner_iteration, inner_iteration].concat()
        );
        assert_eq!((inner.took, inner.is_missed()), (6 * MS, false));
        // The budget counts for all of them, the deadline from the second iteration on.
        let misses = misses(&timeline);
        assert_eq!(misses.len(), all.len());
        let n_limits = misses.iter().map(|(_, limits)| limits.len());
        assert_eq!(
            n_limits.collect::<Vec<_>>(),
            [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
        );
    }
}

#[test]
fn limits_of_a_loop_do_not_apply_to_sync_points_in_it() {
    #[derive(Checkpoint)]
    struct Done;

    for on in EXECUTORS {
        let mut left = 2;
        let mut builder = Schedule::builder();
        builder
            .add_closure("rate", || {})
            .run_if(Condition::of::<is_due<Control>>())
            .repeat_while_closure(
                "again",
                move || {
                    left -= 1;
                    left > 0
                },
                |body| {
                    body.add_closure("work", |timer: &SimulatedTimer| timer.advance(MS))
                        .apply_commands::<Done>()
                },
            )
            .order("rate", "again")
            .order("work", "Done");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let limits = TimeLimits::new().budget(Duration::ZERO);
        schedule.set_limits("again", limits).unwrap();
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        let timeline = record(&mut Driver::with_timer(schedule, timer), &mut resources);
        assert_eq!(timeline.executions_of("Done").count(), 1, "{on:?}");
        let all = ["again", "work", "again"];
        assert_eq!(systems(&timeline, &timeline.limits[0]), all, "{on:?}");
    }
}

#[test]
fn steps_that_are_made_up_for_count_from_the_first_due_time() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut builder = Schedule::builder();
        builder.repeat_while::<is_due<Control>>(|body| {
            body.add_closure("step", |timer: &SimulatedTimer| timer.advance(MS))
        });
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = resources(&timer, TimeLimits::new());
        let rate = Rate::<Control>::every(10 * MS).catch_up(8);
        resources.insert(rate.deadline(22 * MS));
        resources.get_mut::<Clock>().unwrap().advance(20 * MS);
        let timeline = record(&mut Driver::with_timer(schedule, timer), &mut resources);
        let [deadline] = &timeline.limits[..] else {
            panic!("{timeline:?}")
        };
        assert_eq!(deadline.due, RelativeTime::Before(20 * MS), "{on:?}");
        assert_eq!(deadline.deadline(), Some(RelativeTime::After(2 * MS)));
        assert_eq!(systems(&timeline, deadline), ["step"; 3]);
        let misses = misses(&timeline);
        assert_eq!(misses, [("step", vec!["Rate<Control>"])]);
    }
}

#[test]
fn due_time_and_deadline_can_be_before_the_begin() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new().jitter(|_| 6 * MS);
        let mut resources = resources(&timer, TimeLimits::new().deadline(2 * MS));
        let mut driver = Driver::with_timer(controller(on), timer);
        record(&mut driver, &mut resources);
        let timeline = record(&mut driver, &mut resources);
        let [deadline] = &timeline.limits[..] else {
            panic!("{timeline:?}")
        };
        assert_eq!(deadline.due, RelativeTime::Before(6 * MS), "{on:?}");
        assert_eq!(deadline.deadline(), Some(RelativeTime::Before(4 * MS)));
        assert_eq!(
            (deadline.took, deadline.exceeded_by()),
            (10 * MS, Some(8 * MS))
        );
        let of_rate = vec!["Rate<Control>"];
        let late = [("estimate", of_rate.clone()), ("control", of_rate)];
        assert_eq!(misses(&timeline), late);
        assert_eq!(timeline.makespan, 4 * MS);
    }
}

#[test]
fn due_time_is_after_the_begin_of_a_run_within_the_tolerance() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        let rate = Rate::<Telemetry>::every(10 * MS).starting_at(3 * MS);
        resources.insert(rate.tolerance(4 * MS).deadline(3 * MS));
        let mut driver = Driver::with_timer(controller(on), timer);
        // At 0, 3 and 10 ms. The last one also serves the due time of 13 ms.
        record(&mut driver, &mut resources);
        record(&mut driver, &mut resources);
        let timeline = record(&mut driver, &mut resources);
        let [deadline] = &timeline.limits[..] else {
            panic!("{timeline:?}")
        };
        assert_eq!(&*deadline.of, "Rate<Telemetry>", "{on:?}");
        assert_eq!(deadline.due, RelativeTime::After(3 * MS));
        assert_eq!((deadline.took, deadline.is_missed()), (2 * MS, false));
    }
}

#[test]
fn rate_that_is_not_due_has_no_limits_in_the_run() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        resources.insert(Rate::<Telemetry>::every(20 * MS).deadline(MS));
        let mut driver = Driver::with_timer(controller(on), timer);
        let n_limits: Vec<usize> = (0..4)
            .map(|_| record(&mut driver, &mut resources).limits.len())
            .collect();
        assert_eq!(n_limits, [1, 0, 1, 0], "{on:?}");
    }
}

#[derive(Component)]
struct Position(i64);

#[system(for_each, in = Control, after = prepare)]
fn integrate(position: &mut Position, #[resource] timer: &SimulatedTimer) {
    position.0 += 1;
    timer.advance(MS / 1024);
}

#[system(for_each, in = Control, after = integrate)]
fn bounce(position: &mut Position, #[resource] timer: &SimulatedTimer) {
    position.0 -= 1;
    timer.advance(MS / 1024);
}

#[test]
fn limits_of_a_member_apply_to_the_executions_of_its_sweep() {
    for on in EXECUTORS {
        for n_entities in [1024, 16_384] {
            let timer = SimulatedTimer::new();
            let mut schedule = Schedule::builder()
                .add::<prepare>()
                .add::<integrate>()
                .add::<bounce>()
                .group::<Control>()
                .run_if(Condition::of::<is_due<Control>>())
                .build()
                .unwrap();
            on.set(&mut schedule);
            schedule
                .set_limits("bounce", TimeLimits::new().budget(MS))
                .unwrap();
            let mut resources = resources(&timer, TimeLimits::new().budget(MS));
            let mut world = World::<()>::new();
            for _ in 0..n_entities {
                world.spawn((Position(0),));
            }
            resources.insert(world);
            let mut driver = Driver::with_timer(schedule, timer);
            for _ in 0..3 {
                let timeline = record(&mut driver, &mut resources);
                let [bounce, rate] = &timeline.limits[..] else {
                    panic!("{timeline:?}")
                };
                // The times of the sweep are simulated, too.
                let took = 2 * n_entities * (MS / 1024);
                assert_eq!((rate.took, timeline.makespan), (took, took + MS), "{on:?}");
                assert!(rate.is_missed());
                let systems = systems(&timeline, rate);
                assert!(systems.len() < timeline.executions.len(), "{on:?}");
                assert!(!systems.contains(&"is_due<Control>"));
                assert!(!bounce.executions.is_empty());
                for &idx in &bounce.executions {
                    let execution = &timeline.executions[idx];
                    let mut systems = execution.systems();
                    assert!(systems.any(|one| one == "bounce"), "{on:?}");
                    assert!(execution.start >= MS, "{on:?}");
                }
                let last = timeline.executions.iter().map(|one| one.end).max();
                assert_eq!(last, Some(took + MS), "{on:?}");
            }
        }
    }
}
