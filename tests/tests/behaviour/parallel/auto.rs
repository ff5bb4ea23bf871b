//! The automatic executor: its results, and its reports about its choices.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Executor};

use crate::schedule_of;
use schedule_tests::meeting::Meeting;
use schedule_tests::on::{On, own_pool, seem_long};

#[derive(Debug, Default, PartialEq, Resource)]
struct Steps(usize);

/// Adds `n` unordered systems.
fn add_free(all: &mut Builder, n: usize, system: impl Fn() + Clone + Send + 'static) {
    for idx in 0..n {
        let system = system.clone();
        all.add_dynamic(DynamicSystem::new(idx.to_string(), move |_| system()));
    }
}

fn schedule_of_free(n: usize, system: impl Fn() + Clone + Send + 'static) -> Schedule {
    schedule_of(|all| {
        add_free(all, n, system);
        all
    })
}

/// Works for this time without sleeping.
fn work(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        black_box(());
    }
}

#[test]
fn default_executor_selects_its_mode_itself() {
    assert_eq!(Executor::default(), Executor::Auto);
    let mut schedule = schedule_of_free(3, || ());
    assert_eq!(schedule.report().executor, Executor::Auto);
    assert_eq!(schedule.report().profile, None);
    schedule.run(&mut Resources::new()).unwrap();
    let report = schedule.report();
    assert_eq!(report.profile.unwrap().costs.len(), 3);
    assert_eq!(report.n_systems, 3);
    assert_eq!(report.n_serial_runs + report.n_parallel_runs, 1);
    assert_eq!(report.n_timetabled_runs, 0, "nothing was known before");
}

/// Other tests rely on this to test timetables.
#[test]
fn long_systems_run_by_timetable() {
    for &on in On::PARALLEL {
        let On::Timetabled(_) = on else { continue };
        let mut schedule = schedule_of_free(8, || ());
        on.set(&mut schedule);
        for n_runs in 1..=if cfg!(miri) { 1 } else { 2 } {
            on.run(&mut schedule, &mut Resources::new()).unwrap();
            let report = schedule.report();
            assert_eq!(report.n_timetabled_runs, n_runs, "{on:?}");
            assert_eq!(report.n_serial_runs + report.n_parallel_runs, 0, "{on:?}");
        }
    }
}

#[test]
fn systems_in_a_timetable_overlap() {
    let meeting = Arc::new(Meeting::of(2));
    let mut schedule = schedule_of_free(2, move || meeting.wait());
    schedule.set_pool(own_pool(2));
    for _ in 0..super::N_RUNS {
        seem_long(&mut schedule);
        schedule.run(&mut Resources::new()).unwrap();
        assert_eq!(schedule.report().n_timetabled_runs, 1);
    }
}

#[test]
fn schedule_with_a_loop_has_no_timetable() {
    let mut schedule = schedule_of(|all| {
        add_free(all, 4, || ());
        all.repeat_while_closure("never", || false, |body| body)
    });
    schedule.set_pool(own_pool(2));
    seem_long(&mut schedule);
    schedule.run(&mut Resources::new()).unwrap();
    let report = schedule.report();
    assert_eq!((report.n_timetabled_runs, report.n_parallel_runs), (0, 1));
}

#[test]
fn chain_runs_on_one_thread_at_any_cost() {
    let mut schedule = schedule_of(|all| {
        add_free(all, 4, || ());
        all.order("0", "1").order("1", "2").order("2", "3")
    });
    schedule.set_pool(own_pool(2));
    for _ in 0..if cfg!(miri) { 1 } else { 3 } {
        seem_long(&mut schedule);
        schedule.run(&mut Resources::new()).unwrap();
        assert_eq!(schedule.report().n_serial_runs, 1);
    }
}

