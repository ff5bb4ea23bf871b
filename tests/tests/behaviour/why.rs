//! Explanations of the relation of two nodes of a schedule.

use core::panic::Location;

use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule::report::Relation;
use schedule::{Builder, Condition, Target};

#[derive(Group)]
struct Early;

#[derive(Group)]
struct Late;

#[derive(Checkpoint)]
struct Noon;

const FILE: &str = file!();

#[track_caller]
fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

#[track_caller]
fn add(builder: &mut Builder, system: DynamicSystem) -> u32 {
    builder.add_dynamic(system);
    Location::caller().line()
}

/// Returns the explanation for two nodes, without the locations of systems.
fn why(schedule: &Schedule, first: impl Into<Target>, second: impl Into<Target>) -> String {
    schedule.why(first, second).unwrap().to_string()
}

#[test]
fn path_shows_where_each_order_was_declared() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(system(name));
    }
    builder.order("a", "b");
    let one = line!() - 1;
    builder.order("b", "c");
    let two = line!() - 1;
    let schedule = builder.build().unwrap();
    let path = format!(
        "`a` comes before `c`: `a` -> `b` -> `c`\n      \
         `a` -> `b`   declared at {FILE}:{one}\n      \
         `b` -> `c`   declared at {FILE}:{two}"
    );
    assert_eq!(why(&schedule, "a", "c"), path);
    assert_eq!(
        why(&schedule, "c", "a"),
        path,
        "for both orders of the names"
    );
    assert!(matches!(
        schedule.why("c", "a").unwrap().relation,
        Relation::After(_)
    ));
    assert_eq!(
        why(&schedule, "a", "b"),
        format!(
            "`a` comes before `b`: `a` -> `b`\n      \
             `a` -> `b`   declared at {FILE}:{one}\n      \
             they do not conflict: without this order they could run in parallel"
        )
    );
}

#[test]
fn order_of_an_attribute_shows_its_location() {
    #[derive(Resource)]
    struct Grain;
    #[system]
    fn reap(_: &mut Grain) {}
    #[system(after = reap)]
    fn thresh(_: &Grain) {}
    let line = line!() - 2;
    let schedule = Schedule::builder()
        .add::<thresh>()
        .add::<reap>()
        .build()
        .unwrap();
    let text = why(&schedule, Target::of::<reap>(), Target::of::<thresh>());
    assert!(
        text.contains(&format!(
            "\n      `reap` -> `thresh`   declared at {FILE}:{line}\n      `reap` ("
        )),
        "{text}"
    );
    assert!(text.ends_with(" reads it"), "{text}");
}

#[test]
fn policy_is_shown_with_its_resources() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    let a = add(&mut builder, system("a").writes("R").reads("S"));
    add(&mut builder, system("b").writes("R"));
    let c = add(&mut builder, system("c").writes("R").writes("S"));
    let schedule = builder.build().unwrap();
    assert_eq!(
        why(&schedule, "a", "c"),
        format!(
            "`a` comes before `c`: `a` -> `c`\n      \
             `a` -> `c`   by policy `insertion order`, for `R`\n      \
             `a` ({FILE}:{a}) and `c` ({FILE}:{c}) both write `R`; also on `S`"
        ),
        "and not by way of `b`"
    );
}

#[test]
fn each_policy_has_its_own_text() {
    let words = |policy, reads: bool| {
        let mut builder = Schedule::builder();
        builder.policy(policy);
        let a = system("a");
        builder.add_dynamic(if reads { a.reads("R") } else { a.writes("R") });
        builder.add_dynamic(system("b").writes("R"));
        let text = why(&builder.build().unwrap(), "a", "b");
        text.lines().nth(1).unwrap().trim().to_string()
    };
    assert_eq!(
        words(Policy::InsertionOrder, false),
        "`a` -> `b`   by policy `insertion order`, for `R`"
    );
    assert_eq!(
        words(Policy::Optimize, false),
        "`a` -> `b`   by policy `optimize`, for `R`"
    );
    assert_eq!(
        words(Policy::WritersFirst, true),
        "`b` -> `a`   because `b` writes `R`"
    );
    assert_eq!(
        words(Policy::Accepted, false),
        "`a` -> `b`   by insertion order, because policy `accepted` applies to `R`"
    );
}

#[test]
fn accepted_pair_is_shown_with_its_reason() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a").writes("R"));
    builder.add_dynamic(system("b").writes("R"));
    builder.accept("a", "b", "sums commute");
    let text = why(&builder.build().unwrap(), "a", "b");
    assert!(
        text.contains(
            "\n      `a` -> `b`   by insertion order, because policy `accepted` applies to `R`: sums commute\n"
        ),
        "{text}"
    );
}

#[test]
fn declared_orders_are_shown_before_policy_orders() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    for name in ["a", "b", "c"] {
        builder.add_dynamic(system(name).writes("R"));
    }
    builder.add_dynamic(system("d"));
    builder.order("a", "d").order("d", "c");
    let schedule = builder.build().unwrap();
    let text = why(&schedule, "a", "c");
    assert!(
        text.starts_with("`a` comes before `c`: `a` -> `d` -> `c`\n"),
        "{text}"
    );
}

#[test]
fn weak_orders_groups_and_checkpoints_are_labelled() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(system("a").writes("R"))
        .in_group::<Early>();
    builder.checkpoint::<Noon>().after::<Early>();
    builder.add_dynamic(system("b")).after::<Noon>();
    builder.add_dynamic(system("c").writes("R"));
    builder.order_if_conflicting("a", "c");
    let weak = line!() - 1;
    let schedule = builder.build().unwrap();
    let text = why(&schedule, "a", "b");
    assert!(
        text.starts_with("`a` comes before `b`: `a` -> `Early` -> `Noon` -> `b`\n"),
        "{text}"
    );
    assert!(
        text.contains("`a` -> `Early`   by membership, declared at "),
        "{text}"
    );
    let text = why(&schedule, "a", "c");
    let line = format!(
        "`a` -> `c`   declared at {FILE}:{weak} as a weak order, which applies because the two conflict"
    );
    assert!(text.contains(&line), "{text}");
}

