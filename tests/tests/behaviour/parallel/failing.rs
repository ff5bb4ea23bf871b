//! Failures at every node of a graph. A parallel run must produce the same errors and the same state as a serial run.
//!
//! The graph is large for Miri, which runs only one of the tests.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use schedule::prelude::*;
use schedule::{Builder, FailurePolicy, RunError, Target};

use super::{N_RUNS, ON};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Loaded;

#[derive(Group)]
struct Middle;

/// The changes of a value, in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct History(Vec<(usize, usize)>);

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct A(History);

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct B(History);

#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct C(History);

/// Inserted by a command at the sync point.
#[derive(Clone, Debug, PartialEq, Resource)]
struct Made(usize);

/// Appended by commands, in their order.
#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Recorded(Vec<usize>);

const N_SYSTEMS: usize = 13;

/// The failures of systems: bit i of each number is set if system i fails that way.
#[derive(Default)]
struct Faults {
    errors: AtomicU32,
    panics: AtomicU32,
}

impl Faults {
    /// Called by a system after half of its work.
    fn strike(&self, idx: usize) -> Result<(), String> {
        // Lets other threads run in between.
        thread::yield_now();
        // Relaxed: set before the run.
        let is_set = |faults: &AtomicU32| faults.load(Ordering::Relaxed) >> idx & 1 == 1;
        if is_set(&self.panics) {
            // Without the panic hook, which would print thousands of messages.
            resume_unwind(Box::new(format!("system {idx} panics")));
        }
        if is_set(&self.errors) {
            return Err(format!("system {idx} returns an error"));
        }
        Ok(())
    }
}

impl History {
    /// Records a step of a system, and the number of previous steps. Every order of steps results in a different history.
    fn add(&mut self, idx: usize) {
        let n_steps = self.0.len();
        self.0.push((idx, n_steps));
    }
}

fn record(commands: &mut Commands, idx: usize) {
    commands.push(move |resources| resources.get_mut::<Recorded>().unwrap().0.push(idx));
}

/// Declares a graph with all features: chains, a diamond, a group, a sync point with commands, exclusive and main-thread systems, and
/// orders of every origin.
fn declare(faults: &Arc<Faults>) -> Builder {
    let fault = |idx: usize| {
        let faults = Arc::clone(faults);
        move || faults.strike(idx)
    };
    let mut all = Schedule::builder();
    all.policy(Policy::InsertionOrder)
        .policy_between("reads b", "writes b", Policy::WritersFirst);

    let strike = fault(0);
    all.add_closure("root", move |a: &mut A, mut commands: Commands| {
        a.0.add(0);
        record(&mut commands, 0);
        strike()?;
        a.0.add(0);
        Ok::<(), String>(())
    });
    let strike = fault(1);
    all.add_closure("reads b", move |b: &B, c: &mut C| {
        c.0.add(100 + b.0.0.len());
        strike()
    });
    let strike = fault(2);
    all.add_closure("writes b", move |b: &mut B| {
        b.0.add(2);
        strike()?;
        b.0.add(2);
        Ok::<(), String>(())
    });
    let strike = fault(3);
    all.add_closure("left", move |a: &A, mut commands: Commands| {
        record(&mut commands, 300 + a.0.0.len());
        strike()
    })
    .in_group::<Middle>();
    let strike = fault(4);
    all.add_closure("right", move |a: &A, mut commands: Commands| {
        record(&mut commands, 400 + a.0.0.len());
        strike()
    })
    .in_group::<Middle>()
    .order("root", Target::of::<Middle>());
    let strike = fault(5);
    all.add_closure("joins", move |c: &mut C| {
        c.0.add(5);
        strike()
    })
    .after::<Middle>();
    let strike = fault(6);
    all.add_closure("makes", move |mut commands: Commands<Inserts<Made>>| {
        commands.insert(Made(6));
        strike()
    })
    .before::<Loaded>();
    all.apply_commands::<Loaded>();
    let strike = fault(7);
    all.add_closure("uses made", move |made: &mut Made| {
        made.0 += 7;
        strike()
    })
    .after::<Loaded>();
    let strike = fault(8);
    all.add_closure("alone", move |resources: &mut Resources| {
        let n_recorded = resources.get::<Recorded>().unwrap().0.len();
        resources.get_mut::<A>().unwrap().0.add(800 + n_recorded);
        strike()
    });
    let strike = fault(9);
    all.add_closure("behind", move |a: &mut A, made: Option<&Made>| {
        a.0.add(900 + made.map_or(0, |made| made.0));
        strike()
    })
    .order("alone", "behind");
    let strike = fault(10);
    all.add_dynamic(
        schedule::dynamic::DynamicSystem::new("here", move |view| {
            view.get_mut::<B>().unwrap().0.add(10);
            strike()
        })
        .writes(schedule::access::ResourceId::of::<B>())
        .on_main_thread(),
    )
    .order("writes b", "here");
    all.add_closure("free", fault(11));
    let strike = fault(12);
    all.add_closure("last", move |c: &mut C, mut commands: Commands| {
        c.0.add(12);
        record(&mut commands, 12);
        strike()
    })
    .order("free", "last");
    all
}

