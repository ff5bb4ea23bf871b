//! Types and names that have changed since a recording.

use schedule::Schedule;
use schedule::prelude::*;
use schedule::replay::{RecordedResources, Recorder, ReplayError, Replayer};
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "position")]
struct Position {
    x: i32,
    y: i32,
}

#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "wind")]
struct Wind(i32);

#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "position")]
struct Swapped {
    y: i32,
    x: i32,
}

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "place")]
struct Place {
    x: i32,
    y: i32,
}

fn schedule() -> Schedule {
    let mut builder = Schedule::builder();
    builder.add_closure("decide", || {});
    builder.build().unwrap()
}

fn recording() -> Vec<u8> {
    let mut schedule = schedule();
    let recorded = RecordedResources::new()
        .input::<Position>()
        .input::<Wind>()
        .output::<Wind>();
    let mut resources = Resources::new();
    resources.insert(Position { x: 1, y: 2 });
    resources.insert(Wind(3));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    resources.insert(Position { x: 5, y: 6 });
    recorder.run(&mut schedule, &mut resources).unwrap();
    recorder.finish().unwrap()
}

fn replay(recorded: RecordedResources) -> Result<Resources, ReplayError> {
    let (mut schedule, mut resources) = (schedule(), Resources::new());
    let bytes = recording();
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded)?;
    assert_eq!(replayer.run_all(&mut schedule, &mut resources)?, 2);
    Ok(resources)
}

#[test]
fn swapped_fields_of_an_input_are_an_error() {
    let recorded = RecordedResources::new()
        .input::<Swapped>()
        .input::<Wind>()
        .output::<Wind>();
    let error = replay(recorded).unwrap_err().to_string();
    let text = "`position` has changed since it was saved, but its version is still 1: field 0 of `position` was `x: i32`, and is \
                `y: i32` now";
    assert!(error.starts_with(text), "{error}");
}

#[test]
fn renamed_and_dropped_entries_are_replayed() {
    let place = || RecordedResources::new().input::<Place>();
    assert!(matches!(
        replay(place()),
        Err(ReplayError::Resources { .. })
    ));
    let renamed = place().renamed("position", "place");
    let error = replay(renamed.clone()).unwrap_err().to_string();
    let text = "only in the recording: input `wind`, output `wind`";
    assert!(error.contains(text), "{error}");
    let resources = replay(renamed.dropped("wind")).unwrap();
    assert_eq!(resources.get(), Some(&Place { x: 5, y: 6 }));
    assert!(!resources.contains::<Wind>());
}

/// Without the error, one of the two would be replayed into the other.
#[test]
fn two_entries_with_one_name_after_renamings_are_an_error() {
    let recorded = || {
        RecordedResources::new()
            .input::<Wind>()
            .output::<Wind>()
            .renamed("position", "wind")
    };
    let error = replay(recorded()).unwrap_err().to_string();
    assert_eq!(
        error,
        "there are the saved values `position` and `wind`, and each is the value of `wind` after the calls of `renamed`: remove a call \
         of `renamed`, or call `dropped` with the name of the value that is not wanted"
    );
    let resources = replay(recorded().dropped("position")).unwrap();
    assert_eq!(resources.get::<Wind>().unwrap().0, 3);
}
