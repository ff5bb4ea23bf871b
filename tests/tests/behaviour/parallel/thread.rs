//! The thread on which a system runs.

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Executor, Identity};

use super::{N_RUNS, ON};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::{On, own_pool, shared_pool};

#[derive(Checkpoint)]
struct Noon;

/// The systems that ran, and their threads.
#[derive(Clone, Default)]
struct Threads(Arc<Mutex<Vec<(String, ThreadId)>>>);

impl Threads {
    fn note(&self, name: &str) {
        let entry = (name.to_string(), thread::current().id());
        self.0.lock().unwrap().push(entry);
    }

    /// Returns a system that records its thread.
    fn system(&self, name: &str) -> DynamicSystem {
        let (threads, text) = (self.clone(), name.to_string());
        DynamicSystem::new(name, move |_| threads.note(&text))
    }

    fn take(&self) -> Vec<(String, ThreadId)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Calls `check` on workers of two pools, one of which is the pool of the schedule, on this thread, and on another thread.
fn on_each_thread(pool: &ThreadPool, check: impl Fn(&str) + Sync) {
    pool.install(|| check("on a worker of its pool"));
    if cfg!(miri) {
        return;
    }
    check("on the thread of the test");
    thread::scope(|scope| {
        scope.spawn(|| check("on another thread"));
    });
    shared_pool(2).install(|| check("on a worker of another pool"));
}

const N_PAIRS: usize = if cfg!(miri) { 2 } else { 6 };

/// Adds consecutive pairs of a bound and an unbound system, so that either may complete the previous pair. Also adds exclusive systems.
fn bound_and_free(threads: &Threads, all: &mut Builder) {
    all.policy(Policy::InsertionOrder);
    let mut before = Vec::new();
    for idx in 0..N_PAIRS {
        all.add_dynamic(threads.system("free"));
        let free = all.last().unwrap();
        all.add_dynamic(threads.system("bound").on_main_thread());
        let bound = all.last().unwrap();
        for &earlier in &before {
            all.order(earlier, bound).order(earlier, free);
        }
        before = if idx % 2 == 0 {
            vec![free]
        } else {
            vec![free, bound]
        };
    }
    all.add_dynamic(threads.system("bound alone").exclusive());
    let recorder = threads.clone();
    all.add_closure("free", move |mut commands: Commands| {
        recorder.note("free");
        let recorder = recorder.clone();
        commands.push(move |_| recorder.note("bound command at the sync point"));
    });
    all.apply_commands::<Noon>();
    let recorder = threads.clone();
    all.add_closure("free", move |mut commands: Commands| {
        recorder.note("free");
        let recorder = recorder.clone();
        commands.push(move |_| recorder.note("bound command at the end"));
    });
    all.add_dynamic(threads.system("free"));
    all.add_dynamic(threads.system("free"));
}

#[test]
fn bound_systems_run_on_the_thread_that_calls_run() {
    for &on in ON {
        let pool = on.pool();
        on_each_thread(&pool, |caller| {
            let threads = Threads::default();
            let mut builder = Schedule::builder();
            bound_and_free(&threads, &mut builder);
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            for _ in 0..N_RUNS.min(20) {
                on.run(&mut schedule, &mut Resources::new()).unwrap();
                let mut ran = threads.take();
                assert_eq!(ran.len(), 2 * N_PAIRS + 7);
                ran.retain(|(name, _)| name.starts_with("bound"));
                assert_eq!(ran.len(), N_PAIRS + 3);
                for (name, thread) in ran {
                    assert_eq!(thread, thread::current().id(), "{name}, {on:?}, {caller}");
                }
            }
        });
    }
}

/// The first system blocks the thread that calls `run` until systems on other threads release it. Meanwhile these systems release bound
/// systems, which must wait for that thread.
#[test]
fn bound_system_released_by_another_thread_waits_for_the_caller() {
    let threads = Threads::default();
    let (begin, go_on) = (Arc::new(Meeting::of(2)), Arc::new(Meeting::of(2)));
    let meets = |name: &str, first: &Arc<Meeting>, second: Option<&Arc<Meeting>>| {
        let (threads, text) = (threads.clone(), name.to_string());
        let (first, second) = (Arc::clone(first), second.map(Arc::clone));
        DynamicSystem::new(name, move |_| {
            threads.note(&text);
            first.wait();
            if let Some(second) = &second {
                second.wait();
            }
        })
    };
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(meets("bound", &begin, Some(&go_on)).on_main_thread())
        .add_dynamic(meets("free", &begin, None))
        .add_dynamic(threads.system("bound later").on_main_thread())
        .order("free", "bound later")
        .add_dynamic(meets("free later", &go_on, None))
        .order("free", "free later");
    // Long paths start first: the first system, then the bound one.
    let chains = [("bound", ["a", "b", "c"]), ("bound later", ["d", "e", "f"])];
    for (mut before, chain) in chains {
        for name in chain {
            builder
                .add_dynamic(threads.system(name))
                .order(before, name);
            before = name;
        }
    }
    builder.order("c", "d");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(2));
    for _ in 0..N_RUNS {
        schedule.run(&mut Resources::new()).unwrap();
        for (name, thread) in threads.take() {
            if name.starts_with("bound") {
                assert_eq!(thread, thread::current().id(), "{name}");
            }
        }
    }
}

