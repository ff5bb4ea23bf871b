//! The pool that calls of rayon in systems use.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::driver::SimulatedTimer;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::replay::{RecordedResources, Recorder};
use schedule::{Builder, Driver, Executor};
use schedule_hecs::prelude::*;
use schedule_tests::on::{On, own_pool, seem_long};

/// What a system saw in a run.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    system: &'static str,
    thread: ThreadId,
    /// The number of threads of the pool that `par_iter` uses.
    n_threads: usize,
    /// Whether all pieces of its `par_iter` ran on threads of the pool of the test.
    is_in_pool: bool,
}

#[derive(Resource, Clone, Default)]
struct Log(Arc<Mutex<Vec<Seen>>>);

impl Log {
    fn note(&self, system: &'static str, pool: &ThreadPool) {
        let pieces = (0..64).into_par_iter();
        let is_in_pool = pieces
            .map(|_| pool.current_thread_index().is_some())
            .reduce(|| true, |one, other| one && other);
        self.0.lock().unwrap().push(Seen {
            system,
            thread: thread::current().id(),
            n_threads: rayon::current_num_threads(),
            is_in_pool,
        });
    }

    /// Returns the notes since the last call, by system.
    fn take(&self) -> Vec<Seen> {
        let mut seen = std::mem::take(&mut *self.0.lock().unwrap());
        seen.sort_by_key(|one| one.system);
        seen
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "condition", "step"];

/// Unordered systems, a condition and a loop, which all call rayon.
fn free(builder: &mut Builder, log: &Log, pool: &Arc<ThreadPool>) {
    for name in ["a", "b", "c"] {
        let (log, pool) = (log.clone(), Arc::clone(pool));
        builder.add_dynamic(DynamicSystem::new(name, move |_| log.note(name, &pool)));
    }
    let (of_condition, of_step) = (log.clone(), log.clone());
    let (pool, pool_of_step) = (Arc::clone(pool), Arc::clone(pool));
    builder.repeat_while_closure(
        "condition",
        move |mut n: Local<u32>| {
            *n += 1;
            if *n % 2 == 1 {
                of_condition.note("condition", &pool);
            }
            *n % 2 == 1
        },
        |body| body.add_closure("step", move || of_step.note("step", &pool_of_step)),
    );
}

/// The modes of a run.
const MODES: [On; 4] = [On::Serial, On::Auto, On::Threads(2), On::Timetabled(2)];

/// Sets the mode, but not its pool.
fn set_mode(schedule: &mut Schedule, mode: On) {
    mode.set(schedule);
    if let On::Timetabled(_) = mode {
        seem_long(schedule);
    }
}

/// Runs on a thread that belongs to no pool.
fn on_new_thread(run: impl FnOnce() + Send) {
    thread::scope(|scope| scope.spawn(run).join().unwrap());
}

const N_THREADS: [usize; 3] = [1, 2, 3];

#[test]
fn all_systems_use_the_pool_to_which_the_run_moves() {
    for (n_threads, mode) in N_THREADS
        .into_iter()
        .flat_map(|n| MODES.map(|mode| (n, mode)))
    {
        on_new_thread(|| {
            let (log, pool) = (Log::default(), own_pool(n_threads));
            let mut builder = Schedule::builder();
            free(&mut builder, &log, &pool);
            let mut schedule = builder.build().unwrap();
            set_mode(&mut schedule, mode);
            schedule.move_to_pool(Arc::clone(&pool));
            for run in 0..5 {
                if run == 3 {
                    // A change of the schedule keeps the pool.
                    schedule
                        .change(|builder| builder.add_closure("d", || {}))
                        .unwrap();
                }
                if run == 2 {
                    let recorded = RecordedResources::new();
                    let mut recorder = Recorder::new(io::sink(), &schedule, recorded).unwrap();
                    recorder.run(&mut schedule, &mut Resources::new()).unwrap();
                    recorder.finish().unwrap();
                } else if run == 4 {
                    let (result, recording) = schedule.record(&mut Resources::new());
                    result.unwrap();
                    assert!(recording.timeline().executions.len() >= NAMES.len());
                } else {
                    schedule.run(&mut Resources::new()).unwrap();
                }
                let seen = log.take();
                let names: Vec<_> = seen.iter().map(|one| one.system).collect();
                assert_eq!(names, NAMES);
                for one in seen {
                    let place = format!("{one:?}, {n_threads} threads, {mode:?}, run {run}");
                    assert_eq!(
                        (one.n_threads, one.is_in_pool),
                        (n_threads, true),
                        "{place}"
                    );
                    assert_ne!(one.thread, thread::current().id(), "{place}");
                }
            }
        });
    }
}

#[test]
fn all_systems_use_a_pool_that_has_the_calling_thread() {
    for (n_threads, mode) in N_THREADS
        .into_iter()
        .flat_map(|n| MODES.map(|mode| (n, mode)))
    {
        on_new_thread(|| {
            let pool = ThreadPoolBuilder::new()
                .num_threads(n_threads)
                .use_current_thread();
            let (log, pool) = (Log::default(), Arc::new(pool.build().unwrap()));
            let mut builder = Schedule::builder();
            free(&mut builder, &log, &pool);
            let (bound, of_bound) = (log.clone(), Arc::clone(&pool));
            let bound = DynamicSystem::new("bound", move |_| bound.note("bound", &of_bound));
            builder.add_dynamic(bound.on_main_thread());
            let mut schedule = builder.build().unwrap();
            set_mode(&mut schedule, mode);
            for moves in [false, true] {
                if moves {
                    schedule.move_to_pool(Arc::clone(&pool));
                } else {
                    schedule.set_pool(Arc::clone(&pool));
                }
                for run in 0..20 {
                    schedule.run(&mut Resources::new()).unwrap();
                    let seen = log.take();
                    assert_eq!(seen.len(), NAMES.len() + 1);
                    for one in seen {
                        let place = format!("{one:?}, {n_threads} threads, {mode:?}, run {run}");
                        assert_eq!(
                            (one.n_threads, one.is_in_pool),
                            (n_threads, true),
                            "{place}"
                        );
                        if one.system == "bound" || mode == On::Serial {
                            assert_eq!(one.thread, thread::current().id(), "{place}");
                        }
                    }
                }
            }
        });
    }
}

#[test]
fn run_with_a_main_thread_system_stays_on_the_calling_thread() {
    for mode in MODES {
        on_new_thread(|| {
            let (log, pool) = (Log::default(), own_pool(3));
            let mut builder = Schedule::builder();
            free(&mut builder, &log, &pool);
            let (bound, of_bound) = (log.clone(), Arc::clone(&pool));
            let bound = DynamicSystem::new("bound", move |_| bound.note("bound", &of_bound));
            builder.add_dynamic(bound.on_main_thread());
            let mut schedule = builder.build().unwrap();
            set_mode(&mut schedule, mode);
            schedule.move_to_pool(Arc::clone(&pool));
            for _ in 0..5 {
                schedule.run(&mut Resources::new()).unwrap();
                let seen = log.take();
                let here = thread::current().id();
                let bound = seen.iter().find(|one| one.system == "bound").unwrap();
                // The limit that `set_pool` documents.
                assert_eq!((bound.thread, bound.is_in_pool), (here, false), "{mode:?}");
                for one in seen.iter().filter(|one| one.thread != here) {
                    assert!(one.is_in_pool, "{one:?}, {mode:?}");
                }
                if mode == On::Serial {
                    assert!(seen.iter().all(|one| one.thread == here), "{seen:?}");
                }
            }
        });
    }
}

#[test]
fn schedule_with_a_set_pool_keeps_serial_runs_on_the_calling_thread() {
    let (log, pool) = (Log::default(), own_pool(2));
    let mut builder = Schedule::builder();
    free(&mut builder, &log, &pool);
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Serial);
    schedule.move_to_pool(Arc::clone(&pool));
    schedule.set_pool(pool);
    schedule.run(&mut Resources::new()).unwrap();
    let here = thread::current().id();
    assert!(log.take().iter().all(|one| one.thread == here));
}

