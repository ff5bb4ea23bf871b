//! Runs and recordings that end early: crashes, panics, and errors of the recorder or the replayer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use schedule::prelude::*;
use schedule::rate::tick;
use schedule::replay::{
    Participant, RecordError, RecordedResources, Recorder, ReplayError, Replayer,
};
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

use super::{Sensors, Speed, car, frames, recorded};

/// The bytes of a recording up to the begin of the last run, as if the program had crashed in it.
fn crashed(bytes: &[u8]) -> &[u8] {
    let frames = frames(bytes);
    let last = frames.iter().rfind(|frame| frame.kind == 4).unwrap();
    &bytes[..last.start]
}

#[test]
fn run_of_a_crash_has_the_enabled_systems_of_the_recording() {
    let (mut schedule, mut resources) = (car(), Resources::new());
    resources.insert(Speed(2));
    resources.insert(Sensors::at(20));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    for is_enabled in [false, true, false] {
        schedule.set_enabled("accelerate", is_enabled).unwrap();
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let (mut schedule, mut resources) = (car(), Resources::new());
    let mut replayer = Replayer::new(crashed(&bytes), &schedule, recorded()).unwrap();
    for (is_compared, is_enabled) in [(true, false), (true, true), (false, false)] {
        let run = replayer.run(&mut schedule, &mut resources);
        assert_eq!(run.unwrap().unwrap().is_compared, is_compared);
        assert_eq!(schedule.is_enabled("accelerate").unwrap(), is_enabled);
    }
    assert_eq!(resources.get::<Speed>(), Some(&Speed(3)));
}

/// The time to which the clock of a loop has ticked, and the number of iterations left.
#[derive(Resource, Default)]
struct Ticked {
    n_left: u32,
    times: Vec<Duration>,
}

/// A loop whose iterations tick.
fn ticking(n_iterations: u32, n_ticks: usize) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::InsertionOrder)
        .add_closure("fill", move |ticked: &mut Ticked| {
            ticked.n_left = n_iterations
        })
        .repeat_while_closure(
            "is_left",
            |ticked: &Ticked| ticked.n_left > 0,
            |body| {
                body.add_closure("tick", move |clock: &mut Clock, ticked: &mut Ticked| {
                    for _ in 0..n_ticks {
                        std::thread::sleep(Duration::from_micros(10));
                        clock.tick();
                        ticked.times.push(clock.now());
                    }
                    ticked.n_left -= 1;
                })
            },
        );
    builder.build().unwrap()
}

fn with_clock() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert_default::<Ticked>();
    resources
}

fn record_ticks(n_iterations: u32) -> (Vec<u8>, Resources) {
    let (mut schedule, mut resources) = (ticking(n_iterations, 1), with_clock());
    let recorded = RecordedResources::new();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded).unwrap();
    for _ in 0..3 {
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    (recorder.finish().unwrap(), resources)
}

#[test]
fn each_tick_of_a_run_is_repeated() {
    let (bytes, original) = record_ticks(4);
    let (mut schedule, mut resources) = (ticking(4, 1), with_clock());
    let mut replayer = Replayer::new(&bytes[..], &schedule, RecordedResources::new()).unwrap();
    assert_eq!(replayer.run_all(&mut schedule, &mut resources).unwrap(), 3);
    let times = |resources: &Resources| resources.get::<Ticked>().unwrap().times.clone();
    assert_eq!(times(&resources), times(&original));
    assert_eq!(times(&resources).len(), 12);
}

#[test]
fn more_or_fewer_ticks_are_a_difference() {
    let (bytes, _) = record_ticks(1);
    for n_ticks in [0, 2] {
        let (mut schedule, mut resources) = (ticking(1, n_ticks), with_clock());
        let mut replayer = Replayer::new(&bytes[..], &schedule, RecordedResources::new()).unwrap();
        let result = replayer.run_all(&mut schedule, &mut resources);
        let divergence = super::diverged(result);
        assert_eq!((divergence.nth_run, divergence.systems.len()), (0, 0));
        let clock = &divergence.resources[0];
        assert!(clock.recorded.starts_with("ticked once, to "), "{clock}");
        let replayed = ["did not tick", "ticked 2 times, at last to "][n_ticks / 2];
        assert!(clock.replayed.starts_with(replayed), "{clock}");
    }
}

/// An input that can panic when it is saved.
#[derive(Resource)]
struct Fragile {
    value: u32,
    panics: bool,
}

impl Snapshot for Fragile {
    const NAME: &'static str = "fragile";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        assert!(!self.panics, "the value is broken");
        to.write(&self.value)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let value = from.read()?;
        match value {
            13 => Err(from.error("13 is not allowed")),
            _ => Ok(Self {
                value,
                panics: false,
            }),
        }
    }

    fn schema() -> Schema {
        Schema::of::<u32>()
    }
}

/// A participant that knows whether a recorded or replayed run goes on.
#[derive(Resource, Default)]
struct Watched {
    n_started: u32,
    is_in_run: bool,
    panics_after: bool,
}

impl Participant for Watched {
    const NAME: &'static str = "watched";
    const VERSION: u32 = 1;