/// Another thread completes the last system before the exclusive one.
#[test]
fn exclusive_system_released_by_another_thread_runs_on_the_caller() {
    let threads = Threads::default();
    let meeting = Arc::new(Meeting::of(2));
    let meets = |name: &str, n_yields: usize| {
        let (threads, text, meeting) = (threads.clone(), name.to_string(), Arc::clone(&meeting));
        DynamicSystem::new(name, move |_| {
            threads.note(&text);
            meeting.wait();
            (0..n_yields).for_each(|_| thread::yield_now());
        })
    };
    let recorder = threads.clone();
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_dynamic(meets("bound", 0).on_main_thread())
        .add_dynamic(meets("free", 30))
        .add_closure("bound alone", {
            let threads = threads.clone();
            move |_: &mut Resources, mut commands: Commands| {
                threads.note("bound alone");
                let recorder = recorder.clone();
                commands.push(move |_| recorder.note("bound at the sync point"));
            }
        })
        .add_dynamic(meets("bound again", 0).on_main_thread())
        .add_dynamic(meets("free again", 30))
        .apply_commands::<Noon>()
        // Longer paths after the systems of the caller, which starts the longest path.
        .add_dynamic(threads.system("last"))
        .order("bound", "last")
        .order("bound again", "last");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(2));
    for _ in 0..N_RUNS {
        schedule.run(&mut Resources::new()).unwrap();
        let ran = threads.take();
        assert_eq!(ran.len(), 7);
        for (name, thread) in ran {
            if name.starts_with("bound") {
                assert_eq!(thread, thread::current().id(), "{name}");
            }
        }
    }
}

#[test]
fn all_systems_run_on_the_caller_with_one_thread() {
    for on in [On::Serial, On::Threads(1), On::Timetabled(1)] {
        on_each_thread(&shared_pool(1), |caller| {
            let threads = Threads::default();
            let mut builder = Schedule::builder();
            bound_and_free(&threads, &mut builder);
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            schedule.run(&mut Resources::new()).unwrap();
            let here = thread::current().id();
            let elsewhere = threads.take().into_iter().filter(|one| one.1 != here);
            assert_eq!(elsewhere.collect::<Vec<_>>(), [], "{on:?}, {caller}");
        });
    }
}

/// Returns the names of the threads of two systems that meet in a parallel run.
fn names_of_two(run: impl FnOnce(&mut Schedule)) -> Vec<Option<String>> {
    let meeting = Arc::new(Meeting::of(2));
    let names = Arc::new(Mutex::new(Vec::new()));
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        let (meeting, names) = (Arc::clone(&meeting), Arc::clone(&names));
        builder.add_dynamic(DynamicSystem::new(name, move |_| {
            meeting.wait();
            let name = thread::current().name().map(ToString::to_string);
            names.lock().unwrap().push(name);
        }));
    }
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    run(&mut schedule);
    let mut names = std::mem::take(&mut *names.lock().unwrap());
    names.sort_unstable();
    names
}

