//! Profiles: costs of systems that are transferred from one schedule to another.

use schedule::prelude::*;
use schedule::report::{Profile, SystemCost};

use crate::schedule_of;

/// Returns a schedule of this name with unordered systems.
fn named(name: &str, systems: &[&str]) -> Schedule {
    schedule_of(|all| {
        for &system in systems {
            all.add_closure(system, || ());
        }
        all.name(name)
    })
}

fn profile(schedule: &str, costs: &[(&str, u32)]) -> Profile {
    let cost = |&(system, ns): &(&str, u32)| SystemCost::new(system, ns);
    Profile {
        schedule: schedule.to_string(),
        costs: costs.iter().map(cost).collect(),
    }
}

/// Returns the error of a rejected profile.
#[track_caller]
fn refusal(schedule: &mut Schedule, profile: &Profile) -> String {
    schedule.set_profile(profile).unwrap_err().to_string()
}

#[test]
fn profile_is_returned_as_it_was_set() {
    let mut frame = named("frame", &["a", "b", "c"]);
    let known = profile("frame", &[("a", 10), ("b", 2_000), ("c", 0)]);
    frame.set_profile(&known).unwrap();
    assert_eq!(frame.profile(), Some(known));
    assert_eq!(frame.report().work.as_nanos(), 2_010);
    assert_eq!(frame.report().critical_path.as_nanos(), 2_000);
}

#[test]
fn disabled_system_is_in_the_profile_but_not_in_the_report() {
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
fn profile_is_in_the_order_of_addition() {
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
fn systems_of_a_profile_may_have_any_order() {
    let mut frame = named("frame", &["a", "b"]);
    let moved = profile("frame", &[("b", 2), ("a", 1)]);
    frame.set_profile(&moved).unwrap();
    let known = profile("frame", &[("a", 1), ("b", 2)]);
    assert_eq!(frame.profile(), Some(known));
}

#[test]
fn systems_of_one_name_are_distinguished_by_the_order_of_addition() {
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
            |body| body.add_closure("part", || ()),
        )
    });
    frame.run(&mut Resources::new()).unwrap();
    let costs = frame.profile().unwrap().costs;
    let names: Vec<&str> = costs.iter().map(|cost| cost.system.as_str()).collect();
    assert_eq!(names, ["is due", "part"]);
}

#[test]
fn profile_of_another_schedule_is_an_error() {
    let mut frame = named("frame", &["a"]);
    assert_eq!(
        refusal(&mut frame, &profile("menu", &[("a", 1)])),
        "the profile of schedule `menu` cannot be used for schedule `frame`; \
         run without a profile, and save the new one"
    );
    assert_eq!(
        refusal(&mut frame, &profile("menu", &[("b", 1)])),
        "the profile of schedule `menu` cannot be used for schedule `frame`; missing in the profile: `a`; missing in the schedule: `b`; \
         run without a profile, and save the new one"
    );
}

#[test]
fn profile_from_before_a_change_is_an_error() {
    let mut frame = named("frame", &["a", "b"]);
    assert_eq!(
        refusal(&mut frame, &profile("frame", &[("a", 1)])),
        "the profile of schedule `frame` is out of date; missing in the profile: `b`; \
         run without a profile, and save the new one"
    );
    assert_eq!(
        refusal(
            &mut frame,
            &profile("frame", &[("a", 1), ("b", 1), ("c", 1)])
        ),
        "the profile of schedule `frame` is out of date; missing in the schedule: `c`; \
         run without a profile, and save the new one"
    );
}

