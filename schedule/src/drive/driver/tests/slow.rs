//! The systems that messages about limits and overruns name.

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::data::limits::{LimitKind, LimitMiss, TimeLimits};
use crate::data::slow_systems::SlowSystem;

const US: Duration = Duration::from_micros(1);

/// `.0[r][i]`: how long system i takes in run r, in milliseconds.
#[derive(Resource, Clone)]
#[resource(crate = crate)]
struct Takes(Vec<[u32; 4]>);

const NAMES: [&str; 4] = ["zero", "one", "two", "three"];

/// Four systems in a chain. Those of the mask belong to `Fast`.
fn chain(mask: u32, executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    for (nth, name) in NAMES.into_iter().enumerate() {
        let work = move |takes: &Takes, timer: &SimulatedTimer, mut n: Local<usize>| {
            timer.advance(takes.0[*n][nth] * MS);
            *n += 1;
        };
        let mut system = builder.add_closure(name, work);
        // Those of `Slow` run whenever `Fast` is due, because both have the same due times.
        system = if mask & 1 << nth != 0 {
            system.run_if(Condition::of::<is_due<Fast>>())
        } else {
            system.run_if(Condition::of::<is_due<Slow>>())
        };
        if nth > 0 {
            system.order(NAMES[nth - 1], name);
        }
    }
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

/// A hog that is as slow as ever, and a small system that is slower than usual in run 3.
fn hog_and_small(executor: Executor, timer: &SimulatedTimer) -> (Schedule, Resources) {
    let mut builder = Schedule::builder();
    builder
        .add_closure("hog", |timer: &SimulatedTimer| timer.advance(980 * US))
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("small", |timer: &SimulatedTimer, mut n: Local<u32>| {
            *n += 1;
            timer.advance(if *n == 4 { 50 * US } else { 10 * US });
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .order("hog", "small");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    let mut resources = resources(timer);
    resources.remove::<Rate<Slow>>();
    resources.insert(Rate::<Fast>::every(MS).deadline(MS));
    (schedule, resources)
}

/// Keeps the texts of all misses and overruns.
fn texts_of(
    (schedule, mut resources): (Schedule, Resources),
    timer: &SimulatedTimer,
) -> Vec<String> {
    let texts = Arc::new(Mutex::new(Vec::new()));
    let [misses, overruns] = [(); 2].map(|()| Arc::clone(&texts));
    let mut driver = Driver::with_timer(schedule, timer.clone())
        .on_limit_miss(move |miss, _| misses.lock().unwrap().push(miss.to_string()))
        .on_overrun(move |overrun, _| overruns.lock().unwrap().push(overrun.to_string()));
    driver.run(&mut resources).unwrap();
    drop(driver);
    Arc::into_inner(texts).unwrap().into_inner().unwrap()
}

#[test]
fn messages_name_the_longest_system_and_the_one_that_took_more_than_usual() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let timer = SimulatedTimer::new().until(10 * MS);
        let texts = texts_of(hog_and_small(executor, &timer), &timer);
        assert_eq!(
            texts,
            [
                "`Rate<Fast>` missed its deadline by 30.0µs in run 3: it ended 1.030ms after its due time, the deadline is 1.000ms; its systems took 1.030ms; `hog` took longest: 980.0µs; `small` took 40.0µs more than on average: 50.0µs",
                "run 3 took 1.030ms and ended 30.0µs after the next due time of `Rate<Fast>`; `hog` took longest: 980.0µs; `small` took 40.0µs more than on average: 50.0µs",
                "`Rate<Fast>` missed its deadline by 20.0µs in run 4: it ended 1.020ms after its due time, the deadline is 1.000ms; the run began 30.0µs late; its systems took 990.0µs; `hog` took longest: 980.0µs",
                "run 4 took 990.0µs and ended 20.0µs after the next due time of `Rate<Fast>`; `hog` took longest: 980.0µs",
                "`Rate<Fast>` missed its deadline by 10.0µs in run 5: it ended 1.010ms after its due time, the deadline is 1.000ms; the run began 20.0µs late; its systems took 990.0µs; `hog` took longest: 980.0µs",
                "run 5 took 990.0µs and ended 10.0µs after the next due time of `Rate<Fast>`; `hog` took longest: 980.0µs",
            ],
            "{executor:?}"
        );
    }
}

#[test]
fn overrun_names_no_system_if_none_is_measured() {
    let timer = SimulatedTimer::new().until(5 * MS);
    let (schedule, mut resources) = hog_and_small(Executor::Serial, &timer);
    resources.insert(Rate::<Fast>::every(MS));
    let texts = texts_of((schedule, resources), &timer);
    assert_eq!(
        texts[0],
        "run 3 took 1.030ms and ended 30.0µs after the next due time of `Rate<Fast>`"
    );
}

#[test]
fn budget_of_a_system_or_a_loop_names_its_own_systems() {
    let timer = SimulatedTimer::new().until(15 * MS);
    let mut builder = Schedule::builder();
    builder.add_closure("before", |timer: &SimulatedTimer| timer.advance(MS));
    builder.repeat_while::<is_due<Fast>>(|body| {
        body.add_closure("step", |timer: &SimulatedTimer, mut n: Local<u32>| {
            *n += 1;
            timer.advance(*n * MS);
        })
        .add_closure("other_step", |timer: &SimulatedTimer| timer.advance(MS / 2))
        .order("step", "other_step")
    });
    builder.order("before", "is_due<Fast>");
    let mut schedule = builder.build().unwrap();
    for name in ["step", "is_due<Fast>"] {
        let limits = TimeLimits::new().budget(3 * MS / 2);
        schedule.set_limits(name, limits).unwrap();
    }
    let mut resources = resources(&timer);
    resources.remove::<Rate<Slow>>();
    resources.insert(Rate::<Fast>::every(10 * MS).catch_up(1));
    let texts = texts_of((schedule, resources), &timer);
    let [of_loop, of_step, ..] = &texts[..] else {
        panic!("{texts:?}")
    };
    assert!(
        of_loop.starts_with("`is_due<Fast>` (")
            && of_loop.contains(" exceeded its budget by 1.0ms in run 1: it took 2.5ms, the budget is 1.5ms; `step` took longest: 2.0ms, 1.0ms more than on average"),
        "{of_loop}"
    );
    assert!(
        of_step.starts_with("`step` (")
            && of_step.ends_with("exceeded its budget by 500.0µs in run 1: it took 2.00ms, the budget is 1.50ms; this is 1.0ms more than on average"),
        "{of_step}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 128 },
        // Miri has no file system.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn named_systems_are_those_of_a_sequential_calculation(
        takes in prop::collection::vec([0_u32..6, 0_u32..6, 0_u32..6, 0_u32..6], 1..12),
        mask in 1_u32..16,
        all in any::<bool>(),
        executor in prop_oneof![Just(Executor::Serial), Just(Executor::Parallel)],
    ) {
        let (deadline, budget) = (9 * MS, 5 * MS);
        let n_runs = takes.len() as u32;
        // Longer than any run, so each run begins on time.
        let period = 100 * MS;
        let timer = SimulatedTimer::new().until(n_runs * period);
        let mut resources = resources(&timer);
        resources.insert(Takes(takes.clone()));
        resources.insert(Rate::<Fast>::every(period).deadline(deadline).budget(budget));
        resources.insert(Rate::<Slow>::every(period));
        let misses = Arc::new(Mutex::new(Vec::<LimitMiss>::new()));
        let kept = Arc::clone(&misses);
        let mut driver = Driver::with_timer(chain(mask, executor), timer)
            .on_limit_miss(move |miss, _| kept.lock().unwrap().push(miss.clone()));
        if all {
            driver = driver.measure_all_systems();
        }
        driver.run(&mut resources).unwrap();

        let is_of_rate = |nth: usize| mask & 1 << nth != 0;
        let mut misses = misses.lock().unwrap().clone().into_iter();
        let mut sums = [0_u32; 4];
        for (run, takes) in (0_u32..).zip(&takes) {
            let of_rate = (0..4).filter(|&nth| is_of_rate(nth));
            let last = of_rate.clone().max().unwrap();
            let response: u32 = takes[..=last].iter().sum();
            let busy: u32 = of_rate.map(|nth| takes[nth]).sum();
            for (kind, took, limit) in [
                (LimitKind::Deadline, response * MS, deadline),
                (LimitKind::Budget, busy * MS, budget),
            ] {
                if took <= limit {
                    continue;
                }
                let miss = misses.next().unwrap();
                prop_assert_eq!((miss.nth_run, miss.kind, miss.took), (u64::from(run), kind, took));
                prop_assert_eq!((miss.busy, miss.began_late), (busy * MS, Duration::ZERO));
                prop_assert_eq!(miss.by(), took - limit);
                let is_deadline = kind == LimitKind::Deadline;
                // A system that takes no time can end at the same moment, later in the chain. It is never the longest one.
                let among = (0..=last).filter(|&nth| is_of_rate(nth) || all && is_deadline);
                let above = |nth: usize| {
                    let usual = if run == 0 { takes[nth] * MS } else { sums[nth] * MS / run };
                    (takes[nth] * MS).saturating_sub(usual)
                };
                // The last of equal ones is found first.
                let longest = among.clone().rev().max_by_key(|&nth| takes[nth]).unwrap();
                let unusual = among.rev().max_by_key(|&nth| above(nth)).unwrap();
                let explains = !above(unusual).is_zero() && above(unusual) >= (took - limit) / 2;
                let name = |slow: &SlowSystem| slow.system.name.clone();
                let slow = &miss.slow;
                prop_assert_eq!(slow.longest.as_ref().map(name), Some(NAMES[longest].to_string()));
                prop_assert_eq!(slow.longest.as_ref().map(|slow| slow.took), Some(takes[longest] * MS));
                prop_assert_eq!(slow.unusual.as_ref().map(name), explains.then(|| NAMES[unusual].to_string()));
                prop_assert_eq!(slow.unusual.as_ref().map(SlowSystem::above_usual), explains.then(|| above(unusual)));
                prop_assert_eq!(slow.is_partial, is_deadline && !all && mask != 15);
            }
            for (sum, took) in sums.iter_mut().zip(takes) {
                *sum += took;
            }
        }
        prop_assert_eq!(misses.next(), None);
    }
}
