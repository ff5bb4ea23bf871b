//! A log that was cut short is replayed as far as it goes, and reported as incomplete.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use schedule::FailurePolicy;
use schedule_stream::Stream;
use schedule_stream::replay::{EventLog, ReplayError};

use super::super::random::n_cases;
use super::{By, Step, cells, digest, logged};

/// Random events in several calls, with follow-up events.
#[derive(Clone, Debug)]
struct Case {
    calls: Vec<Vec<Step>>,
    every: u64,
    stops: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let step = (0..5_u32, 0..4_u32).prop_map(|(at, n_following)| Step { at, n_following });
    let call = prop::collection::vec(step, 0..8);
    let calls = prop::collection::vec(call, 1..3);
    (calls, 1..9_u64, any::<bool>()).prop_map(|(calls, every, stops)| Case {
        calls,
        every,
        stops,
    })
}

fn stream(case: &Case, by: By) -> Stream<Step> {
    let mut stream = by.stream();
    stream.set_failure_policy(match case.stops {
        true => FailurePolicy::Stop,
        false => FailurePolicy::CarryOn,
    });
    stream
}

fn log_of(case: &Case) -> EventLog<Step> {
    let (mut resources, mut log) = (cells(), EventLog::every(case.every));
    let mut stream = stream(case, By::ALL[0]);
    for call in &case.calls {
        let events = call.iter().cloned();
        stream
            .process_logged(&mut resources, events, |_| (), &mut log, digest)
            .unwrap();
    }
    log
}

/// Returns the log, shortened to this number of events.
fn cut(log: &EventLog<Step>, n_events: u64, also_digests: bool) -> EventLog<Step> {
    let mut cut = log.clone();
    cut.events.truncate(n_events as usize);
    if also_digests {
        cut.digests.retain(|digest| digest.n_events <= n_events);
        cut.calls.retain(|start| *start < n_events);
    }
    cut
}

/// Returns how many of these events have a digest after them.
fn n_checked(log: &EventLog<Step>, n_events: u64) -> u64 {
    let all = log.digests.iter().map(|digest| digest.n_events);
    all.filter(|n| *n <= n_events).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases())
    })]

    #[test]
    fn log_cut_anywhere_is_incomplete(case in cases()) {
        let log = log_of(&case);
        let n_all = log.events.len() as u64;
        for n_events in 0..=n_all {
            for also_digests in [false, true] {
                let cut = cut(&log, n_events, also_digests);
                let n_checked = n_checked(&log, n_events);
                let by = By::ALL[n_events as usize % By::ALL.len()];
                let mut resources = cells();
                let replayed = cut.replay(&mut stream(&case, by), &mut resources, digest);
                let found = match replayed {
                    Ok(()) => None,
                    Err(ReplayError::Incomplete { n_events, n_missing, n_unchecked }) => {
                        Some([n_events, n_missing, n_unchecked])
                    }
                    Err(error) => return Err(TestCaseError::fail(format!("{n_events}: {error}"))),
                };
                let is_cut = n_events < n_all;
                let expected = is_cut.then_some([n_events, n_all - n_events, n_events - n_checked]);
                prop_assert_eq!(found, expected, "{:?}", by);
            }
        }
    }

    #[test]
    fn log_without_its_last_digests_is_incomplete(case in cases()) {
        let log = log_of(&case);
        for n_digests in 0..log.digests.len() {
            let mut cut = log.clone();
            cut.digests.truncate(n_digests);
            let n_all = log.events.len() as u64;
            let n_checked = cut.digests.last().map_or(0, |digest| digest.n_events);
            let error = cut.replay(&mut stream(&case, By::ALL[0]), &mut cells(), digest).unwrap_err();
            let is_expected = matches!(
                error,
                ReplayError::Incomplete { n_events, n_missing: 0, n_unchecked }
                    if n_events == n_all && n_unchecked == n_all - n_checked
            );
            prop_assert!(is_expected, "{}: {}", n_digests, error);
        }
    }

    #[test]
    fn difference_is_reported_although_the_log_is_cut(
        case in cases(),
        other in any::<prop::sample::Index>(),
    ) {
        // A stop would hide the difference.
        let case = Case { stops: false, ..case };
        let log = log_of(&case);
        prop_assume!(!log.events.is_empty());
        let nth = other.index(log.events.len());
        for n_events in nth as u64 + 1..=log.events.len() as u64 {
            let mut cut = cut(&log, n_events, n_events % 2 == 0);
            // No cell has this key.
            cut.events[nth].at = 7;
            let error = cut.replay(&mut stream(&case, By::ALL[0]), &mut cells(), digest);
            let nth = nth as u64;
            match error.expect_err("it was changed") {
                ReplayError::Differs { first, last } => {
                    prop_assert!(n_checked(&log, n_events) > nth);
                    prop_assert!(first <= nth && nth <= last, "{}: {} to {}", nth, first, last);
                }
                ReplayError::Incomplete { n_unchecked, .. } => {
                    prop_assert!(n_checked(&log, n_events) <= nth);
                    prop_assert!(n_unchecked >= n_events - nth);
                }
                error => prop_assert!(false, "{}", error),
            }
        }
    }
}

