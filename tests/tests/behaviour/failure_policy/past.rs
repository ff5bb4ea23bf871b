//! What a system finds about the failures before it: the parameter `Failures`.

use std::fmt;

use schedule::FailurePolicy::{CarryOn, Stop};
use schedule::dynamic::DynamicSystem;
use schedule::param::{Failures, Foldable};
use schedule::prelude::*;
use schedule::{Builder, Condition, MissingPolicy, Target};

use super::N_REPEATS;
use crate::trace::Trace;
use schedule_tests::on::On;

/// Returns the texts of failures, and the names of skipped systems.
fn texts(failures: Failures) -> Vec<String> {
    let failed = failures
        .iter()
        .map(|one| format!("{}: {}", one.system.name, one.cause));
    let skipped = failures.skipped().iter();
    let skipped = skipped.map(|one| format!("{} skipped", one.name));
    failed.chain(skipped).collect()
}

/// Adds a system that always runs and appends what it finds.
fn watch<'b>(builder: &'b mut Builder, trace: &Trace, name: &str) -> &'b mut Builder {
    let (trace, text) = (trace.clone(), name.to_string());
    let system = move |failures: Failures| {
        assert_eq!(failures.is_empty(), texts(failures).is_empty());
        trace.push(&format!("{text} [{}]", texts(failures).join(", ")));
    };
    builder.add_closure(name, system).always()
}

/// Runs several times on every executor. Checks the entries of systems that watch, in any order.
#[track_caller]
fn check(declare: impl Fn(&Trace, &mut Builder), expected: &[&str]) {
    let mut expected: Vec<&str> = expected.to_vec();
    expected.sort_unstable();
    for &on in On::ALL {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        declare(&trace, &mut builder);
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = Resources::new();
        for _ in 0..N_REPEATS {
            let _ = schedule.run(&mut resources);
            let mut found = trace.take();
            found.retain(|one| one.contains('['));
            found.sort_unstable();
            assert_eq!(found, expected, "{on:?}");
        }
    }
}

#[test]
fn failures_and_skipped_systems_before_it_are_found() {
    check(
        |trace, builder| {
            builder
                .add_dynamic(trace.failing("second"))
                .add_dynamic(trace.failing("first"))
                .add_dynamic(trace.system("next"))
                .order("first", "next")
                .add_dynamic(trace.failing("free"));
            watch(builder, trace, "watch")
                .order("next", "watch")
                .order("second", "watch");
            watch(builder, trace, "last").order("watch", "last");
            watch(builder, trace, "alone");
        },
        &[
            "watch [second: no, first: no, next skipped]",
            "last [second: no, first: no, next skipped]",
            "alone []",
        ],
    );
}

#[test]
fn the_next_run_forgets() {
    let mut n_runs = 0;
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_closure("fails", move || {
        n_runs += 1;
        match n_runs {
            1 | 3 => Err("now"),
            _ => Ok(()),
        }
    });
    watch(&mut builder, &trace, "watch").order("fails", "watch");
    let mut schedule = builder.build().unwrap();
    for _ in 0..4 {
        let _ = schedule.run(&mut Resources::new());
    }
    let expected = [
        "watch [fails: now]",
        "watch []",
        "watch [fails: now]",
        "watch []",
    ];
    assert_eq!(trace.take(), expected);
}

#[test]
fn orders_of_policies_do_not_count() {
    check(
        |trace, builder| {
            builder
                .policy(Policy::InsertionOrder)
                .add_dynamic(trace.failing("fails").exclusive());
            watch(builder, trace, "watch");
        },
        &["watch []"],
    );
}

#[test]
fn systems_that_run_after_a_failure_find_it_without_always() {
    check(
        |trace, builder| {
            let trace_of_next = trace.clone();
            builder
                .failure_policy(CarryOn)
                .add_dynamic(trace.failing("fails"))
                .add_closure("next", move |failures: Failures| {
                    trace_of_next.push(&format!("{:?}", texts(failures)));
                })
                .order("fails", "next");
        },
        &["[\"fails: no\"]"],
    );
}

