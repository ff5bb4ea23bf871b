//! Random schedules. All executors and an interpreter must produce the same results.
//!
//! Covers features that no other random test covers: resources that are missing, removed or inserted, panics and failures of commands,
//! systems of the main thread, the texts of failures, and 10,000 consecutive runs.

mod case;
mod interpreter;
pub(crate) mod orders;
mod subject;

use proptest::prelude::*;

use self::case::{Fault, cases, faults, large_case, switched_off};
use self::interpreter::Interpreter;
use self::subject::{Subject, first_values, restocked, values};
use schedule_tests::n_cases;
use schedule_tests::on::On;

const MAX_NODES: usize = if cfg!(miri) { 4 } else { 14 };

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(300))
    })]

    #[test]
    fn every_executor_agrees_with_the_reference_model(
        case in cases(1..=MAX_NODES),
        runs in prop::collection::vec((faults(MAX_NODES), switched_off(MAX_NODES)), 1..4),
    ) {
        let law = Interpreter::new(&case);
        let mut texts = Vec::new();
        for &on in On::EACH {
            let Some(law) = &law else {
                prop_assert!(Subject::new(&case, on).is_none(), "writers first goes in circles");
                continue;
            };
            let mut subject = Subject::new(&case, on).expect("no circles");
            let systems = law.order.iter().filter(|&&idx| case.nodes[idx].is_system());
            let names: Vec<_> = systems.map(ToString::to_string).collect();
            prop_assert_eq!(subject.schedule.systems().collect::<Vec<_>>(), names);
            let mut expected_values = first_values();
            for (run, (faults, is_off)) in runs.iter().enumerate() {
                subject.switch(is_off);
                let expected = law.run(&mut expected_values, faults, is_off);
                let (found, text) = subject.run(faults);
                prop_assert_eq!(found, expected, "run {} {:?}", run, on);
                prop_assert_eq!(values(&subject.resources), expected_values, "run {} {:?}", run, on);
                match on {
                    On::Serial => texts.push(text),
                    _ => prop_assert_eq!(&text, &texts[run], "{:?}", on),
                }
                subject.restock();
                expected_values = restocked(expected_values);
            }
        }
    }
}

#[test]
fn many_consecutive_runs_agree_with_the_reference_model() {
    let n_runs = n_cases(10_000);
    // Fewer runs, because some of them create a timetable.
    let n_timetabled_runs = n_cases(2_000);
    let case = large_case(if cfg!(miri) { 8 } else { 40 });
    let law = Interpreter::new(&case).expect("no circles");
    for &on in On::PARALLEL.iter().filter(|&&on| on != On::Threads(1)) {
        let mut subject = Subject::new(&case, on).unwrap();
        let mut expected_values = first_values();
        let mut faults = vec![None; case.nodes.len()];
        let n_runs = match on {
            On::Timetabled(_) => n_timetabled_runs as usize,
            _ => n_runs as usize,
        };
        for run in 0..n_runs {
            // One failure in every 20 runs, of each node in turn.
            let (turn, is_due) = (run / 20 % faults.len(), run % 20 == 3);
            faults.fill(None);
            faults[turn] = is_due.then_some(if turn % 2 == 0 {
                Fault::Error
            } else {
                Fault::Panic
            });
            let expected = law.run(&mut expected_values, &faults, &vec![false; faults.len()]);
            let (found, _) = subject.run(&faults);
            assert_eq!(found, expected, "run {run} {on:?}");
            assert_eq!(
                values(&subject.resources),
                expected_values,
                "run {run} {on:?}"
            );
        }
        if let On::Timetabled(_) = on {
            // Counts all such runs since costs were last set.
            assert!(subject.schedule.report().n_timetabled_runs > 0);
        }
    }
}
