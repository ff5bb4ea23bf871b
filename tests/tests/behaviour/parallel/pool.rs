//! Pools with other work, shared pools, and schedules that are dropped early.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use rayon::ThreadPool;
use rayon::prelude::*;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Executor, RunError};

use super::{N_RUNS, ON};
use crate::schedule_of;
use schedule_tests::meeting::Meeting;
use schedule_tests::on::{On, own_pool, seem_long, shared_pool};

/// Number of consecutive runs in tests that take longer.
const N_LONG_RUNS: usize = if cfg!(miri) { 1 } else { 20 };

/// Number of yields that give other threads the opportunity for an error.
const N_LONG_YIELDS: usize = if cfg!(miri) { 20 } else { 200 };

/// Both ways to run on two threads.
const ON_TWO: [On; 2] = [On::Threads(2), On::Timetabled(2)];

#[derive(Debug, Default, PartialEq, Resource)]
struct Sums(Vec<u64>);

#[derive(Debug, Default, PartialEq, Resource)]
struct Steps(usize);

/// Adds systems that wait for their own work in the pool of the run, and other systems.
fn add_hungry(all: &mut Builder, n_copies: usize) {
    const N: u64 = if cfg!(miri) { 8 } else { 1000 };
    const SUM: u64 = N * (N - 1) / 2;
    for _ in 0..n_copies {
        all.add_closure("par_iter", |mut sum: Local<u64>| {
            *sum = (0..N as u32).into_par_iter().map(u64::from).sum();
            assert_eq!(*sum, SUM);
        })
        .add_closure("join", || {
            fn sum(from: u64, to: u64) -> u64 {
                if to - from <= 4 {
                    return (from..to).sum();
                }
                let middle = (from + to) / 2;
                let (left, right) = rayon::join(|| sum(from, middle), || sum(middle, to));
                left + right
            }
            assert_eq!(sum(0, N), SUM);
        })
        .add_closure("scope", |mut parts: Local<[u64; 4]>| {
            *parts = [0; 4];
            rayon::scope(|scope| {
                for (from, part) in (0..4).zip(parts.iter_mut()) {
                    scope.spawn(move |_| *part = (from..N).step_by(4).sum());
                }
            });
            assert_eq!(parts.iter().sum::<u64>(), SUM);
        })
        .add_closure("idle", || ());
    }
}

/// Calls `check` on this thread and on workers of pools.
fn inside_and_outside(pool: &ThreadPool, check: impl Fn() + Sync) {
    pool.install(&check);
    if cfg!(miri) {
        return;
    }
    shared_pool(2).install(&check);
    check();
}

#[test]
fn systems_may_use_the_pool() {
    for &on in ON {
        let pool = on.pool();
        inside_and_outside(&pool, || {
            let mut builder = Schedule::builder();
            add_hungry(&mut builder, if cfg!(miri) { 1 } else { 3 });
            builder
                .add_closure("sums", |sums: &mut Sums| {
                    let squares = (0..8_u64).into_par_iter().map(|one| one * one);
                    sums.0 = squares.collect();
                })
                .add_closure("reads", |sums: &Sums| {
                    assert_eq!(sums.0.par_iter().sum::<u64>(), 140);
                })
                .order("sums", "reads");
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert(Sums::default());
            for _ in 0..N_LONG_RUNS {
                on.run(&mut schedule, &mut resources).unwrap();
            }
        });
    }
}

#[test]
fn two_runs_alternate_on_the_workers_of_one_pool() {
    for on in ON_TWO {
        let pool = on.pool();
        let run = || {
            let mut builder = Schedule::builder();
            add_hungry(&mut builder, if cfg!(miri) { 1 } else { 2 });
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            for _ in 0..N_LONG_RUNS {
                on.run(&mut schedule, &mut Resources::new()).unwrap();
            }
        };
        pool.install(|| rayon::join(run, run));
        if cfg!(miri) {
            continue;
        }
        // More tasks than workers.
        pool.scope(|scope| (0..8).for_each(|_| scope.spawn(|_| run())));
    }
}

