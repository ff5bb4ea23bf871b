//! Folds: systems that combine values into one resource at the same time.

use schedule::FailurePolicy;
use schedule::dynamic::ClosureSystem;
use schedule::error::{Cause, Failure};
use schedule::prelude::*;
use schedule::{Builder, RunError};

use schedule_tests::on::On;

mod random;
mod systems;

/// A list of numbers, to observe the order of joins.
#[derive(Resource, Default)]
struct List(Vec<u32>);

impl Foldable for List {
    type Partial = Vec<u32>;

    fn join(&mut self, mut partial: Vec<u32>) {
        assert!(!partial.contains(&POISON), "poisoned");
        self.0.append(&mut partial);
    }
}

/// A sum of floating-point numbers, which depends on the order of additions.
#[derive(Resource, Default)]
pub(crate) struct Sum(pub(crate) f32);

impl Foldable for Sum {
    type Partial = f32;

    fn join(&mut self, partial: f32) {
        self.0 += partial;
    }
}

/// The lists that readers saw, in the order in which they ran.
#[derive(Resource, Default)]
struct Seen(Vec<Vec<u32>>);

/// A number whose join panics.
const POISON: u32 = 666;

/// Returns the schedule of the declarations, once for each executor.
fn schedules(
    declare: impl Fn(&mut Builder) -> &mut Builder,
) -> impl Iterator<Item = (On, Schedule)> {
    On::ALL.iter().map(move |&on| {
        let mut schedule = declare(&mut Schedule::builder()).build().unwrap();
        on.set(&mut schedule);
        (on, schedule)
    })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(List::default());
    resources.insert(Sum::default());
    resources.insert(Seen::default());
    resources
}

/// A system that adds a number to the list.
fn push(number: u32) -> impl ClosureSystem<fn(Fold<'static, List>)> {
    move |mut list: Fold<List>| list.push(number)
}

fn look(list: &List, seen: &mut Seen) {
    seen.0.push(list.0.clone());
}

#[system]
fn never() -> bool {
    false
}

#[system]
fn one(mut list: Fold<List>) {
    list.push(1);
}

#[system]
fn two(mut list: Fold<List>, mut sum: Fold<Sum>) {
    list.extend([2, 22]);
    *sum += 0.5;
}

#[system(after = (one, two))]
fn show(list: &List, seen: &mut Seen) {
    look(list, seen);
}

#[test]
fn systems_that_fold_into_one_resource_need_no_order() {
    let mut schedule = Schedule::builder()
        .add::<one>()
        .add::<two>()
        .add::<show>()
        .build()
        .unwrap();
    let why = schedule.why("one", "two").unwrap().to_string();
    assert_eq!(
        why,
        "`one` and `two` may run in parallel: nothing orders them, and both only fold into `List`"
    );
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Seen>().unwrap().0, [[1, 2, 22]]);
    assert_eq!(resources.get::<Sum>().unwrap().0, 0.5);
}

#[test]
fn fold_after_a_system_with_the_same_false_guard_counts_as_completed() {
    let never = || Condition::of::<never>();
    for (on, mut schedule) in schedules(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("a", push(1))
            .add_closure("x", || ())
            .run_if(never())
            .add_closure("b", push(2))
            .run_if(never())
            .add_closure("look", look)
    }) {
        let mut resources = resources();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
        }
        let seen = &resources.get::<Seen>().unwrap().0;
        assert_eq!(seen, &[vec![1], vec![1, 1], vec![1, 1, 1]], "{on:?}");
    }
}

#[test]
fn fold_without_an_order_to_a_reader_is_a_race() {
    let error = Schedule::builder()
        .add::<one>()
        .add_closure("reads", |_: &List| ())
        .add_closure("writes", |_: &mut List| ())
        .add_closure("reads all", |_: &Resources| ())
        .build()
        .unwrap_err()
        .to_string();
    for text in [
        "`one` (tests/tests/behaviour/folds.rs",
        "folds into `List`",
        "reads it",
        "writes it",
    ] {
        assert!(error.contains(text), "{text}: {error}");
    }
    assert_eq!(error.matches("folds into `List`").count(), 3, "{error}");
}

#[test]
fn fold_precedes_reads_under_writers_first_and_conflicts_with_a_write() {
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add_closure("reads", |list: &List, seen: &mut Seen| look(list, seen))
        .add::<one>();
    let mut schedule = builder.build().unwrap();
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Seen>().unwrap().0, [[1]]);

    let error = Schedule::builder()
        .policy(Policy::WritersFirst)
        .add::<one>()
        .add_closure("writes", |_: &mut List| ())
        .build()
        .unwrap_err()
        .to_string();
    for text in [
        "because `one` folds into `List`",
        "because `writes` writes `List`",
    ] {
        assert!(error.contains(text), "{text}: {error}");
    }
}