/// The complete state and all reports after a run.
#[derive(Debug, PartialEq)]
struct Outcome {
    resources: (A, B, C, Option<Made>, Recorded),
    text: String,
    failures: Vec<(String, String)>,
    skipped: Vec<String>,
}

fn outcome(on: On, schedule: &mut Schedule) -> Outcome {
    let mut resources = Resources::new();
    resources.insert_default::<A>();
    resources.insert_default::<B>();
    resources.insert_default::<C>();
    resources.insert_default::<Recorded>();
    let result = on.run(schedule, &mut resources);
    let error = result.err();
    let failures = error.iter().flat_map(RunError::failures);
    let skipped = error.iter().flat_map(RunError::skipped);
    Outcome {
        failures: failures
            .map(|one| (one.system.to_string(), one.cause.to_string()))
            .collect(),
        skipped: skipped.map(ToString::to_string).collect(),
        text: error.as_ref().map_or_else(String::new, ToString::to_string),
        resources: (
            resources.remove().unwrap(),
            resources.remove().unwrap(),
            resources.remove().unwrap(),
            resources.remove(),
            resources.remove().unwrap(),
        ),
    }
}

/// The same graph on every executor.
struct Schedules {
    faults: Arc<Faults>,
    serial: Schedule,
    parallel: Vec<(On, Schedule)>,
}

impl Schedules {
    fn new(change: impl Fn(&mut Builder)) -> Self {
        let faults = Arc::default();
        let schedule = |on: On| {
            let mut builder = declare(&faults);
            change(&mut builder);
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            schedule
        };
        Self {
            serial: schedule(On::Serial),
            parallel: On::PARALLEL.iter().map(|&on| (on, schedule(on))).collect(),
            faults,
        }
    }

    /// Compares runs in which these systems fail. Returns the outcome of the serial run.
    #[track_caller]
    fn compare(&mut self, errors: u32, panics: u32, n_runs: usize) -> Outcome {
        // Relaxed: no run is in progress.
        self.faults.errors.store(errors, Ordering::Relaxed);
        self.faults.panics.store(panics, Ordering::Relaxed);
        let expected = outcome(On::Serial, &mut self.serial);
        for (on, schedule) in &mut self.parallel {
            for _ in 0..n_runs {
                let found = outcome(*on, schedule);
                assert_eq!(found, expected, "{on:?}, {errors:#b}, {panics:#b}");
            }
        }
        expected
    }
}

