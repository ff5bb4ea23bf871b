//! Systems that span runs.

mod declared;
mod model;
mod panics;

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use schedule::prelude::*;
use schedule::spanning::{Cancellation, HandOver, OverrunPolicy, Queue, Spanning, results};

use schedule_tests::on::On;

/// Functions wait here for permits.
#[derive(Resource, Clone, Default)]
struct Gate(Arc<(Mutex<u64>, Condvar)>);

impl Gate {
    /// Lets this number of functions pass.
    fn open(&self, n: u64) {
        *self.0.0.lock().unwrap() += n;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let permits = self.0.0.lock().unwrap();
        let mut permits = (self.0.1.wait_while(permits, |n| *n == 0)).unwrap();
        *permits -= 1;
    }
}

/// A large value that is shared by its copies.
#[derive(Resource)]
struct Map(Arc<Vec<u64>>);

impl HandOver for Map {
    fn copy(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    fn hand_over(&mut self, results: &mut Self) {
        self.0 = Arc::clone(&results.0);
    }
}

#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Path(Vec<u64>);

#[derive(Resource, Clone, Debug, PartialEq)]
struct Speed(u64);

#[system(spanning)]
fn plan(
    gate: &Gate,
    map: &Map,
    speed: Option<&mut Speed>,
    path: &mut Path,
    found: &mut Queue<u64>,
) {
    gate.pass();
    path.0.extend(map.0.iter());
    found.extend(map.0.iter().copied());
    if let Some(speed) = speed {
        speed.0 += 1;
    }
}

fn resources(spanning: Spanning<plan>) -> (Resources, Gate) {
    let (mut resources, gate) = (Resources::new(), Gate::default());
    resources.insert(gate.clone());
    resources.insert(Map(Arc::new(vec![1, 2])));
    resources.insert(Speed(10));
    resources.insert_default::<Path>();
    resources.insert_default::<Queue<u64>>();
    resources.insert(spanning);
    (resources, gate)
}

fn frame() -> Schedule {
    let mut builder = Schedule::builder();
    builder.add::<plan>().add::<results<plan>>();
    builder.build().unwrap()
}

/// Waits for the work that goes on.
fn finish(resources: &mut Resources, gate: &Gate) {
    gate.open(1);
    resources.get_mut::<Spanning<plan>>().unwrap().wait();
}

#[test]
fn results_appear_at_once_and_only_when_the_work_is_done() {
    for &on in On::EACH {
        let mut frame = frame();
        on.set(&mut frame);
        let (mut resources, gate) = resources(Spanning::new());
        for _ in 0..3 {
            frame.run(&mut resources).unwrap();
            assert!(resources.get::<Spanning<plan>>().unwrap().is_running());
            assert!(resources.get::<Path>().unwrap().0.is_empty());
        }
        finish(&mut resources, &gate);
        assert!(resources.get::<Path>().unwrap().0.is_empty());
        frame.run(&mut resources).unwrap();
        assert_eq!(resources.get::<Path>().unwrap().0, [1, 2]);
        assert_eq!(resources.get::<Speed>().unwrap().0, 11);
        let counts = resources.get::<Spanning<plan>>().unwrap().counts();
        assert_eq!((counts.appeared, counts.skipped), (1, 2));
        // The last run has started again, from the results.
        finish(&mut resources, &gate);
        frame.run(&mut resources).unwrap();
        assert_eq!(resources.get::<Path>().unwrap().0, [1, 2, 1, 2]);
        gate.open(u64::MAX / 2);
    }
}

/// The function works on the values at the start, whatever changes meanwhile.
#[test]
fn function_sees_the_values_of_the_start() {
    let mut frame = frame();
    let (mut resources, gate) = resources(Spanning::new());
    frame.run(&mut resources).unwrap();
    resources.insert(Map(Arc::new(vec![7])));
    resources.get_mut::<Path>().unwrap().0 = vec![9];
    resources.get_mut::<Queue<u64>>().unwrap().push(5);
    resources.remove::<Speed>();
    finish(&mut resources, &gate);
    frame.run(&mut resources).unwrap();
    // The results replace the value, and queues keep what was added meanwhile.
    assert_eq!(resources.get::<Path>().unwrap().0, [1, 2]);
    assert!(resources.get::<Queue<u64>>().unwrap().iter().eq(&[5, 1, 2]));
    assert_eq!(resources.get::<Speed>(), None);
    gate.open(1);
}

#[test]
fn optional_resource_can_be_missing_or_come_back() {
    let mut frame = frame();
    let (mut resources, gate) = resources(Spanning::new());
    resources.remove::<Speed>();
    frame.run(&mut resources).unwrap();
    resources.insert(Speed(1));
    finish(&mut resources, &gate);
    frame.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Speed>(), Some(&Speed(1)));
    finish(&mut resources, &gate);
    frame.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Speed>(), Some(&Speed(2)));
    gate.open(1);
}