/// The first system alone takes longer than the time that a new schedule may run on one thread.
#[test]
fn long_first_run_does_not_keep_one_thread() {
    let (meeting, threads) = (Arc::new(Meeting::of(2)), Arc::new(Mutex::new(Vec::new())));
    let mut schedule = schedule_of(|all| {
        all.add_closure("long", || work(Duration::from_millis(2)));
        let (meeting, threads) = (Arc::clone(&meeting), Arc::clone(&threads));
        add_free(all, 2, move || {
            meeting.wait();
            threads.lock().unwrap().push(thread::current().id());
        });
        all
    });
    schedule.set_pool(own_pool(2));
    schedule.run(&mut Resources::new()).unwrap();
    let threads = threads.lock().unwrap();
    assert_ne!(threads[0], threads[1]);
}

/// A scene change: cheap systems become expensive, and vice versa.
#[test]
#[cfg_attr(miri, ignore = "measures")]
fn mode_follows_sudden_changes_of_costs() {
    const N: usize = 8;
    const LONG: Duration = Duration::from_micros(50);
    let is_long = Arc::new(AtomicBool::new(false));
    let mut schedule = schedule_of(|all| {
        let is_long = Arc::clone(&is_long);
        // Relaxed: set between runs.
        add_free(all, N, move || {
            if is_long.load(Ordering::Relaxed) {
                work(LONG);
            }
        });
        all.add_closure("step", |steps: &mut Steps| steps.0 += 1)
            .add_closure("step again", |steps: &mut Steps| steps.0 *= 3)
            .order("step", "step again")
    });
    schedule.set_pool(own_pool(2));
    let mut resources = Resources::new();
    for scene in 0..6 {
        is_long.store(scene % 2 == 1, Ordering::Relaxed);
        let mut seen = String::new();
        // On a busy machine, single measurements can be much too high. It then takes more runs until they are outweighed.
        let is_followed = (0..100).any(|_| {
            // First runs until measurements have become rare.
            for _ in 0..if scene == 0 { 500 } else { 64 } {
                resources.insert(Steps(1));
                schedule.run(&mut resources).unwrap();
                assert_eq!(resources.get(), Some(&Steps(6)));
            }
            let report = schedule.report();
            seen = report.to_string();
            let is_long_work = report.work > LONG * N as u32 / 2;
            let is_long_path = report.critical_path > LONG / 2;
            [is_long_work, is_long_path] == [scene % 2 == 1; 2]
        });
        assert!(is_followed, "{scene}: {seen}");
    }
}

#[test]
fn pool_of_one_thread_gets_no_requests() {
    let here = thread::current().id();
    let elsewhere = Arc::new(AtomicBool::new(false));
    let mut schedule = {
        let elsewhere = Arc::clone(&elsewhere);
        schedule_of_free(6, move || {
            elsewhere.fetch_or(thread::current().id() != here, Ordering::Relaxed);
            work(Duration::from_micros(100));
        })
    };
    schedule.set_pool(own_pool(1));
    for run in 0..10 {
        if run % 3 == 2 {
            seem_long(&mut schedule);
        }
        schedule.run(&mut Resources::new()).unwrap();
    }
    let report = schedule.report();
    assert_eq!(report.n_timetabled_runs + report.n_parallel_runs, 0);
    assert!(!elsewhere.load(Ordering::Relaxed));
}

/// Each system waits for an answer from a thread outside of the schedule.
#[test]
fn blocking_systems_do_not_deadlock() {
    const N: usize = if cfg!(miri) { 2 } else { 8 };
    for on in [On::Auto, On::Timetabled(2)] {
        let (to_other, asked) = mpsc::channel::<mpsc::Sender<usize>>();
        let other = thread::spawn(move || {
            for (idx, answer) in asked.iter().enumerate() {
                if idx % 5 == 0 {
                    thread::yield_now();
                }
                answer.send(idx).unwrap();
            }
        });
        let mut schedule = schedule_of_free(N, move || {
            let (answer, answered) = mpsc::channel();
            to_other.send(answer).unwrap();
            answered.recv_timeout(Meeting::LIMIT).unwrap();
        });
        on.set(&mut schedule);
        for _ in 0..super::N_RUNS {
            on.run(&mut schedule, &mut Resources::new()).unwrap();
        }
        // Also drops the only sender.
        drop(schedule);
        other.join().unwrap();
    }
}
