//! Event logs: a replay repeats all events, and reports where results differ.

mod cut;

use std::hash::{Hash, Hasher};
use std::thread;

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule_stream::replay::{EventLog, LoggedBatch, ReplayError};
use schedule_stream::{BatchTime, prelude::*};

use super::By;

#[derive(Debug, PartialEq, Record, Hash)]
#[record(id = u32)]
struct Cell(u64);

#[derive(Clone, Debug, PartialEq, Event, serde::Serialize, serde::Deserialize)]
#[event(step)]
struct Step {
    at: u32,
    n_following: u32,
}

#[handler]
fn step(event: &Step, #[key(event.at)] cell: &mut Cell) -> Result<FollowUps<Step>, String> {
    // Every other event.
    if event.at == 3 && cell.0 % 5 == 2 {
        cell.0 += 1;
        return Err("not now".to_string());
    }
    cell.0 = (cell.0 % 1_000) * 3 + u64::from(event.at);
    Ok(FollowUps::events(event.n_following.checked_sub(1).map(
        |n| Step {
            at: (event.at + 1) % 5,
            n_following: n,
        },
    )))
}

fn cells() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..5).map(|id| (id, Cell(id.into())))));
    resources
}

fn events() -> impl Iterator<Item = Step> {
    let n = if cfg!(miri) { 30 } else { 700 };
    (0..n).map(|nth| Step {
        at: nth * nth % 5,
        n_following: u32::from(nth.is_multiple_of(7)) * 3,
    })
}

fn digest(resources: &Resources, mut hasher: &mut dyn Hasher) {
    for (id, cell) in resources.get::<Records<Cell>>().unwrap().iter() {
        (id, cell).hash(&mut hasher);
    }
}

fn values(resources: &Resources) -> Vec<u64> {
    let cells = resources.get::<Records<Cell>>().unwrap();
    cells.iter().map(|(_, cell)| cell.0).collect()
}

/// Logs several calls, and the batches of their follow-up events.
fn logged(by: By) -> (EventLog<Step>, Vec<u64>) {
    let (mut resources, mut log) = (cells(), EventLog::new());
    let mut stream = by.stream();
    stream.set_clock(|| BatchTime::from_nanos(5));
    let all: Vec<Step> = events().collect();
    for call in all.chunks(100) {
        let call = call.iter().cloned();
        stream
            .process_logged(&mut resources, call, |_| (), &mut log, digest)
            .unwrap();
    }
    (log, values(&resources))
}

#[test]
fn log_does_not_depend_on_the_processing() {
    let (expected, state) = logged(By::ALL[0]);
    let n_events: usize = expected
        .batches
        .iter()
        .map(|batch| batch.events.len())
        .sum();
    assert_eq!(
        n_events,
        events().count(),
        "only events of the input are in the log"
    );
    let numbers: Vec<u64> = expected.batches.iter().map(|batch| batch.number).collect();
    assert!(numbers.iter().copied().eq(0..expected.n_batches));
    assert!(expected.batches.iter().any(|batch| batch.events.is_empty()));
    for &by in By::ALL {
        assert_eq!(logged(by), (expected.clone(), state.clone()), "{by:?}");
    }
}

#[test]
fn log_is_replayed_after_serialization() {
    let (log, state) = logged(By::ALL[0]);
    let text = serde_json::to_string(&log).unwrap();
    let read: EventLog<Step> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, log);
    for &by in By::ALL {
        let (mut resources, mut stream) = (cells(), by.stream());
        read.replay(&mut stream, &mut resources, digest).unwrap();
        assert_eq!(values(&resources), state, "{by:?}");
        assert_eq!(stream.next_batch(), log.n_batches, "{by:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the ways it takes are those of other tests")]
