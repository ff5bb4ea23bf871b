//! The first run that differs is found, with the system, the output or the input.

use schedule::replay::{RecordedResources, Recorder, ReplayError, Replayer};
use schedule::{FailurePolicy, Target, prelude::*};

use super::{
    Sensors, Speed, accelerate, brake, car, diverged, is_near, record, recorded, replay, report,
};

/// A schedule with these functions instead of `is_near` and `report`.
fn other(
    near: fn(&Sensors) -> bool,
    report: fn(&Speed) -> Result<(), &'static str>,
    faster: u32,
) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .name("car")
        .add_closure("is_near", move |sensors: &Sensors| near(sensors))
        .add_closure("brake", |speed: &mut Speed| speed.0 /= 2)
        .run_if(Condition::added("is_near"))
        .add_closure("accelerate", move |speed: &mut Speed| speed.0 += faster)
        .run_if(!Condition::added("is_near"))
        .order("brake", "accelerate")
        .add_closure("report", move |speed: &Speed| report(speed))
        .order("accelerate", "report");
    builder.build().unwrap()
}

const DISTANCES: [Option<u32>; 5] = [Some(20), Some(20), Some(3), Some(8), Some(8)];

#[test]
fn schedule_that_decides_the_same_does_not_diverge() {
    let (bytes, _) = record(&DISTANCES);
    let mut same = other(|sensors| sensors.distance < 10, |_| Ok(()), 1);
    replay(&bytes, &mut same).unwrap();
}

#[test]
fn other_condition_is_named_with_the_systems_after_it() {
    let (bytes, _) = record(&DISTANCES);
    let mut changed = other(|sensors| sensors.distance < 5, |_| Ok(()), 1);
    let divergence = diverged(replay(&bytes, &mut changed));
    assert_eq!(
        divergence.to_string(),
        "replay diverged from the recording in run 3 of schedule `car`\n  \
         `is_near`: in the recording, it answered `is_near`; in the replay, it answered `not is_near`\n  \
         `brake`: in the recording, it ran; in the replay, it did not run, because its guard was false\n  \
         `accelerate`: in the recording, it did not run, because its guard was false; in the replay, it ran\n  \
         `speed`: in the recording, it had the checksum 1bdf05a5; in the replay, it had the checksum 37be0b4b\n\
         inputs that had changed before this run: `sensors`"
    );
}

#[test]
fn other_value_is_named_if_it_is_an_output() {
    let (bytes, _) = record(&DISTANCES);
    let mut changed = other(|sensors| sensors.distance < 10, |_| Ok(()), 2);
    let divergence = diverged(replay(&bytes, &mut changed));
    assert_eq!(divergence.nth_run, 0);
    assert_eq!(divergence.systems, []);
    assert_eq!(divergence.resources[0].name, "speed");
    assert_eq!(divergence.changed_inputs, ["sensors", "speed"]);
}

#[test]
fn failure_with_another_text_is_named() {
    let (bytes, texts) = record(&[Some(20), Some(20), Some(20)]);
    assert!(texts[2].contains("too fast"), "{texts:?}");
    let mut changed = other(|sensors| sensors.distance < 10, |_| Ok(()), 1);
    let divergence = diverged(replay(&bytes, &mut changed));
    assert_eq!(divergence.nth_run, 2);
    let [accelerate, report] = &divergence.systems[..] else {
        panic!("{divergence}")
    };
    assert_eq!(accelerate.recorded, "failed: too fast");
    assert_eq!(accelerate.replayed, "ran");
    assert_eq!(
        report.recorded,
        "was skipped, because another system failed"
    );
    assert_eq!(
        divergence.to_string().lines().last(),
        Some("no input had changed before this run")
    );
}