#[test]
fn error_names_some_of_many_unknown_systems() {
    let mut frame = named("frame", &["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(
        refusal(&mut frame, &profile("frame", &[])),
        "the profile of schedule `frame` is out of date; \
         missing in the profile: `a`, `b`, `c`, `d`, `e` and 2 more; run without a profile, and save the new one"
    );
}

#[test]
fn rejected_profile_changes_nothing() {
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
fn profile_is_unchanged_after_a_round_trip() {
    let known = profile("frame", &[("a", 10), ("a", u32::MAX)]);
    let text = serde_json::to_string(&known).unwrap();
    assert_eq!(
        text,
        r#"{"schedule":"frame","costs":[{"system":"a","ns":10,"runs_per_1000":1000},{"system":"a","ns":4294967295,"runs_per_1000":1000}]}"#
    );
    let read: Profile = serde_json::from_str(&text).unwrap();
    assert_eq!(read, known);
    let mut frame = named("frame", &["a", "a"]);
    frame.set_profile(&read).unwrap();
    assert_eq!(frame.profile(), Some(known));
}

/// A schedule whose physics loop runs twice in every third run. The first runs are all measured.
fn with_physics() -> (Schedule, Resources) {
    #[derive(Resource)]
    struct Frame(u32);

    #[derive(Resource)]
    struct Steps(u32);

    let frame = schedule_of(|all| {
        all.name("frame")
            .add_closure("input", |frame: &mut Frame, steps: &mut Steps| {
                frame.0 += 1;
                steps.0 = if frame.0 % 3 == 2 { 2 } else { 0 };
            })
            .repeat_while_closure(
                "is_step_due",
                |steps: &Steps| steps.0 > 0,
                |body| {
                    body.add_closure("step", |steps: &mut Steps| {
                        steps.0 -= 1;
                        std::thread::sleep(std::time::Duration::from_millis(3));
                    })
                },
            )
            .add_closure("render", |_: &Frame| ())
            .order("input", "is_step_due")
            .order("is_step_due", "render")
    });
    let mut resources = Resources::new();
    resources.insert(Frame(0));
    resources.insert(Steps(0));
    (frame, resources)
}

#[test]
fn profile_weighs_a_system_by_how_often_it_runs() {
    let (mut frame, mut resources) = with_physics();
    for _ in 0..3 {
        frame.run(&mut resources).unwrap();
    }
    let profile = frame.profile().unwrap();
    let runs: Vec<_> = profile
        .costs
        .iter()
        .map(|one| (&*one.system, one.runs_per_1000))
        .collect();
    // The condition is evaluated once more than it is true.
    assert_eq!(
        runs,
        [
            ("input", 1_000),
            ("is_step_due", 1_667),
            ("step", 667),
            ("render", 1_000)
        ]
    );
    // Two executions in three runs, each of at least 3 ms.
    let step = &profile.costs[2];
    assert!(step.ns >= 2_000_000, "{}", step.ns);
    assert!(step.per_execution().as_millis() >= 2, "{step:?}");

    let report = frame.report();
    assert!(report.work.as_nanos() >= 2_000_000, "{report}");
    assert!(report.critical_path <= report.work, "{report}");
    let text = report.to_string();
    let has_average = |text: &str| text.contains("(ran 0.667 times per run, ");
    let line = text.lines().find(|line| line.contains("`step` "));
    assert!(line.is_some_and(has_average), "{text}");
    let line = text.lines().find(|line| line.contains("`render` "));
    assert!(!line.unwrap().contains("ran"), "{text}");

    let advice = frame.advise(2).unwrap();
    assert_eq!(advice.work, report.work);
    let of_step = advice.critical_path.iter().find(|one| one.system == "step");
    assert_eq!(of_step.unwrap().runs_per_1000, 667);
    assert!(has_average(&advice.to_string()), "{advice}");
}

#[test]
fn run_frequencies_are_kept_in_a_change() {
    let (mut frame, mut resources) = with_physics();
    for _ in 0..3 {
        frame.run(&mut resources).unwrap();
    }
    let before = frame.profile().unwrap();
    frame.change(|all| all.add_closure("new", || ())).unwrap();
    let after = frame.profile().unwrap();
    assert_eq!(after.costs[..4], before.costs);
    assert_eq!(after.costs[4].runs_per_1000, 1_000);
}

#[test]
fn profile_without_run_frequencies_can_be_read() {
    let text = r#"{"schedule":"frame","costs":[{"system":"a","ns":10},{"system":"b","ns":7,"runs_per_1000":250}]}"#;
    let read: Profile = serde_json::from_str(text).unwrap();
    let [a, b] = &read.costs[..] else {
        unreachable!("there are two");
    };
    assert_eq!((a.runs_per_1000, b.runs_per_1000), (1_000, 250));
    let mut frame = named("frame", &["a", "b"]);
    frame.set_profile(&read).unwrap();
    assert_eq!(frame.profile().as_ref(), Some(&read));
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&written).unwrap(), read);
}
