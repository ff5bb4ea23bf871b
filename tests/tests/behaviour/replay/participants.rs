//! Resources that take part in recordings with bytes of their own.

use std::sync::atomic::{AtomicU32, Ordering};

use schedule::prelude::*;
use schedule::rate::tick;
use schedule::replay::{Participant, RecordedResources, Recorder, Replayer};
use schedule::snapshot::{Decoder, Encoder, SnapshotError};

use super::{Frame, diverged, frames};

/// Results of other work. The run in which one appears is decided by timing.
#[derive(Resource, Default)]
struct Results {
    /// The number of results that have appeared.
    n_seen: u32,
    /// The number of results that appeared in this run.
    n_new: u32,
    /// In a replay: the number that appears in this run.
    replayed: Option<u32>,
    n_before: u32,
    n_replays: u32,
}

/// The timing.
static ARRIVED: AtomicU32 = AtomicU32::new(0);

impl Participant for Results {
    const NAME: &'static str = "results";
    const VERSION: u32 = 1;

    fn record_before(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.n_seen)
    }

    fn record_after(&mut self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.n_new)
    }

    fn restore_before(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        assert_eq!(self.n_seen, from.read::<u32>()?);
        self.n_before += 1;
        Ok(())
    }

    fn restore_after(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        self.replayed = Some(from.read()?);
        Ok(())
    }

    fn replay_ended(&mut self) {
        self.replayed = None;
        self.n_replays += 1;
    }
}

#[system]
fn receive(results: &mut Results) {
    let arrived = ARRIVED.load(Ordering::Relaxed) - results.n_seen;
    results.n_new = results.replayed.unwrap_or(arrived);
    results.n_seen += results.n_new;
}

#[system(after = receive)]
fn has_new(results: &Results) -> bool {
    results.n_new > 0
}

#[system(if = has_new)]
fn react() {}

fn schedule() -> Schedule {
    let mut builder = Schedule::builder();
    builder.add::<receive>().add::<has_new>().add::<react>();
    builder.build().unwrap()
}

#[test]
fn decisions_by_timing_are_given_back() {
    let recorded = || RecordedResources::new().participant::<Results>();
    let mut resources = Resources::new();
    resources.insert_default::<Results>();
    let mut schedule = schedule();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    for n_new in [0, 2, 0, 0, 1, 3] {
        ARRIVED.fetch_add(n_new, Ordering::Relaxed);
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();

    resources.insert_default::<Results>();
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    assert_eq!(replayer.run_all(&mut schedule, &mut resources).unwrap(), 6);
    let results = resources.get::<Results>().unwrap();
    assert_eq!((results.n_before, results.n_replays), (6, 6));
    assert_eq!(results.replayed, None);

    // In the last run, the result of the second replay is another one.
    let mut builder = Schedule::builder();
    builder
        .add_closure("receive", |results: &mut Results| {
            results.n_new = results.replayed.unwrap().min(2);
            results.n_seen += results.n_new;
        })
        .add_closure("has_new", |results: &Results| results.n_new > 0)
        .order("receive", "has_new")
        .add_closure("react", || {})
        .run_if(Condition::added("has_new"));
    let mut other = builder.build().unwrap();
    resources.insert_default::<Results>();
    let mut replayer = Replayer::new(&bytes[..], &other, recorded()).unwrap();
    let divergence = diverged(replayer.run_all(&mut other, &mut resources));
    assert_eq!((divergence.nth_run, divergence.systems.len()), (5, 0));
    assert_eq!(
        divergence.resources[0].to_string(),
        "`results`: in the recording, it wrote the bytes 03; in the replay, it wrote the bytes 02"
    );
}

#[test]
fn participant_that_is_missing_is_an_error() {
    let recorded = || RecordedResources::new().participant::<Results>();
    let mut builder = Schedule::builder();
    builder.add_closure("nothing", || {});
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Results>();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    let bytes = recorder.finish().unwrap();
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    let error = replayer.run_all(&mut schedule, &mut Resources::new());
    assert_eq!(
        error.unwrap_err().to_string(),
        "`results` is missing before run 0: insert the resource before the replay"
    );
}

/// A tick reads the real time in the run. A replay repeats the recorded time.
#[test]
fn ticks_are_repeated() {
    #[derive(Resource, Default)]
    struct Times(Vec<std::time::Duration>);

    let schedule = || {
        let mut builder = Schedule::builder();
        builder
            .add::<tick>()
            .add_closure("note", |clock: &Clock, times: &mut Times| {
                times.0.push(clock.now());
            })
            .order(schedule::Target::of::<tick>(), "note")
            .add_closure("is_even", |clock: &Clock| {
                clock.now().as_nanos().is_multiple_of(2)
            })
            .order(schedule::Target::of::<tick>(), "is_even");
        builder.build().unwrap()
    };
    let resources = || {
        let mut resources = Resources::new();
        resources.insert(Clock::new());
        resources.insert_default::<Times>();
        resources
    };
    let (mut first, mut resources_of_first) = (schedule(), resources());
    let mut recorder = Recorder::new(Vec::new(), &first, RecordedResources::new()).unwrap();
    for _ in 0..50 {
        recorder.run(&mut first, &mut resources_of_first).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let (mut second, mut resources) = (schedule(), resources());
    let mut replayer = Replayer::new(&bytes[..], &second, RecordedResources::new()).unwrap();
    assert_eq!(replayer.run_all(&mut second, &mut resources).unwrap(), 50);
    let times = |resources: &Resources| resources.get::<Times>().unwrap().0.clone();
    assert_eq!(times(&resources), times(&resources_of_first));
    // After the replay, the clock ticks in real time again.
    let last = resources.get::<Clock>().unwrap().now();
    while resources.get::<Clock>().unwrap().now() == last {
        second.run(&mut resources).unwrap();
    }
}

#[test]
fn clock_is_an_input_only_once() {
    let schedule = schedule();
    let twice = RecordedResources::new().input::<Clock>().state::<Clock>();
    let recorder = Recorder::new(Vec::new(), &schedule, twice).unwrap();
    let bytes = recorder.finish().unwrap();
    let Frame { kind, content, .. } = &frames(&bytes)[0];
    assert_eq!(
        (*kind, &content[..]),
        (1, &b"\x01\x00\x05clock\x01\x00"[..])
    );
    Replayer::new(&bytes[..], &schedule, RecordedResources::new()).unwrap();
}