/// Names of parallel systems say nothing about their order; the joins follow the schedule.
#[test]
fn partial_results_are_joined_in_schedule_order() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder);
        for number in 0..20 {
            all.add_closure("push", push(number));
            if number % 7 == 6 {
                all.add_closure("look", look);
            }
        }
        all.add_closure("look", look)
    }) {
        let mut resources = resources();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
            let all: Vec<u32> = (0..20).collect();
            let seen = std::mem::take(&mut resources.get_mut::<Seen>().unwrap().0);
            assert_eq!(seen, [&all[..7], &all[..14], &all], "{on:?}");
            assert_eq!(
                std::mem::take(&mut resources.get_mut::<List>().unwrap().0),
                all
            );
        }
    }
}

#[test]
fn fold_of_a_failed_system_is_dropped() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("a", push(1))
            .add_closure("fails", |mut list: Fold<List>| {
                list.push(2);
                Err::<(), _>("no")
            })
            .add_closure("panics", |mut list: Fold<List>| {
                list.push(3);
                panic!("no");
            })
            .add_closure("off", push(4))
            .run_if(Condition::of::<never>())
            .add_closure("b", push(5))
            .add_closure("look", look)
    }) {
        let mut resources = resources();
        for n_runs in 1..3 {
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(error.failures().len(), 2, "{on:?}");
            assert_eq!(
                resources.get::<List>().unwrap().0,
                [1, 5].repeat(n_runs),
                "{on:?}"
            );
        }
    }
}

/// Adds a loop that runs three times, unless `b` fails in its second execution. Each part of it pushes a number.
fn add_loop(all: &mut Builder, reads: bool, fails: bool) {
    let (mut n_asked, mut n_runs) = (0, 0);
    all.policy(Policy::InsertionOrder)
        .add_closure("first", push(0))
        .repeat_while_closure(
            "thrice",
            move |mut list: Fold<List>| {
                n_asked += 1;
                list.push(100 + n_asked);
                n_asked < 4
            },
            |body| {
                body.add_closure("a", push(1));
                if reads {
                    body.add_closure("look inside", look);
                }
                body.add_closure("b", move |mut list: Fold<List>| {
                    n_runs += 1;
                    list.push(2);
                    match n_runs {
                        2 if fails => Err("the second time"),
                        _ => Ok(()),
                    }
                })
            },
        )
        .add_closure("last", push(3))
        .add_closure("look", look);
}

