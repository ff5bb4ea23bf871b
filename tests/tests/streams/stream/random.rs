//! Random events: all modes have the same results as an interpreter.

mod case;
mod interpreter;
mod program;
mod subject;

use proptest::prelude::*;
use schedule_tests::n_cases;

use self::case::cases;
use self::interpreter::World;
use self::subject::Subject;
use super::By;

/// Maximum number of events in a call: more than fit in flight, so that slots are reused.
const MAX_EVENTS: usize = if cfg!(miri) { 20 } else { 2300 };

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::with_cases(n_cases(20))
    })]

    #[test]
    fn results_equal_those_of_a_loop_with_any_processing(
        case in cases(0..MAX_EVENTS),
    ) {
        let mut first = None;
        for &by in By::ALL {
            let mut world = World::new(case.n_keys, case.limits);
            let mut subject = Subject::new(case.n_keys, case.stops, case.limits, by);
            let mut found = Vec::new();
            for (call, events) in case.calls.iter().enumerate() {
                let reported = subject.process(events);
                if let Err(fault) = world.check(events, case.stops, &reported) {
                    prop_assert!(false, "call {} {:?}: {}", call, by, fault);
                }
                let state = subject.state();
                prop_assert!(world.is(&state), "call {} {:?}", call, by);
                found.push((reported, state));
            }
            // With the stop policy, other events may have run. Otherwise all results are equal, with the order in
            // stores.
            if !case.stops {
                prop_assert!(found == *first.get_or_insert_with(|| found.clone()), "{:?}", by);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "the other tests process batches too")]
    fn results_of_batches_equal_those_of_a_loop(
        case in cases(0..MAX_EVENTS),
        cuts in prop::collection::vec(0..300_usize, 1..8),
    ) {
        let mut first = None;
        for &by in By::ALL {
            let mut world = World::new(case.n_keys, case.limits);
            let mut subject = Subject::new(case.n_keys, case.stops, case.limits, by);
            let mut found = Vec::new();
            for events in &case.calls {
                // At least one batch of a round has events.
                let (mut rest, mut cuts) = (&events[..], cuts.iter().chain(&[50]).cycle());
                let mut is_over = false;
                while !is_over {
                    let n = rest.len().min(*cuts.next().expect("there are cuts"));
                    let (batch, others) = rest.split_at(n);
                    rest = others;
                    let (reported, n_pending) = subject.process_batch(batch);
                    if let Err(fault) = world.check_batch(batch, case.stops, &reported) {
                        prop_assert!(false, "{:?}: {}", by, fault);
                    }
                    is_over = rest.is_empty() && n_pending == 0;
                    found.push((reported, n_pending));
                }
                let state = subject.state();
                prop_assert!(world.is(&state), "{:?}", by);
            }
            if !case.stops {
                let state = subject.state();
                let found = (found, state);
                prop_assert!(found == *first.get_or_insert_with(|| found.clone()), "{:?}", by);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "other tests have producers")]
    fn results_of_pushed_events_equal_those_of_a_loop_by_position(
        case in cases(0..MAX_EVENTS),
        capacity in 1..100_usize,
    ) {
        for &by in By::ALL {
            let mut world = World::new(case.n_keys, case.limits);
            let mut subject = Subject::new(case.n_keys, case.stops, case.limits, by);
            for (call, events) in case.calls.iter().enumerate() {
                let (pushed, reported) = subject.process_pushed(events, capacity);
                prop_assert_eq!(pushed.len(), events.len());
                if let Err(fault) = world.check_pushed(&pushed, case.stops, &reported) {
                    prop_assert!(false, "call {} {:?}: {}", call, by, fault);
                }
                prop_assert!(world.is(&subject.state()), "call {} {:?}", call, by);
            }
        }
    }
}
