//! Recordings of inputs, and their replays.

mod changed;
mod damage;
mod differences;
mod driver;
mod ends;
mod layout;
mod participants;
mod random;
mod spanning;

use schedule::RunError;
use schedule::prelude::*;
use schedule::replay::{Divergence, RecordedResources, Recorder, ReplayError, Replayer};
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "sensors")]
struct Sensors {
    distance: u32,
    names: Vec<String>,
}

impl Sensors {
    fn at(distance: u32) -> Self {
        Self {
            distance,
            names: vec!["front".to_string(); distance as usize % 3],
        }
    }
}

#[derive(Resource, Snapshot, Serialize, Deserialize, Debug, Default, PartialEq)]
#[snapshot(name = "speed")]
struct Speed(u32);

#[system]
fn is_near(sensors: &Sensors) -> bool {
    sensors.distance < 10
}

#[system(if = is_near)]
fn brake(speed: &mut Speed) {
    speed.0 /= 2;
}

#[system(if = not(is_near), after = brake)]
fn accelerate(speed: &mut Speed) -> Result<(), BoxError> {
    speed.0 += 1;
    match speed.0 {
        5 => Err("too fast".into()),
        _ => Ok(()),
    }
}

#[system(after = accelerate)]
fn report(speed: &Speed) {
    assert!(speed.0 < 1000);
}

fn car() -> Schedule {
    let mut builder = Schedule::builder();
    builder.name("car").add::<is_near>().add::<brake>();
    builder.add::<accelerate>().add::<report>();
    builder.build().unwrap()
}

fn recorded() -> RecordedResources {
    RecordedResources::new()
        .input::<Sensors>()
        .state::<Speed>()
        .output::<Speed>()
}

/// Records a run for each distance, without an input if it is missing. Returns the results as texts.
fn record(distances: &[Option<u32>]) -> (Vec<u8>, Vec<String>) {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    let mut texts = Vec::new();
    for distance in distances {
        match distance {
            Some(distance) => drop(resources.insert(Sensors::at(*distance))),
            None => drop(resources.remove::<Sensors>()),
        }
        texts.push(text(recorder.run(&mut schedule, &mut resources)));
    }
    assert_eq!(recorder.n_runs(), distances.len() as u64);
    (recorder.finish().unwrap(), texts)
}

fn text(result: Result<(), RunError>) -> String {
    result.map_or_else(|error| error.to_string(), |()| String::new())
}

/// Replays a recording of [`record`]. Returns the results as texts.
fn replay(bytes: &[u8], schedule: &mut Schedule) -> Result<Vec<String>, ReplayError> {
    let mut resources = Resources::new();
    let mut replayer = Replayer::new(bytes, schedule, recorded())?;
    let mut texts = Vec::new();
    while let Some(run) = replayer.run(schedule, &mut resources)? {
        assert_eq!(run.nth_run, texts.len() as u64);
        texts.push(text(run.result));
    }
    Ok(texts)
}

fn diverged(result: Result<impl std::fmt::Debug, ReplayError>) -> Divergence {
    match result {
        Err(ReplayError::Diverged(divergence)) => *divergence,
        other => panic!("{other:?}"),
    }
}

#[test]
fn replay_repeats_results_also_failures_and_missing_resources() {
    let distances = [20, 20, 3, 30, 30, 30, 8, 8].map(Some);
    let distances = [&distances[..], &[None, None, Some(3)]].concat();
    let (bytes, texts) = record(&distances);
    assert!(texts[5].contains("too fast"), "{texts:?}");
    assert!(texts[8].contains("1 resource is missing"), "{texts:?}");
    assert_eq!(texts[10], "");
    assert_eq!(replay(&bytes, &mut car()).unwrap(), texts);
}

#[test]
fn recording_is_small_if_nothing_changes() {
    let n_bytes = |n: usize| record(&vec![Some(4); n]).0.len();
    // Two frames of 10 bytes each; the enabled systems, the resources, the outcomes and the failures are the same.
    assert_eq!(n_bytes(110) - n_bytes(10), 100 * (2 * 10 + 2 + 4));
}

#[test]
fn replay_leaves_the_resources_of_the_last_run() {
    let (bytes, _) = record(&[Some(20), Some(3)]);
    let (mut schedule, mut resources) = (car(), Resources::new());
    resources.insert(Speed(700));
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    let n_runs = replayer.run_all(&mut schedule, &mut resources).unwrap();
    assert_eq!((n_runs, replayer.n_runs()), (2, 2));
    assert_eq!(resources.get::<Sensors>(), Some(&Sensors::at(3)));
    assert_eq!(resources.get::<Speed>(), Some(&Speed(1)));
    // At the end, nothing runs.
    assert!(
        replayer
            .run(&mut schedule, &mut resources)
            .unwrap()
            .is_none()
    );
}

#[test]
fn recording_without_an_end_is_replayed_to_its_last_run() {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    for distance in [20, 3, 4] {
        resources.insert(Sensors::at(distance));
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let frames = frames(&bytes);
    // Cut in the end of the last run, as if the program had crashed in it.
    let bytes = &bytes[..frames[frames.len() - 2].start + 3];
    let (mut schedule, mut resources) = (car(), Resources::new());
    let mut replayer = Replayer::new(bytes, &schedule, recorded()).unwrap();
    for nth in 0..3 {
        let run = replayer
            .run(&mut schedule, &mut resources)
            .unwrap()
            .unwrap();
        assert_eq!((run.nth_run, run.is_compared), (nth, nth < 2));
    }
    assert_eq!(resources.get::<Sensors>(), Some(&Sensors::at(4)));
    let error = replayer.run(&mut schedule, &mut resources).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the recording is cut after 2 runs: its end is missing; the runs before it can be replayed"
    );
    assert!(
        replayer
            .run(&mut schedule, &mut resources)
            .unwrap()
            .is_none()
    );
}

#[test]
fn dropped_recorder_marks_the_end() {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    resources.insert(Sensors::at(3));
    let mut bytes = Vec::new();
    let mut recorder = Recorder::new(&mut bytes, &schedule, recorded()).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    drop(recorder);
    assert_eq!(replay(&bytes, &mut car()).unwrap(), [""]);
}

/// The bytes of each frame, and its kind.
struct Frame {
    start: usize,
    kind: u8,
    content: Vec<u8>,
}

fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut start = 12;
    while start < bytes.len() {
        let len = u32::from_le_bytes(bytes[start + 2..start + 6].try_into().unwrap()) as usize;
        frames.push(Frame {
            start,
            kind: bytes[start],
            content: bytes[start + 6..start + 6 + len].to_vec(),
        });
        start += len + 10;
    }
    frames
}
