//! Folds in all kinds of systems.

use std::marker::PhantomData;

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::error::Cause;
use schedule::prelude::*;
use schedule::{BoxError, BuildError, evaluate_one, run_one};

use super::{List, POISON, Seen, Sum, look, push, resources, schedules};

/// A generic resource.
#[derive(Resource)]
struct Count<T>(u32, PhantomData<T>);

impl<T: Identity + Send + Sync + 'static> Foldable for Count<T> {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

#[system]
fn count<R: Foldable<Partial = u32>>(mut count: Fold<R>) {
    *count += 1;
}

#[system]
fn count_twice<T: Identity + Send + Sync + 'static>(mut count: Fold<Count<T>>) {
    *count += 2;
}

#[derive(Params)]
struct Both<'r> {
    list: Fold<'r, List>,
    sum: Fold<'r, Sum>,
}

#[system]
fn in_a_struct(mut both: Both) {
    both.list.push(7);
    *both.sum += 0.5;
}

#[system]
fn in_a_tuple((mut list, mut sum): (Fold<List>, Fold<Sum>)) {
    list.push(8);
    *sum += 0.25;
}

/// Two folds into one resource do not conflict. They are joined in the order of the parameters.
#[system]
fn twice(mut first: Fold<List>, mut second: Fold<List>) {
    second.push(10);
    first.push(9);
}

#[system]
fn is_first(mut list: Fold<List>, mut n_runs: Local<u32>) -> bool {
    *n_runs += 1;
    list.push(*n_runs);
    *n_runs == 1
}

#[test]
fn generic_systems_fold() {
    let mut schedule = Schedule::builder()
        .add::<count<Count<u8>>>()
        .add::<count<Count<u16>>>()
        .add::<count_twice<u8>>()
        .build()
        .unwrap();
    let mut resources = Resources::new();
    resources.insert(Count::<u8>(0, PhantomData));
    resources.insert(Count::<u16>(0, PhantomData));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Count<u8>>().unwrap().0, 3);
    assert_eq!(resources.get::<Count<u16>>().unwrap().0, 1);
}