/// Returns a schedule with two ordered steps and several unordered systems.
fn steps() -> Schedule {
    schedule_of(|all| {
        all.add_closure("step", |steps: &mut Steps| steps.0 += 1);
        for _ in 0..if cfg!(miri) { 1 } else { 4 } {
            all.add_closure("free", thread::yield_now);
        }
        all.add_closure("step again", |steps: &mut Steps| steps.0 += 1)
            .order("step", "step again")
    })
}

fn no_steps() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Steps(0));
    resources
}

#[test]
fn runs_on_several_threads_may_share_a_pool() {
    for &on in On::PARALLEL {
        thread::scope(|scope| {
            for _ in 0..if cfg!(miri) { 2 } else { 4 } {
                scope.spawn(|| {
                    let mut schedule = steps();
                    on.set(&mut schedule);
                    let mut resources = no_steps();
                    for run in 1..=N_RUNS {
                        on.run(&mut schedule, &mut resources).unwrap();
                        assert_eq!(resources.get(), Some(&Steps(2 * run)), "{on:?}");
                    }
                });
            }
        });
    }
}

/// Contains a schedule and its resources, which it runs.
#[derive(Default)]
struct Inside(Option<(Schedule, Resources)>);

impl Inside {
    fn run(&mut self, on: On, depth: usize) -> Result<(), RunError> {
        let (schedule, resources) = self.0.get_or_insert_with(|| {
            let mut schedule = outside(on, depth - 1);
            on.set(&mut schedule);
            (schedule, no_steps())
        });
        on.run(schedule, resources)?;
        on.run(schedule, resources)
    }
}

/// Returns a schedule with one step, and with systems that run such a schedule inside, nested to this depth.
fn outside(on: On, depth: usize) -> Schedule {
    let mut builder = Schedule::builder();
    builder.add_closure("step", |steps: &mut Steps| steps.0 += 1);
    add_hungry(&mut builder, 1);
    for name in ["one", "two", "three"]
        .into_iter()
        .take(if depth == 0 { 0 } else { 3 })
    {
        builder.add_closure(name, move |mut inside: Local<Inside>| inside.run(on, depth));
    }
    builder.build().unwrap()
}

#[test]
fn systems_may_run_schedules_on_the_pool_that_they_run_on() {
    let depth = if cfg!(miri) { 1 } else { 2 };
    for &on in ON {
        inside_and_outside(&shared_pool(2), || {
            let mut schedule = outside(on, depth);
            on.set(&mut schedule);
            let mut resources = no_steps();
            for _ in 0..if cfg!(miri) { 1 } else { 2 } {
                on.run(&mut schedule, &mut resources).unwrap();
            }
        });
    }
}

#[test]
fn a_schedule_in_a_resource_runs_inside_another() {
    #[derive(Resource)]
    struct World(std::sync::Mutex<Schedule>, Resources);

    for &on in ON {
        let mut inner = steps();
        on.set(&mut inner);
        let mut outer = schedule_of(|all| {
            all.add_closure("turn", move |world: &mut World, steps: &mut Steps| {
                steps.0 += 1;
                on.run(world.0.get_mut().unwrap(), &mut world.1)
            });
            for _ in 0..4 {
                all.add_closure("free", thread::yield_now);
            }
            all
        });
        on.set(&mut outer);
        let mut resources = no_steps();
        resources.insert(World(inner.into(), no_steps()));
        for run in 1..=N_RUNS {
            on.run(&mut outer, &mut resources).unwrap();
            let world = resources.get::<World>().unwrap();
            assert_eq!(world.1.get(), Some(&Steps(2 * run)), "{on:?}");
            assert_eq!(resources.get(), Some(&Steps(run)), "{on:?}");
        }
    }
}