fn log_of_several_calls_is_replayed_batch_by_batch() {
    for policy in [FailurePolicy::CarryOn, FailurePolicy::Stop] {
        for &by in By::ALL {
            let stream = || {
                let mut stream = by.stream();
                stream.set_failure_policy(policy);
                stream
            };
            let (mut writer, mut reader) = (stream(), stream());
            let (mut resources, mut log) = (cells(), EventLog::new());
            let all: Vec<Step> = events().collect();
            let (mut reported, n) = (Vec::new(), all.len());
            for call in [&all[..10], &[], &all[10..n / 2], &all[n / 2..]] {
                let report = |outcome: Outcome<Step>| reported.push(outcome.is_applied());
                let events = call.iter().cloned();
                writer
                    .process_logged(&mut resources, events, report, &mut log, digest)
                    .unwrap();
            }
            assert!(reported.contains(&false), "some failed: {by:?}");
            let mut again = cells();
            log.replay(&mut reader, &mut again, digest).unwrap();
            assert_eq!(values(&again), values(&resources), "{by:?}");
            let with_events = |batch: &&mut LoggedBatch<Step>| batch.events.len() > 10;
            let batch = log.batches.iter_mut().find(with_events).unwrap();
            batch.events[3].at = (batch.events[3].at + 1) % 5;
            let changed = batch.number;
            let error = log.replay(&mut reader, &mut cells(), digest).unwrap_err();
            assert_eq!(error, ReplayError::Differs { batch: changed });
        }
    }
}

#[test]
fn replay_with_other_resources_differs_at_the_first_batch() {
    let (log, _) = logged(By::ALL[0]);
    let mut resources = cells();
    resources
        .get_mut::<Records<Cell>>()
        .unwrap()
        .get_mut(0)
        .unwrap()
        .0 = 9;
    let mut stream = By::ALL[0].stream();
    let error = log.replay(&mut stream, &mut resources, digest).unwrap_err();
    assert_eq!(error.to_string(), "replay diverged from the log in batch 0");
}

#[test]
fn replay_fails_if_a_resource_is_missing() {
    let (log, _) = logged(By::ALL[0]);
    let mut stream = By::ALL[0].stream();
    let mut resources = Resources::new();
    let error = log
        .replay(&mut stream, &mut resources, |_, _| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 resource is missing; no event was processed\n  `Records<Cell>` is missing: insert it before the call"
    );
}

/// A long event.
#[derive(Clone, Debug, Event)]
#[event(spin)]
struct Spin {
    at: u32,
    fails: bool,
}

#[handler]
fn spin(event: &Spin, #[key(event.at)] cell: &mut Cell) -> Result<(), &'static str> {
    (0..2_000).for_each(|_| std::hint::spin_loop());
    cell.0 += 1;
    match event.fails {
        true => Err("enough"),
        false => Ok(()),
    }
}

#[test]
#[cfg_attr(miri, ignore = "spins")]
fn replay_stops_the_same_events() {
    for &by in By::ALL {
        let stream = || {
            let mut stream = by.stream();
            stream.set_failure_policy(FailurePolicy::Stop);
            stream
        };
        let resources = || {
            let mut resources = Resources::new();
            resources.insert(Records::from_iter((0..400).map(|id| (id, Cell(0)))));
            resources
        };
        let events = (0..400).map(|at| Spin {
            at,
            fails: at == 200,
        });
        let mut log = EventLog::new();
        stream()
            .process_logged(&mut resources(), events, |_| (), &mut log, digest)
            .unwrap();
        for _ in 0..10 {
            log.replay(&mut stream(), &mut resources(), digest).unwrap();
        }
    }
}

#[test]
fn pushed_events_are_replayed_without_producers() {
    for &by in By::ALL {
        let (mut stream, mut resources) = (by.stream(), cells());
        let (producer, mut arrivals) = stream.arrivals(7);
        let mut log = EventLog::new();
        let mut last = None;
        thread::scope(|scope| {
            let n = if cfg!(miri) { 10 } else { 300 };
            for nth in 0..3 {
                let producer = producer.clone();
                scope.spawn(move || {
                    for at in 0..n {
                        let n_following = u32::from(at % 7 == nth) * 2;
                        let at = (at + nth) % 5;
                        producer.push(Step { at, n_following }).unwrap();
                    }
                });
            }
            drop(producer);
            let report = |outcome: Outcome<Step>| {
                assert!(last < Some(outcome.position));
                last = Some(outcome.position);
            };
            stream
                .process_arrivals_logged(&mut resources, &mut arrivals, report, &mut log, digest)
                .unwrap();
        });
        let mut again = cells();
        log.replay(&mut by.stream(), &mut again, digest).unwrap();
        assert_eq!(values(&again), values(&resources), "{by:?}");
    }
}
