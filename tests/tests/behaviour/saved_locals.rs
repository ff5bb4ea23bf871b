//! The state of a schedule: `Local` values are reset, `SavedLocal` values are saved, and which nodes are enabled.

use std::time::Duration;

use schedule::error::RestoreError;
use schedule::param::{NextRun, SavedLocal};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::snapshot::{
    Decoder, Encoder, Schema, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter,
};
use schedule::{Builder, ScheduleState, Target};
use serde::{Deserialize, Serialize};

use crate::schedule_of;
use schedule_tests::on::On;

const MS: Duration = Duration::from_millis(1);

#[derive(Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "counter")]
struct Counter(u32);

#[derive(Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "filter")]
struct Filter {
    sum: f64,
    n: u32,
}

/// The state of the simulation.
#[derive(Snapshot, Serialize, Deserialize, Resource, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "plant")]
struct Plant {
    value: f64,
    log: Vec<u32>,
}

#[derive(Group, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "control")]
struct Control;

#[derive(Params)]
struct Filters<'r> {
    first: SavedLocal<'r, Filter>,
    counters: (SavedLocal<'r, Counter>, SavedLocal<'r, Counter>),
}

#[system(in = Control)]
fn control(mut filters: Filters, plant: &mut Plant) {
    let Filter { sum, n } = &mut *filters.first;
    *n += 1;
    *sum += 0.3 * (plant.value - *sum) + f64::from(*n);
    plant.value -= 0.1 * *sum;
    filters.counters.1.0 += 2;
    plant.log.push(filters.counters.1.0 - filters.counters.0.0);
}

#[system(after = control)]
fn push(mut counter: SavedLocal<Counter>, plant: &mut Plant) {
    counter.0 += 1;
    plant.value += f64::from(counter.0 % 3);
}

/// Runs in every third run, and switches `push` off or on.
#[system(if = third, after = push)]
fn switch(mut counter: SavedLocal<Counter>, plant: &mut Plant, mut next_run: NextRun) {
    counter.0 += 1;
    plant.log.push(100 + counter.0);
    next_run.set_enabled(Target::of::<push>(), counter.0.is_multiple_of(2));
}

#[system]
fn third(mut counter: SavedLocal<Counter>) -> bool {
    counter.0 += 1;
    counter.0.is_multiple_of(3)
}

fn simulation() -> Schedule {
    schedule_of(|builder| {
        let is_more = |mut counter: SavedLocal<Counter>| {
            counter.0 += 1;
            !counter.0.is_multiple_of(3)
        };
        builder
            .add::<control>()
            .add::<push>()
            .add::<switch>()
            .group::<Control>()
            .run_if(Condition::of::<is_due<Control>>())
            .repeat_while_closure("loop", is_more, |body| {
                body.add_closure(
                    "step",
                    |mut counter: SavedLocal<Counter>, plant: &mut Plant| {
                        counter.0 += 1;
                        plant.log.push(1000 + counter.0);
                    },
                )
            })
            .order(Target::of::<switch>(), "loop")
    })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Plant::default());
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::every(2 * MS));
    resources
}

fn run(on: On, schedule: &mut Schedule, resources: &mut Resources) {
    on.run(schedule, resources).unwrap();
    resources.get_mut::<Clock>().unwrap().advance(MS);
}

fn save(schedule: &mut Schedule, resources: &Resources) -> Vec<u8> {
    let mut writer = SnapshotWriter::new();
    writer.section(&schedule.save_state().unwrap()).unwrap();
    writer.section(resources.get::<Plant>().unwrap()).unwrap();
    writer.section(resources.get::<Clock>().unwrap()).unwrap();
    let rate = resources.get::<Rate<Control>>().unwrap();
    writer.section(rate).unwrap();
    writer.finish()
}

