//! Random graphs with loops, conditions and groups, run on every executor and by an interpreter: all come to the same.

mod case;
mod interpreter;
mod subject;

use proptest::prelude::*;

use self::case::cases;
use self::interpreter::Law;
use self::subject::{Subject, check_refusal, first_values};
use crate::on::On;

const MAX_NODES: usize = if cfg!(miri) { 6 } else { 16 };

/// `RANDOM_CASES=100000 cargo test --release …` for a long run.
fn n_cases() -> u32 {
    let asked = std::env::var("RANDOM_CASES").ok();
    let default = if cfg!(miri) { 2 } else { 500 };
    asked.map_or(default, |text| text.parse().expect("a number of cases"))
}

/// By name, each in the order in which it ran: what several of one name did is in no order.
fn by_name(mut log: Vec<(String, u64)>) -> Vec<(String, u64)> {
    let is_of_several = |name: &str| name.starts_with("typed") || name.starts_with("own");
    log.sort_by(|a, b| {
        let by_digest = is_of_several(&a.0).then(|| a.1.cmp(&b.1));
        a.0.cmp(&b.0)
            .then(by_digest.unwrap_or(std::cmp::Ordering::Equal))
    });
    log
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::with_cases(n_cases())
    })]

    #[test]
    fn every_level_runs_as_the_law_says(case in cases(MAX_NODES)) {
        let law = Law::new(&case);
        for &on in &[On::Serial, On::Threads(2), On::Threads(4)] {
            let (law, mut subject) = match (&law, Subject::new(&case, on)) {
                (Ok(law), Ok(subject)) => (law, subject),
                (Err(refusal), Err(error)) => {
                    let checked = check_refusal(&error, refusal);
                    prop_assert!(checked.is_ok(), "{}: {error}", checked.unwrap_err());
                    break;
                }
                (Ok(_), Err(error)) => {
                    prop_assert!(false, "the law has nothing against it: {error}");
                    break;
                }
                (Err(refusal), Ok(_)) => {
                    prop_assert!(false, "the law refuses it: {refusal:?}");
                    break;
                }
            };
            let mut values = first_values();
            let mut counts = vec![0; case.nodes.len()];
            for run in 0..3 {
                let may_fail = run != 1;
                let expected = law.run(&mut values, &mut counts, may_fail);
                let found = subject.run(may_fail);
                let in_order = law.check_order(&found.log);
                prop_assert!(in_order.is_ok(), "run {run} {on:?}: {}", in_order.unwrap_err());
                prop_assert_eq!(found.failures.is_empty(), expected.failures.is_empty());
                // What else ran by then is open, if there are others who run it.
                if expected.is_stopped && on != On::Serial {
                    break;
                }
                prop_assert_eq!(&found.failures, &expected.failures, "run {} {:?}", run, on);
                if !expected.is_stopped {
                    prop_assert_eq!(&found.skipped, &expected.skipped, "run {} {:?}", run, on);
                }
                if on == On::Serial {
                    prop_assert_eq!(&found.log, &expected.log, "run {}", run);
                }
                prop_assert_eq!(
                    by_name(found.log), by_name(expected.log), "run {} {:?}", run, on
                );
                prop_assert_eq!(subject.values(), values, "run {} {:?}", run, on);
            }
        }
    }
}
