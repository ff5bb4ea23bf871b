//! Systems that run at the same time, and systems that must not.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use schedule::dynamic::DynamicSystem;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{Builder, Executor};

use super::{N_RUNS, POOL_SIZES};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

#[derive(Checkpoint)]
struct Noon;

#[derive(Checkpoint)]
struct Dusk;

/// Returns the schedule of the declarations of `declare`, with its own pool. All systems that are ready start immediately.
fn schedule_on(n_threads: usize, declare: impl FnOnce(&mut Builder)) -> Schedule {
    let mut builder = Schedule::builder();
    declare(&mut builder);
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(n_threads));
    schedule
}

#[track_caller]
fn run(schedule: &mut Schedule, n_runs: usize) {
    let mut resources = Resources::new();
    for _ in 0..n_runs {
        schedule.run(&mut resources).unwrap();
    }
}

/// Returns a system that takes part in the meeting.
fn meets(name: &str, meeting: &Arc<Meeting>) -> DynamicSystem {
    let meeting = Arc::clone(meeting);
    DynamicSystem::new(name, move |_| meeting.wait())
}

#[test]
fn two_independent_systems_overlap() {
    for &n_threads in POOL_SIZES {
        let meeting = Arc::new(Meeting::of(2));
        let mut schedule = schedule_on(n_threads, |all| {
            all.add_dynamic(meets("a", &meeting))
                .add_dynamic(meets("b", &meeting));
        });
        run(&mut schedule, N_RUNS);
    }
}

#[test]
fn all_threads_run_systems_at_the_same_time() {
    let meeting = Arc::new(Meeting::of(4));
    let mut schedule = schedule_on(4, |all| {
        for name in ["a", "b", "c", "d"] {
            all.add_dynamic(meets(name, &meeting));
        }
    });
    run(&mut schedule, N_RUNS);
}

/// Adds pairs that meet, each after a node that waits for the previous pair. The thread that completes this node passes one system of the
/// pair to another, idle thread. (If both systems of a pair released both of the next pair, one thread could release the bound system after
/// the caller started the other one.)
fn add_pairs(all: &mut Builder, system: impl Fn(usize) -> DynamicSystem) {
    let add = |all: &mut Builder, system: DynamicSystem| -> NodeId {
        all.add_dynamic(system);
        all.last().unwrap()
    };
    let mut before: Vec<NodeId> = Vec::new();
    for _ in 0..if cfg!(miri) { 2 } else { 6 } {
        let gate = add(all, DynamicSystem::new("gate", |_| ()));
        let pair = [0, 1].map(|idx| add(all, system(idx)));
        for earlier in before {
            all.order(earlier, gate);
        }
        for one in pair {
            all.order(gate, one);
        }
        before = pair.to_vec();
    }
}

#[test]
fn consecutive_pairs_overlap() {
    for &n_threads in POOL_SIZES {
        let meeting = Arc::new(Meeting::of(2));
        let mut schedule = schedule_on(n_threads, |all| {
            add_pairs(all, |idx| meets(["a", "b"][idx], &meeting));
        });
        run(&mut schedule, N_RUNS);
    }
}

#[test]
fn consecutive_pairs_with_a_main_thread_system_overlap() {
    for bound in [0, 1] {
        let meeting = Arc::new(Meeting::of(2));
        let mut schedule = schedule_on(2, |all| {
            add_pairs(all, |idx| {
                if idx == bound {
                    meets("here", &meeting).on_main_thread()
                } else {
                    meets("anywhere", &meeting)
                }
            });
        });
        run(&mut schedule, N_RUNS);
    }
}

#[test]
fn main_thread_system_overlaps_with_another_one() {
    for main_thread_first in [true, false] {
        let meeting = Arc::new(Meeting::of(2));
        let mut schedule = schedule_on(2, |all| {
            let here = meets("here", &meeting).on_main_thread();
            let anywhere = meets("anywhere", &meeting);
            if main_thread_first {
                all.add_dynamic(here).add_dynamic(anywhere);
            } else {
                all.add_dynamic(anywhere).add_dynamic(here);
            }
        });
        run(&mut schedule, N_RUNS);
    }
}

#[test]
fn system_may_wait_for_a_message_of_an_independent_one() {
    for is_sender_first in [true, false] {
        let (sender, receiver) = mpsc::channel();
        let sends = DynamicSystem::new("sends", move |_| sender.send(7));
        let receives = DynamicSystem::new("receives", move |_| {
            assert_eq!(receiver.recv_timeout(Meeting::LIMIT), Ok(7));
        });
        let mut schedule = schedule_on(2, |all| {
            if is_sender_first {
                all.add_dynamic(sends).add_dynamic(receives);
            } else {
                all.add_dynamic(receives).add_dynamic(sends);
            }
        });
        run(&mut schedule, N_RUNS);
    }
}