fn named_pool(name: &'static str) -> Arc<ThreadPool> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(2)
        .thread_name(move |idx| format!("{name} {idx}"));
    Arc::new(builder.build().unwrap())
}

#[test]
fn helpers_come_from_the_set_pool() {
    let (own, other) = (named_pool("own"), named_pool("other"));
    for caller in [Some(&own), None, Some(&other)] {
        let names = names_of_two(|schedule| {
            schedule.set_pool(Arc::clone(&own));
            let run = || schedule.run(&mut Resources::new()).unwrap();
            match caller {
                None => thread::scope(|scope| scope.spawn(run).join().unwrap()),
                Some(pool) => pool.install(run),
            }
        });
        let is_of = |pool: &str| {
            let names = names.iter().flatten();
            names.filter(|name| name.starts_with(pool)).count()
        };
        match caller {
            None => assert_eq!((is_of("own"), names[0].is_none()), (1, true), "{names:?}"),
            Some(pool) if Arc::ptr_eq(pool, &own) => assert_eq!(is_of("own"), 2, "{names:?}"),
            Some(_) => assert_eq!((is_of("own"), is_of("other")), (1, 1), "{names:?}"),
        }
    }
}

#[test]
fn helpers_come_from_the_current_pool_if_none_is_set() {
    let pool = named_pool("around");
    let names = names_of_two(|schedule| {
        pool.install(|| schedule.run(&mut Resources::new()).unwrap());
    });
    let names: Vec<_> = names.iter().flatten().collect();
    assert_eq!(names, ["around 0", "around 1"]);
}

#[test]
fn helpers_come_from_the_global_pool_outside_of_any_pool() {
    // `ci/miri.sh` configures more threads for Miri, which must not test only serial runs.
    if rayon::current_num_threads() < 2 && !cfg!(miri) {
        eprintln!("PASSED OVER: the pool of the program has one thread");
        return;
    }
    let indices = Arc::new(Mutex::new(Vec::new()));
    let meeting = Arc::new(Meeting::of(2));
    let mut builder = Schedule::builder();
    for name in ["a", "b"] {
        let (meeting, indices) = (Arc::clone(&meeting), Arc::clone(&indices));
        builder.add_dynamic(DynamicSystem::new(name, move |_| {
            meeting.wait();
            let idx = rayon::current_thread_index();
            indices.lock().unwrap().push(idx.is_some());
        }));
    }
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.run(&mut Resources::new()).unwrap();
    indices.lock().unwrap().sort_unstable();
    assert_eq!(*indices.lock().unwrap(), [false, true]);
}

#[test]
fn last_executor_and_pool_apply() {
    let names = names_of_two(|schedule| {
        schedule.set_executor(Executor::Serial);
        schedule.set_executor(Executor::Auto);
        schedule.set_executor(Executor::Parallel);
        schedule.set_pool(own_pool(2));
        schedule.run(&mut Resources::new()).unwrap();
    });
    assert_eq!(names.len(), 2);
}

/// The value is bound to the thread that runs the schedule. Other systems run at the same time.
#[test]
fn main_thread_value_is_used_on_its_thread() {
    #[derive(Debug, Identity, PartialEq)]
    struct Window(std::rc::Rc<ThreadId>, usize);

    for &on in ON {
        let pool = shared_pool(2);
        on_each_thread(&pool, |caller| {
            let mut builder = Schedule::builder();
            builder.policy(Policy::InsertionOrder);
            for _ in 0..N_PAIRS {
                builder
                    .add_closure("draws", |mut window: NonSendMut<Window>| {
                        assert_eq!(*window.0, thread::current().id());
                        thread::yield_now();
                        window.1 += 1;
                    })
                    .add_closure("free", thread::yield_now)
                    .add_closure("free", thread::yield_now);
            }
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            let mut resources = Resources::new();
            let here = std::rc::Rc::new(thread::current().id());
            resources.main_thread().insert(Window(here.clone(), 0));
            for _ in 0..N_RUNS.min(5) {
                on.run(&mut schedule, &mut resources).unwrap();
            }
            let window = resources.main_thread().remove();
            assert_eq!(
                window,
                Some(Window(here, N_PAIRS * N_RUNS.min(5))),
                "{on:?}, {caller}"
            );
        });
    }
}
