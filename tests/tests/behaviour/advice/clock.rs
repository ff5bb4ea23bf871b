//! Advice compared with measured times: it uses measured costs, and the predicted savings are real.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schedule::Executor;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::{Policy, Resources, Schedule};

use super::{cost_of, ms};

#[test]
fn advice_uses_measured_costs() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    for name in ["a", "b"] {
        let body = |_: &mut schedule::dynamic::View<'_>| std::thread::sleep(ms(2));
        builder.add_dynamic(DynamicSystem::new(name, body).writes("R"));
    }
    let mut frame = builder.build().unwrap();
    assert_eq!(frame.advise(2), None);
    let mut resources = Resources::new();
    resources.insert_named("R", ());
    frame.run(&mut resources).unwrap();
    let advice = frame.advise(2).unwrap();
    assert!(
        advice.work >= ms(4) && advice.span == advice.work,
        "{advice}"
    );
    let profile = frame.profile().unwrap();
    let mut costs = profile.costs.iter().map(|one| one.ns.into());
    let same = frame.advise_with(2, |_| Duration::from_nanos(costs.next().unwrap()));
    assert_eq!(advice, same);
}

/// Returns the shortest duration of a run on two threads. Stops after a run that took less than `enough`. The machine decides when a helper
/// joins, so trials use several pools.
fn shortest_run(mut schedule: Schedule, n_trials: usize, enough: Duration) -> Duration {
    schedule.set_executor(Executor::Parallel);
    let mut resources = Resources::new();
    for name in ["Settings", "World"] {
        resources.insert_named(name, ());
    }
    let mut shortest = Duration::MAX;
    for trial in 0..n_trials {
        if trial % 2 == 0 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
            schedule.set_pool(Arc::new(pool.unwrap()));
        }
        let start = Instant::now();
        schedule.run(&mut resources).unwrap();
        shortest = shortest.min(start.elapsed());
        if shortest < enough {
            break;
        }
    }
    shortest
}

#[test]
fn schedule_saves_the_time_that_advice_predicts() {
    let sleeper = |name: &str| {
        let cost = cost_of(name);
        DynamicSystem::new(name, move |_| std::thread::sleep(cost))
    };
    // With or without an unnecessary order, and with settings that `audio` writes or only reads.
    let build = |is_ordered: bool, writes: bool| {
        let mut builder = Schedule::builder();
        builder.policy(Policy::InsertionOrder);
        builder.add_dynamic(sleeper("input 20").writes("World"));
        builder.add_dynamic(sleeper("physics 20").writes("World").reads("Settings"));
        let audio = sleeper("audio 40");
        builder.add_dynamic(if writes {
            audio.writes("Settings")
        } else {
            audio.reads("Settings")
        });
        if is_ordered {
            builder.order("input 20", "audio 40");
        }
        builder.build().unwrap()
    };
    for (text, before, after) in [
        (
            "`physics 20` and `audio 40` are ordered only by `Settings`, which `audio 40` writes",
            build(true, true),
            build(true, false),
        ),
        (
            "the order `input 20` -> `audio 40`",
            build(true, false),
            build(false, false),
        ),
    ] {
        let advice = before.advise_with(2, cost_of);
        let mut top = advice.top();
        let named = top.find(|change| change.without.to_string().starts_with(text));
        let promised = advice.saved(named.expect("it is among the first five"));
        assert_eq!(promised, ms(20), "{advice}");
        let enough = advice.makespan() - promised / 2;
        let short = shortest_run(after, 40, enough);
        assert!(short < enough, "{short:?} of {:?}", advice.makespan());
        // A sleep lasts at least the given time, so unchanged systems take that long on any machine.
        let long = shortest_run(before, 3, enough);
        assert!(long >= advice.makespan(), "{long:?}");
    }
}