fn restore(bytes: &[u8], schedule: &mut Schedule) -> Resources {
    let reader = SnapshotReader::new(bytes).unwrap();
    let state: ScheduleState = reader.restore().unwrap();
    schedule.restore_state(&state).unwrap();
    let mut resources = Resources::new();
    resources.insert(reader.restore::<Plant>().unwrap());
    resources.insert(reader.restore::<Clock>().unwrap());
    resources.insert(reader.restore::<Rate<Control>>().unwrap());
    resources
}

#[test]
fn saved_simulation_continues_with_the_same_result() {
    let n_runs = 20;
    for &on in On::EACH {
        if matches!(on, On::Timetabled(_)) {
            continue; // Only without loops.
        }
        let mut whole = simulation();
        on.set(&mut whole);
        let mut expected = resources();
        let mut saved = Vec::new();
        for _ in 0..n_runs {
            saved.push(save(&mut whole, &expected));
            run(on, &mut whole, &mut expected);
        }
        let last = save(&mut whole, &expected);
        for (nth, bytes) in saved.iter().enumerate() {
            let mut continued = simulation();
            on.set(&mut continued);
            // Something to replace.
            run(on, &mut continued, &mut resources());
            let mut resources = restore(bytes, &mut continued);
            for _ in nth..n_runs {
                run(on, &mut continued, &mut resources);
            }
            assert_eq!(
                resources.get::<Plant>(),
                expected.get::<Plant>(),
                "{on:?} {nth}"
            );
            assert_eq!(save(&mut continued, &resources), last, "{on:?} {nth}");
        }
    }
}

#[system]
fn count(mut local: Local<u32>, mut saved: SavedLocal<Counter>, plant: &mut Plant) {
    *local += 1;
    saved.0 += 1;
    plant.log.push(10 * *local + saved.0);
}

#[derive(Group)]
struct Counting;

/// Runs the schedule, and returns the new entries of the log.
fn counts(schedule: &mut Schedule) -> Vec<u32> {
    let mut resources = resources();
    schedule.run(&mut resources).unwrap();
    core::mem::take(&mut resources.get_mut::<Plant>().unwrap().log)
}

fn twice(builder: &mut Builder) -> &mut Builder {
    builder
        .policy(Policy::InsertionOrder)
        .add::<count>()
        .add::<count>()
        .in_group::<Counting>()
}

#[test]
fn locals_are_reset() {
    let mut schedule = schedule_of(twice);
    counts(&mut schedule);
    assert_eq!(counts(&mut schedule), [22, 22]);
    schedule.reset_locals_of(Target::of::<Counting>()).unwrap();
    assert_eq!(counts(&mut schedule), [33, 11]);
    schedule.reset_locals();
    assert_eq!(counts(&mut schedule), [11, 11]);
    let error = schedule.reset_locals_of("absent").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`absent` is not in this schedule")
    );
}

#[test]
fn conditions_of_the_library_begin_again_after_a_reset() {
    let mut schedule = schedule_of(|builder| {
        builder
            .policy(Policy::InsertionOrder)
            .add::<count>()
            .run_if(Condition::once() | Condition::every(3))
    });
    for _ in 0..2 {
        let n_counts = [(); 4].map(|()| counts(&mut schedule).len());
        assert_eq!(n_counts, [1, 0, 1, 0]);
        schedule.reset_locals();
    }
}

#[test]
fn locals_of_a_loop_are_those_of_its_body_and_condition() {
    let mut schedule = schedule_of(|builder| {
        let once = |mut n: Local<u32>| {
            *n += 1;
            *n % 2 == 1
        };
        builder.repeat_while_closure("loop", once, |body| body.add::<count>())
    });
    assert_eq!(counts(&mut schedule), [11]);
    assert_eq!(counts(&mut schedule), [22]);
    schedule.reset_locals_of("loop").unwrap();
    assert_eq!(counts(&mut schedule), [11]);
}

