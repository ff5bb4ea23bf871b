//! The order of a run is the order of addition, except where orders require another one. A system runs as often as it was added.

use schedule::Target;
use schedule::error::Problem;
use schedule::prelude::*;
use schedule_tests::combat;

use crate::trace::{Trace, named, races};
use crate::{Log, insertion_order, schedule_of, take_log, with_log};

#[derive(Group)]
struct Farm;

#[derive(Checkpoint)]
struct Noon;

mod far {
    use schedule::prelude::*;
    use schedule_tests::combat::Health;

    #[system(after = super::dawn, before = (super::Noon, schedule_tests::poison))]
    pub(super) fn graze() {}

    #[system(
        after_if_conflicting = (schedule_tests::poison, super::dawn),
        before_if_conflicting = schedule_tests::combat::heal,
    )]
    pub(super) fn bandage(health: &mut Health) {
        health.0 += 0;
    }
}

#[system]
fn dawn() {}

#[system(in = Farm, after_if_present = (dawn, far::graze), before_if_present = dusk)]
fn milk() {}

#[system(in = (Farm,), after = Noon, before = ())]
fn feed() {}

#[system(after = Farm)]
fn dusk() {}

#[system]
fn sow(log: &mut Log) {
    log.push("sow");
}

#[system]
fn reap(log: &mut Log) {
    log.push("reap");
}

#[system]
fn is_dry(log: &mut Log) -> bool {
    log.push("is_dry");
    false
}

#[system]
fn look(log: &Log, again: &Log) {
    assert_eq!(log, again);
}

#[test]
fn system_remains_a_plain_function() {
    let mut log = Log::default();
    sow(&mut log);
    let as_a_value: fn(&mut Log) = reap;
    as_a_value(&mut log);
    assert!(!is_dry(&mut log));
    assert_eq!(*log, ["sow", "reap", "is_dry"]);
}

#[test]
fn systems_run_in_the_order_of_addition() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<reap>().add::<look>().add::<sow>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["reap", "sow"]);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["reap", "sow"]);
}

#[test]
fn system_runs_once_per_addition() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<sow>().add::<reap>().add::<sow>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["sow", "reap", "sow"]);
}

#[test]
fn unused_condition_has_no_effect() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| all.add::<is_dry>().add::<sow>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["is_dry", "sow"]);
}

#[test]
fn an_empty_schedule_runs() {
    let mut schedule = schedule_of(|none| none);
    schedule.run(&mut Resources::new()).unwrap();
    assert_eq!(schedule.systems().count(), 0);
    assert_eq!(schedule.name(), "schedule");
}

#[test]
fn builder_is_empty_after_a_build() {
    let mut builder = Schedule::builder();
    builder.name("year").chain::<(sow, reap)>();
    let schedule = builder.build().unwrap();
    assert_eq!(schedule.name(), "year");
    assert_eq!(schedule.systems().collect::<Vec<_>>(), ["sow", "reap"]);
    let empty = builder.build().unwrap();
    assert_eq!((empty.name(), empty.systems().count()), ("schedule", 0));
}

/// Returns the names of the systems in the order of the run.
fn names(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

#[test]
fn attributes_order_across_modules_and_crates() {
    let schedule = schedule_of(|all| {
        all.add::<dusk>()
            .add::<feed>()
            .add::<milk>()
            .add::<combat::heal>()
            .add::<combat::poison>()
            .checkpoint::<Noon>()
            .add::<far::graze>()
            .add::<dawn>()
    });
    assert_eq!(
        names(&schedule),
        ["dawn", "graze", "milk", "poison", "heal", "feed", "dusk"]
    );
}

#[test]
fn order_if_present_is_ignored_if_its_target_is_absent() {
    let schedule = schedule_of(|all| all.add::<dusk>().add::<milk>());
    assert_eq!(names(&schedule), ["milk", "dusk"]);
}

#[test]
fn order_if_conflicting_is_ignored_without_a_conflict() {
    let schedule = schedule_of(|all| {
        all.add::<combat::heal>()
            .add::<far::bandage>()
            .add::<dawn>()
            .add::<combat::poison>()
    });
    assert_eq!(
        names(&schedule),
        ["dawn", "poison", "bandage", "heal"],
        "`bandage` does not wait for `dawn`, which is merely smaller"
    );
    let schedule = schedule_of(|all| {
        all.add::<combat::poison>()
            .add::<far::bandage>()
            .add::<combat::heal>()
            .add::<dawn>()
    });
    assert_eq!(names(&schedule), ["poison", "bandage", "heal", "dawn"]);
}

#[test]
fn targets_are_found_regardless_of_the_order_of_addition() {
    let add = |order: [usize; 4]| {
        let mut builder = Schedule::builder();
        for idx in order {
            match idx {
                0 => builder.add::<dusk>(),
                1 => builder.add::<far::graze>(),
                2 => builder.checkpoint::<Noon>(),
                _ => builder.add::<dawn>().in_group::<Farm>(),
            };
        }
        builder.add::<combat::poison>().build()
    };
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let schedule = add(order).unwrap();
        let rank = |name| {
            names(&schedule)
                .iter()
                .position(|one| *one == name)
                .unwrap()
        };
        assert!(rank("dawn") < rank("graze"));
        assert!(rank("graze") < rank("poison"));
        assert!(rank("dawn") < rank("dusk"));
    }
}