#[test]
fn disabled_systems_are_not_skipped() {
    let trace = Trace::default();
    let body = trace.clone();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.failing("fails"))
        .add_dynamic(trace.system("next"))
        .order("fails", "next")
        .repeat_while_dynamic(trace.condition("again"), |inside| {
            inside.add_dynamic(body.system("step"))
        })
        .order("next", "again");
    watch(&mut builder, &trace, "watch").order("again", "watch");
    let mut schedule = builder.build().unwrap();
    schedule.set_enabled("next", false).unwrap();
    schedule.set_enabled("step", false).unwrap();
    let (ran, _) = trace.of_failure(&mut schedule, &mut Resources::new());
    assert_eq!(ran, ["fails", "watch [fails: no, again skipped]"]);
}

#[test]
fn failures_in_a_loop_come_before_what_is_after_the_loop() {
    check(
        |trace, builder| {
            let body = trace.clone();
            let forever = DynamicSystem::new("forever", |_| true);
            builder.repeat_while_dynamic(forever, |inside| {
                inside
                    .add_dynamic(body.failing("fails"))
                    .add_dynamic(body.system("next"))
                    .order("fails", "next");
                watch(inside, &body, "inside").order("next", "inside")
            });
            builder
                .add_dynamic(trace.system("after"))
                .order("forever", "after");
            watch(builder, trace, "watch").order("after", "watch");
        },
        &[
            "inside [fails: no, next skipped]",
            "watch [fails: no, next skipped, after skipped]",
        ],
    );
}

#[test]
fn failures_before_a_loop_come_before_its_body() {
    check(
        |trace, builder| {
            let body = trace.clone();
            let mut n = 0;
            let once = DynamicSystem::new("once", move |_| {
                n += 1;
                n % 2 == 1
            });
            builder
                .failure_policy(CarryOn)
                .add_dynamic(trace.failing("fails"))
                .repeat_while_dynamic(once, |inside| watch(inside, &body, "inside"))
                .order("fails", "once");
        },
        &["inside [fails: no]"],
    );
}

#[test]
fn a_skipped_loop_counts_with_its_body() {
    check(
        |trace, builder| {
            let body = trace.clone();
            builder
                .add_dynamic(trace.failing("fails"))
                .repeat_while_dynamic(trace.condition("again"), |inside| {
                    inside.add_dynamic(body.system("step"))
                })
                .order("fails", "again");
            watch(builder, trace, "watch").order("again", "watch");
        },
        &["watch [fails: no, again skipped, step skipped]"],
    );
}

#[test]
fn after_a_stop_the_skipped_systems_are_found() {
    check(
        |trace, builder| {
            builder
                .failure_policy(Stop)
                .add_dynamic(trace.failing("fails"))
                .add_dynamic(trace.system("next"))
                .order("fails", "next");
            watch(builder, trace, "watch").order("next", "watch");
        },
        &["watch [fails: no, next skipped]"],
    );
}

#[test]
fn conditions_find_failures_too() {
    check(
        |trace, builder| {
            let on_alarm = trace.clone();
            builder
                .add_dynamic(trace.failing("fails"))
                .add_closure("is_bad", |failures: Failures| !failures.is_empty())
                .order("fails", "is_bad")
                .add_closure("alarm", move || on_alarm.push("[alarm]"))
                .run_if(Condition::added("is_bad"))
                .always();
            let on_repair = trace.clone();
            let mut n_left = 0;
            builder
                .repeat_while_closure(
                    "is_broken",
                    move |failures: Failures| {
                        n_left = if n_left == 0 {
                            2 * failures.iter().count()
                        } else {
                            n_left - 1
                        };
                        n_left > 0
                    },
                    |body| body.add_closure("repair", move || on_repair.push("[repair]")),
                )
                .order("fails", "is_broken")
                .always();
        },
        &["[alarm]", "[repair]", "[repair]"],
    );
}

#[test]
fn missing_resources_are_failures() {
    check(
        |trace, builder| {
            builder
                .missing_policy(MissingPolicy::Skip)
                .add_dynamic(trace.system("film").reads("camera"));
            watch(builder, trace, "watch").order("film", "watch");
        },
        &[
            "watch [film: resource `camera` is missing: the system does not run until it is inserted]",
        ],
    );
}

#[derive(Checkpoint)]
struct Applied;