const N_TRIES: usize = 5;

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_without_a_failure_have_equal_results() {
    let mut schedules = Schedules::new(|_| ());
    let outcome = schedules.compare(0, 0, N_RUNS);
    assert_eq!(outcome.text, "");
    assert_eq!(outcome.resources.3, Some(Made(13)));
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_with_one_failure_have_equal_results() {
    let mut schedules = Schedules::new(|_| ());
    for idx in 0..N_SYSTEMS {
        let one = schedules.compare(1 << idx, 0, N_TRIES);
        let other = schedules.compare(0, 1 << idx, N_TRIES);
        assert_eq!(one.failures[0].1, format!("system {idx} returns an error"));
        assert_eq!(
            other.failures[0].1,
            format!("panicked: system {idx} panics")
        );
        assert_eq!(one.skipped, other.skipped);
        assert_eq!(one.resources, other.resources);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_with_one_failure_that_carries_on_have_equal_results() {
    let mut schedules = Schedules::new(|all| {
        all.failure_policy(FailurePolicy::CarryOn);
    });
    for idx in 0..N_SYSTEMS {
        let outcome = schedules.compare(1 << idx, 0, N_TRIES);
        assert_eq!(outcome.skipped, [""; 0]);
        schedules.compare(0, 1 << idx, N_TRIES);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_with_two_failures_have_equal_results() {
    let mut schedules = Schedules::new(|all| {
        all.failure_policy_for("makes", FailurePolicy::CarryOn)
            .failure_policy_for("root", FailurePolicy::CarryOn);
    });
    for first in 0..N_SYSTEMS {
        for second in 0..first {
            schedules.compare(1 << first, 1 << second, 1);
            schedules.compare(1 << first | 1 << second, 0, 1);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_with_only_failing_systems_have_equal_results() {
    let mut schedules = Schedules::new(|_| ());
    let all = (1 << N_SYSTEMS) - 1;
    schedules.compare(all, 0, N_TRIES);
    schedules.compare(0, all, N_TRIES);
    let outcome = schedules.compare(0x5555 & all, 0xaaaa & all, N_TRIES);
    // Each system, and the sync point.
    assert_eq!(
        outcome.failures.len() + outcome.skipped.len(),
        N_SYSTEMS + 1
    );
    schedules.compare(0, 0, N_TRIES);
}

/// In a parallel run, it is not determined which other systems run before the failure is seen. On one thread it is.
#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn all_runs_with_one_stop_report_the_same_failure() {
    let mut schedules = Schedules::new(|all| {
        all.failure_policy(FailurePolicy::Stop);
    });
    for (on, schedule) in &mut schedules.parallel {
        for idx in 0..N_SYSTEMS {
            // Relaxed: no run is in progress.
            schedules.faults.panics.store(1 << idx, Ordering::Relaxed);
            let expected = outcome(On::Serial, &mut schedules.serial);
            let found = outcome(*on, schedule);
            assert_eq!(found.failures, expected.failures, "{on:?}");
            if *on == On::Threads(1) {
                assert_eq!(found, expected);
            }
        }
        schedules.faults.panics.store(0, Ordering::Relaxed);
        let expected = outcome(On::Serial, &mut schedules.serial);
        assert_eq!(outcome(*on, schedule), expected, "{on:?}");
    }
}

#[test]
fn system_that_returns_false_skips_no_dependents() {
    for &on in ON {
        let mut builder = Schedule::builder();
        let ran = Arc::new(AtomicU32::new(0));
        for (name, answer) in [("no", Ok(false)), ("yes", Ok(true)), ("fails", Err("no"))] {
            let is_run = Arc::clone(&ran);
            let after = format!("after {name}");
            builder
                .add_closure(name, move || answer)
                .add_closure(&*after, move || {
                    is_run.fetch_add(1, Ordering::Relaxed);
                })
                .order(name, &*after);
        }
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let error = schedule.run(&mut Resources::new()).unwrap_err();
        assert_eq!(error.skipped().len(), 1, "{on:?}");
        assert_eq!(ran.load(Ordering::Relaxed), 2, "{on:?}");
    }
}
