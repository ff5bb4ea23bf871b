//! Spanning systems in recordings: the run in which results appear is recorded.

use std::time::Duration;

use schedule::Executor;
use schedule::spanning::{OverrunPolicy, Spanning, results};

use super::*;

/// How long the function takes, in units of 100 µs.
#[derive(Resource, Clone, Default, Snapshot, serde::Serialize, serde::Deserialize)]
#[snapshot(name = "delay")]
struct Delay(u64);

#[derive(Resource, Clone, Default, Snapshot, serde::Serialize, serde::Deserialize)]
#[snapshot(name = "path")]
struct Path(Vec<u64>);

/// Whether the function takes its time. Not recorded.
#[derive(Resource, Clone)]
struct IsSlow(bool);

#[system(spanning)]
fn plan(is_slow: &IsSlow, delay: &Delay, path: &mut Path) -> Result<(), &'static str> {
    if is_slow.0 {
        std::thread::sleep(Duration::from_micros(100 * delay.0));
    }
    path.0.push(delay.0);
    if delay.0 == 5 { Err("no path") } else { Ok(()) }
}

#[system(after = results<plan>)]
fn is_long(path: &Path) -> bool {
    path.0.len() % 3 == 2
}

#[system(if = is_long)]
fn react() {}

fn schedule(executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add::<plan>()
        .add::<results<plan>>()
        .add::<is_long>()
        .add::<react>();
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

fn recorded() -> RecordedResources {
    RecordedResources::new()
        .input::<Delay>()
        .output::<Path>()
        .participant::<Spanning<plan>>()
}

fn resources(is_slow: bool, overrun: OverrunPolicy) -> Resources {
    let mut resources = Resources::new();
    resources.insert(IsSlow(is_slow));
    resources.insert_default::<Path>();
    resources.insert(Spanning::<plan>::new().overrun(overrun));
    resources
}

#[test]
fn results_appear_in_the_recorded_runs() {
    for overrun in [
        OverrunPolicy::Skip,
        OverrunPolicy::Queue(2),
        OverrunPolicy::Restart,
    ] {
        let mut original = schedule(Executor::Serial);
        let mut resources = resources(true, overrun);
        let mut recorder = Recorder::new(Vec::new(), &original, recorded()).unwrap();
        for run in 0..100_u64 {
            resources.insert(Delay(run * run % 7));
            // It can fail, and that is recorded.
            let _ = recorder.run(&mut original, &mut resources);
            std::thread::sleep(Duration::from_micros(150));
        }
        let bytes = recorder.finish().unwrap();
        let counts = resources.get::<Spanning<plan>>().unwrap().counts();
        for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
            let mut replayed = schedule(executor);
            let mut resources = self::resources(false, overrun);
            let mut replayer = Replayer::new(&bytes[..], &replayed, recorded()).unwrap();
            assert_eq!(
                replayer.run_all(&mut replayed, &mut resources).unwrap(),
                100
            );
            let spanning = resources.get::<Spanning<plan>>().unwrap();
            assert_eq!(spanning.counts(), counts);
        }
    }
}

/// Work that began before the recording cannot be repeated. It ends the recording, but not the program.
#[test]
fn work_before_the_recording_is_an_error() {
    let mut schedule = schedule(Executor::Serial);
    let mut resources = resources(false, OverrunPolicy::Skip);
    resources.insert(Delay(1));
    schedule.run(&mut resources).unwrap();
    assert!(resources.get::<Spanning<plan>>().unwrap().is_running());
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    resources.get_mut::<Spanning<plan>>().unwrap().wait();
    recorder.run(&mut schedule, &mut resources).unwrap();
    assert_eq!(recorder.n_runs(), 0);
    assert_eq!(resources.get::<Path>().unwrap().0.len(), 1);
    assert_eq!(
        recorder.error().unwrap().to_string(),
        "`plan` cannot be recorded: `plan` cannot be saved: its work began before the recording, so a replay cannot repeat it: start \
         the recording with a new `Spanning`"
    );
}

/// A program that starts less work differs in the first run in which its results should appear.
#[test]
fn results_that_cannot_appear_are_a_difference() {
    let mut original = schedule(Executor::Serial);
    let mut resources = resources(false, OverrunPolicy::Skip);
    let mut recorder = Recorder::new(Vec::new(), &original, recorded()).unwrap();
    resources.insert(Delay(1));
    for _ in 0..4 {
        recorder.run(&mut original, &mut resources).unwrap();
        resources.get_mut::<Spanning<plan>>().unwrap().wait();
    }
    let bytes = recorder.finish().unwrap();
    let mut builder = Schedule::builder();
    builder
        .add_closure("plan", || {})
        .add::<results<plan>>()
        .add::<is_long>()
        .add::<react>()
        .order("results<plan>", "plan");
    let mut other = builder.build().unwrap();
    let mut resources = self::resources(false, OverrunPolicy::Skip);
    let mut replayer = Replayer::new(&bytes[..], &other, recorded()).unwrap();
    let error = replayer.run_all(&mut other, &mut resources).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("in run 1 of"), "{text}");
    assert!(text.contains("no work was started"), "{text}");
}