#[test]
fn an_exclusive_system_runs_a_schedule_on_the_resources_that_it_runs_on() {
    for &on in ON {
        let mut outer = schedule_of(|all| {
            all.policy(Policy::InsertionOrder)
                .add_closure("before", |steps: &mut Steps| steps.0 += 1)
                .add_closure("inside", move |resources: &mut Resources| {
                    let mut inner = steps();
                    on.set(&mut inner);
                    inner.run(resources)
                })
                .add_closure("after", |steps: &mut Steps| steps.0 *= 2)
        });
        on.set(&mut outer);
        let mut resources = no_steps();
        for expected in [6, 18, 42].into_iter().take(N_LONG_RUNS) {
            on.run(&mut outer, &mut resources).unwrap();
            assert_eq!(resources.get(), Some(&Steps(expected)), "{on:?}");
        }
    }
}

#[test]
fn failure_of_an_inner_schedule_is_reported_for_the_outer_system() {
    for &on in ON {
        let mut outer = schedule_of(|all| {
            all.add_closure("outer", move || {
                let mut inner = schedule_of(|all| {
                    all.add_closure("inner", || -> Result<(), _> { Err("deep down") })
                        .add_closure("free", || ())
                });
                on.set(&mut inner);
                inner.run(&mut Resources::new())
            })
            .add_closure("free", || ())
        });
        on.set(&mut outer);
        for _ in 0..N_LONG_RUNS {
            let error = on.run(&mut outer, &mut Resources::new()).unwrap_err();
            assert_eq!(error.failures().len(), 1);
            assert_eq!(error.failures()[0].system.name, "outer");
            assert!(error.to_string().ends_with("): deep down"), "{error}");
        }
    }
}

#[test]
fn schedule_alternates_between_two_sets_of_resources() {
    for &on in ON {
        let mut schedule = steps();
        on.set(&mut schedule);
        let (mut one, mut other) = (no_steps(), no_steps());
        for run in 1..=N_RUNS {
            on.run(&mut schedule, &mut one).unwrap();
            if run % 3 == 0 {
                on.run(&mut schedule, &mut other).unwrap();
            }
            assert_eq!(one.get(), Some(&Steps(2 * run)), "{on:?}");
            assert_eq!(other.get(), Some(&Steps(2 * (run / 3))), "{on:?}");
        }
    }
}

#[test]
fn a_schedule_moves_to_another_thread_between_runs() {
    for &on in ON {
        let mut schedule = steps();
        on.set(&mut schedule);
        let mut resources = no_steps();
        for run in 1..=N_RUNS.min(20) {
            (schedule, resources) = thread::spawn(move || {
                on.run(&mut schedule, &mut resources).unwrap();
                (schedule, resources)
            })
            .join()
            .unwrap();
            on.run(&mut schedule, &mut resources).unwrap();
            assert_eq!(resources.get(), Some(&Steps(4 * run)), "{on:?}");
        }
    }
}

/// A helper may arrive after the schedule and its resources were dropped.
#[test]
fn schedule_and_resources_may_be_dropped_right_after_a_run() {
    for &on in On::PARALLEL {
        for _ in 0..N_RUNS {
            let mut schedule = steps();
            on.set(&mut schedule);
            let mut resources = no_steps();
            schedule.run(&mut resources).unwrap();
            drop(resources);
            drop(schedule);
        }
    }
}

#[test]
fn pool_may_be_dropped_with_its_schedule() {
    for on in ON_TWO {
        for _ in 0..if cfg!(miri) { 1 } else { 20 } {
            let mut schedule = steps();
            let mut resources = no_steps();
            on.set(&mut schedule);
            schedule.set_pool(own_pool(2));
            schedule.run(&mut resources).unwrap();
            schedule.set_pool(own_pool(3));
            schedule.run(&mut resources).unwrap();
            assert_eq!(resources.get(), Some(&Steps(4)), "{on:?}");
        }
    }
}