#[test]
fn required_resources_are_reported_as_missing() {
    let mut frame = frame();
    let error = frame.run(&mut Resources::new()).unwrap_err().to_string();
    for name in ["Spanning<plan>", "Gate", "Map", "Path", "Queue<u64>"] {
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
    assert!(!error.contains("Speed"), "{error}");
}

#[derive(Resource, Clone)]
struct Mode(&'static str);

#[system(spanning)]
fn fail(mode: &Mode) -> Result<(), String> {
    match mode.0 {
        "panic" => panic!("lost the way"),
        "error" => Err("no way".into()),
        _ => Ok(()),
    }
}

#[system(after = results<fail>)]
fn dependent() {}

#[test]
fn failures_are_those_of_results() {
    let mut builder = Schedule::builder();
    builder
        .add::<fail>()
        .add::<results<fail>>()
        .add::<dependent>();
    let mut frame = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Spanning::<fail>::new());
    for (mode, text) in [("error", "no way"), ("panic", "panicked: lost the way")] {
        resources.insert(Mode(mode));
        frame.run(&mut resources).unwrap();
        resources.get_mut::<Spanning<fail>>().unwrap().wait();
        let error = frame.run(&mut resources).unwrap_err();
        let [failure] = error.failures() else {
            panic!("{error}");
        };
        assert_eq!(failure.system.name, "results<fail>");
        assert_eq!(failure.cause.to_string(), text);
        let skipped = error.skipped().iter().map(|system| system.name.as_str());
        assert!(skipped.eq(["fail", "dependent"]), "{error}");
    }
    let counts = resources.get::<Spanning<fail>>().unwrap().counts();
    assert_eq!((counts.failed, counts.appeared), (2, 0));
}

#[system(spanning)]
fn endless(cancellation: &Cancellation, gate: &Gate, path: &mut Path) {
    gate.open(1);
    while !cancellation.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
    path.0.push(1);
    gate.open(1);
}

#[test]
fn dropped_work_is_cancelled() {
    let mut builder = Schedule::builder();
    builder.add::<endless>().add::<results<endless>>();
    let mut frame = builder.build().unwrap();
    let (mut resources, gate) = resources(Spanning::new());
    resources.insert(Spanning::<endless>::new());
    frame.run(&mut resources).unwrap();
    // The function has begun.
    gate.pass();
    drop(resources);
    // It returns.
    gate.pass();
}

#[test]
fn later_start_replaces_the_work() {
    let mut builder = Schedule::builder();
    builder.add::<endless>().add::<results<endless>>();
    let mut frame = builder.build().unwrap();
    let (mut resources, gate) = resources(Spanning::new());
    let restarted = Spanning::<endless>::new().overrun(OverrunPolicy::Restart);
    resources.insert(restarted);
    frame.run(&mut resources).unwrap();
    gate.pass();
    for _ in 0..2 {
        frame.run(&mut resources).unwrap();
    }
    gate.pass();
    // The second start was replaced before it began, or after that.
    let spanning = resources.get::<Spanning<endless>>().unwrap();
    assert!((1..=2).contains(&spanning.counts().replaced));
    assert_eq!(spanning.counts().appeared, 0);
    assert!(resources.get::<Path>().unwrap().0.is_empty());
}

#[system(spanning, always)]
fn persistent(mode: &Mode) -> Result<(), String> {
    fail(mode)
}

#[test]
fn failed_results_do_not_skip_a_start_that_always_runs() {
    let mut builder = Schedule::builder();
    builder.add::<persistent>().add::<results<persistent>>();
    let mut frame = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Mode("error"));
    resources.insert(Spanning::<persistent>::new());
    for n_failed in 0..4 {
        let result = frame.run(&mut resources);
        assert_eq!(result.is_err(), n_failed > 0);
        let spanning = resources.get_mut::<Spanning<persistent>>().unwrap();
        assert_eq!(spanning.counts().failed, n_failed);
        assert!(spanning.is_running());
        spanning.wait();
    }
}

#[test]
fn replay_of_an_earlier_visit_fails_and_can_be_ended() {
    let mut frame = frame();
    let (mut resources, gate) = resources(Spanning::new());
    gate.open(10);
    frame.run(&mut resources).unwrap();
    resources
        .get_mut::<Spanning<plan>>()
        .unwrap()
        .replay([0, 7]);
    let error = frame.run(&mut resources).unwrap_err();
    assert_eq!(
        error.failures()[0].cause.to_string(),
        "results were recorded in visit 0, which is before this visit 1"
    );
    frame.run(&mut resources).unwrap();
    assert_eq!(
        resources.get::<Spanning<plan>>().unwrap().counts().appeared,
        0
    );
    let spanning = resources.get_mut::<Spanning<plan>>().unwrap();
    spanning.end_replay();
    spanning.wait();
    frame.run(&mut resources).unwrap();
    assert_eq!(
        resources.get::<Spanning<plan>>().unwrap().counts().appeared,
        1
    );
}

/// A replay with other systems.
#[test]
fn replay_without_a_start_fails() {
    let mut builder = Schedule::builder();
    builder.add::<fail>().add::<results<fail>>();
    let mut frame = builder.build().unwrap();
    frame.set_enabled("fail", false).unwrap();
    let mut resources = Resources::new();
    resources.insert(Mode(""));
    let mut spanning = Spanning::<fail>::new();
    spanning.replay([1]);
    resources.insert(spanning);
    frame.run(&mut resources).unwrap();
    let error = frame.run(&mut resources).unwrap_err();
    assert_eq!(
        error.failures()[0].cause.to_string(),
        "results were recorded in this visit 1, but no work was started"
    );
}