    fn record_started(&mut self) -> Result<(), SnapshotError> {
        self.n_started += 1;
        Ok(())
    }

    fn record_before(&mut self, _: &mut Encoder) -> Result<(), SnapshotError> {
        self.is_in_run = true;
        Ok(())
    }

    fn record_after(&mut self, _: &mut Encoder) -> Result<(), SnapshotError> {
        assert!(!self.panics_after, "the run is broken");
        Ok(())
    }

    fn record_ended(&mut self) {
        self.is_in_run = false;
    }

    fn restore_before(&mut self, _: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.is_in_run = true;
        Ok(())
    }

    fn replay_ended(&mut self) {
        self.is_in_run = false;
    }
}

fn watched() -> RecordedResources {
    RecordedResources::new()
        .participant::<Watched>()
        .input::<Sensors>()
        .input::<Fragile>()
}

fn with_watched() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert_default::<Watched>();
    resources.insert(Sensors::at(20));
    resources.insert(Fragile {
        value: 1,
        panics: false,
    });
    resources
}

fn ticks() -> Schedule {
    Schedule::builder().add::<tick>().build().unwrap()
}

fn is_in_run(resources: &Resources) -> bool {
    resources.get::<Watched>().unwrap().is_in_run
}

#[test]
fn panic_ends_the_recording_with_an_error() {
    let breaks: [fn(&mut Resources); 2] = [
        |resources| resources.get_mut::<Fragile>().unwrap().panics = true,
        |resources| resources.get_mut::<Watched>().unwrap().panics_after = true,
    ];
    let repair = |resources: &mut Resources| {
        resources.get_mut::<Fragile>().unwrap().panics = false;
        resources.get_mut::<Watched>().unwrap().panics_after = false;
    };
    for break_it in breaks {
        let (mut schedule, mut resources) = (ticks(), with_watched());
        let mut recorder = Recorder::new(Vec::new(), &schedule, watched()).unwrap();
        recorder.run(&mut schedule, &mut resources).unwrap();
        // This change is before the value that panics.
        resources.insert(Sensors::at(3));
        break_it(&mut resources);
        let run = || recorder.run(&mut schedule, &mut resources);
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert!(!is_in_run(&resources));
        repair(&mut resources);
        recorder.run(&mut schedule, &mut resources).unwrap();
        assert_eq!(recorder.n_runs(), 1);
        let error = recorder.error().unwrap();
        assert!(matches!(error, RecordError::Panicked { nth_run: 1 }));
        assert_eq!(
            error.to_string(),
            "the recording ended in run 1, because of a panic"
        );
        // The writer is returned with the error.
        let (bytes, result) = recorder.into_writer();
        assert!(matches!(result, Err(RecordError::Panicked { nth_run: 1 })));
        assert_eq!(resources.get::<Watched>().unwrap().n_started, 1);
        let (mut schedule, mut resources) = (ticks(), with_watched());
        let mut replayer = Replayer::new(&bytes[..], &schedule, watched()).unwrap();
        let error = replayer.run_all(&mut schedule, &mut resources).unwrap_err();
        assert!(matches!(error, ReplayError::Cut { n_runs: 1 }), "{error}");
    }
}

/// Records runs with these values of [`Fragile`].
fn record_values(values: &[u32]) -> Vec<u8> {
    let (mut schedule, mut resources) = (ticks(), with_watched());
    let mut recorder = Recorder::new(Vec::new(), &schedule, watched()).unwrap();
    for &value in values {
        resources.get_mut::<Fragile>().unwrap().value = value;
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    recorder.finish().unwrap()
}

/// The clock advances in real time, and the participant is not in a run.
fn assert_not_replayed(resources: &mut Resources) {
    assert!(!is_in_run(resources));
    let clock = resources.get_mut::<Clock>().unwrap();
    let before = clock.now();
    std::thread::sleep(Duration::from_millis(1));
    clock.tick();
    std::thread::sleep(Duration::from_millis(1));
    clock.tick();
    assert!(clock.now() > before);
}

#[test]
fn replay_that_ends_with_an_error_leaves_the_resources() {
    let bytes = record_values(&[1, 13]);
    let (mut schedule, mut resources) = (ticks(), with_watched());
    let mut replayer = Replayer::new(&bytes[..], &schedule, watched()).unwrap();
    replayer.run(&mut schedule, &mut resources).unwrap();
    assert_not_replayed(&mut resources);
    let error = replayer.run(&mut schedule, &mut resources).unwrap_err();
    assert!(
        matches!(error, ReplayError::Value { nth_run: 1, .. }),
        "{error}"
    );
    assert_not_replayed(&mut resources);
}

#[test]
fn replay_that_ends_with_a_panic_leaves_the_resources() {
    let bytes = record_values(&[1, 2]);
    let (mut schedule, mut resources) = (ticks(), with_watched());
    resources.get_mut::<Watched>().unwrap().panics_after = true;
    let mut replayer = Replayer::new(&bytes[..], &schedule, watched()).unwrap();
    let run = || replayer.run(&mut schedule, &mut resources);
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_not_replayed(&mut resources);
    assert!(
        replayer
            .run(&mut schedule, &mut resources)
            .unwrap()
            .is_none()
    );
}