#[test]
fn a_schedule_changes_its_executor_and_its_pool_between_runs() {
    let mut schedule = steps();
    let mut resources = no_steps();
    let others = [own_pool(2), own_pool(3)];
    for run in 0..N_RUNS.max(4) {
        match run % 11 {
            0 => schedule.set_executor(Executor::Serial),
            1 => schedule.set_executor(Executor::Parallel),
            6 => schedule.set_executor(Executor::Auto),
            7 => seem_long(&mut schedule),
            2 | 5 | 8 => schedule.set_pool(Arc::clone(&others[0])),
            3 | 9 => schedule.set_pool(Arc::clone(&others[1])),
            4 => schedule.set_pool(shared_pool(1)),
            _ => {}
        }
        schedule.run(&mut resources).unwrap();
        assert_eq!(resources.get(), Some(&Steps(2 * (run + 1))));
    }
}

/// Commands of many unordered systems are applied in the order of the schedule, regardless of which system ends first.
#[test]
fn commands_are_applied_in_schedule_order_with_any_timing() {
    const N: usize = if cfg!(miri) { 3 } else { 100 };

    #[derive(Default, Resource)]
    struct Order(Vec<usize>);

    #[derive(Checkpoint)]
    struct Noon;

    for &on in ON {
        let record = |idx: usize| {
            move |mut commands: Commands| {
                (0..idx * 7 % 11).for_each(|_| thread::yield_now());
                commands.push(move |resources| resources.get_mut::<Order>().unwrap().0.push(idx));
            }
        };
        let mut builder = Schedule::builder();
        builder.apply_commands::<Noon>();
        for idx in 0..N {
            builder.add_closure("before", record(idx)).before::<Noon>();
        }
        for idx in N..2 * N {
            builder.add_closure("behind", record(idx)).after::<Noon>();
        }
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = Resources::new();
        for _ in 0..N_LONG_RUNS {
            resources.insert(Order::default());
            on.run(&mut schedule, &mut resources).unwrap();
            let order = &resources.get::<Order>().unwrap().0;
            assert!(order.iter().copied().eq(0..2 * N), "{on:?}: {order:?}");
        }
    }
}

/// A worker that waits inside a system, for example in `join`, runs other work of its pool. Work of another run may take long, or may wait
/// for that very system.
#[test]
fn a_system_that_waits_for_its_pool_is_not_interrupted_by_another_one() {
    thread_local!(static IS_WAITING: Cell<bool> = const { Cell::new(false) });

    let pool = own_pool(2);
    let (has_begun, may_end) = (Arc::new(Meeting::of(3)), Arc::new(Meeting::of(2)));
    let (begin, end) = (Arc::clone(&has_begun), Arc::clone(&may_end));
    let mut waiting = schedule_of(|all| {
        let waits = DynamicSystem::new("waits", move |_| {
            IS_WAITING.set(true);
            let elsewhere = || {
                begin.wait();
                end.wait();
            };
            rayon::join(|| begin.wait(), elsewhere);
            IS_WAITING.set(false);
        });
        all.add_dynamic(waits.on_main_thread())
            .add_closure("free", || ())
    });
    let was_interrupted = Arc::new(AtomicBool::new(false));
    waiting.set_executor(Executor::Parallel);
    let mut other = schedule_of(|all| {
        for _ in 0..2 {
            let was_interrupted = Arc::clone(&was_interrupted);
            all.add_closure("free", move || {
                was_interrupted.fetch_or(IS_WAITING.get(), Ordering::Relaxed);
                (0..N_LONG_YIELDS / 2).for_each(|_| thread::yield_now());
            });
        }
        all
    });
    other.set_executor(Executor::Parallel);
    other.set_pool(Arc::clone(&pool));
    thread::scope(|scope| {
        scope.spawn(|| pool.install(|| waiting.run(&mut Resources::new()).unwrap()));
        // Both workers are now busy, and one of them looks for other work.
        has_begun.wait();
        for _ in 0..N_LONG_RUNS {
            other.run(&mut Resources::new()).unwrap();
        }
        may_end.wait();
    });
    assert!(!was_interrupted.load(Ordering::Relaxed));
}

