//! Thousands of schedules at the same time. The test measures the memory and the threads of its own process.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use schedule::Executor;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::{Profile, SystemCost};
use schedule_tests::child::Child;

/// A busy machine must not fail a test.
const LIMIT: Duration = Duration::from_secs(600);

const N: usize = 5_000;

#[derive(Debug, PartialEq, Resource)]
struct Steps(usize);

/// Returns a value of `/proc/self/status`, if the file exists: a number of threads, or of kibibytes.
fn status(key: &str) -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .ok()
}

fn schedule_of_steps() -> Schedule {
    let mut builder = Schedule::builder();
    builder.add_closure("first", |steps: &mut Steps| steps.0 += 1);
    for name in ["one", "two", "three"] {
        builder.add_dynamic(DynamicSystem::new(name, |_| ()));
    }
    builder.add_closure("last", |steps: &mut Steps| steps.0 += 1);
    builder.order("first", "last").build().unwrap()
}

/// Returns a profile in which each system takes long enough for several threads.
fn long(schedule: &Schedule) -> Profile {
    Profile {
        schedule: schedule.name().to_string(),
        costs: ["first", "one", "two", "three", "last"]
            .map(|name| SystemCost::new(name, 100_000_000))
            .into(),
    }
}

/// Each schedule has everything that is necessary to run it on several threads.
#[test]
fn thousands_of_schedules_exist_at_once() {
    Child::new(|| {
        build_and_run();
    })
    .limit(LIMIT)
    .run();
}

fn build_and_run() {
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    // Without the pages of the program itself, whose number depends on how it was built.
    let before = status("RssAnon:").zip(status("Threads:"));
    let mut schedules: Vec<Schedule> = (0..N)
        .map(|idx| {
            let mut schedule = schedule_of_steps();
            schedule.set_pool(Arc::clone(&pool));
            match idx % 3 {
                0 => schedule.set_executor(Executor::Parallel),
                1 => schedule.set_profile(&long(&schedule)).unwrap(),
                _ => {}
            }
            schedule
        })
        .collect();
    let mut resources = Resources::new();
    resources.insert(Steps(0));
    for run in 1..=3 {
        for schedule in &mut schedules {
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(resources.get(), Some(&Steps(2 * N * run)));
    }
    assert!(schedules[1].report().n_timetabled_runs > 0);
    let Some((kib_before, threads_before)) = before else {
        return;
    };
    let kib = status("RssAnon:").unwrap().saturating_sub(kib_before);
    // A schedule takes 15.9 KiB. If the machine is busy, it takes 16.2 KiB, because its costs vary.
    assert!(kib < 17 * N, "{kib} KiB for {N} schedules");
    assert_eq!(status("Threads:"), Some(threads_before));
}
