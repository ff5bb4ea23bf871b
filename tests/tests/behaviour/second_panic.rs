//! A panic during another panic does not abort the process. The first panic is reported, and all values are dropped.
//!
//! Each test runs in a child process.

use std::cell::RefCell;
use std::panic::{panic_any, resume_unwind};

use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule::{Identity, RunError};
use schedule_stream::prelude::*;
use schedule_tests::bomb::{Bomb, Drops, panic_of};
use schedule_tests::child::Child;
use schedule_tests::on::On;

use crate::{failures, schedule_of};

/// Runs a schedule twice on each executor. Checks the failures and the number of dropped bombs.
fn check(schedule: impl Fn(&Drops) -> Schedule, failed: &[&str], n_dropped: usize) {
    for &on in On::EACH {
        let drops = Drops::default();
        let mut schedule = schedule(&drops);
        on.set(&mut schedule);
        let mut resources = Resources::new();
        resources.insert(N(0));
        for _ in 0..2 {
            let result = on.run(&mut schedule, &mut resources);
            // Dropping the error also drops the payloads of panics.
            let panic = panic_of(|| assert_eq!(failures(result), failed, "{on:?}"));
            assert!(matches!(panic, None | Some("bomb")), "{on:?}: {panic:?}");
            assert_eq!(drops.take(), n_dropped, "{on:?}");
        }
    }
}

#[derive(Debug, Resource)]
struct N(u64);

/// Records `n` commands that own a bomb each.
fn record(commands: &mut Commands<'_>, drops: &Drops, n: usize) {
    for _ in 0..n {
        let bomb = drops.bomb();
        commands.push(move |_| drop(bomb));
    }
}

#[test]
fn commands_after_one_that_panics_are_dropped_one_by_one() {
    Child::new(|| {
        check(
            |drops| {
                let drops = drops.clone();
                schedule_of(|all| {
                    all.add_closure("records", move |mut commands: Commands| {
                        commands.push(|_| resume_unwind(Box::new("a command")));
                        record(&mut commands, &drops, 3);
                    })
                    .add_closure("other", |n: &mut N| n.0 += 1)
                })
            },
            &["records: a command panicked: a command"],
            3,
        );
    })
    .run();
}

#[test]
fn commands_after_one_that_panics_at_a_sync_point_are_dropped_one_by_one() {
    #[derive(Checkpoint)]
    struct Settled;
    Child::new(|| {
        check(
            |drops| {
                let drops = drops.clone();
                schedule_of(|all| {
                    all.policy(Policy::InsertionOrder)
                        .add_closure("records", move |mut commands: Commands| {
                            record(&mut commands, &drops, 3);
                        })
                        .apply_commands::<Settled>()
                        .add_closure("other", |n: &mut N| n.0 += 1)
                })
            },
            &["records: a command panicked: the panic value is not a string"],
            3,
        );
    })
    .run();
}

#[test]
fn commands_of_a_failed_system_are_dropped_one_by_one() {
    Child::new(|| {
        for panics in [false, true] {
            check(
                |drops| {
                    let drops = drops.clone();
                    schedule_of(|all| {
                        all.add_closure(
                            "fails",
                            move |mut commands: Commands, mut more: Commands| {
                                record(&mut commands, &drops, 2);
                                record(&mut more, &drops, 2);
                                if panics {
                                    resume_unwind(Box::new("as asked"));
                                }
                                Err::<(), _>("as asked")
                            },
                        )
                        .add_closure("other", |n: &mut N| n.0 += 1)
                    })
                },
                &[["fails: as asked", "fails: panicked: as asked"][usize::from(panics)]],
                4,
            );
        }
    })
    .run();
}

#[test]
fn payloads_that_are_not_reported_are_dropped() {
    #[derive(Checkpoint)]
    struct Settled;
    Child::new(|| {
        // Commands of both iterations panic.
        check(
            |drops| {
                let drops = drops.clone();
                schedule_of(|all| {
                    all.policy(Policy::InsertionOrder)
                        .repeat_while_closure(
                            "twice",
                            |mut n: Local<u32>| {
                                *n = (*n + 1) % 3;
                                *n > 0
                            },
                            move |body| {
                                body.add_closure("records", move |mut commands: Commands| {
                                    let bomb = drops.bomb();
                                    commands.push(|_| panic_any(bomb));
                                })
                            },
                        )
                        .apply_commands::<Settled>()
                })
            },
            &["records: a command panicked: the panic value is not a string"],
            2,
        );
    })
    .run();
}

#[test]
fn payloads_of_several_failures_are_dropped_with_the_error() {
    Child::new(|| {
        check(
            |drops| {
                schedule_of(|all| {
                    for name in ["one", "two", "three"] {
                        let drops = drops.clone();
                        all.add_closure(name, move || -> () { panic_any(drops.bomb()) });
                    }
                    all
                })
            },
            &[
                "one: panicked: the panic value is not a string",
                "two: panicked: the panic value is not a string",
                "three: panicked: the panic value is not a string",
            ],
            3,
        );
    })
    .run();
}

#[test]
fn errors_of_several_failures_are_dropped_one_by_one() {
    Child::new(|| {
        check(
            |drops| {
                schedule_of(|all| {
                    for name in ["one", "two", "three"] {
                        let drops = drops.clone();
                        all.add_closure(name, move || -> Result<(), Bomb> { Err(drops.bomb()) });
                    }
                    all
                })
            },
            &["one: a bomb", "two: a bomb", "three: a bomb"],
            3,
        );
    })
    .run();
}

