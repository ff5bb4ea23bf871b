//! Clauses that are tried, and builders that a failed build leaves unchanged.

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Condition, Target};

use super::{Everything, Physics, always, never, of, system};
use crate::trace::Trace;

#[test]
fn good_clauses_are_kept() {
    let mut builder = of(&["draw", "integrate"]);
    builder.try_in_group::<Physics>().unwrap();
    builder.try_in_group_named("all").unwrap();
    builder
        .at("draw")
        .try_run_if(Condition::of::<never>())
        .unwrap();
    builder.order(Target::of::<Physics>(), "draw");
    let schedule = builder.build().unwrap();
    let mut twin = of(&["draw", "integrate"]);
    twin.in_group::<Physics>().in_group_named("all");
    twin.at("draw").run_if(Condition::of::<never>());
    twin.order(Target::of::<Physics>(), "draw");
    assert_eq!(
        schedule.lock().to_string(),
        twin.build().unwrap().lock().to_string()
    );
}

#[test]
fn invalid_guard_is_rejected_and_changes_nothing() {
    let build = || {
        let mut builder = of(&["ask", "draw", "last"]);
        builder.add::<always>().at("always").after::<never>();
        builder.add::<never>();
        builder.order("draw", "never").at("draw");
        builder
    };
    let mut builder = build();
    let refused = |builder: &mut schedule::Builder, condition: Condition| {
        let error = builder.try_run_if(condition).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the run condition was rejected\n  "),
            "{error}"
        );
        format!("{:?}", error.problem())
    };
    let missing = refused(&mut builder, Condition::added("is_deu"));
    assert!(missing.starts_with("Dangling"), "{missing}");
    let no_answer = refused(&mut builder, Condition::added("ask"));
    assert!(no_answer.starts_with("WrongAnswer"), "{no_answer}");
    let itself = refused(&mut builder, Condition::added("draw"));
    assert!(itself.starts_with("GuardsItself"), "{itself}");
    // `draw` runs before `never`, and `never` runs before `always`.
    let cycle = refused(&mut builder, !Condition::of::<always>());
    assert!(cycle.starts_with("Cycle"), "{cycle}");
    assert_eq!(
        builder.build().unwrap().lock().to_string(),
        build().build().unwrap().lock().to_string()
    );
}

#[test]
fn invalid_membership_is_rejected_and_changes_nothing() {
    let build = || {
        let mut builder = of(&["draw"]);
        builder.group::<Physics>().in_group::<Everything>();
        builder.add_dynamic(system("first")).in_group::<Physics>();
        builder.repeat_while_closure("again", || false, |body| body.add_dynamic(system("body")));
        builder.order("draw", Target::of::<Physics>());
        builder
    };
    let mut builder = build();
    builder.group::<Everything>();
    let error = builder.try_in_group::<Physics>().unwrap_err();
    assert!(
        matches!(error.problem(), Problem::GroupInItself { .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .starts_with("the membership was rejected\n  "),
        "{error}"
    );
    builder.at("body");
    let error = builder.try_in_group::<Physics>().unwrap_err();
    assert!(
        matches!(error.problem(), Problem::GroupOverLevels { .. }),
        "{error}"
    );
    builder.at("draw");
    let error = builder.try_in_group::<Physics>().unwrap_err();
    assert!(
        matches!(error.problem(), Problem::GroupAgainstMember { .. }),
        "{error}"
    );
    let error = builder.try_in_group_named("Physics").unwrap_err();
    assert!(
        matches!(error.problem(), Problem::SameGroupName { .. }),
        "{error}"
    );
    assert_eq!(
        builder.build().unwrap().lock().to_string(),
        build().build().unwrap().lock().to_string()
    );
}

#[test]
fn membership_that_closes_a_cycle_is_rejected() {
    let mut builder = of(&["a", "b", "c"]);
    builder.at("a").in_group::<Physics>();
    builder
        .order(Target::of::<Physics>(), "b")
        .order("b", "c")
        .at("c");
    let error = builder.try_in_group::<Physics>().unwrap_err();
    assert!(matches!(error.problem(), Problem::Cycle(_)), "{error}");
    builder.build().unwrap();
}

#[test]
fn clause_is_not_blamed_for_other_problems() {
    let mut builder = of(&["a", "b"]);
    builder
        .order("a", "b")
        .order("b", "a")
        .order("a", "x")
        .at("a");
    builder.try_run_if(Condition::of::<never>()).unwrap();
    builder.try_in_group::<Physics>().unwrap();
    assert_eq!(builder.build().unwrap_err().problems().len(), 2);
}

#[test]
fn clause_tried_before_any_addition_is_rejected() {
    let mut builder = Schedule::builder();
    let error = builder.try_run_if(Condition::of::<never>()).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NothingAdded { .. }),
        "{error}"
    );
    let error = builder.try_in_group::<Physics>().unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NothingAdded { .. }),
        "{error}"
    );
    builder.build().unwrap();
}

#[test]
fn clauses_are_tried_in_a_change() {
    let mut schedule = of(&["draw"]).build().unwrap();
    schedule
        .change(|builder| {
            builder
                .at("draw")
                .try_run_if(Condition::added("is_deu"))
                .unwrap_err();
            builder.try_run_if(Condition::of::<never>()).unwrap()
        })
        .unwrap();
    assert!(schedule.systems().eq(["never", "draw"]));
}

#[test]
fn failed_build_keeps_the_declarations_and_the_systems() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder.add_dynamic(trace.system("draw"));
    builder.run_if(Condition::added("is_due"));
    for _ in 0..2 {
        let error = builder.build().unwrap_err();
        assert!(
            matches!(error.problems(), [Problem::Dangling { .. }]),
            "{error}"
        );
    }
    builder.add_dynamic(DynamicSystem::new("is_due", |_| true));
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut Resources::new()), ["draw"]);
    // After a successful build, the builder is empty.
    assert_eq!(builder.build().unwrap().systems().count(), 0);
}

#[test]
fn call_that_cannot_be_applied_is_reported_once() {
    let mut builder = of(&["draw"]);
    builder.group::<Physics>().on_main_thread();
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::NotApplicable { .. }]),
        "{error}"
    );
    builder.build().unwrap();
}
