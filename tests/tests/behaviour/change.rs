//! Nodes that are added to and removed from a built schedule. For random changes, see `change::random` and `levels`.

mod levels;
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::error::Problem;
use schedule::prelude::*;
use schedule::report::{Profile, SystemCost};
use schedule::{Builder, Condition, Target};

use crate::trace::{Trace, named};
use crate::{Log, schedule_of, take_log, with_log};
use schedule_tests::on::On;

#[derive(Group)]
struct Weather;

#[derive(Group)]
struct Storm;

#[derive(Resource)]
struct Sky(u32);

#[system]
fn fire(sky: &mut Sky) {
    sky.0 += 1;
}

#[system(after = fire)]
fn smoke(sky: &mut Sky) {
    sky.0 *= 10;
}

#[system(after = fire)]
fn ash() {}

#[system]
fn is_second(mut n_asked: Local<u32>) -> bool {
    *n_asked += 1;
    *n_asked == 2
}

#[system(if = is_second)]
fn rain(log: &mut Log) {
    log.push("rain");
}

#[system(if = is_second, after = rain)]
fn hail(log: &mut Log) {
    log.push("hail");
}

schedule! {
    /// A listed schedule.
    Year {
        fire,
        smoke,
    }
}

fn names(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

/// Returns the problems of a rejected change. The schedule must be unchanged.
fn refused(schedule: &mut Schedule, change: impl FnOnce(&mut Builder) -> &mut Builder) -> String {
    let before = format!("{schedule:?}");
    let error = schedule.change(change).unwrap_err();
    assert_eq!(format!("{schedule:?}"), before);
    error.to_string()
}

#[test]
fn added_nodes_run_in_order_and_kept_nodes_keep_their_state() {
    let trace = Trace::default();
    let (counted, mut n_runs) = (trace.clone(), 0);
    let count = move || {
        n_runs += 1;
        counted.push(&format!("count {n_runs}"));
    };
    let mut schedule = schedule_of(|builder| builder.add_closure("count", count));
    for &on in On::ALL {
        on.set(&mut schedule);
        schedule.run(&mut named(&[])).unwrap();
    }
    trace.take();
    schedule
        .change(|builder| {
            builder.add_dynamic(trace.system("first"));
            builder.order("first", "count")
        })
        .unwrap();
    schedule.run(&mut named(&[])).unwrap();
    let n_before = On::ALL.len();
    assert_eq!(
        trace.take(),
        ["first".to_string(), format!("count {}", n_before + 1)]
    );
}

#[test]
fn implied_condition_keeps_its_state_until_its_last_user_is_removed() {
    let mut schedule = schedule_of(|builder| builder.add::<rain>());
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    schedule.change(|builder| builder.add::<hail>()).unwrap();
    assert_eq!(names(&schedule), ["is_second", "rain", "hail"]);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["rain", "hail"]);
    schedule
        .change(|builder| builder.remove("hail").remove("rain"))
        .unwrap();
    assert_eq!(names(&schedule), Vec::<&str>::new());
}

#[test]
fn a_condition_made_of_a_closure_keeps_its_state() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("often"))
        .run_if(Condition::every(3));
    let mut schedule = builder.build().unwrap();
    let mut ran = Vec::new();
    for name in ["a", "b", "c", "d"] {
        schedule.run(&mut named(&[])).unwrap();
        ran.push(trace.take());
        schedule
            .change(|builder| builder.add_closure(name, || ()))
            .unwrap();
    }
    assert_eq!(ran.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn disabled_nodes_stay_disabled_after_a_change() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>().add::<smoke>());
    schedule.set_enabled("smoke", false).unwrap();
    schedule
        .change(|builder| builder.add::<ash>().before::<smoke>())
        .unwrap();
    assert!(!schedule.is_enabled("smoke").unwrap());
    let mut resources = Resources::new();
    resources.insert(Sky(0));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Sky>().unwrap().0, 1);
}

#[test]
fn node_numbers_are_stable_across_changes() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    let [a, b, c] =
        ["a", "b", "c"].map(|name| builder.add_dynamic(trace.system(name)).last().unwrap());
    let mut schedule = builder.build().unwrap();
    schedule.change(|builder| builder.remove(a)).unwrap();
    let mut d = None;
    schedule
        .change(|builder| {
            d = builder.add_dynamic(trace.system("d")).last();
            builder.order(c, b).order(d.unwrap(), c)
        })
        .unwrap();
    assert_eq!(names(&schedule), ["d", "c", "b"]);
    schedule.set_enabled(c, false).unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&[])), ["d", "b"]);
    let error = schedule.set_enabled(a, true).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::RemovedEarlier { .. }),
        "{error}"
    );
}

