//! Slow handlers are reported in order of positions, in all modes.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use schedule::prelude::*;
use schedule_stream::SlowHandler;
use schedule_stream::internal::ProcessingMode;
use schedule_stream::prelude::*;
use tracing::Level;

use super::{By, nth};
use schedule_tests::listener::Listener;

#[derive(Debug, Record)]
#[record(id = u32)]
struct Counter(u64);

/// Adds to a counter, and sleeps or panics.
#[derive(Clone, Copy, Debug, Event)]
#[event(add, answer = u64)]
struct Add {
    to: u32,
    sleeps: bool,
    panics: bool,
}

const SLEEP: Duration = Duration::from_millis(20);

#[handler]
fn add(event: &Add, #[key(event.to)] to: &mut Counter) -> u64 {
    if event.sleeps {
        thread::sleep(SLEEP);
    }
    assert!(!event.panics, "as requested");
    to.0 += 1;
    to.0
}

fn adds(to: u32) -> Add {
    Add {
        to,
        sleeps: false,
        panics: false,
    }
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter((0..4).map(|id| (id, Counter(0)))));
    resources
}

/// A report of a slow handler, or of the outcome of an event, with its position.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reported {
    Slow(u64),
    Outcome(u64, Option<u64>),
}

/// Processes events with a threshold, and returns all reports.
fn process(by: By, threshold: Option<Duration>, events: Vec<Add>) -> Vec<Reported> {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let mut stream = by.stream();
    stream.set_slow_handler_threshold(threshold);
    let to = Arc::clone(&reported);
    let caller = thread::current().id();
    stream.set_slow_handler_callback(move |call: &SlowHandler| {
        assert_eq!(call.handler, "add");
        assert_eq!(thread::current().id(), caller);
        assert!(call.duration >= threshold.unwrap());
        let position = call.position.expect("events of a stream have one");
        to.lock().unwrap().push(Reported::Slow(nth(position)));
    });
    let outcomes = |outcome: Outcome<Add>| {
        let result = outcome.result.ok();
        let one = Reported::Outcome(nth(outcome.position), result);
        reported.lock().unwrap().push(one);
    };
    stream.process(&mut resources(), events, outcomes).unwrap();
    let reported = reported.lock().unwrap();
    reported.clone()
}

#[test]
fn handler_calls_are_reported_before_their_outcomes() {
    let mut events: Vec<_> = (0..100).map(|nth| adds(nth % 4)).collect();
    events[7].panics = true;
    // Without its record, the handler does not run.
    events[8].to = 9;
    for by in By::ALL {
        let without = process(*by, None, events.clone());
        assert_eq!(without.len(), 100, "{by:?}");
        let with = process(*by, Some(Duration::ZERO), events.clone());
        let mut expected = Vec::new();
        for outcome in without {
            let Reported::Outcome(nth, _) = outcome else {
                panic!("no threshold is set");
            };
            if nth != 8 {
                expected.push(Reported::Slow(nth));
            }
            expected.push(outcome);
        }
        assert_eq!(with, expected, "{by:?}");
    }
}

#[test]
fn handler_calls_below_the_threshold_are_not_reported() {
    let mut events: Vec<_> = (0..40).map(|nth| adds(nth % 4)).collect();
    events[5].sleeps = true;
    events[30].sleeps = true;
    for by in By::ALL {
        let is_slow = |one: &Reported| matches!(one, Reported::Slow(_));
        let reported = process(*by, Some(SLEEP), events.clone());
        for nth in [5, 30] {
            assert!(reported.contains(&Reported::Slow(nth)), "{by:?}");
        }
        // Others are slow only if the thread is interrupted for so long.
        assert!(reported.iter().filter(|one| is_slow(one)).count() < 20);
        let reported = process(*by, Some(Duration::from_secs(3600)), events.clone());
        assert!(!reported.iter().any(is_slow), "{by:?}");
    }
}

#[test]
fn callback_that_panics_changes_no_outcome() {
    for by in By::ALL {
        let mut stream = by.stream();
        stream.set_slow_handler_threshold(Duration::ZERO);
        stream.set_slow_handler_callback(|_| panic!("not interested"));
        let mut answers = Vec::new();
        let events = [0, 0, 1].map(adds);
        stream
            .process(&mut resources(), events, |outcome: Outcome<Add>| {
                answers.push(outcome.result.unwrap());
            })
            .unwrap();
        assert_eq!(answers, [1, 2, 1], "{by:?}");
    }
}

#[test]
fn slow_handler_is_a_warning() {
    for by in By::ALL {
        let listener = Listener::default();
        listener.through(
            |_, level| level <= Level::WARN,
            || {
                let mut stream = by.stream();
                stream.set_slow_handler_threshold(Duration::ZERO);
                let events = [0, 1, 2].map(adds);
                stream.process(&mut resources(), events, drop).unwrap();
                stream.set_slow_handler_threshold(None);
                stream.process(&mut resources(), events, drop).unwrap();
            },
        );
        let events = listener.recorded().events;
        let texts: Vec<_> = events.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["slow handler"; 3], "{by:?}");
    }
}

#[test]
fn threshold_remains_for_further_calls_and_can_be_removed() {
    let n_slow = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&n_slow);
    let mut stream = By(ProcessingMode::Lanes, 2).stream();
    stream.set_slow_handler_callback(move |_| *counted.lock().unwrap() += 1);
    let mut resources = resources();
    for (threshold, expected) in [
        (None, 0),
        (Some(Duration::ZERO), 10),
        (Some(Duration::ZERO), 20),
        (None, 20),
    ] {
        stream.set_slow_handler_threshold(threshold);
        let events = (0..10).map(|nth| adds(nth % 4));
        stream.process(&mut resources, events, drop).unwrap();
        assert_eq!(*n_slow.lock().unwrap(), expected);
    }
}