/// Returns a pool in which two threads are busy until the sender is dropped.
fn busy_pool(n_threads: usize) -> (Arc<ThreadPool>, mpsc::Sender<()>) {
    let pool = own_pool(n_threads);
    let (go_on, held) = mpsc::channel();
    let held = Arc::new(Mutex::new(held));
    let are_held = Arc::new(Meeting::of(3));
    for _ in 0..2 {
        let (held, are_held) = (Arc::clone(&held), Arc::clone(&are_held));
        pool.spawn(move || {
            are_held.wait();
            drop(held.lock().map(|held| held.recv()));
        });
    }
    are_held.wait();
    (pool, go_on)
}

/// The thread that calls `run` executes all systems itself.
#[test]
fn a_run_does_not_wait_for_a_pool_that_is_busy() {
    for on in ON_TWO {
        let (pool, go_on) = busy_pool(2);
        let mut schedule = steps();
        on.set(&mut schedule);
        schedule.set_pool(Arc::clone(&pool));
        let mut resources = no_steps();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(resources.get(), Some(&Steps(6)), "{on:?}");
        // The requested helpers arrive only now, when the schedule is already dropped.
        drop((schedule, resources));
        drop(go_on);
        pool.install(|| ());
    }
}

#[test]
fn new_pool_helps_while_a_request_to_the_old_one_is_pending() {
    let (busy, _go_on) = busy_pool(2);
    let (has_help, meeting) = (Arc::new(AtomicBool::new(false)), Arc::new(Meeting::of(2)));
    let mut schedule = schedule_of(|all| {
        for _ in 0..2 {
            let (has_help, meeting) = (Arc::clone(&has_help), Arc::clone(&meeting));
            all.add_closure("meets", move || {
                if has_help.load(Ordering::Relaxed) {
                    meeting.wait();
                }
            });
        }
        all
    });
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(busy);
    schedule.run(&mut Resources::new()).unwrap();
    has_help.store(true, Ordering::Relaxed);
    schedule.set_pool(own_pool(2));
    schedule.run(&mut Resources::new()).unwrap();
}

/// `outer` runs a schedule on a helper thread, and waits for a system of that schedule which runs on another thread. Meanwhile the outer
/// run has another system for the helper, but that one waits for `outer`.
#[test]
fn system_that_runs_a_schedule_does_not_wait_for_its_dependent() {
    // One thread is left to help.
    let (pool, _go_on) = busy_pool(3);
    let elsewhere = own_pool(2);
    for _ in 0..N_LONG_RUNS {
        let meeting = Arc::new(Meeting::of(2));
        let mut inner = schedule_of(|all| {
            for _ in 0..2 {
                let (meeting, elsewhere) = (Arc::clone(&meeting), Arc::clone(&elsewhere));
                all.add_closure("meets", move || {
                    meeting.wait();
                    // The system on a worker of `elsewhere` takes longer.
                    if elsewhere.current_thread_index().is_some() {
                        (0..N_LONG_YIELDS).for_each(|_| thread::yield_now());
                    }
                });
            }
            all
        });
        inner.set_executor(Executor::Parallel);
        inner.set_pool(Arc::clone(&elsewhere));
        let (to_bound, for_bound) = mpsc::channel();
        let (to_free, for_free) = mpsc::channel();
        let mut outside = schedule_of(|all| {
            let waits = |name: &str, message: mpsc::Receiver<()>| {
                DynamicSystem::new(name, move |_| {
                    assert_eq!(message.recv_timeout(Meeting::LIMIT), Ok(()));
                })
            };
            // The thread that calls `run` starts the longest path.
            all.add_dynamic(waits("bound", for_bound).on_main_thread())
                .add_closure("behind", || ())
                .order("bound", "behind")
                .add_closure("outer", move || {
                    inner.run(&mut Resources::new())?;
                    to_bound.send(())?;
                    to_free.send(())?;
                    Ok::<(), BoxError>(())
                })
                .add_dynamic(waits("waits", for_free))
        });
        outside.set_executor(Executor::Parallel);
        outside.set_pool(Arc::clone(&pool));
        outside.run(&mut Resources::new()).unwrap();
    }
}