#[test]
fn checkpoint_that_replaces_a_removed_node_has_a_new_number() {
    let mut builder = Schedule::builder();
    let ids = ["a", "b", "c", "between", "d", "e", "f", "g"]
        .map(|name| builder.add_closure(name, || ()).last().unwrap());
    let between = ids[3];
    for &first in &ids[..3] {
        builder.order(first, between);
    }
    for &then in &ids[4..] {
        builder.order(between, then);
    }
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| builder.remove_and_bridge(between))
        .unwrap();
    let check = |schedule: &Schedule, n_removed: usize| {
        assert!(schedule.is_enabled("in place of between").unwrap());
        let error = schedule.is_enabled(between).unwrap_err();
        assert!(
            matches!(error.problem(), Problem::RemovedEarlier { .. }),
            "{error}"
        );
        let there = ids.iter().filter(|id| schedule.is_enabled(**id).is_ok());
        assert_eq!(there.count(), ids.len() - n_removed);
    };
    check(&schedule, 1);
    // Indices change as soon as the first removed node is dropped.
    schedule.change(|builder| builder.remove("a")).unwrap();
    check(&schedule, 2);
    assert_eq!(names(&schedule), ["b", "c", "d", "e", "f", "g"]);
}

#[test]
fn order_that_names_a_number_of_an_earlier_change_is_an_error() {
    let mut builder = Schedule::builder();
    let [a, b] = ["a", "b"].map(|name| builder.add_closure(name, || true).last().unwrap());
    let mut schedule = builder.build().unwrap();
    schedule.change(|builder| builder.remove(a)).unwrap();
    let help = |error: String| error.split("help: ").nth(1).unwrap().to_string();
    let text = refused(&mut schedule, |builder| builder.order(a, b));
    assert!(
        text.contains("the node whose `NodeId` is used at "),
        "{text}"
    );
    assert!(help(text).starts_with("also remove this order"));
    let text = refused(&mut schedule, |builder| {
        builder
            .add_closure("c", || ())
            .run_if(Condition::added(a))
            .remove(b)
    });
    assert_eq!(help(text), "also remove this run condition");
}

#[test]
fn removing_only_the_target_of_an_order_is_an_error() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>().add::<smoke>().add::<ash>());
    let text = refused(&mut schedule, |builder| builder.remove("fire"));
    let place = |system: &str, line| format!("`{system}` ({}:{line})", file!());
    assert!(
        text.starts_with("2 problems in schedule `schedule`\n"),
        "{text}"
    );
    assert!(
        text.contains(&format!("{} was removed, but", place("fire", 27))),
        "{text}"
    );
    schedule
        .change(|builder| builder.remove("fire").remove("smoke").remove("ash"))
        .unwrap();
    assert_eq!(names(&schedule), Vec::<&str>::new());
}

#[test]
fn optional_and_pairwise_orders_are_removed_with_their_node() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add::<fire>()
        .add_dynamic(trace.system("present"))
        .after_if_present::<fire>()
        .add_dynamic(trace.system("named"))
        .order("fire", "named")
        .order(Target::of::<fire>(), "present")
        .accept("fire", "named", "they say so")
        .failure_policy_for("fire", schedule::FailurePolicy::CarryOn);
    let mut schedule = builder.build().unwrap();
    schedule.change(|builder| builder.remove("fire")).unwrap();
    assert_eq!(names(&schedule), ["present", "named"]);
}

#[test]
fn order_by_name_is_kept_if_another_node_matches() {
    let mut schedule = schedule_of(|builder| {
        builder
            .add::<fire>()
            .add_closure("last", || ())
            .order("last", Target::of::<fire>())
    });
    schedule
        .change(|builder| builder.add::<fire>().named("second").remove("fire"))
        .unwrap();
    assert_eq!(names(&schedule), ["last", "second"]);
}

#[test]
fn change_with_a_race_is_rejected_and_the_schedule_still_runs() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>());
    let text = refused(&mut schedule, |builder| {
        builder.add_closure("blow", |sky: &mut Sky| sky.0 = 0)
    });
    assert!(text.contains("race on `Sky`"), "{text}");
    let mut resources = Resources::new();
    resources.insert(Sky(0));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Sky>().unwrap().0, 1);
}

#[test]
fn nodes_ordered_only_through_a_removed_node_race() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("first", |sky: &mut Sky| sky.0 = 1)
        .add_closure("between", || ())
        .add_closure("last", |sky: &mut Sky| sky.0 = 2)
        .order("first", "between")
        .order("between", "last");
    let mut schedule = builder.build().unwrap();
    let text = refused(&mut schedule, |builder| builder.remove("between"));
    assert!(text.contains("race on `Sky`"), "{text}");
    schedule
        .change(|builder| builder.remove("between").order("last", "first"))
        .unwrap();
    assert_eq!(names(&schedule), ["last", "first"]);
}