#[test]
fn folds_of_a_loop_are_joined_iteration_by_iteration() {
    for (on, mut schedule) in schedules(|all| {
        add_loop(all, false, false);
        all
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        let expected = [0, 101, 1, 2, 102, 1, 2, 103, 1, 2, 104, 3];
        assert_eq!(resources.get::<Seen>().unwrap().0, [expected], "{on:?}");
    }
}

#[test]
fn reader_in_a_loop_sees_the_folds_before_it() {
    for (on, mut schedule) in schedules(|all| {
        add_loop(all, true, false);
        all
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        let all = [0, 101, 1, 2, 102, 1, 2, 103, 1, 2, 104, 3];
        let seen = &resources.get::<Seen>().unwrap().0;
        assert_eq!(*seen, [&all[..3], &all[..6], &all[..9], &all], "{on:?}");
    }
}

/// A loop that runs twice, and whose only system adds a number and perhaps reads the list.
fn add_twice(all: &mut Builder, name: &str, number: u32, reads: bool) {
    let mut n_asked = 0;
    let condition = move || {
        n_asked += 1;
        n_asked % 3 != 0
    };
    all.repeat_while_closure(name, condition, |body| {
        body.add_closure(format!("push {number}"), push(number));
        if reads {
            body.add_closure("look inside", look);
        }
        body
    });
}

#[test]
fn loops_run_in_another_order_than_they_were_added() {
    for (reads_late, reads_early) in [(false, false), (true, false), (false, true), (true, true)] {
        for (on, mut schedule) in schedules(|all| {
            all.policy(Policy::InsertionOrder);
            add_twice(all, "late", 2, reads_late);
            add_twice(all, "early", 1, reads_early);
            all.add_closure("look", look)
                .order("early", "late")
                .order("late", "look")
        }) {
            let mut resources = resources();
            schedule.run(&mut resources).unwrap();
            let seen = &resources.get::<Seen>().unwrap().0;
            assert_eq!(seen.last().unwrap(), &[1, 1, 2, 2], "{on:?}");
            let n_seen = 1 + 2 * (usize::from(reads_late) + usize::from(reads_early));
            assert_eq!(seen.len(), n_seen, "{on:?}");
            if reads_early {
                assert_eq!(seen[..2], [&[1][..], &[1, 1]], "{on:?}");
            }
        }
    }
}

#[test]
fn folds_of_earlier_iterations_of_a_failed_loop_are_kept() {
    for reads in [false, true] {
        for (on, mut schedule) in schedules(|all| {
            add_loop(all, reads, true);
            all
        }) {
            let mut resources = resources();
            schedule.run(&mut resources).unwrap_err();
            let expected = [0, 101, 1, 2, 102, 1, 3];
            assert_eq!(
                resources.get::<List>().unwrap().0,
                expected,
                "{on:?} {reads}"
            );
        }
    }
}

/// The system whose partial result was joined fails. Of the systems after it, those that use the resource are skipped.
#[test]
fn panic_of_a_join_fails_the_system_and_skips_the_readers_that_depend_on_it() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("a", push(1))
            .add_closure("bad", |mut list: Fold<List>, mut commands: Commands| {
                list.push(POISON);
                commands.push(|_| panic!("commands of a failed system are dropped"));
            })
            .add_closure("b", push(2))
            .add_closure("after bad", || ())
            .add_closure("reader of a", look)
            .add_closure("reader of bad", |_: &List, _: &mut Seen| ())
            .add_closure("after the reader", || ())
            .order("bad", "after bad")
            .order("a", "reader of a")
            .order_if_conflicting("bad", "reader of bad")
            .order("reader of bad", "after the reader")
            .policy(Policy::InsertionOrder)
    }) {
        let mut resources = resources();
        for n_runs in 1..3 {
            let error = schedule.run(&mut resources).unwrap_err();
            let [Failure { system, cause, .. }] = error.failures() else {
                panic!("{error}")
            };
            assert!(matches!(cause, Cause::JoinPanic(_)), "{cause}");
            assert_eq!(cause.to_string(), "joining a fold panicked: poisoned");
            assert_eq!(system.name, "bad", "{on:?}");
            assert_eq!(
                skipped(&error),
                ["reader of bad", "after the reader"],
                "{on:?}"
            );
            assert_eq!(
                resources.get::<List>().unwrap().0,
                [1, 2].repeat(n_runs),
                "{on:?}"
            );
        }
    }
}

#[test]
fn failure_policy_applies_to_the_panic_of_a_join() {
    for policy in [FailurePolicy::CarryOn, FailurePolicy::Stop] {
        for (on, mut schedule) in schedules(|all| {
            all.failure_policy(policy)
                .add_closure("bad", push(POISON))
                .add_closure("reader", look)
                .order("bad", "reader")
        }) {
            let error = schedule.run(&mut resources()).unwrap_err();
            let expected: &[&str] = match policy {
                FailurePolicy::Stop => &["reader"],
                _ => &[],
            };
            assert_eq!(skipped(&error), expected, "{on:?}");
        }
    }
}

#[test]
fn panic_of_a_join_in_a_loop_fails_the_loop_condition_or_the_system_of_the_body() {
    for is_condition in [false, true] {
        for reads in [false, true] {
            for (on, mut schedule) in schedules(|all| {
                let mut n_asked = 0;
                all.policy(Policy::InsertionOrder)
                    .repeat_while_closure(
                        "twice",
                        move |mut list: Fold<List>| {
                            n_asked += 1;
                            list.push(if is_condition && n_asked == 2 {
                                POISON
                            } else {
                                0
                            });
                            n_asked % 3 != 0
                        },
                        |body| {
                            let number = if is_condition { 1 } else { POISON };
                            body.add_closure("body", push(number));
                            if reads {
                                body.add_closure("look", look);
                            }
                            body
                        },
                    )
                    .add_closure("after", |_: &List| ())
            }) {
                let error = schedule.run(&mut resources()).unwrap_err();
                let name = if is_condition { "twice" } else { "body" };
                let [failure] = error.failures() else {
                    panic!("{error}")
                };
                assert_eq!(failure.system.name, name, "{on:?}");
                assert!(matches!(failure.cause, Cause::JoinPanic(_)), "{on:?}");
            }
        }
    }
}

