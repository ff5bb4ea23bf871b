//! What systems cost, taken from one schedule to another.

use schedule::prelude::*;
use schedule::{Profile, SystemCost};

use crate::schedule_of;

/// A schedule of this name, of free systems.
fn named(name: &str, systems: &[&str]) -> Schedule {
    schedule_of(|all| {
        for &system in systems {
            all.add_closure(system, || ());
        }
        all.name(name)
    })
}

fn profile(schedule: &str, costs: &[(&str, u32)]) -> Profile {
    let cost = |&(system, ns): &(&str, u32)| SystemCost {
        system: system.to_string(),
        ns,
    };
    Profile {
        schedule: schedule.to_string(),
        costs: costs.iter().map(cost).collect(),
    }
}

/// What is said of a profile that is refused.
#[track_caller]
fn refusal(schedule: &mut Schedule, profile: &Profile) -> String {
    schedule.set_profile(profile).unwrap_err().to_string()
}

#[test]
fn a_profile_comes_back_as_it_was_set() {
    let mut frame = named("frame", &["a", "b", "c"]);
    let known = profile("frame", &[("a", 10), ("b", 2_000), ("c", 0)]);
    frame.set_profile(&known).unwrap();
    assert_eq!(frame.profile(), Some(known));
    assert_eq!(frame.report().work.as_nanos(), 2_010);
    assert_eq!(frame.report().critical_path.as_nanos(), 2_000);
}

#[test]
fn what_is_switched_off_is_still_in_the_profile_and_in_no_report() {
    let mut frame = named("frame", &["a", "b"]);
    let known = profile("frame", &[("a", 10), ("b", 2_000)]);
    frame.set_profile(&known).unwrap();
    frame.set_enabled("b", false).unwrap();
    assert_eq!(frame.report().work.as_nanos(), 10);
    for _ in 0..20 {
        frame.run(&mut Resources::new()).unwrap();
    }
    let ns_of_b = |frame: &Schedule| frame.profile().unwrap().costs[1].ns;
    assert_eq!(ns_of_b(&frame), 2_000);
    frame.change(|all| all.add_closure("c", || ())).unwrap();
    assert_eq!(ns_of_b(&frame), 2_000);
    frame.set_enabled("b", true).unwrap();
    assert!(frame.report().work.as_nanos() >= 2_000);
}

#[test]
fn a_profile_is_in_the_order_of_addition_though_the_schedule_runs_in_another() {
    let mut frame = schedule_of(|all| {
        all.name("frame")
            .add_closure("last", || ())
            .add_closure("first", || ())
            .order("first", "last")
    });
    let known = profile("frame", &[("last", 7), ("first", 9)]);
    frame.set_profile(&known).unwrap();
    assert_eq!(frame.profile(), Some(known));
}

#[test]
fn the_systems_of_a_profile_may_stand_in_any_order() {
    let mut frame = named("frame", &["a", "b"]);
    let moved = profile("frame", &[("b", 2), ("a", 1)]);
    frame.set_profile(&moved).unwrap();
    let known = profile("frame", &[("a", 1), ("b", 2)]);
    assert_eq!(frame.profile(), Some(known));
}

#[test]
fn systems_of_one_name_are_told_apart_by_the_order_of_addition() {
    let mut frame = named("frame", &["same", "other", "same", "same"]);
    let known = profile(
        "frame",
        &[("same", 1), ("other", 2), ("same", 3), ("same", 4)],
    );
    frame.set_profile(&known).unwrap();
    assert_eq!(frame.profile(), Some(known));
    let fewer = profile("frame", &[("same", 1), ("other", 2), ("same", 3)]);
    let error = frame.set_profile(&fewer).unwrap_err();
    assert_eq!(error.unknown, ["same"]);
    assert_eq!(error.absent, [""; 0]);
}

#[test]
fn the_condition_of_a_loop_has_a_cost() {
    let mut frame = schedule_of(|all| {
        all.name("frame").repeat_while_closure(
            "is due",
            || false,
            |parts| parts.add_closure("part", || ()),
        )
    });
    frame.run(&mut Resources::new()).unwrap();
    let costs = frame.profile().unwrap().costs;
    let names: Vec<&str> = costs.iter().map(|cost| cost.system.as_str()).collect();
    assert_eq!(names, ["is due", "part"]);
}

#[test]
fn a_profile_of_another_schedule_is_refused() {
    let mut frame = named("frame", &["a"]);
    assert_eq!(
        refusal(&mut frame, &profile("menu", &[("a", 1)])),
        "a profile of schedule `menu` does not fit schedule `frame`; \
         run without it, and save what is measured"
    );
    assert_eq!(
        refusal(&mut frame, &profile("menu", &[("b", 1)])),
        "a profile of schedule `menu` does not fit schedule `frame`; it does not know `a`; there is no `b`; \
         run without it, and save what is measured"
    );
}

#[test]
fn a_profile_of_what_the_schedule_was_before_is_refused() {
    let mut frame = named("frame", &["a", "b"]);
    assert_eq!(
        refusal(&mut frame, &profile("frame", &[("a", 1)])),
        "a profile of schedule `frame` does not fit it any more; it does not know `b`; \
         run without it, and save what is measured"
    );
    assert_eq!(
        refusal(
            &mut frame,
            &profile("frame", &[("a", 1), ("b", 1), ("c", 1)])
        ),
        "a profile of schedule `frame` does not fit it any more; there is no `c`; \
         run without it, and save what is measured"
    );
}

#[test]
fn of_many_systems_that_do_not_fit_some_are_named() {
    let mut frame = named("frame", &["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(
        refusal(&mut frame, &profile("frame", &[])),
        "a profile of schedule `frame` does not fit it any more; \
         it does not know `a`, `b`, `c`, `d`, `e` and 2 more; run without it, and save what is measured"
    );
}

#[test]
fn after_a_profile_was_refused_all_is_as_before() {
    let mut frame = named("frame", &["a", "b"]);
    refusal(&mut frame, &profile("frame", &[("a", 1)]));
    assert_eq!(frame.profile(), None);
    let known = profile("frame", &[("a", 1), ("b", 2)]);
    frame.set_profile(&known).unwrap();
    refusal(&mut frame, &profile("menu", &[("a", 3), ("b", 4)]));
    assert_eq!(frame.profile(), Some(known));
    frame.run(&mut Resources::new()).unwrap();
}

#[test]
fn a_profile_is_written_and_read() {
    let known = profile("frame", &[("a", 10), ("a", u32::MAX)]);
    let text = serde_json::to_string(&known).unwrap();
    assert_eq!(
        text,
        r#"{"schedule":"frame","costs":[{"system":"a","ns":10},{"system":"a","ns":4294967295}]}"#
    );
    let read: Profile = serde_json::from_str(&text).unwrap();
    assert_eq!(read, known);
    let mut frame = named("frame", &["a", "a"]);
    frame.set_profile(&read).unwrap();
    assert_eq!(frame.profile(), Some(known));
}