#[test]
fn builder_orders_equal_attribute_orders() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("d").reads("R"))
        .after_if_conflicting::<dawn>()
        .add_dynamic(trace.system("c"))
        .after_if_present::<dusk>()
        .after::<dawn>()
        .add::<dawn>()
        .add_dynamic(trace.system("b"))
        .before::<dawn>()
        .add_dynamic(trace.system("a").writes("R"))
        .before_if_conflicting::<dawn>()
        .before_if_present::<dawn>()
        .order_if_conflicting("a", "d");
    let mut schedule = builder.build().unwrap();
    assert_eq!(
        trace.of(&mut schedule, &mut named(&["R"])),
        ["b", "a", "d", "c"]
    );
}

#[test]
fn duplicate_and_redundant_orders_change_nothing() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    for name in ["c", "b", "a"] {
        builder.add_dynamic(trace.system(name).writes("R"));
    }
    builder.order("a", "b").order("b", "c");
    for _ in 0..3 {
        builder
            .order("a", "b")
            .order("a", "c")
            .order_if_conflicting("a", "b")
            .order_if_conflicting("a", "c");
    }
    let mut schedule = builder.build().unwrap();
    assert_eq!(trace.of(&mut schedule, &mut named(&["R"])), ["a", "b", "c"]);
    assert_eq!(schedule.n_policy_orders(), 0);
}

#[test]
fn weak_order_against_a_declared_one_is_an_error() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("a"))
        .add_dynamic(trace.system("b"))
        .order("a", "b")
        .order_if_conflicting("b", "a");
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Cycle(_)]),
        "also where they do not conflict: {error}"
    );
}

#[test]
fn function_added_twice_races_with_itself_unless_ordered() {
    let mut builder = Schedule::builder();
    builder.add::<sow>().add::<sow>();
    assert_eq!(
        races(&mut builder),
        [("sow".to_string(), "sow".to_string())]
    );
    let mut schedule = schedule_of(|all| all.chain::<(sow, (reap, sow), sow)>());
    let mut resources = with_log();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["sow", "reap", "sow", "sow"]);
}

#[test]
fn a_race_names_its_nodes() {
    let mut builder = Schedule::builder();
    let mut nodes = Vec::new();
    builder.add::<dawn>().group::<Farm>();
    assert_eq!(builder.last(), None, "a group is not a node");
    for _ in 0..3 {
        nodes.push(builder.add::<sow>().in_group::<Farm>().last().unwrap());
    }
    builder.order(nodes[0], nodes[1]).order(nodes[1], nodes[2]);
    builder.add::<sow>().order(nodes[0], nodes[2]);
    let last = builder.last().unwrap();
    let error = builder.build().unwrap_err();
    let pairs: Vec<_> = error
        .races()
        .map(|race| (race.first_node, race.second_node))
        .collect();
    let expected: Vec<_> = nodes.into_iter().map(|node| (node, last)).collect();
    assert_eq!(pairs, expected);
}

#[test]
fn ambiguous_reference_is_an_error_and_a_number_is_not() {
    let mut builder = Schedule::builder();
    builder.add::<dawn>();
    let first = builder.last().unwrap();
    builder.add::<dawn>();
    let second = builder.last().unwrap();
    builder
        .add::<far::graze>()
        .checkpoint::<Noon>()
        .add::<combat::poison>();
    let error = builder.build().unwrap_err();
    let [
        Problem::Ambiguous {
            name, candidates, ..
        },
    ] = error.problems()
    else {
        panic!("{error}");
    };
    assert_eq!((name.as_str(), candidates.len()), ("dawn", 2));

    let mut builder = Schedule::builder();
    builder.add::<dawn>().add::<dawn>().order(second, first);
    assert!(builder.build().is_ok());
}

#[test]
fn order_by_name_uses_the_last_name() {
    let trace = Trace::default();
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(trace.system("evening"))
        .named("night")
        .add::<dawn>()
        .named("evening")
        .order("evening", "night");
    assert!(builder.try_order("dawn", "night").is_err());
    assert!(builder.try_order(Target::of::<dawn>(), "night").is_ok());
    assert_eq!(names(&builder.build().unwrap()), ["evening", "night"]);
}