#[test]
fn systems_of_one_name_are_restored_in_insertion_order() {
    let mut schedule = schedule_of(twice);
    counts(&mut schedule);
    schedule.reset_locals_of(Target::of::<Counting>()).unwrap();
    let state = schedule.save_state().unwrap();
    let unsaved: Vec<&str> = state.with_unsaved_locals().collect();
    assert_eq!(unsaved, ["count", "count"]);
    let mut other = schedule_of(twice);
    counts(&mut other);
    other.restore_state(&state).unwrap();
    // `Local` values are reset, not restored.
    assert_eq!(counts(&mut other), [12, 11]);
}

#[test]
fn state_of_other_systems_is_an_error_that_names_the_system() {
    let of = |add: fn(&mut Builder) -> &mut Builder| schedule_of(add);
    let mut schedule =
        of(|builder| builder.add_closure("one", |mut local: SavedLocal<Counter>| local.0 += 1));
    schedule.run(&mut Resources::new()).unwrap();
    let state = schedule.save_state().unwrap();
    let text = |schedule: &mut Schedule| schedule.restore_state(&state).unwrap_err().to_string();

    let mut other = of(|builder| builder.add_closure("two", || {}));
    assert_eq!(
        text(&mut other),
        "`one` is in the saved state, but not in the schedule; restore into a schedule with the same systems, or call \
         `renamed(\"one\", …)` or `dropped(\"one\")` of the state first"
    );
    let renamed = state.clone().renamed("one", "two");
    let error = other.restore_state(&renamed).unwrap_err();
    assert!(matches!(error, RestoreError::OtherLocals { .. }), "{error}");
    let mut fresh =
        of(|builder| builder.add_closure("two", |mut local: SavedLocal<Counter>| local.0 += 1));
    fresh.restore_state(&renamed).unwrap();
    let mut empty = of(|builder| builder);
    empty.restore_state(&state.clone().dropped("one")).unwrap();
    let mut more = of(|builder| {
        builder
            .add_closure("one", |_: SavedLocal<Counter>| {})
            .add_closure("two", || {})
    });
    assert_eq!(
        text(&mut more),
        "`two` is in the schedule, but not in the saved state; restore into a schedule with the same systems, or, if the system is \
         new, call `added(\"two\")` of the state first"
    );
    more.restore_state(&state.clone().added("two")).unwrap();
    for mut others in [
        of(|builder| builder.add_closure("one", |_: SavedLocal<Filter>| {})),
        of(|builder| builder.add_closure("one", || {})),
        of(|builder| {
            builder.add_closure("one", |_: SavedLocal<Counter>, _: SavedLocal<Counter>| {})
        }),
    ] {
        assert_eq!(
            text(&mut others),
            "`one` was saved with `SavedLocal`s of other types; restore into a schedule with the same systems, or let it begin with \
             its first values: call `dropped(\"one\").added(\"one\")` of the state first"
        );
        let state = state.clone().dropped("one").added("one");
        others.restore_state(&state).unwrap();
    }
}

/// Also of several systems of one name, those without a state.
#[test]
fn added_system_begins_with_its_first_value() {
    let mut old = schedule_of(|builder| builder.add::<count>());
    counts(&mut old);
    let state = old.save_state().unwrap();
    let mut new = schedule_of(twice);
    new.set_enabled(Target::of::<Counting>(), true).unwrap();
    counts(&mut new);
    counts(&mut new);
    let error = new.restore_state(&state).unwrap_err();
    assert!(matches!(error, RestoreError::NotSaved { .. }), "{error}");
    assert_eq!(counts(&mut new), [33, 33]);
    let declared = state.clone().added("count").added("other");
    new.restore_state(&declared).unwrap();
    assert_eq!(counts(&mut new), [12, 11]);
    // Without an effect on systems that the state has.
    let mut same = schedule_of(|builder| builder.add::<count>());
    same.restore_state(&declared).unwrap();
    assert_eq!(counts(&mut same), [12]);
    // It is a declaration of the program, and is not saved.
    let mut bytes = Encoder::new();
    bytes.save(&declared).unwrap();
    let mut from = Decoder::new(bytes.as_bytes());
    assert_eq!(from.restore::<ScheduleState>(2), Ok(state));
}