#[test]
fn panicking_command_is_found_after_it_was_applied() {
    check(
        |trace, builder| {
            builder
                .add_closure("record", |mut commands: Commands| {
                    commands.push(|_| std::panic::resume_unwind(Box::new("no")));
                })
                .apply_commands::<Applied>()
                .named("apply");
            watch(builder, trace, "before")
                .order("record", "before")
                .order("before", "apply");
            watch(builder, trace, "after")
                .order("record", "after")
                .order("apply", "after");
        },
        &["before []", "after [record: a command panicked: no]"],
    );
}

struct Silent;

impl fmt::Display for Silent {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::panic::resume_unwind(Box::new("no text"))
    }
}

impl fmt::Debug for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Silent")
    }
}

impl std::error::Error for Silent {}

#[test]
fn error_whose_text_panics_does_no_harm() {
    check(
        |trace, builder| {
            builder.add_closure("fails", || Err::<(), _>(Silent));
            watch(builder, trace, "watch").order("fails", "watch");
        },
        &["watch [fails: the text of the error panicked]"],
    );
}

#[derive(Resource, Default)]
struct Sum(u64);

impl Foldable for Sum {
    type Partial = u64;

    fn join(&mut self, partial: u64) {
        if partial == 7 {
            std::panic::resume_unwind(Box::new("seven"));
        }
        self.0 += partial;
    }
}

#[system]
fn fold_seven(mut sum: Fold<Sum>) {
    *sum = 7;
}

#[test]
fn panicking_join_is_found_by_readers_of_the_resource() {
    for &on in On::ALL {
        let trace = Trace::default();
        let mut builder = Schedule::builder();
        builder.add::<fold_seven>();
        let of_reader = trace.clone();
        builder
            .add_closure("read", move |_: &Sum, failures: Failures| {
                of_reader.push(&format!("read {:?}", texts(failures)));
            })
            .after::<fold_seven>()
            .always();
        watch(&mut builder, &trace, "next").order("read", "next");
        watch(&mut builder, &trace, "other").after::<fold_seven>();
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        let mut resources = Resources::new();
        resources.insert_default::<Sum>();
        schedule.run(&mut resources).unwrap_err();
        let mut found = trace.take();
        found.sort_unstable();
        let failure = "fold_seven: joining a fold panicked: seven";
        let expected = [
            format!("next [{failure}]"),
            "other []".to_string(),
            format!("read [\"{failure}\"]"),
        ];
        assert_eq!(found, expected, "{on:?}");
    }
}

#[derive(Params)]
struct Surroundings<'r> {
    failures: Failures<'r>,
    count: Local<'r, u32>,
}

#[system]
fn fail() -> Result<(), &'static str> {
    Err("no")
}

#[derive(Resource, Default)]
struct Seen(u32);

#[system(always, after = fail)]
fn look(mut around: Surroundings, seen: &mut Seen) {
    *around.count += around.failures.into_iter().count() as u32;
    seen.0 = *around.count;
}

schedule! { Looking { fail, look } }

#[test]
fn struct_of_parameters_can_contain_failures() {
    let mut schedule = Looking::new();
    let mut resources = Resources::new();
    resources.insert_default::<Seen>();
    for n in 1..=3 {
        schedule.run(&mut resources).unwrap_err();
        assert_eq!(resources.get::<Seen>().unwrap().0, n);
    }
}

#[derive(Checkpoint)]
struct Midway;

#[test]
fn skipped_sync_points_are_listed() {
    check(
        |trace, builder| {
            builder
                .add_dynamic(trace.failing("fails"))
                .apply_commands::<Midway>()
                .order("fails", Target::of::<Midway>());
            watch(builder, trace, "watch").order(Target::of::<Midway>(), "watch");
        },
        &["watch [fails: no, Midway skipped]"],
    );
    let trace = Trace::default();
    let mut schedule = Schedule::builder()
        .add_dynamic(trace.failing("fails"))
        .apply_commands::<Midway>()
        .order("fails", Target::of::<Midway>())
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    let names: Vec<&str> = error.skipped().iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["Midway"]);
    assert!(
        error.to_string().contains("\nskipped: `Midway` ("),
        "{error}"
    );
    schedule.set_enabled(Target::of::<Midway>(), false).unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(error.skipped().is_empty(), "it would not have run");
}