#[test]
fn replay_continues_after_a_difference() {
    let (bytes, _) = record(&DISTANCES);
    let mut changed = other(|sensors| sensors.distance != 3, |_| Ok(()), 1);
    let mut resources = Resources::new();
    let recorded = || RecordedResources::new().input::<Sensors>().state::<Speed>();
    let mut schedule = car();
    let mut replayer = Replayer::new(&bytes[..], &schedule, super::recorded()).unwrap();
    replayer.run_all(&mut schedule, &mut resources).unwrap();
    // The same without outputs, so that only decisions are compared.
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    for distance in DISTANCES.into_iter().flatten() {
        resources.insert(Sensors::at(distance));
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let mut replayer = Replayer::new(&bytes[..], &changed, recorded()).unwrap();
    let is_same: Vec<bool> = (0..5)
        .map(|_| replayer.run(&mut changed, &mut resources).is_ok())
        .collect();
    assert_eq!(is_same, [false, false, false, true, true]);
    assert!(
        replayer
            .run(&mut changed, &mut resources)
            .unwrap()
            .is_none()
    );
}

#[test]
fn run_that_did_not_begin_differs_from_one_that_did() {
    let (bytes, _) = record(&[Some(20), None]);
    let mut builder = Schedule::builder();
    builder
        .name("car")
        .add_closure("is_near", |sensors: Option<&Sensors>| {
            sensors.is_none_or(|sensors| sensors.distance < 10)
        });
    builder
        .add_closure("brake", |_: &mut Speed| {})
        .run_if(Condition::added("is_near"));
    builder
        .add_closure("accelerate", |speed: &mut Speed| speed.0 += 1)
        .run_if(!Condition::added("is_near"))
        .order("brake", "accelerate")
        .add_closure("report", |_: &Speed| {})
        .order("accelerate", "report");
    let divergence = diverged(replay(&bytes, &mut builder.build().unwrap()));
    assert_eq!(divergence.nth_run, 1);
    assert_eq!(
        divergence.systems[0].to_string(),
        "`car`: in the recording, it was refused, because of missing resources: `Sensors`; in the replay, it began"
    );
}

#[test]
fn other_systems_are_named_before_the_first_run() {
    let (bytes, _) = record(&DISTANCES);
    let mut schedule = car();
    schedule
        .change(|builder| {
            builder.remove(Target::of::<report>());
            builder
                .add_closure("log", |_: &Speed| {})
                .policy(Policy::InsertionOrder)
        })
        .unwrap();
    let error = replay(&bytes, &mut schedule).unwrap_err();
    assert_eq!(
        error.to_string(),
        "schedule `car` is not that of the recording, before run 0\n  \
         only in the recording: system `report`\n  \
         only in the schedule: system `log`\n  \
         help: replay with the schedule that was recorded"
    );
}

#[test]
fn systems_in_another_order_are_an_error() {
    let mut builder = Schedule::builder();
    builder.add_closure("a", || {}).add_closure("b", || {});
    let recorder = Recorder::new(
        Vec::new(),
        &builder.build().unwrap(),
        RecordedResources::new(),
    );
    let bytes = recorder.unwrap().finish().unwrap();
    let mut builder = Schedule::builder();
    builder.add_closure("b", || {}).add_closure("a", || {});
    let schedule = builder.name("two").build().unwrap();
    let error = Replayer::new(&bytes[..], &schedule, RecordedResources::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "schedule `two` is not that of the recording, before run 0\n  \
         another order: the recording has system `a` where the schedule has system `b`\n  \
         help: replay with the schedule that was recorded"
    );
}

#[test]
fn other_resources_are_named() {
    let (bytes, _) = record(&DISTANCES);
    let other = RecordedResources::new()
        .input::<Speed>()
        .output::<Speed>()
        .input::<Sensors>();
    let error = Replayer::new(&bytes[..], &car(), other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the resources are not those of the recording\n  \
         only in the recording: state `speed`\n  \
         only in the program: input `speed`\n  \
         help: use the same `RecordedResources` for the `Recorder` and the `Replayer`; if a type was renamed or removed, add \
         `renamed(…)` or `dropped(…)`"
    );
}

#[test]
fn resource_twice_is_an_error() {
    let twice = || recorded().input::<Sensors>();
    let text = "a recording cannot have two resources with the name `sensors`: add each resource once, and give each type a different \
                name";
    let error = Recorder::new(Vec::new(), &car(), twice()).unwrap_err();
    assert_eq!(error.to_string(), text);
    let error = Replayer::new(&[][..], &car(), twice()).unwrap_err();
    assert_eq!(error.to_string(), text);
}

/// A program that changes the schedule between two runs does the same in the replay.
#[test]
fn changed_schedule_is_compared_with_the_recording_of_the_change() {
    let change = |schedule: &mut Schedule| {
        let result = schedule.change(|builder| builder.remove(Target::of::<report>()));
        result.unwrap();
    };
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    resources.insert(Sensors::at(20));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    change(&mut schedule);
    recorder.run(&mut schedule, &mut resources).unwrap();
    let bytes = recorder.finish().unwrap();

    let (mut schedule, mut resources) = (car(), Resources::new());
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    replayer.run(&mut schedule, &mut resources).unwrap();
    change(&mut schedule);
    replayer.run_all(&mut schedule, &mut resources).unwrap();

    let error = replay(&bytes, &mut car()).unwrap_err();
    let ReplayError::Systems { nth_run, added, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((nth_run, &added[0][..]), (1, "system `report`"));
}

#[test]
fn replay_disables_and_enables_systems_as_in_the_recording() {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    resources.insert(Sensors::at(20));
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded()).unwrap();
    for is_enabled in [true, false, false, true] {
        schedule.set_enabled("accelerate", is_enabled).unwrap();
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    assert_eq!(resources.get::<Speed>(), Some(&Speed(4)));
    let bytes = recorder.finish().unwrap();
    let (mut schedule, mut resources) = (car(), Resources::new());
    schedule.set_enabled("brake", false).unwrap();
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    replayer.run_all(&mut schedule, &mut resources).unwrap();
    assert_eq!(resources.get::<Speed>(), Some(&Speed(4)));
    assert!(schedule.is_enabled("brake").unwrap());
}

/// The number of iterations is a decision, and the outcome of a body that ran no iteration is not.
#[test]
fn iterations_of_loops_are_compared() {
    #[derive(Resource)]
    struct Left(u32);

    let schedule = |n: u32| {
        let mut builder = Schedule::builder();
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("fill", move |sensors: &Sensors, left: &mut Left| {
                left.0 = if sensors.distance == 0 { 0 } else { n };
            })
            .repeat_while_closure(
                "is_left",
                |left: &Left| left.0 > 0,
                |body| {
                    body.add_closure("is_even", |left: &Left| left.0.is_multiple_of(2))
                        .add_closure("take", |left: &mut Left| left.0 -= 1)
                },
            );
        builder.name("loops").build().unwrap()
    };
    let recorded = || RecordedResources::new().input::<Sensors>();
    let mut first = schedule(3);
    let mut resources = Resources::new();
    resources.insert(Left(0));
    let mut recorder = Recorder::new(Vec::new(), &first, recorded()).unwrap();
    for distance in [0, 0, 1] {
        resources.insert(Sensors::at(distance));
        recorder.run(&mut first, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let mut other = schedule(4);
    let mut replayer = Replayer::new(&bytes[..], &other, recorded()).unwrap();
    let divergence = diverged(replayer.run_all(&mut other, &mut resources));
    assert_eq!(divergence.nth_run, 2);
    let [one] = &divergence.systems[..] else {
        panic!("{divergence}")
    };
    assert_eq!(
        one.to_string(),
        "`is_left`: in the recording, it ran 3 iterations; in the replay, it ran 4 iterations"
    );

    // The body is not reached, although it ran in the run before.
    let mut other = schedule(0);
    let recorded_by_other = |distances: &[u32]| {
        let mut first = schedule(3);
        let mut resources = Resources::new();
        resources.insert(Left(0));
        let mut recorder = Recorder::new(Vec::new(), &first, recorded()).unwrap();
        for &distance in distances {
            resources.insert(Sensors::at(distance));
            recorder.run(&mut first, &mut resources).unwrap();
        }
        recorder.finish().unwrap()
    };
    let bytes = recorded_by_other(&[0, 1, 0]);
    let mut replayer = Replayer::new(&bytes[..], &other, recorded()).unwrap();
    replayer.run(&mut other, &mut resources).unwrap();
    let divergence = diverged(replayer.run(&mut other, &mut resources));
    let pairs = divergence.systems.iter();
    let pairs: Vec<_> = pairs.map(|one| (&*one.recorded, &*one.replayed)).collect();
    assert_eq!(
        pairs,
        [
            ("ran 3 iterations", "ran 0 iterations"),
            ("answered `not is_even`", "was not reached"),
            ("ran", "was not reached"),
        ]
    );
    // In both, the last run reaches no node of the body.
    replayer.run(&mut other, &mut resources).unwrap();
}

/// Loops that fail in another iteration differ.
#[test]
fn iterations_of_failed_loops_are_compared() {
    #[derive(Resource)]
    struct Count(u32);

    let schedule = |fails_at: u32| {
        let mut builder = Schedule::builder();
        builder
            .policy(Policy::InsertionOrder)
            .add_closure("clear", |count: &mut Count| count.0 = 0)
            .repeat_while_closure(
                "goes_on",
                |count: &Count| count.0 < 9,
                |body| {
                    body.add_closure("fail", move |count: &mut Count| {
                        count.0 += 1;
                        if count.0 == fails_at {
                            Err("no")
                        } else {
                            Ok(())
                        }
                    })
                },
            );
        builder.name("loops").build().unwrap()
    };
    let mut resources = Resources::new();
    resources.insert(Count(0));
    let mut first = schedule(3);
    let mut recorder = Recorder::new(Vec::new(), &first, RecordedResources::new()).unwrap();
    recorder.run(&mut first, &mut resources).unwrap_err();
    let bytes = recorder.finish().unwrap();
    let replay = |fails_at, resources: &mut Resources| {
        let mut other = schedule(fails_at);
        let mut replayer = Replayer::new(&bytes[..], &other, RecordedResources::new()).unwrap();
        replayer.run_all(&mut other, resources)
    };
    assert_eq!(replay(3, &mut resources).unwrap(), 1);
    let divergence = diverged(replay(4, &mut resources));
    assert_eq!(
        divergence.systems[0].to_string(),
        "`goes_on`: in the recording, it failed, with 3 iterations: a node of the body failed; in the replay, it failed, with 4 \
         iterations: a node of the body failed"
    );
}

/// The systems of `car`, so that their attributes are used here as well.
#[test]
fn failure_policy_of_the_replay_changes_decisions() {
    let (bytes, _) = record(&[Some(20), Some(20), Some(20)]);
    let mut builder = Schedule::builder();
    builder
        .name("car")
        .add::<is_near>()
        .add::<brake>()
        .add::<accelerate>()
        .failure_policy_for(Target::of::<accelerate>(), FailurePolicy::CarryOn)
        .add::<report>();
    let divergence = diverged(replay(&bytes, &mut builder.build().unwrap()));
    assert_eq!(divergence.systems.len(), 1);
    assert_eq!(divergence.systems[0].name, "report");
}