#[test]
fn conditions_and_loops_are_labelled() {
    let mut builder = Schedule::builder();
    builder.add_closure("is_open", || true);
    let is_open = builder.last().unwrap();
    builder.add_closure("enter", || ());
    builder.run_if(Condition::added(is_open));
    builder.repeat_while_closure(
        "is_due",
        || false,
        |step| step.add_dynamic(system("inside").writes("R")),
    );
    builder.add_dynamic(system("outside").reads("R"));
    builder.order("inside", "outside");
    let schedule = builder.build().unwrap();
    let text = why(&schedule, "is_open", "enter");
    assert!(
        text.contains("`is_open` -> `enter`   as its run condition, declared at "),
        "{text}"
    );
    let text = why(&schedule, "inside", "outside");
    assert!(
        text.starts_with(
            "`inside` comes before `outside`: `inside` -> `is_due` -> `outside`\n      \
             `inside` -> `is_due`   as part of the loop body\n      \
             `is_due` -> `outside`   declared at "
        ),
        "{text}"
    );
    assert_eq!(
        why(&schedule, "is_due", "inside"),
        "`inside` is in `is_due`"
    );
}

#[test]
fn concurrent_systems_show_the_resources_that_both_read() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a").reads("R").reads("S").writes("T"));
    builder.add_dynamic(system("b").reads("S").reads("R").writes("U"));
    builder.add_dynamic(system("c"));
    let schedule = builder.build().unwrap();
    assert_eq!(
        why(&schedule, "a", "b"),
        "`a` and `b` may run in parallel: nothing orders them, and both only read `R`, `S`"
    );
    assert_eq!(
        why(&schedule, "a", "c"),
        "`a` and `c` may run in parallel: nothing orders them, and they share no resource"
    );
}

#[test]
fn why_names_the_condition_of_systems_that_never_both_run() {
    #[derive(Resource)]
    struct Picture;
    #[system]
    fn is_won() -> bool {
        true
    }
    let place = line!() - 3;
    #[system(if = is_won)]
    fn cheer(_: &mut Picture) {}
    #[system(if = not(is_won))]
    fn draw(_: &mut Picture) {}
    let schedule = Schedule::builder().add::<cheer>().add::<draw>().build();
    let text = why(&schedule.unwrap(), "cheer", "draw");
    let (text, _) = text.split_once('\n').unwrap();
    assert_eq!(
        text,
        format!(
            "at most one of `cheer` and `draw` runs: `is_won` ({FILE}:{place}) keeps their run conditions from both being true"
        )
    );
}

#[test]
fn two_systems_of_one_thread_cannot_overlap() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a").on_main_thread());
    builder.add_dynamic(system("b").on_main_thread());
    let schedule = builder.build().unwrap();
    assert!(matches!(
        schedule.why("a", "b").unwrap().relation,
        Relation::SameThread
    ));
}

#[test]
fn groups_are_ordered_fully_or_partly() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("a")).in_group::<Early>();
    builder.add_dynamic(system("b")).in_group::<Early>();
    builder.add_dynamic(system("c")).in_group::<Late>();
    builder.add_dynamic(system("d"));
    builder.order("a", "c").order("b", "d");
    builder.order(Target::of::<Early>(), "d");
    let schedule = builder.build().unwrap();
    let [early, late] = [Target::of::<Early>(), Target::of::<Late>()];
    assert_eq!(
        why(&schedule, early.clone(), late.clone()),
        "`Early` and `Late` are not ordered as a whole, but some of their members are\n      `a` -> `c`"
    );
    assert_eq!(why(&schedule, "a", early.clone()), "`a` is in `Early`");
    assert!(matches!(
        schedule.why("d", early).unwrap().relation,
        Relation::After(_)
    ));
    assert!(matches!(
        schedule.why("d", late).unwrap().relation,
        Relation::AtOnce { .. }
    ));
    assert!(matches!(
        schedule.why("d", "d").unwrap().relation,
        Relation::Same
    ));
}

#[test]
fn missing_or_ambiguous_name_is_an_error() {
    let mut builder = Schedule::builder();
    builder.add_dynamic(system("integrate"));
    builder
        .add_dynamic(system("twin"))
        .add_dynamic(system("twin"));
    let last = builder.last().unwrap();
    let schedule = builder.build().unwrap();
    let error = schedule.why("integrat", "twin").unwrap_err();
    assert!(
        matches!(error.problem(), Problem::Dangling { nearest: Some(near), .. } if near == "integrate")
    );
    let error = schedule.why("integrate", "twin").unwrap_err();
    assert!(
        matches!(error.problem(), Problem::Ambiguous { candidates, .. } if candidates.len() == 2)
    );
    assert!(schedule.why("integrate", last).is_ok());
}

#[test]
fn why_reflects_a_change() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    builder.add_dynamic(system("a").writes("R"));
    builder.add_dynamic(system("b").writes("R"));
    let mut schedule = builder.build().unwrap();
    let change = schedule.change(|builder| {
        builder
            .add_dynamic(system("c").writes("R"))
            .order("c", "a")
            .remove("b")
    });
    change.unwrap();
    let text = why(&schedule, "a", "c");
    assert!(text.contains("`c` -> `a`   declared at "), "{text}");
    assert!(matches!(
        schedule.why("a", "b").unwrap_err().problem(),
        Problem::Dangling { .. }
    ));
}
