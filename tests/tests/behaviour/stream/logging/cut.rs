//! A log that was cut short is replayed as far as it goes, and reported as incomplete.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use schedule::FailurePolicy;
use schedule_stream::Stream;
use schedule_stream::replay::{EventLog, ReplayError};

use super::super::random::n_cases;
use super::{By, Step, cells, digest, logged, values};

/// Random events in several calls, with follow-up events.
#[derive(Clone, Debug)]
struct Case {
    calls: Vec<Vec<Step>>,
    stops: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let step = (0..5_u32, 0..4_u32).prop_map(|(at, n_following)| Step { at, n_following });
    let call = prop::collection::vec(step, 0..8);
    let calls = prop::collection::vec(call, 1..5);
    (calls, any::<bool>()).prop_map(|(calls, stops)| Case { calls, stops })
}

fn stream(case: &Case, by: By) -> Stream<Step> {
    let mut stream = by.stream();
    stream.set_failure_policy(match case.stops {
        true => FailurePolicy::Stop,
        false => FailurePolicy::CarryOn,
    });
    stream
}

/// Returns the log, and the values of the cells after each batch.
fn log_of(case: &Case) -> (EventLog<Step>, Vec<Vec<u64>>) {
    let (mut resources, mut log) = (cells(), EventLog::new());
    let mut stream = stream(case, By::ALL[0]);
    for call in &case.calls {
        let events = call.iter().cloned();
        stream
            .process_logged(&mut resources, events, |_| (), &mut log, digest)
            .unwrap();
    }
    let mut states = vec![values(&cells())];
    for n in 1..=log.batches.len() {
        let mut prefix = log.clone();
        prefix.batches.truncate(n);
        prefix.n_batches = n as u64;
        let mut resources = cells();
        let mut stream = self::stream(case, By::ALL[0]);
        prefix.replay(&mut stream, &mut resources, digest).unwrap();
        states.push(values(&resources));
    }
    assert_eq!(states.last(), Some(&values(&resources)));
    (log, states)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases())
    })]

    #[test]
    fn log_cut_after_any_batch_is_incomplete(case in cases()) {
        let (log, states) = log_of(&case);
        let n_all = log.batches.len();
        for (n, state) in states[..n_all].iter().enumerate() {
            let mut cut = log.clone();
            cut.batches.truncate(n);
            let by = By::ALL[n % By::ALL.len()];
            let mut resources = cells();
            let replayed = cut.replay(&mut stream(&case, by), &mut resources, digest);
            let expected = ReplayError::Incomplete {
                n_missing: (n_all - n) as u64,
                is_interrupted: false,
            };
            prop_assert_eq!(replayed, Err(expected), "{:?}", by);
            prop_assert_eq!(&values(&resources), state, "{:?}", by);
        }
    }

    #[test]
    fn difference_is_reported_although_the_log_is_cut(
        case in cases(),
        other in any::<prop::sample::Index>(),
    ) {
        // A stop would hide the difference.
        let case = Case { stops: false, ..case };
        let (log, _) = log_of(&case);
        let with_events: Vec<usize> = (0..log.batches.len())
            .filter(|nth| !log.batches[*nth].events.is_empty())
            .collect();
        prop_assume!(!with_events.is_empty());
        let changed = with_events[other.index(with_events.len())];
        for n in changed + 1..=log.batches.len() {
            let mut cut = log.clone();
            cut.batches.truncate(n);
            // No cell has this key.
            cut.batches[changed].events[0].at = 7;
            let replayed = cut.replay(&mut stream(&case, By::ALL[0]), &mut cells(), digest);
            let batch = log.batches[changed].number;
            prop_assert_eq!(replayed, Err(ReplayError::Differs { batch }));
        }
    }
}

#[test]
fn log_of_an_interrupted_call_is_incomplete() {
    for &by in By::ALL {
        let (mut resources, mut log) = (cells(), EventLog::new());
        let mut stream = by.stream();
        let events = |n| {
            (0..n).map(|nth| Step {
                at: nth % 3,
                n_following: 0,
            })
        };
        stream
            .process_logged(&mut resources, events(4), |_| (), &mut log, digest)
            .unwrap();
        let mut n_outcomes = 0;
        let call = AssertUnwindSafe(|| {
            let callback = |_| {
                n_outcomes += 1;
                assert!(n_outcomes < 6, "the callback panics");
            };
            stream.process_logged(&mut resources, events(12), callback, &mut log, digest)
        });
        catch_unwind(call).unwrap_err();
        let replayed = |log: &EventLog<Step>| {
            let replayed = log.replay(&mut by.stream(), &mut cells(), digest);
            replayed.unwrap_err().to_string()
        };
        assert_eq!(
            replayed(&log),
            "the log is incomplete: a batch was interrupted; all other results match",
            "{by:?}"
        );
        stream
            .process_logged(&mut resources, events(8), |_| (), &mut log, digest)
            .unwrap();
        assert_eq!(
            replayed(&log),
            "the log is incomplete: a batch was interrupted, and 1 batch after it was not replayed; all other results match",
            "{by:?}"
        );
        // The digest before the interruption is still compared.
        log.batches[0].events[1].at = 7;
        assert_eq!(replayed(&log), "replay diverged from the log in batch 0");
    }
}

#[test]
fn batch_that_the_input_interrupts_is_logged() {
    for &by in By::ALL {
        let (mut resources, mut log) = (cells(), EventLog::new());
        let events = (0..12).map(|nth| {
            assert!(nth < 10, "no more events");
            Step {
                at: nth % 3,
                n_following: 0,
            }
        });
        let mut stream = by.stream();
        let call = AssertUnwindSafe(|| {
            stream.process_logged(&mut resources, events, |_| (), &mut log, digest)
        });
        catch_unwind(call).unwrap_err();
        let [batch] = &log.batches[..] else {
            panic!("{by:?}: {log:?}");
        };
        assert_eq!((batch.events.len(), batch.digest), (10, None), "{by:?}");
    }
}

#[test]
fn refused_call_is_not_in_the_log() {
    let (mut resources, mut log) = (cells(), EventLog::new());
    let mut stream = By::ALL[0].stream();
    let (producer, mut arrivals) = stream.arrivals(4);
    let step = || Step {
        at: 0,
        n_following: 0,
    };
    producer.push(step()).unwrap();
    drop(producer);
    stream
        .process_logged(&mut resources, [step()], |_| (), &mut log, digest)
        .unwrap();
    let before = log.clone();
    stream
        .process_arrivals_logged(&mut resources, &mut arrivals, |_| (), &mut log, digest)
        .unwrap_err();
    assert_eq!(log, before);
}

#[test]
fn error_for_an_incomplete_log_states_how_much_is_missing() {
    let (log, _) = logged(By::ALL[0]);
    let text = |n: usize| {
        let mut cut = log.clone();
        cut.batches.truncate(n);
        let error = cut.replay(&mut By::ALL[0].stream(), &mut cells(), digest);
        error.unwrap_err().to_string()
    };
    let n = log.batches.len();
    assert_eq!(
        text(n - 1),
        "the log is incomplete: 1 batch is missing; all other results match"
    );
    assert_eq!(
        text(n - 3),
        "the log is incomplete: 3 batches are missing; all other results match"
    );
}
