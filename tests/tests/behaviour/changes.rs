//! Changes of resources: the conditions `changed`, `added` and `removed`, and the parameters `Ref` and `Mut`.

#[cfg(not(miri))]
mod random;
mod restored;
mod sources;
mod started;

use schedule::condition::{added, changed, removed};
use schedule::param::Ref;
use schedule::prelude::*;
use schedule::run_one;
use schedule_tests::on::On;
use schedule_tests::schedule_of;

use crate::{Log, insertion_order, take_log, with_log};

/// The watched resource.
#[derive(Clone, Debug, Default, PartialEq, Resource)]
struct Map(u32);

#[system(if = changed<Map>)]
fn on_changed(log: &mut Log) {
    log.push("changed");
}

#[system(if = added<Map>)]
fn on_added(log: &mut Log) {
    log.push("added");
}

#[system(if = removed<Map>)]
fn on_removed(log: &mut Log) {
    log.push("removed");
}

#[system]
fn write(map: &mut Map) {
    map.0 += 1;
}

/// Logs what a parameter finds.
#[system]
fn look(map: Option<Ref<Map>>, log: &mut Log) {
    let Some(map) = map else {
        log.push("missing");
        return;
    };
    assert!(map.is_changed() || !map.is_added());
    log.push(if map.is_added() {
        "added"
    } else if map.is_changed() {
        "changed"
    } else {
        "same"
    });
}

fn watchers() -> Schedule {
    insertion_order(|all| {
        all.add::<on_changed>()
            .add::<on_added>()
            .add::<on_removed>()
    })
}

/// Runs the schedule, and returns the entries of the log.
fn logged(schedule: &mut Schedule, resources: &mut Resources) -> Vec<&'static str> {
    schedule.run(resources).unwrap();
    take_log(resources)
}

fn with_map() -> Resources {
    let mut resources = with_log();
    resources.insert(Map::default());
    resources
}

#[test]
fn first_look_counts_all_as_changed_and_added_and_nothing_as_removed() {
    let mut resources = with_map();
    let mut schedule = watchers();
    assert_eq!(logged(&mut schedule, &mut resources), ["changed", "added"]);
    assert!(logged(&mut schedule, &mut resources).is_empty());
}

#[test]
fn missing_resource_is_neither_changed_nor_added_nor_removed() {
    let mut resources = with_log();
    let mut schedule = watchers();
    for _ in 0..2 {
        assert!(logged(&mut schedule, &mut resources).is_empty());
    }
}

#[test]
fn inserted_resource_is_added_and_changed() {
    let mut resources = with_log();
    let mut schedule = watchers();
    schedule.run(&mut resources).unwrap();
    resources.insert(Map(1));
    assert_eq!(logged(&mut schedule, &mut resources), ["changed", "added"]);
    assert!(logged(&mut schedule, &mut resources).is_empty());
}

#[test]
fn value_that_replaces_another_is_changed_but_not_added() {
    let mut resources = with_map();
    let mut schedule = watchers();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    assert!(resources.insert(Map(1)).is_some());
    assert_eq!(logged(&mut schedule, &mut resources), ["changed"]);
}

#[test]
fn removed_resource_is_removed_once() {
    let mut resources = with_map();
    let mut schedule = watchers();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    resources.remove::<Map>();
    assert_eq!(logged(&mut schedule, &mut resources), ["removed"]);
    assert!(logged(&mut schedule, &mut resources).is_empty());
    // Its version has survived the removal.
    resources.insert(Map(1));
    assert_eq!(logged(&mut schedule, &mut resources), ["changed", "added"]);
}

#[test]
fn resource_that_is_removed_and_inserted_between_two_looks_is_all_three() {
    let mut resources = with_map();
    let mut schedule = watchers();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    let map = resources.remove::<Map>().unwrap();
    resources.insert(map);
    let found = logged(&mut schedule, &mut resources);
    assert_eq!(found, ["changed", "added", "removed"]);
}

#[test]
fn removal_before_the_first_look_does_not_count() {
    let mut resources = with_map();
    resources.remove::<Map>();
    let mut schedule = watchers();
    assert!(logged(&mut schedule, &mut resources).is_empty());
    // Nor does one that another watcher has seen.
    resources.insert(Map(1));
    resources.remove::<Map>();
    let mut later = schedule_of(|all| all.add::<on_removed>());
    assert!(logged(&mut later, &mut resources).is_empty());
    assert_eq!(logged(&mut schedule, &mut resources), ["removed"]);
}

#[test]
fn read_of_the_program_is_no_change() {
    let mut resources = with_map();
    let mut schedule = watchers();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    assert_eq!(resources.get::<Map>(), Some(&Map(0)));
    assert!(resources.contains::<Map>());
    assert!(logged(&mut schedule, &mut resources).is_empty());
}

