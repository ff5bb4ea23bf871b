//! Random worlds and systems. All executors and an interpreter must produce the same results.
//!
//! The systems query components with all kinds of terms and filters, run for each entity, change entities directly and by commands,
//! have conditions, are in loops, and fail. With debug assertions, queries
//! take the borrows that hecs checks. So a conflict that the verification misses is a panic, which fails the test.

mod case;
mod changes;
mod each;
mod interpreter;
mod model;
mod parts;
mod pool;
mod subject;

use proptest::prelude::*;

use self::case::{Fault, Work, cases, faults};
use self::interpreter::Interpreter;
use self::model::Model;
use self::subject::{Subject, number, races};
use crate::levels::for_each_case;
use schedule_tests::on::On;

const MAX_NODES: usize = if cfg!(miri) { 4 } else { 14 };

#[test]
fn every_executor_agrees_with_the_interpreter() {
    let runs = prop::collection::vec(faults(MAX_NODES), 1..4);
    for_each_case(&(cases(MAX_NODES), runs), |(case, runs)| {
        let law = Interpreter::new(&case);
        let mut texts = Vec::new();
        for &on in On::EACH {
            let Some(law) = &law else {
                prop_assert!(
                    Subject::new(&case, on).is_none(),
                    "writers first goes in circles"
                );
                continue;
            };
            let mut subject = Subject::new(&case, on).expect("no circles");
            let names: Vec<_> = subject.schedule.systems().map(number).collect();
            prop_assert_eq!(names, law.systems());
            let mut model = Model::new(&case.world);
            for (run, faults) in runs.iter().enumerate() {
                let expected = law.run(&mut model, faults);
                let (found, text) = subject.run(faults);
                let has_panicked = |&(idx, fault): &(usize, Fault)| {
                    fault == Fault::Panic && matches!(case.nodes[idx].work, Work::Each(_))
                };
                if expected.failures.iter().any(has_panicked) {
                    // The function may have run for later entities, so what other systems see is not determined.
                    prop_assert_eq!(found.failures, expected.failures, "run {} {:?}", run, on);
                    prop_assert_eq!(found.skipped, expected.skipped, "run {} {:?}", run, on);
                    break;
                }
                prop_assert_eq!(found, expected, "run {} {:?}", run, on);
                match on {
                    On::Serial => texts.push(text),
                    _ => prop_assert_eq!(&text, &texts[run], "{:?}", on),
                }
            }
        }
        Ok(())
    });
}

/// The verifier compares alternatives of filters. The interpreter tries all sets of components.
#[test]
fn systems_race_if_an_entity_can_match_both() {
    for_each_case(&cases(MAX_NODES), |mut case| {
        case.writers_first = None;
        // A checkpoint that applies commands conflicts with every node.
        for node in &mut case.nodes {
            if matches!(node.work, Work::ApplyCommands) {
                node.work = Work::Count;
            }
        }
        let expected = Interpreter::new(&case).expect("no circles").races;
        prop_assert_eq!(races(&case), expected);
        Ok(())
    });
}