/// The commands belong to the same execution as the partial result whose join panics. Those of other iterations are applied.
#[test]
fn panic_of_a_join_drops_the_commands_of_the_same_iteration() {
    for reads in [false, true] {
        for (on, mut schedule) in schedules(|all| {
            let (mut n_asked, mut n_runs) = (0, 0);
            all.policy(Policy::InsertionOrder).repeat_while_closure(
                "thrice",
                move || {
                    n_asked += 1;
                    n_asked % 4 != 0
                },
                |body| {
                    body.add_closure(
                        "body",
                        move |mut list: Fold<List>, mut commands: Commands| {
                            n_runs += 1;
                            let number = n_runs;
                            list.push(if number == 2 { POISON } else { number });
                            commands.push(move |resources| {
                                resources.get_mut::<Seen>().unwrap().0.push(vec![number]);
                            });
                        },
                    );
                    if reads {
                        body.add_closure("look", |_: &List| ());
                    }
                    body
                },
            )
        }) {
            let mut resources = resources();
            let error = schedule.run(&mut resources).unwrap_err();
            assert_eq!(error.failures().len(), 1, "{on:?} {reads}");
            // If the body reads the list, partial results are joined in each iteration, so the loop ends after the second.
            let expected: &[u32] = if reads { &[1] } else { &[1, 3] };
            assert_eq!(resources.get::<List>().unwrap().0, expected, "{on:?}");
            let applied = resources.get::<Seen>().unwrap().0.concat();
            assert_eq!(applied, expected, "{on:?} {reads}");
        }
    }
}

/// The condition fails when it is true once more than permitted, so its last partial result is dropped.
#[test]
fn condition_that_exceeds_its_limit_drops_its_fold() {
    for reads in [false, true] {
        for (on, mut schedule) in schedules(|all| {
            all.policy(Policy::InsertionOrder)
                .repeat_while_closure(
                    "forever",
                    |mut list: Fold<List>| {
                        list.push(1);
                        true
                    },
                    |body| {
                        if reads {
                            body.add_closure("look", |_: &List| ());
                        }
                        body
                    },
                )
                .at_most(2)
        }) {
            let mut resources = resources();
            for n_runs in 1..3 {
                schedule.run(&mut resources).unwrap_err();
                let expected = vec![1; 2 * n_runs];
                assert_eq!(
                    resources.get::<List>().unwrap().0,
                    expected,
                    "{on:?} {reads}"
                );
            }
        }
    }
}

/// `two` is in a group of each resource. Both groups may be joined at the same time.
#[test]
fn system_folds_into_two_resources_with_different_readers() {
    for (on, mut schedule) in schedules(|all| {
        all.policy(Policy::InsertionOrder)
            .add_closure("half", |mut sum: Fold<Sum>| *sum += 0.25)
            .add::<two>()
            .add_closure("push", push(3))
            .add_closure("read list", look)
            .add_closure("read sum", |sum: &Sum, seen: &mut Seen| {
                seen.0.push(vec![(sum.0 * 100.0) as u32]);
            })
            .add_closure("half", |mut sum: Fold<Sum>| *sum += 0.25)
    }) {
        let mut resources = resources();
        for _ in 0..20 {
            *resources.get_mut::<Sum>().unwrap() = Sum(0.0);
            resources.get_mut::<List>().unwrap().0.clear();
            resources.get_mut::<Seen>().unwrap().0.clear();
            on.run(&mut schedule, &mut resources).unwrap();
            let seen = &resources.get::<Seen>().unwrap().0;
            assert_eq!(*seen, [vec![2, 22, 3], vec![75]], "{on:?}");
            assert_eq!(resources.get::<Sum>().unwrap().0, 1.0, "{on:?}");
        }
    }
}

#[test]
fn fold_into_a_missing_resource_is_reported_before_the_run() {
    let mut schedule = Schedule::builder().add::<one>().build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        error.contains("`List`") && error.contains("`one`"),
        "{error}"
    );
}

#[test]
fn graph_shows_folds() {
    let schedule = Schedule::builder().add::<one>().build().unwrap();
    let graph = schedule.graph();
    assert_eq!(graph.nodes[0].touched.folds, [0]);
    assert_eq!(graph.nodes[0].touched.writes, [0_usize; 0]);
    assert!(schedule.warnings().is_empty());
}

fn skipped(error: &RunError) -> Vec<&str> {
    let skipped = error.skipped().iter();
    skipped.map(|system| system.name.as_str()).collect()
}