#[test]
fn nodes_that_never_both_run_race_after_their_condition_is_split() {
    let mut builder = Schedule::builder();
    builder
        .add::<is_second>()
        .add_closure("then", |sky: &mut Sky| sky.0 = 1)
        .run_if(Condition::of::<is_second>());
    builder.repeat_while_closure(
        "loop",
        || false,
        |body| {
            body.add_closure("else", |sky: &mut Sky| sky.0 = 2)
                .run_if(!Condition::of::<is_second>())
        },
    );
    let mut schedule = builder.build().unwrap();
    // Each level now has its own condition.
    let text = refused(&mut schedule, |builder| {
        builder.remove(Target::of::<is_second>())
    });
    assert!(text.contains("race on `Sky`"), "{text}");
}

#[test]
fn removed_condition_that_is_still_used_becomes_implied() {
    let mut builder = Schedule::builder();
    builder
        .add::<is_second>()
        .add_closure("between", || ())
        .add::<rain>();
    let mut schedule = builder.build().unwrap();
    assert_eq!(names(&schedule), ["is_second", "between", "rain"]);
    schedule
        .change(|builder| builder.remove(Target::of::<is_second>()))
        .unwrap();
    assert_eq!(names(&schedule), ["between", "is_second", "rain"]);
}

#[test]
fn removing_only_the_condition_of_a_guard_is_an_error() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("is_on", || true)
        .add_closure("lamp", || ())
        .run_if(Condition::added("is_on"));
    let mut schedule = builder.build().unwrap();
    let text = refused(&mut schedule, |builder| builder.remove("is_on"));
    assert!(text.contains("was removed, but"), "{text}");
}

#[test]
fn removing_a_missing_node_is_an_error() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>());
    let text = refused(&mut schedule, |builder| builder.remove("fier"));
    assert!(text.contains("did you mean `fire`?"), "{text}");
}

#[test]
fn change_that_panics_does_not_change_the_schedule() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>().add::<smoke>());
    let before = format!("{schedule:?}");
    let change = AssertUnwindSafe(|| {
        schedule.change(|builder| {
            builder.remove("smoke");
            panic!("no");
        })
    });
    assert!(catch_unwind(change).is_err());
    assert_eq!(format!("{schedule:?}"), before);
    let mut resources = Resources::new();
    resources.insert(Sky(1));
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Sky>().unwrap().0, 20);
}

#[test]
fn builder_of_a_change_cannot_be_built_or_moved_out() {
    let mut schedule = schedule_of(|builder| builder.add::<fire>());
    let mut taken = Schedule::builder();
    let text = refused(&mut schedule, |builder| {
        assert!(
            builder
                .build()
                .unwrap_err()
                .to_string()
                .contains("leave it in place")
        );
        builder
    });
    assert!(
        text.contains("was built, moved or replaced inside the change"),
        "{text}"
    );
    refused(&mut schedule, |builder| {
        std::mem::swap(builder, &mut taken);
        builder
    });
    assert!(taken.build().is_err());
    schedule.change(|builder| builder).unwrap();
    let mut resources = Resources::new();
    resources.insert(Sky(0));
    schedule.run(&mut resources).unwrap();
}

#[test]
fn a_listed_schedule_can_be_changed() {
    let mut schedule = Year::new();
    schedule
        .change(|builder| builder.remove("smoke").add::<ash>().name("short year"))
        .unwrap();
    assert_eq!(names(&schedule), ["fire", "ash"]);
    assert_eq!(schedule.name(), "short year");
}

fn costs_of(schedule: &Schedule) -> Option<Vec<(String, u32)>> {
    let costs = schedule.profile()?.costs.into_iter();
    Some(costs.map(|cost| (cost.system, cost.ns)).collect())
}

fn costing(system: &str, ns: u32) -> SystemCost {
    SystemCost::new(system, ns)
}

#[test]
fn costs_survive_a_change_and_new_systems_get_the_median() {
    let mut schedule = schedule_of(|builder| {
        for name in ["a", "b", "c"] {
            builder.add_closure(name, || ());
        }
        builder
    });
    schedule
        .change(|builder| builder.add_closure("d", || ()))
        .unwrap();
    assert_eq!(costs_of(&schedule), None, "nothing has run");
    let costs = [("a", 10), ("b", 20), ("c", 30), ("d", 40)];
    let profile = Profile {
        schedule: "schedule".to_string(),
        costs: costs.map(|(system, ns)| costing(system, ns)).to_vec(),
    };
    schedule.set_profile(&profile).unwrap();
    schedule
        .change(|builder| {
            builder.remove("b").add_closure("e", || ());
            builder.order("e", "a").order("d", "c")
        })
        .unwrap();
    assert_eq!(names(&schedule), ["d", "c", "e", "a"]);
    let costs =
        [("a", 10), ("c", 30), ("d", 40), ("e", 30)].map(|(system, ns)| (system.to_string(), ns));
    assert_eq!(costs_of(&schedule), Some(costs.to_vec()));
    // Previous runs are still counted.
    schedule.run(&mut named(&[])).unwrap();
    schedule.change(|builder| builder.remove("e")).unwrap();
    assert_eq!(schedule.report().n_serial_runs, 1);
}