#[test]
fn folds_in_structs_and_tuples_are_joined() {
    for (on, mut schedule) in schedules(|all| {
        all.add::<in_a_struct>()
            .add::<in_a_tuple>()
            .add::<twice>()
            .add_closure("look", look)
            .policy(Policy::InsertionOrder)
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        let seen = &resources.get::<Seen>().unwrap().0;
        assert_eq!(*seen, [[7, 8, 9, 10]], "{on:?}");
        assert_eq!(resources.get::<Sum>().unwrap().0, 0.75, "{on:?}");
    }
}

#[test]
fn condition_folds() {
    for (on, mut schedule) in schedules(|all| {
        all.add_closure("guarded", push(100))
            .run_if(Condition::of::<is_first>())
            .add_closure("look", look)
            .policy(Policy::InsertionOrder)
    }) {
        let mut resources = resources();
        for expected in [vec![1, 100], vec![2]] {
            schedule.run(&mut resources).unwrap();
            let list = &mut resources.get_mut::<List>().unwrap().0;
            assert_eq!(std::mem::take(list), expected, "{on:?}");
        }
    }
}

#[test]
fn run_one_joins_folds() {
    let mut resources = resources();
    run_one::<in_a_struct>(&mut resources).unwrap();
    run_one::<in_a_struct>(&mut resources).unwrap();
    assert!(evaluate_one::<is_first>(&mut resources).unwrap());
    assert_eq!(resources.get::<List>().unwrap().0, [7, 7, 1]);
    assert_eq!(resources.get::<Sum>().unwrap().0, 1.0);
}

/// A dynamic system that adds a number to the list.
fn dynamic_push(number: u32) -> DynamicSystem {
    DynamicSystem::new(format!("push {number}"), move |view| {
        view.fold::<List>()?.push(number);
        Ok::<(), BoxError>(())
    })
    .folds::<List>()
}

#[test]
fn dynamic_system_has_one_partial_result_of_each_resource_for_each_execution() {
    for (on, mut schedule) in schedules(|all| {
        let both = DynamicSystem::new("both", |view| {
            assert!(view.fold::<List>()?.is_empty());
            view.fold::<List>()?.push(1);
            *view.fold::<Sum>()? += 0.5;
            view.fold::<List>()?.push(2);
            assert_eq!(view.fold::<List>()?.len(), 2);
            Ok::<(), BoxError>(())
        });
        all.policy(Policy::InsertionOrder)
            .add_dynamic(both.folds::<List>().folds::<Sum>().folds::<List>())
            .add_closure("static", push(3))
            .add_dynamic(dynamic_push(4))
            .add_dynamic(dynamic_push(5).exclusive())
            .add_closure("look", look)
    }) {
        let mut resources = resources();
        for n_runs in 1..3 {
            schedule.run(&mut resources).unwrap();
            let seen = resources.get::<Seen>().unwrap().0.last().unwrap();
            assert_eq!(*seen, [1, 2, 3, 4, 5].repeat(n_runs), "{on:?}");
        }
        assert_eq!(resources.get::<Sum>().unwrap().0, 1.0, "{on:?}");
    }
}

#[test]
fn fold_of_a_failed_dynamic_system_is_dropped_and_a_panic_of_its_join_fails_it() {
    for (on, mut schedule) in schedules(|all| {
        let fails = DynamicSystem::new("fails", |view| {
            view.fold::<List>()?.push(1);
            Err::<(), BoxError>("no".into())
        });
        all.add_dynamic(fails.folds::<List>())
            .add_dynamic(dynamic_push(2))
            .add_dynamic(dynamic_push(POISON))
            .add_dynamic(dynamic_push(3))
    }) {
        let mut resources = resources();
        for n_runs in 1..3 {
            let error = schedule.run(&mut resources).unwrap_err();
            let [of_body, of_join] = error.failures() else {
                panic!("{error}")
            };
            assert!(matches!(of_body.cause, Cause::Error(_)), "{on:?} {error}");
            assert!(
                matches!(of_join.cause, Cause::JoinPanic(_)),
                "{on:?} {error}"
            );
            let list = &resources.get::<List>().unwrap().0;
            assert_eq!(*list, [2, 3].repeat(n_runs), "{on:?}");
        }
    }
}

#[test]
fn folds_of_dynamic_systems_in_a_loop_are_joined_iteration_by_iteration() {
    for reads in [false, true] {
        for (on, mut schedule) in schedules(|all| {
            let mut n_asked = 0;
            let condition = DynamicSystem::new("thrice", move |view| {
                n_asked += 1;
                view.fold::<List>()?.push(100 + n_asked);
                Ok::<bool, BoxError>(n_asked < 4)
            });
            all.policy(Policy::InsertionOrder)
                .repeat_while_dynamic(condition.folds::<List>(), |body| {
                    body.add_dynamic(dynamic_push(1));
                    if reads {
                        body.add_closure("look", look);
                    }
                    body.add_dynamic(dynamic_push(2))
                })
                .add_closure("look", look)
        }) {
            let mut resources = resources();
            schedule.run(&mut resources).unwrap();
            let expected = [101, 1, 2, 102, 1, 2, 103, 1, 2, 104];
            let seen = &resources.get::<Seen>().unwrap().0;
            assert_eq!(seen.last().unwrap(), &expected, "{on:?} {reads}");
            if reads {
                let inside = [&expected[..2], &expected[..5], &expected[..8]];
                assert_eq!(seen[..3], inside, "{on:?}");
            }
        }
    }
}

#[test]
fn view_allows_only_declared_folds() {
    let script = DynamicSystem::new("script", |view| {
        let error = view.fold::<Sum>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`script` folds into `Sum`, but does not declare it; add `.folds::<Sum>()`"
        );
        let error = view.get_mut::<List>().map(drop).unwrap_err().to_string();
        assert_eq!(
            error,
            "`script` reads or writes `List`, but declares that it folds into it; use `fold`, or replace `.folds` by `.writes(…)`"
        );
        view.get::<List>().map(drop).unwrap_err();
        view.get_mut::<Sum>()?.0 += 1.0;
        Ok::<(), BoxError>(())
    })
    .folds::<List>()
    .writes(ResourceId::of::<Sum>());
    let mut schedule = Schedule::builder().add_dynamic(script).build().unwrap();
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Sum>().unwrap().0, 1.0);
}

#[test]
fn dynamic_system_cannot_fold_into_a_resource_that_it_accesses_otherwise() {
    let list = || ResourceId::of::<List>();
    let script = || DynamicSystem::new("script", |_| ()).folds::<List>();
    let texts = |error: BuildError| {
        let problems = error.problems().iter();
        let lines = problems.map(|one| one.to_string().lines().next().unwrap().to_string());
        lines.collect::<Vec<_>>()
    };
    for script in [
        script().reads(list()),
        script().writes(list()),
        script().reads_all_except([]),
        script().writes_all_except([ResourceId::of::<Sum>()]),
        script().reads(list()).writes(list()).folds::<List>(),
    ] {
        let error = Schedule::builder().add_dynamic(script).build().unwrap_err();
        let [text] = texts(error).try_into().unwrap();
        assert!(text.starts_with("`script` ("), "{text}");
        assert!(
            text.ends_with(") folds into `List`, and also reads or writes it"),
            "{text}"
        );
    }
    let condition = DynamicSystem::new("condition", |_| false).folds::<List>();
    let error = Schedule::builder()
        .repeat_while_dynamic(condition.reads(list()), |body| body)
        .build()
        .unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    assert!(error.to_string().contains(".folds::<List>()"), "{error}");

    let mut schedule = Schedule::builder()
        .add_dynamic(script().reads_all_except([list()]))
        .build()
        .unwrap();
    schedule.run(&mut resources()).unwrap();
}

#[test]
fn dynamic_fold_into_a_missing_resource_is_reported_before_the_run() {
    let mut schedule = Schedule::builder()
        .add_dynamic(dynamic_push(1))
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err().to_string();
    assert!(
        error.contains("`List`") && error.contains("`push 1`"),
        "{error}"
    );
    // The system is in the schedule, with its folds, after a change.
    schedule
        .change(|builder| builder.add_closure("look", look).order("push 1", "look"))
        .unwrap();
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Seen>().unwrap().0, [[1]]);
}
