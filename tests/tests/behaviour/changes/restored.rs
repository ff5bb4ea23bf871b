//! Changes after a restore: a restored schedule finds the same as the original.

use schedule::SavedResources;
use schedule::condition::{added, changed, removed};
use schedule::prelude::*;
use schedule::snapshot::{Snapshot, SnapshotReader, SnapshotWriter};
use schedule_tests::on::On;
use serde::{Deserialize, Serialize};

use crate::{Log, insertion_order, take_log};

#[derive(Debug, Default, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "map")]
struct SavedMap(u32);

#[derive(Debug, Default, PartialEq, Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "open")]
struct SavedOpen(bool);

#[system]
fn is_open(open: &SavedOpen) -> bool {
    open.0
}

#[system(if = and(changed<SavedMap>, is_open))]
fn on_changed(log: &mut Log) {
    log.push("changed");
}

#[system(if = added<SavedMap>)]
fn on_added(log: &mut Log) {
    log.push("added");
}

#[system(if = and(removed<SavedMap>, is_open))]
fn on_removed(log: &mut Log) {
    log.push("removed");
}

#[system]
fn look(map: Option<Ref<SavedMap>>, log: &mut Log) {
    if map.is_some_and(|map| map.is_changed()) {
        log.push("looked");
    }
}

#[system]
fn write(map: Option<Mut<SavedMap>>, open: &SavedOpen) {
    if let Some(mut map) = map
        && open.0
        && map.0.is_multiple_of(3)
    {
        map.0 += 1;
    }
}

fn schedule() -> Schedule {
    insertion_order(|all| {
        all.add::<on_changed>()
            .add::<on_added>()
            .add::<on_removed>()
            .add::<look>()
            .add::<write>()
    })
}

fn saved() -> SavedResources {
    SavedResources::new()
        .with::<SavedOpen>()
        .with_optional::<SavedMap>()
}

fn save(schedule: &mut Schedule, resources: &Resources) -> Vec<u8> {
    let mut writer = SnapshotWriter::new();
    writer.section(&schedule.save_state().unwrap()).unwrap();
    saved().save_to(resources, &mut writer).unwrap();
    writer.finish()
}

fn restore(bytes: &[u8], schedule: &mut Schedule, resources: &mut Resources) {
    let reader = SnapshotReader::new(bytes).unwrap();
    schedule.restore_state(&reader.restore().unwrap()).unwrap();
    saved().restore_from(&reader, resources).unwrap();
}

/// What the program does before a run.
fn act(nth: usize, resources: &mut Resources) {
    match nth % 7 {
        2 | 3 => resources.get_mut::<SavedOpen>().unwrap().0 ^= true,
        4 => _ = resources.remove::<SavedMap>(),
        5 => _ = resources.insert(SavedMap(nth as u32)),
        6 => {
            if let Some(map) = resources.get_mut::<SavedMap>() {
                map.0 += 1;
            }
        }
        _ => {}
    }
}

fn run(nth: usize, schedule: &mut Schedule, resources: &mut Resources) -> Vec<&'static str> {
    act(nth, resources);
    schedule.run(resources).unwrap();
    take_log(resources)
}

#[test]
fn restored_schedule_finds_the_same_changes() {
    let n_runs = 20;
    for &on in On::EACH {
        let mut original = schedule();
        on.set(&mut original);
        let mut resources = crate::with_log();
        resources.insert(SavedOpen(false));
        let (mut states, mut logs, mut was_present) = (Vec::new(), Vec::new(), Vec::new());
        for nth in 0..n_runs {
            states.push(save(&mut original, &resources));
            was_present.push(resources.contains::<SavedMap>());
            logs.push(run(nth, &mut original, &mut resources));
        }
        let all: Vec<_> = logs.iter().flatten().copied().collect();
        for text in ["changed", "added", "removed", "looked"] {
            assert!(all.contains(&text), "{text}");
        }
        for (first, bytes) in states.iter().enumerate() {
            // In a new program.
            let mut schedule = schedule();
            on.set(&mut schedule);
            let mut resources = crate::with_log();
            restore(bytes, &mut schedule, &mut resources);
            assert_eq!(save(&mut schedule, &resources), *bytes);
            for (nth, log) in logs.iter().enumerate().skip(first) {
                assert_eq!(run(nth, &mut schedule, &mut resources), *log, "{nth}");
            }
            // In the same program, which has gone on.
            if !was_present[first] {
                resources.remove::<SavedMap>();
            }
            restore(bytes, &mut schedule, &mut resources);
            if was_present[first] {
                for (nth, log) in logs.iter().enumerate().skip(first) {
                    assert_eq!(run(nth, &mut schedule, &mut resources), *log, "{nth}");
                }
            }
        }
    }
}

#[test]
fn state_is_the_same_on_all_executors() {
    let states = On::EACH.iter().map(|on| {
        let mut schedule = schedule();
        on.set(&mut schedule);
        let mut resources = crate::with_log();
        resources.insert(SavedOpen(false));
        (0..9).for_each(|nth| _ = run(nth, &mut schedule, &mut resources));
        save(&mut schedule, &resources)
    });
    let states: Vec<_> = states.collect();
    assert!(states.iter().all(|state| *state == states[0]));
}

#[test]
fn restored_resources_have_changed_for_a_schedule_that_is_not_restored() {
    let mut schedule = insertion_order(|all| all.add::<look>());
    let mut resources = crate::with_log();
    resources.insert(SavedOpen(false));
    resources.insert(SavedMap(1));
    schedule.run(&mut resources).unwrap();
    let bytes = saved().save(&resources).unwrap();
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    saved().restore(&bytes, &mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["looked"]);
}

#[test]
fn snapshot_without_watched_resources_has_no_versions() {
    let mut resources = Resources::new();
    resources.insert(SavedOpen(true));
    resources.insert(SavedMap(1));
    let without = saved().save(&resources).unwrap();
    let names = |bytes: &[u8]| {
        let reader = SnapshotReader::new(bytes).unwrap();
        let names = reader.sections().map(|section| section.name.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&without), ["open", "map"]);
    resources.insert(Log::default());
    let mut schedule = insertion_order(|all| all.add::<look>());
    schedule.run(&mut resources).unwrap();
    let with = saved().save(&resources).unwrap();
    assert_eq!(names(&with), ["open", "map", "watched"]);
    // Without versions, the restored resources have changed.
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources);
    saved().restore(&without, &mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["looked"]);
}

#[test]
fn renamed_resource_keeps_its_versions() {
    #[derive(Resource, Snapshot, Serialize, Deserialize)]
    #[snapshot(name = "renamed")]
    struct Renamed(u32);
    #[system]
    fn look_renamed(map: Ref<Renamed>, log: &mut Log) {
        log.push(if map.is_changed() { "looked" } else { "same" });
    }
    let mut resources = crate::with_log();
    resources.insert(SavedMap(1));
    let mut old = insertion_order(|all| all.add::<look>());
    old.run(&mut resources).unwrap();
    let state = old.save_state().unwrap().renamed("look", "look_renamed");
    let bytes = SavedResources::new().with::<SavedMap>();
    let bytes = bytes.save(&resources).unwrap();
    let mut new = insertion_order(|all| all.add::<look_renamed>());
    let mut resources = crate::with_log();
    new.restore_state(&state).unwrap();
    SavedResources::new()
        .with::<Renamed>()
        .renamed("map", "renamed")
        .restore(&bytes, &mut resources)
        .unwrap();
    new.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["same"]);
}