#[test]
fn prefix_leaves_the_state_of_its_events() {
    let (log, _) = logged(By::ALL[0], 10);
    let n = log.events.len() / 2 + 3;
    let mut cut = log.clone();
    cut.events.truncate(n);
    for &by in By::ALL {
        let mut replayed = cells();
        cut.replay(&mut by.stream(), &mut replayed, digest)
            .unwrap_err();
        // The events include follow-up events.
        let (mut expected, mut again) = (cells(), EventLog::every(u64::MAX));
        let alone = log.events[..n].iter().map(|step| Step {
            n_following: 0,
            ..*step
        });
        by.stream()
            .process_logged(&mut expected, alone, |_| (), &mut again, digest)
            .unwrap();
        let [found, expected] = [replayed, expected].map(|resources| {
            let cells = resources
                .get::<schedule_stream::Records<super::Cell>>()
                .unwrap();
            cells.iter().map(|(_, cell)| cell.0).collect::<Vec<_>>()
        });
        assert_eq!(found, expected, "{by:?}");
    }
}

#[test]
fn log_of_a_call_that_panicked_is_incomplete() {
    for &by in By::ALL {
        let (mut resources, mut log) = (cells(), EventLog::every(4));
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
        let error = log.replay(&mut by.stream(), &mut cells(), digest);
        assert_eq!(
            error.unwrap_err().to_string(),
            "the log is incomplete: the outcomes of the last 2 of its 10 events cannot be checked; all other outcomes match",
            "{by:?}"
        );
    }
}

/// Processes 12 events, of which the callback panics at the outcome of the 6th, and then 8 events with the same log.
fn log_with_an_interrupted_call(by: By) -> EventLog<Step> {
    let (mut resources, mut log) = (cells(), EventLog::every(4));
    let mut stream = by.stream();
    let events = |n| {
        (0..n).map(|nth| Step {
            at: nth % 3,
            n_following: 0,
        })
    };
    let mut n_outcomes = 0;
    let call = AssertUnwindSafe(|| {
        let callback = |_| {
            n_outcomes += 1;
            assert!(n_outcomes < 6, "the callback panics");
        };
        stream.process_logged(&mut resources, events(12), callback, &mut log, digest)
    });
    catch_unwind(call).unwrap_err();
    stream
        .process_logged(&mut resources, events(8), |_| (), &mut log, digest)
        .unwrap();
    log
}

#[test]
fn log_with_calls_after_an_interrupted_call_is_incomplete() {
    for &by in By::ALL {
        let log = log_with_an_interrupted_call(by);
        let start = log.calls[1];
        for &replayed_by in By::ALL {
            match log.replay(&mut replayed_by.stream(), &mut cells(), digest) {
                Err(ReplayError::Incomplete {
                    n_events,
                    n_missing: 0,
                    n_unchecked,
                }) => {
                    assert_eq!(n_events, start + 8, "{by:?}");
                    // The second call follows a call whose end is not in the log.
                    assert_eq!(n_unchecked, n_events - 4, "{by:?}");
                }
                result => panic!("{by:?}: {result:?}"),
            }
        }
        // The digest before the interruption is still compared.
        let mut other = log.clone();
        other.events[1].at = 7;
        let error = other.replay(&mut by.stream(), &mut cells(), digest);
        let is_found = matches!(error, Err(ReplayError::Differs { first: 0, last: 3 }));
        assert!(is_found, "{by:?}: {error:?}");
    }
}

#[test]
fn log_without_its_last_calls_is_incomplete() {
    for &by in By::ALL {
        let (mut resources, mut log) = (cells(), EventLog::every(4));
        let mut stream = by.stream();
        for n in [6, 5, 3] {
            let events = (0..n).map(|nth| Step {
                at: nth % 3,
                n_following: 0,
            });
            stream
                .process_logged(&mut resources, events, |_| (), &mut log, digest)
                .unwrap();
        }
        assert_eq!(log.calls, [0, 6, 11], "{by:?}");
        for n_calls in 0..3 {
            let mut cut = log.clone();
            cut.calls.truncate(n_calls);
            let error = cut.replay(&mut by.stream(), &mut cells(), digest);
            let is_incomplete = matches!(
                error,
                Err(ReplayError::Incomplete { n_events: 14, n_missing: 0, n_unchecked })
                    if n_unchecked > 0
            );
            assert!(is_incomplete, "{by:?}, {n_calls} calls: {error:?}");
        }
    }
}

#[test]
fn error_for_an_incomplete_log_states_how_much_is_missing() {
    let (log, _) = logged(By::ALL[0], 10);
    let n_all = log.events.len();
    let text = |log: &EventLog<Step>| {
        let error = log.replay(&mut By::ALL[0].stream(), &mut cells(), digest);
        error.unwrap_err().to_string()
    };
    let missing = |n: usize| match n {
        1 => "1 event is missing".to_string(),
        n => format!("{n} events are missing"),
    };
    for (n, rest) in [
        (0, ""),
        (
            7,
            ", and the outcomes of the last 7 of these cannot be checked",
        ),
        (20, "; all outcomes match"),
        (
            23,
            ", and the outcomes of the last 3 of these cannot be checked; all other outcomes match",
        ),
    ] {
        let expected = format!(
            "the log is incomplete: {} after the first {n}{rest}",
            missing(n_all - n)
        );
        assert_eq!(text(&cut(&log, n as u64, false)), expected);
    }
    let mut open = log.clone();
    open.n_ended = 0;
    assert_eq!(
        text(&open),
        "the log is incomplete: a call in it did not end; all outcomes match"
    );
    let mut empty = EventLog::<Step>::every(10);
    empty
        .replay(&mut By::ALL[0].stream(), &mut cells(), digest)
        .unwrap();
    empty.n_ended = 1;
    assert_eq!(
        text(&empty),
        "the log is incomplete: 1 event is missing after the first 0"
    );
}