#[test]
fn added_system_stays_disabled() {
    let mut old = schedule_of(|builder| builder);
    let state = old.save_state().unwrap().added("count");
    let mut new = schedule_of(|builder| builder.add::<count>());
    new.set_enabled("count", false).unwrap();
    new.restore_state(&state).unwrap();
    assert_eq!(counts(&mut new), [0; 0]);
}

#[derive(Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "filter", version = 2)]
struct NewerFilter(f64);

#[test]
fn failed_restore_changes_nothing() {
    let mut old = schedule_of(|builder| {
        builder
            .add::<count>()
            .add_closure("filter", |mut filter: SavedLocal<Filter>| filter.n += 1)
    });
    counts(&mut old);
    old.set_enabled("count", false).unwrap();
    let state = old.save_state().unwrap();
    let mut new = schedule_of(|builder| {
        builder
            .add::<count>()
            .add_closure("filter", |mut filter: SavedLocal<NewerFilter>| {
                filter.0 += 1.0
            })
    });
    counts(&mut new);
    counts(&mut new);
    let error = new.restore_state(&state).unwrap_err();
    let RestoreError::Value { system, error } = error else {
        panic!("{error}")
    };
    assert_eq!(system, "filter");
    assert!(matches!(error, SnapshotError::Version { .. }));
    assert_eq!(counts(&mut new), [33]);
    // A system that has not run has nothing to restore.
    let mut fresh = schedule_of(|builder| builder.add::<count>());
    let state = fresh.save_state().unwrap();
    counts(&mut fresh);
    fresh.restore_state(&state).unwrap();
    assert_eq!(counts(&mut fresh), [11]);
}

#[derive(Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "counter")]
struct OtherCounter {
    n: u32,
}

/// A counter that adds to its value.
fn counting() -> Schedule {
    schedule_of(|builder| builder.add_closure("one", |mut local: SavedLocal<Counter>| local.0 += 1))
}

#[test]
fn changed_type_of_a_local_is_an_error() {
    let mut schedule = counting();
    schedule.run(&mut Resources::new()).unwrap();
    let state = schedule.save_state().unwrap();
    let mut other = schedule_of(|builder| {
        builder.add_closure("one", |mut local: SavedLocal<OtherCounter>| local.n += 1)
    });
    assert_eq!(
        other.restore_state(&state).unwrap_err().to_string(),
        "a `SavedLocal` of `one`: `counter` has changed since it was saved, but its version is still 1: `counter` was `Counter`, and \
         is `OtherCounter` now; raise its version, and read version 1 in a function: `#[snapshot(version = 2, migrate = …)]`"
    );
    assert!(!Schema::of_saved::<ScheduleState>().has_unknown_parts());
}

/// The first version has no schemas, so a value with the same bytes is restored.
#[test]
fn state_of_the_first_version_is_restored() {
    let mut bytes = Encoder::new();
    let locals = vec![("counter", 1_u32, Some(vec![7_u8]))];
    bytes.write(&vec![("one", true, locals, 0_usize)]).unwrap();
    let mut from = Decoder::new(bytes.as_bytes());
    let state: ScheduleState = from.restore(1).unwrap();
    from.finish().unwrap();
    let mut schedule = counting();
    schedule.restore_state(&state).unwrap();
    schedule.run(&mut Resources::new()).unwrap();
    let mut expected = counting();
    (0..8).for_each(|_| expected.run(&mut Resources::new()).unwrap());
    let saved = |schedule: &mut Schedule| schedule.save_state().unwrap();
    assert_eq!(saved(&mut schedule), saved(&mut expected));
}
