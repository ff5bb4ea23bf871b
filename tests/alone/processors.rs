//! Helpers do not inherit the processors of a pinned thread.
//!
//! Each case runs in its own process, because it starts the global pool of rayon.

#![cfg(target_os = "linux")]

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use schedule::prelude::*;
use schedule::realtime::ThreadOptions;
use schedule::spanning::{Spanning, results};
use schedule::{Executor, Schedule};
use schedule_tests::child::Child;

/// Returns the processors that this process can use. `None` if there are not several.
fn processors() -> Option<Vec<usize>> {
    let allowed = sched_getaffinity(None).unwrap();
    let all = (0..CpuSet::MAX_CPU).filter(|&one| allowed.is_set(one));
    let all: Vec<usize> = all.collect();
    if all.len() < 2 {
        eprintln!("passed over: there is only one processor");
    }
    (all.len() > 1).then_some(all)
}

/// Calls a function on a new thread that is pinned to one processor.
fn on_pinned_thread<R: Send>(processor: usize, call: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut one = CpuSet::new();
            one.set(processor);
            sched_setaffinity(None, &one).unwrap();
            let result = call();
            let own = sched_getaffinity(None).unwrap();
            assert!(own == one, "the thread itself stays where it is");
            result
        });
        thread.join().unwrap()
    })
}

fn schedule() -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure("left", || ())
        .add_closure("right", || ());
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule
}

/// The number of processors of each thread of the global pool.
fn n_processors_of_pool() -> Vec<u32> {
    rayon::broadcast(|_| sched_getaffinity(None).unwrap().count())
}

#[test]
fn helpers_of_a_pinned_thread_can_use_all_processors() {
    Child::new(|| {
        let Some(all) = processors() else { return };
        on_pinned_thread(all[0], || {
            let mut schedule = schedule();
            schedule.run(&mut Resources::new()).unwrap();
            assert_eq!(n_processors_of_pool(), vec![all.len() as u32; all.len()]);
        });
    })
    .run();
}

#[test]
fn thread_that_is_pinned_after_the_build_counts_as_before() {
    Child::new(|| {
        let Some(all) = processors() else { return };
        // Like a program whose main thread pins itself: no thread has all processors any more.
        let main = Pid::from_raw(std::process::id() as i32);
        let mut one = CpuSet::new();
        one.set(all[0]);
        let mut schedule = schedule();
        sched_setaffinity(main, &one).unwrap();
        on_pinned_thread(all[0], || {
            schedule.run(&mut Resources::new()).unwrap();
            assert_eq!(n_processors_of_pool(), vec![all.len() as u32; all.len()]);
        });
    })
    .run();
}

#[test]
fn pool_that_exists_is_left_as_it_is() {
    Child::new(|| {
        let Some(all) = processors() else { return };
        on_pinned_thread(all[0], || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
            pool.build_global().unwrap();
            schedule().run(&mut Resources::new()).unwrap();
            assert_eq!(n_processors_of_pool(), [1, 1]);
        });
    })
    .run();
}

#[test]
fn thread_that_wakes_helpers_can_use_all_processors() {
    Child::new(|| {
        let Some(all) = processors() else { return };
        on_pinned_thread(all[0], || {
            let mut schedule = schedule();
            schedule.set_period(Duration::from_secs(1));
            // The thread sets its processors after it has started.
            let waker = || {
                let mut tasks = fs::read_dir("/proc/self/task")
                    .unwrap()
                    .map(|task| task.unwrap());
                let waker = tasks.find(|task| {
                    let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
                    name.trim() == "schedule period"
                })?;
                let id = waker.file_name().to_str()?.parse().ok()?;
                let set = sched_getaffinity(Pid::from_raw(id)).ok()?;
                (set.count() as usize == all.len()).then_some(())
            };
            while waker().is_none() {
                thread::yield_now();
            }
        });
    })
    .run();
}

#[derive(Resource, Clone, Default)]
struct NProcessors(u32);

#[system(spanning)]
fn count(n: &mut NProcessors) {
    n.0 = sched_getaffinity(None).unwrap().count();
}

/// Runs the spanning system once, and returns the number of processors of its thread.
fn n_processors_of(create: fn() -> Spanning<count>) -> u32 {
    let mut builder = Schedule::builder();
    builder.add::<count>().add::<results<count>>();
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<NProcessors>();
    resources.insert(create());
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
        resources.get_mut::<Spanning<count>>().unwrap().wait();
    }
    resources.get::<NProcessors>().unwrap().0
}

#[test]
fn spanning_system_of_a_pinned_thread_can_use_all_processors() {
    let Some(all) = processors() else {
        return;
    };
    let n = on_pinned_thread(all[0], || n_processors_of(Spanning::new));
    assert_eq!(n as usize, all.len());
}

#[test]
fn spanning_system_has_the_processors_of_its_options() {
    let n = n_processors_of(|| {
        let first = processors().map_or(0, |all| all[0]);
        let options = ThreadOptions::new().processors([first]);
        Spanning::with_options(options).unwrap()
    });
    assert_eq!(n, 1);
    let error = Spanning::<count>::with_options(ThreadOptions::new().processors([100_000]));
    assert!(error.is_err());
}