#[test]
fn iterator_over_failures_drops_the_rest_one_by_one() {
    Child::new(|| {
        let drops = Drops::default();
        let mut schedule = schedule_of(|all| {
            for name in ["one", "two", "three"] {
                let drops = drops.clone();
                all.add_closure(name, move || -> Result<(), Bomb> { Err(drops.bomb()) });
            }
            all
        });
        for n_taken in 0..=3 {
            let Err(RunError::Failed { failures, .. }) = schedule.run(&mut Resources::new()) else {
                panic!("all systems fail");
            };
            let mut failures = failures.into_iter();
            for failure in failures.by_ref().take(n_taken) {
                assert_eq!(panic_of(|| drop(failure)), Some("bomb"));
            }
            assert_eq!(drops.take(), n_taken);
            let is_any_left = failures.len() > 0;
            let panic = panic_of(|| drop(failures));
            assert_eq!(panic, is_any_left.then_some("bomb"), "{n_taken}");
            assert_eq!(drops.take(), 3 - n_taken);
        }
    })
    .run();
}

#[test]
fn all_main_thread_values_are_dropped_at_thread_end_if_all_panic() {
    #[derive(Identity)]
    struct First(#[expect(dead_code, reason = "is dropped")] Bomb);
    #[derive(Identity)]
    struct Second(#[expect(dead_code, reason = "is dropped")] Bomb);
    Child::new(|| {
        let drops = Drops::default();
        let bombs = [drops.bomb(), drops.bomb()];
        let owner = std::thread::spawn(|| {
            let [first, second] = bombs;
            let mut resources = Resources::new();
            resources.main_thread().insert(First(first));
            resources.main_thread().insert(Second(second));
            resources
        });
        // The resources are dropped on another thread, so the main-thread values are dropped separately.
        drop(
            owner
                .join()
                .expect("a panic in `Drop` does not leave the thread"),
        );
        assert_eq!(drops.take(), 2);
    })
    .run();
}

#[test]
fn queue_drops_commands_one_by_one() {
    Child::new(|| {
        let drops = Drops::default();
        let mut queue = CommandQueue::new();
        record(&mut queue.commands(), &drops, 3);
        assert_eq!(panic_of(|| drop(queue)), Some("bomb"));
        assert_eq!(drops.take(), 3);

        let mut queue = CommandQueue::new();
        queue
            .commands::<()>()
            .push(|_| resume_unwind(Box::new("first")));
        record(&mut queue.commands(), &drops, 3);
        let applied = panic_of(|| queue.apply(&mut Resources::new()));
        assert_eq!(applied, Some("first"));
        assert_eq!(drops.take(), 3);
        assert!(queue.is_empty());
    })
    .run();
}

thread_local! {
    /// The source of the `Local` values of systems.
    static MAKES: RefCell<Option<Drops>> = const { RefCell::new(None) };
}

struct Kept(#[expect(dead_code, reason = "is dropped")] Option<Bomb>);

impl Default for Kept {
    fn default() -> Self {
        Self(MAKES.with_borrow(|drops| drops.as_ref().map(Drops::bomb)))
    }
}

#[test]
fn contents_of_a_schedule_are_dropped_if_all_panic() {
    Child::new(|| {
        let drops = Drops::default();
        MAKES.set(Some(drops.clone()));
        let mut schedule = schedule_of(|all| {
            for name in ["one", "two", "three"] {
                let bomb = drops.bomb();
                all.add_closure(name, move |_: Local<'_, Kept>, _: Local<'_, Kept>| {
                    let _ = &bomb;
                });
            }
            let bomb = drops.bomb();
            all.add_dynamic(schedule::dynamic::DynamicSystem::new("four", move |_| {
                let _ = &bomb;
            }))
        });
        schedule.set_executor(schedule::Executor::Serial);
        schedule.run(&mut Resources::new()).unwrap();
        assert_eq!(panic_of(|| drop(schedule)), Some("bomb"));
        assert_eq!(drops.take(), 10);
    })
    .run();
}

#[derive(Resource)]
struct First(#[expect(dead_code, reason = "is dropped")] Bomb);

#[derive(Resource)]
struct Second(#[expect(dead_code, reason = "is dropped")] Bomb);

#[derive(Identity)]
struct OfThisThread(#[expect(dead_code, reason = "is dropped")] Bomb);

#[derive(Record)]
#[record(id = u32)]
struct Numbered(#[expect(dead_code, reason = "is dropped")] Bomb);

#[derive(Record)]
#[record(key = u32)]
struct WithKey(#[expect(dead_code, reason = "is dropped")] Bomb);

#[test]
fn resources_are_dropped_if_all_panic() {
    Child::new(|| {
        let drops = Drops::default();
        for unwinds in [false, true] {
            let mut resources = Resources::new();
            resources.insert(First(drops.bomb()));
            resources.insert(Second(drops.bomb()));
            resources.insert_named("third", drops.bomb());
            resources.insert_named("fourth", drops.bomb());
            resources.main_thread().insert(OfThisThread(drops.bomb()));
            resources.insert(Records::from_iter(
                [0, 1, 5000].map(|k| (k, Numbered(drops.bomb()))),
            ));
            resources.insert(Records::from_iter(
                [0, 1, 5000].map(|k| (k, WithKey(drops.bomb()))),
            ));
            let panic = panic_of(|| {
                let _resources = resources;
                if unwinds {
                    resume_unwind(Box::new("first"));
                }
            });
            assert_eq!(panic, Some(if unwinds { "first" } else { "bomb" }));
            assert_eq!(drops.take(), 11);
        }
    })
    .run();
}
