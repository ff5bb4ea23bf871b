//! Values that panic when a run drops them, in all situations. All rules also apply on one thread.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{Builder, RunError};

use super::ON;
use crate::{Log, failures, take_log, with_log};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Noon;

/// Panics when it is dropped, unless the thread is already panicking. Otherwise the process would abort.
#[derive(Debug)]
struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new(self.0));
        }
    }
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Bomb {}

#[derive(Debug, Resource)]
struct Keeper(Option<Bomb>);

/// Runs the declarations of `declare` several times on every executor, together with a first, a last and several unordered systems. Passes
/// each error to `look`.
#[track_caller]
fn check(declare: impl Fn(&mut Builder), look: impl Fn(RunError, &mut Resources)) {
    check_on(On::ALL, declare, look);
}

/// Like [`check`], but with helpers even under Miri.
#[track_caller]
fn check_helped(declare: impl Fn(&mut Builder), look: impl Fn(RunError, &mut Resources)) {
    check_on(ON, declare, look);
}

#[track_caller]
fn check_on(ons: &[On], declare: impl Fn(&mut Builder), look: impl Fn(RunError, &mut Resources)) {
    const N_FREE: usize = if cfg!(miri) { 1 } else { 8 };
    for &on in ons {
        let n_free = Arc::new(AtomicUsize::new(0));
        let mut builder = Schedule::builder();
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("first", |log: &mut Log| log.push("first"));
        declare(&mut builder);
        builder
            .add_closure("last", |log: &mut Log| log.push("last"))
            .add_closure("commands", |mut commands: Commands| {
                commands.push(|resources| resources.get_mut::<Log>().unwrap().push("commands"));
            });
        for _ in 0..N_FREE {
            let n_free = Arc::clone(&n_free);
            builder.add_closure("free", move || {
                n_free.fetch_add(1, Ordering::Relaxed);
            });
        }
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = with_log();
        resources.insert(Keeper(None));
        for _ in 0..if cfg!(miri) { 1 } else { 3 } {
            let result = catch_unwind(AssertUnwindSafe(|| on.run(&mut schedule, &mut resources)));
            let error = result.expect("no panic leaves a run").unwrap_err();
            look(error, &mut resources);
            assert_eq!(
                take_log(&mut resources),
                ["first", "last", "commands"],
                "{on:?}"
            );
            assert_eq!(n_free.swap(0, Ordering::Relaxed), N_FREE, "{on:?}");
        }
    }
}

/// Drops a value. Returns the text of its panic.
fn defuse<T>(value: T) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(|| drop(value))).unwrap_err();
    payload.downcast_ref::<&str>().expect("a bomb")
}

#[test]
fn a_drop_that_panics_fails_the_system_that_drops() {
    check_helped(
        |all| {
            all.add_closure("drops", || {
                let _bomb = Bomb("at the end of a system");
            });
        },
        |error, _| {
            assert_eq!(
                failures(Err(error)),
                ["drops: panicked: at the end of a system"]
            );
        },
    );
}

#[test]
fn panic_of_a_drop_takes_precedence_over_the_returned_error() {
    check(
        |all| {
            all.add_closure("drops", || {
                let _bomb = Bomb("on the way out");
                Err::<(), _>("no")
            });
        },
        |error, _| assert_eq!(failures(Err(error)), ["drops: panicked: on the way out"]),
    );
}

#[test]
fn value_that_panics_when_dropped_is_still_replaced() {
    check(
        |all| {
            all.add_closure("replaces", |keeper: &mut Keeper| {
                keeper.0 = Some(Bomb("the first"));
                keeper.0 = Some(Bomb("the second"));
            });
        },
        |error, resources| {
            assert_eq!(failures(Err(error)), ["replaces: panicked: the first"]);
            let keeper = resources.get_mut::<Keeper>().unwrap();
            assert_eq!(keeper.0.as_ref().unwrap().0, "the second");
            assert_eq!(defuse(keeper.0.take()), "the second");
        },
    );
}

#[test]
fn local_that_panics_when_replaced_fails_its_system() {
    #[derive(Default)]
    struct Kept(Option<Bomb>);

    check(
        |all| {
            all.add_closure("replaces", |mut kept: Local<Kept>| {
                kept.0 = Some(Bomb("the first"));
                kept.0 = None;
            });
        },
        |error, _| assert_eq!(failures(Err(error)), ["replaces: panicked: the first"]),
    );
}

