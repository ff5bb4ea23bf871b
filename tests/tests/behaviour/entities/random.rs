//! Random worlds and systems. All executors and an interpreter must produce the same results.
//!
//! The systems query components with all kinds of terms and filters, change entities, and fail. With debug assertions, queries
//! take the borrows that hecs checks. So a conflict that the verification misses is a panic, which fails the test.

mod case;
mod interpreter;
mod parts;
mod pool;
mod subject;

use proptest::prelude::*;

use self::case::{cases, faults};
use self::interpreter::{Interpreter, Model};
use self::subject::{Subject, races};
use crate::levels::for_each_case;
use crate::on::On;

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
            let names: Vec<_> = law.order.iter().map(ToString::to_string).collect();
            prop_assert_eq!(subject.schedule.systems().collect::<Vec<_>>(), names);
            let mut model = Model::new(&case.world);
            for (run, faults) in runs.iter().enumerate() {
                let expected = law.run(&mut model, faults);
                let (found, text) = subject.run(faults);
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
        let expected = Interpreter::new(&case).expect("no circles").races;
        prop_assert_eq!(races(&case), expected.into_iter().collect::<Vec<_>>());
        Ok(())
    });
}