#[derive(Group)]
struct Control;

#[test]
fn runs_of_a_driver_move_and_their_results_are_the_same() {
    const MS: std::time::Duration = std::time::Duration::from_millis(1);
    let (log, pool) = (Log::default(), own_pool(2));
    let mut builder = Schedule::builder();
    let of_system = (log.clone(), Arc::clone(&pool));
    builder
        .add_closure("work", move |timer: &SimulatedTimer| {
            of_system.0.note("work", &of_system.1);
            timer.advance(2 * MS);
        })
        .run_if(Condition::of::<is_due<Control>>())
        // Fails in each run.
        .add_closure("fail", || -> Result<(), &str> { Err("broken") })
        .run_if(Condition::of::<is_due<Control>>());
    let mut schedule = builder.build().unwrap();
    schedule.move_to_pool(pool);
    let timer = SimulatedTimer::new().until(50 * MS);
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(timer.clone());
    resources.insert(Rate::<Control>::every(10 * MS).deadline(MS));
    let mut driver = Driver::with_timer(schedule, timer)
        .on_error(|_, _| std::ops::ControlFlow::Continue(()))
        .record_limit_misses(|recording, _| assert!(recording.has_missed_limits()));
    driver.run(&mut resources).unwrap();
    let stats = driver.stats();
    assert_eq!(
        (stats.n_runs, stats.n_failed, stats.n_deadline_missed),
        (5, 5, 5)
    );
    let seen = log.take();
    assert_eq!(seen.len(), 5);
    assert!(seen.iter().all(|one| one.is_in_pool));
}

#[derive(Component)]
struct Row(u32);

#[test]
fn par_for_each_uses_the_set_pool_on_the_calling_thread() {
    for n_threads in [2, 3] {
        on_new_thread(|| {
            let pool = own_pool(n_threads);
            let of_system = Arc::clone(&pool);
            let outside = Arc::new(Mutex::new(Vec::new()));
            let noted = Arc::clone(&outside);
            let mut schedule = Schedule::builder()
                .add_closure("visit", move |mut rows: Query<&mut Row>| {
                    rows.par_for_each(|row| {
                        row.0 += 1;
                        // Long enough for several threads.
                        (0..50).for_each(|_| std::hint::spin_loop());
                        if of_system.current_thread_index().is_none() {
                            noted.lock().unwrap().push(row.0);
                        }
                    });
                })
                .build()
                .unwrap();
            schedule.set_executor(Executor::Serial);
            let mut world = World::<()>::new();
            world.spawn_batch((0..20_000).map(|_| (Row(0),)));
            let mut resources = Resources::new();
            resources.insert(world);
            schedule.run(&mut resources).unwrap();
            // Without `set_pool`, the rows that a run visits here or in the global pool.
            assert_eq!(std::mem::take(&mut *outside.lock().unwrap()).len(), 20_000);
            schedule.set_pool(pool);
            schedule.run(&mut resources).unwrap();
            assert!(outside.lock().unwrap().is_empty(), "{n_threads}");
            let world = resources.get_mut::<World>().unwrap();
            assert!(world.query::<&Row>().iter().all(|row| row.0 == 2));
        });
    }
}
