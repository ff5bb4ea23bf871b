//! Random events, processed in all ways and by an interpreter: all come to the same.

mod case;
mod interpreter;
mod subject;

use proptest::prelude::*;

use self::case::cases;
use self::interpreter::World;
use self::subject::Subject;
use super::By;

/// Of one call: with more than may be on their way, the first are followed by those that take their slots.
const MAX_EVENTS: usize = if cfg!(miri) { 20 } else { 2300 };

/// `RANDOM_CASES=100000 cargo test --release …` for a long run.
pub(super) fn n_cases() -> u32 {
    let asked = std::env::var("RANDOM_CASES").ok();
    let default = if cfg!(miri) { 1 } else { 20 };
    asked.map_or(default, |text| text.parse().expect("a number of cases"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::with_cases(n_cases())
    })]

    #[test]
    fn any_processing_on_any_number_of_threads_comes_to_what_a_loop_does(
        case in cases(0..MAX_EVENTS),
    ) {
        let mut first = None;
        for &by in By::ALL {
            let mut world = World::new(case.n_keys);
            let mut subject = Subject::new(case.n_keys, case.stops, by);
            let mut found = Vec::new();
            for (call, events) in case.calls.iter().enumerate() {
                let told = subject.process(events);
                if let Err(fault) = world.check(events, case.stops, &told) {
                    prop_assert!(false, "call {} {:?}: {}", call, by, fault);
                }
                let state = subject.state();
                prop_assert!(world.is(&state), "call {} {:?}", call, by);
                found.push((told, state));
            }
            // What stops differs in what else has run; all others are the same to the order in stores.
            if !case.stops {
                prop_assert!(found == *first.get_or_insert_with(|| found.clone()), "{:?}", by);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "other tests have producers")]
    fn what_several_push_comes_to_what_a_loop_does_by_their_positions(
        case in cases(0..MAX_EVENTS),
        capacity in 1..100_usize,
    ) {
        for &by in By::ALL {
            let mut world = World::new(case.n_keys);
            let mut subject = Subject::new(case.n_keys, case.stops, by);
            for (call, events) in case.calls.iter().enumerate() {
                let (pushed, told) = subject.process_pushed(events, capacity);
                prop_assert_eq!(pushed.len(), events.len());
                if let Err(fault) = world.check_pushed(&pushed, case.stops, &told) {
                    prop_assert!(false, "call {} {:?}: {}", call, by, fault);
                }
                prop_assert!(world.is(&subject.state()), "call {} {:?}", call, by);
            }
        }
    }
}