/// The cause of the failure comes first. A command that panics when it is dropped does not add a failure.
#[test]
fn failed_system_is_reported_once_if_its_commands_panic_when_dropped() {
    check_helped(
        |all| {
            all.add_closure("fails", |mut commands: Commands| {
                let bomb = Bomb("dropped with its system");
                commands.push(move |_| drop(bomb));
                Err::<(), _>("no")
            });
        },
        |error, _| assert_eq!(failures(Err(error)), ["fails: no"]),
    );
}

#[test]
fn failed_system_is_reported_once_if_commands_panic_at_a_sync_point() {
    check(
        |all| {
            all.add_closure("fails", |mut commands: Commands| {
                let bomb = Bomb("dropped at the sync point");
                commands.push(move |_| drop(bomb));
                Err::<(), _>("no")
            })
            .apply_commands::<Noon>();
        },
        |error, _| assert_eq!(failures(Err(error)), ["fails: no"]),
    );
}

#[test]
fn value_that_panics_when_a_command_drops_it_fails_the_command() {
    check(
        |all| {
            all.add_closure("records", |mut commands: Commands| {
                let bomb = Bomb("in a command");
                commands.push(move |_| drop(bomb));
            });
        },
        |error, _| {
            assert_eq!(
                failures(Err(error)),
                ["records: a command panicked: in a command"]
            );
        },
    );
}

#[test]
fn inserted_resource_exists_if_the_old_one_panics_when_dropped() {
    check(
        |all| {
            all.add_closure("records", |mut commands: Commands| {
                commands.insert(Keeper(Some(Bomb("the first"))));
                commands.insert(Keeper(None));
            });
        },
        |error, resources| {
            assert_eq!(
                failures(Err(error)),
                ["records: a command panicked: the first"]
            );
            assert!(resources.get::<Keeper>().unwrap().0.is_none());
        },
    );
}

#[test]
fn payload_that_panics_when_dropped_is_returned() {
    check_helped(
        |all| {
            all.add_closure("panics", || -> () { panic_any(Bomb("a payload")) });
        },
        |mut error, _| {
            let RunError::Failed { failures, .. } = &mut error else {
                panic!("{error}");
            };
            let Cause::Panic(panic) = failures.remove(0).cause else {
                panic!("not as a panic");
            };
            assert_eq!(panic.message(), "the panic value is not a string");
            let bomb = panic.into_payload().downcast::<Bomb>().unwrap();
            assert_eq!(defuse(bomb), "a payload");
        },
    );
}

#[test]
fn payload_is_dropped_with_the_error() {
    check(
        |all| {
            all.add_closure("panics", || -> () { panic_any(Bomb("a payload")) });
        },
        |error, _| assert_eq!(defuse(error), "a payload"),
    );
}

#[test]
fn payload_of_a_command_is_dropped_with_the_error() {
    check(
        |all| {
            all.add_closure("records", |mut commands: Commands| {
                commands.push(|_| panic_any(Bomb("a payload")));
            });
        },
        |error, _| {
            assert!(matches!(error.failures()[0].cause, Cause::CommandPanic(_)));
            assert_eq!(defuse(error), "a payload");
        },
    );
}

/// The payload is not reported, because the system has failed before.
#[test]
fn panic_of_an_unreported_payload_is_suppressed() {
    struct Cluster;

    impl Drop for Cluster {
        fn drop(&mut self) {
            panic_any(Bomb("nobody's payload"));
        }
    }

    check(
        |all| {
            all.add_closure("fails", |mut commands: Commands| {
                let cluster = Cluster;
                commands.push(move |_| drop(cluster));
                Err::<(), _>("no")
            });
        },
        |error, _| assert_eq!(failures(Err(error)), ["fails: no"]),
    );
}

#[test]
fn error_that_panics_when_dropped_is_returned() {
    check_helped(
        |all| {
            all.add_closure("fails", || Err::<(), _>(Bomb("an error")));
        },
        |error, _| {
            assert_eq!(error.failures()[0].cause.to_string(), "an error");
            assert_eq!(defuse(error), "an error");
        },
    );
}

#[test]
fn an_error_whose_conversion_panics_fails_its_system() {
    struct Refusing;

    impl From<Refusing> for BoxError {
        fn from(_: Refusing) -> Self {
            panic_any("not converted")
        }
    }

    check(
        |all| {
            all.add_closure("fails", || Err::<(), _>(Refusing));
        },
        |error, _| assert_eq!(failures(Err(error)), ["fails: panicked: not converted"]),
    );
}