#[test]
fn parameter_finds_the_same_as_conditions() {
    for &on in On::ALL {
        let mut schedule = schedule_of(|all| all.add::<look>());
        on.set(&mut schedule);
        let mut resources = with_map();
        assert_eq!(logged(&mut schedule, &mut resources), ["added"]);
        assert_eq!(logged(&mut schedule, &mut resources), ["same"]);
        resources.get_mut::<Map>().unwrap().0 = 1;
        assert_eq!(logged(&mut schedule, &mut resources), ["changed"]);
        resources.remove::<Map>();
        assert_eq!(logged(&mut schedule, &mut resources), ["missing"]);
        resources.insert(Map(1));
        assert_eq!(logged(&mut schedule, &mut resources), ["added"]);
        assert_eq!(logged(&mut schedule, &mut resources), ["same"]);
    }
}

#[test]
fn two_watchers_have_memories_of_their_own() {
    let mut resources = with_map();
    let mut schedule = insertion_order(|all| all.add::<look>().add::<look>());
    let mut other = schedule_of(|all| all.add::<look>());
    assert_eq!(logged(&mut schedule, &mut resources), ["added", "added"]);
    resources.get_mut::<Map>().unwrap().0 = 1;
    assert_eq!(
        logged(&mut schedule, &mut resources),
        ["changed", "changed"]
    );
    assert_eq!(logged(&mut other, &mut resources), ["added"]);
    assert_eq!(logged(&mut schedule, &mut resources), ["same", "same"]);
    run_one::<look>(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["added"]);
}

#[test]
fn watcher_between_two_writers_sees_each_write_once() {
    #[system]
    fn write_again(map: &mut Map) {
        map.0 += 1;
    }
    for &on in On::ALL {
        let mut schedule = insertion_order(|all| {
            all.add::<write>()
                .add::<look>()
                .add::<write_again>()
                .add::<look>()
                .add::<look>()
        });
        on.set(&mut schedule);
        let mut resources = with_map();
        schedule.run(&mut resources).unwrap();
        take_log(&mut resources);
        let found = logged(&mut schedule, &mut resources);
        // The first one also sees the write after it in the last run.
        assert_eq!(found, ["changed", "changed", "changed"]);
    }
}

#[test]
fn other_resources_are_looked_at_for_the_first_time() {
    let mut schedule = watchers();
    let [mut one, mut other] = [with_map(), with_map()];
    assert_eq!(logged(&mut schedule, &mut one), ["changed", "added"]);
    assert_eq!(logged(&mut schedule, &mut other), ["changed", "added"]);
    assert!(logged(&mut schedule, &mut other).is_empty());
}

#[test]
fn guarded_system_may_need_the_resource() {
    #[system(if = changed<Map>)]
    fn need(map: &Map, log: &mut Log) {
        assert_eq!(map.0, 7);
        log.push("need");
    }
    #[system(if = added<Map>)]
    fn need_added(_map: &Map, log: &mut Log) {
        log.push("need");
    }
    let mut schedule = insertion_order(|all| all.add::<need>().add::<need_added>());
    let mut resources = with_log();
    assert!(logged(&mut schedule, &mut resources).is_empty());
    resources.insert(Map(7));
    assert_eq!(logged(&mut schedule, &mut resources), ["need", "need"]);
}

#[test]
fn condition_races_with_a_writer() {
    #[system]
    fn write(map: &mut Map) {
        map.0 += 1;
    }
    let mut builder = Schedule::builder();
    let error = builder.add::<write>().add::<on_changed>().build();
    let text = error.unwrap_err().to_string();
    assert!(text.contains("changed<Map>"), "{text}");
}

#[test]
fn resets_make_the_next_look_the_first() {
    let mut schedule = insertion_order(|all| all.add::<look>().add::<on_changed>());
    let mut resources = with_map();
    assert_eq!(logged(&mut schedule, &mut resources), ["added", "changed"]);
    schedule.reset_locals();
    assert_eq!(logged(&mut schedule, &mut resources), ["added", "changed"]);
    assert_eq!(logged(&mut schedule, &mut resources), ["same"]);
}

#[test]
fn memory_survives_a_change_of_the_schedule() {
    let mut schedule = insertion_order(|all| all.add::<write>().add::<on_changed>().add::<look>());
    let mut resources = with_map();
    schedule.run(&mut resources).unwrap();
    schedule.change(|change| change.remove("write")).unwrap();
    take_log(&mut resources);
    assert_eq!(logged(&mut schedule, &mut resources), ["same"]);
    resources.get_mut::<Map>().unwrap().0 = 9;
    assert_eq!(
        logged(&mut schedule, &mut resources),
        ["changed", "changed"]
    );
    // The condition is not any more in the guard of the system.
    schedule
        .change(|change| change.remove("on_changed").add::<write>())
        .unwrap();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    assert_eq!(logged(&mut schedule, &mut resources), ["changed"]);
}
