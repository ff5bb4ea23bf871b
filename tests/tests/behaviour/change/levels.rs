//! Changes of groups and of loops.

use super::*;

#[test]
fn removing_a_group_removes_its_members() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("a", || ())
        .in_group::<Weather>()
        .add_closure("b", || ())
        .in_group::<Storm>()
        .group::<Storm>()
        .in_group::<Weather>()
        .add_closure("c", || ())
        .add_closure("d", || ())
        .after::<Storm>();
    let mut schedule = builder.build().unwrap();
    let text = refused(&mut schedule, |builder| {
        builder.remove(Target::of::<Weather>())
    });
    assert!(
        text.contains("`Storm` is not in this schedule, but "),
        "{text}"
    );
    schedule
        .change(|builder| builder.remove(Target::of::<Weather>()).remove("d"))
        .unwrap();
    assert_eq!(names(&schedule), ["c"]);
    assert_eq!(schedule.warnings().len(), 0);
}

#[test]
fn removing_a_loop_removes_its_body() {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure(
        "outer",
        || false,
        |body| {
            body.add_closure("part", || ());
            body.repeat_while_closure(
                "inner",
                || false,
                |body| body.add_closure("deep", || ()).group::<Storm>(),
            )
        },
    );
    builder.add_closure("outside", || ());
    let mut schedule = builder.build().unwrap();
    schedule.change(|builder| builder.remove("outer")).unwrap();
    assert_eq!(format!("{schedule:?}"), "schedule `schedule`\n  outside");
}

#[test]
fn system_is_added_to_an_existing_loop() {
    let trace = Trace::default();
    let mut n_asked = 0;
    let mut builder = Schedule::builder();
    let condition = move || {
        n_asked += 1;
        n_asked % 3 != 0
    };
    builder
        .repeat_while_closure("loop", condition, |body| {
            body.add_dynamic(trace.system("a"))
        })
        .add_dynamic(trace.system("behind"))
        .order("loop", "behind");
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| {
            builder
                .extend_loop("loop", |body| {
                    body.add_dynamic(trace.system("b")).order("b", "a")
                })
                .at_most(5)
        })
        .unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&[])),
        ["b", "a", "b", "a", "behind"]
    );
    schedule.change(|builder| builder.remove("a")).unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&[])),
        ["b", "b", "behind"]
    );
}

#[test]
fn only_loops_can_be_extended() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>());
    let text = refused(&mut schedule, |builder| {
        builder.extend_loop(Target::of::<fire>(), |body| body.add::<ash>())
    });
    assert!(
        text.contains("`fire` is not a loop, so it cannot have the loop body that is declared at"),
        "{text}"
    );
    let text = refused(&mut schedule, |builder| {
        builder.extend_loop("loop", |body| body)
    });
    assert!(
        text.contains("`loop` is not in this schedule, but "),
        "{text}"
    );
}

#[test]
fn enclosing_loop_may_be_removed_while_its_body_is_extended() {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure(
        "first",
        || false,
        |body| {
            body.repeat_while_closure(
                "second",
                || false,
                |body| {
                    body.repeat_while_closure("third", || false, |body| body.remove("second"));
                    body.add_closure("stays", || ())
                },
            );
            body.add_closure("too", || ())
        },
    );
    let text = "schedule `schedule`\n  repeat while `first`\n    stays\n    too";
    assert_eq!(format!("{:?}", builder.build().unwrap()), text);
}

#[test]
fn later_nodes_of_a_loop_removed_in_its_body_are_outside() {
    let mut builder = Schedule::builder();
    builder.repeat_while_closure(
        "loop",
        || false,
        |body| {
            body.add_closure("gone", || ());
            body.remove("loop");
            body.add_closure("stays", || ())
        },
    );
    let schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["stays"]);
}