/// The thread waits for all other systems in turn. These must run while one system is blocked.
#[test]
fn a_system_may_wait_for_another_thread_while_the_others_run() {
    const N_OTHERS: usize = if cfg!(miri) { 3 } else { 8 };
    let (to_thread, done) = mpsc::channel();
    let (to_system, answer) = mpsc::channel();
    let elsewhere = thread::spawn(move || {
        for _ in 0..N_RUNS {
            for _ in 0..N_OTHERS {
                done.recv().unwrap();
            }
            to_system.send(()).unwrap();
        }
    });
    let mut schedule = schedule_on(2, |all| {
        all.add_dynamic(DynamicSystem::new("waits", move |_| {
            assert_eq!(answer.recv_timeout(Meeting::LIMIT), Ok(()));
        }));
        for idx in 0..N_OTHERS {
            let to_thread = to_thread.clone();
            let name = idx.to_string();
            all.add_dynamic(DynamicSystem::new(&*name, move |_| to_thread.send(())));
            if idx % 4 > 0 {
                let before = (idx - 1).to_string();
                all.order(&*before, &*name);
            }
        }
    });
    run(&mut schedule, N_RUNS);
    elsewhere.join().unwrap();
}

/// Records the running systems, and checks that they may run at the same time.
#[derive(Default)]
struct Watch {
    n_running: AtomicUsize,
    is_alone: AtomicBool,
    max_running: AtomicUsize,
}

impl Watch {
    /// Waits long enough for other systems to start, if they may.
    fn linger() {
        (0..if cfg!(miri) { 1 } else { 30 }).for_each(|_| thread::yield_now());
    }

    fn run(&self) {
        let n_running = self.n_running.fetch_add(1, Ordering::SeqCst) + 1;
        self.max_running.fetch_max(n_running, Ordering::SeqCst);
        Self::linger();
        assert!(
            !self.is_alone.load(Ordering::SeqCst),
            "beside one that runs alone"
        );
        self.n_running.fetch_sub(1, Ordering::SeqCst);
    }

    fn run_alone(&self) {
        assert_eq!(
            self.n_running.load(Ordering::SeqCst),
            0,
            "others run at the start"
        );
        assert!(!self.is_alone.swap(true, Ordering::SeqCst), "two run alone");
        Self::linger();
        assert_eq!(
            self.n_running.load(Ordering::SeqCst),
            0,
            "others run at the end"
        );
        self.is_alone.store(false, Ordering::SeqCst);
    }
}

#[test]
fn exclusive_systems_never_overlap() {
    for &n_threads in POOL_SIZES {
        let watch = Arc::new(Watch::default());
        let system = |name: &str| {
            let watch = Arc::clone(&watch);
            DynamicSystem::new(name, move |_| watch.run())
        };
        let alone = |name: &str| {
            let watch = Arc::clone(&watch);
            DynamicSystem::new(name, move |_| watch.run_alone()).exclusive()
        };
        let mut schedule = schedule_on(n_threads, |all| {
            all.policy(Policy::InsertionOrder);
            for layer in 0..if cfg!(miri) { 2 } else { 4 } {
                for _ in 0..if cfg!(miri) { 1 } else { 5 } {
                    all.add_dynamic(system("beside others"));
                    all.add_dynamic(system("here").on_main_thread());
                }
                let watch = Arc::clone(&watch);
                all.add_closure("applied", move |mut commands: Commands| {
                    watch.run();
                    let watch = Arc::clone(&watch);
                    commands.push(move |_| watch.run_alone());
                });
                match layer {
                    0 => all.add_dynamic(alone("alone")),
                    1 => all.apply_commands::<Noon>(),
                    2 => all.add_dynamic(alone("one")).add_dynamic(alone("two")),
                    _ => all.apply_commands::<Dusk>(),
                };
            }
        });
        run(&mut schedule, N_RUNS);
    }
}

/// The caller is not part of the pool, so there is one thread more than may run systems.
#[test]
fn number_of_overlapping_systems_is_at_most_that_of_threads() {
    let (sizes, n_systems): (&[usize], usize) = if cfg!(miri) {
        (&[2], 4)
    } else {
        (&[1, 2, 3], 12)
    };
    for &n_threads in sizes {
        let watch = Arc::new(Watch::default());
        let mut schedule = schedule_on(n_threads, |all| {
            for idx in 0..n_systems {
                let watch = Arc::clone(&watch);
                all.add_dynamic(DynamicSystem::new(idx.to_string(), move |_| watch.run()));
            }
        });
        run(&mut schedule, N_RUNS);
        let max_running = watch.max_running.load(Ordering::SeqCst);
        assert!(max_running <= n_threads, "{max_running} on {n_threads}");
    }
}

/// Readers run together, but never together with a writer. No system sees an incomplete write.
#[test]
fn a_writer_is_ordered_against_every_reader() {
    #[derive(Resource)]
    struct Pair(usize, usize);

    const N: usize = if cfg!(miri) { 2 } else { 4 };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut schedule = schedule_on(N, |all| {
        all.policy(Policy::InsertionOrder);
        for _ in 0..N {
            for _ in 0..N {
                let seen = Arc::clone(&seen);
                all.add_closure("reads", move |pair: &Pair| {
                    let first = pair.0;
                    Watch::linger();
                    assert_eq!(pair.1, first);
                    seen.lock().unwrap().push(first);
                });
            }
            all.add_closure("writes", |pair: &mut Pair| {
                pair.0 += 1;
                Watch::linger();
                pair.1 += 1;
            });
        }
    });
    let mut resources = Resources::new();
    resources.insert(Pair(0, 0));
    for run in 0..N_RUNS {
        schedule.run(&mut resources).unwrap();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        let expected: Vec<_> = (0..N * N).map(|idx| run * N + idx / N).collect();
        assert_eq!(seen, expected);
    }
}
