//! Random programs with messages, on all executors, and a sequential interpreter that keeps every message.

mod case;
mod model;
mod subject;

use std::collections::BTreeSet;

use proptest::prelude::*;
use schedule_tests::n_cases;
use schedule_tests::on::On;

use self::case::{Action, Case, Node, cases};
use self::model::{Model, Reason, Trace};
use self::subject::Subject;

/// The names of all nodes.
fn names(nodes: &[Node], all: &mut Vec<String>) {
    for node in nodes {
        all.push(node.name.clone());
        names(node.body(), all);
    }
}

/// Sorts the log by node. The executions of each node stay in order.
fn sorted(mut trace: Trace) -> Trace {
    trace.log.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    trace
}

/// Whether a failure is as expected. If several readers have the most unread messages, the cause may name any of them.
fn is_same(found: &Reason, expected: &Reason) -> bool {
    match (found, expected) {
        (Reason::Full(found_bound, found_n, reader), Reason::Full(bound, n_unread, slowest)) => {
            (found_bound, found_n) == (bound, n_unread)
                && reader.is_subset(slowest)
                && reader.is_empty() == slowest.is_empty()
        }
        (found, expected) => found == expected,
    }
}

/// Whether a report contains the first reason of a failure. If several queues of a writer are full, it may contain any of them.
fn is_first(found: &[Reason], expected: &[Reason]) -> bool {
    let is_full = |reason: &&Reason| matches!(reason, Reason::Full(..));
    let n_full = expected.iter().take_while(is_full).count();
    let mut first = expected[..n_full.max(1)].iter();
    found.len() == 1 && first.any(|expected| is_same(&found[0], expected))
}

fn check(case: &Case, on: On) -> Result<(), TestCaseError> {
    let mut subject = Subject::new(case, on);
    let mut model = Model::new(case);
    let mut saved = None;
    let mut n_sent = 0;
    for (step, action) in case.actions.iter().enumerate() {
        let at = || format!("step {step}, {action:?}, {on:?}");
        match *action {
            Action::Run(nth) => {
                let expected = sorted(model.run(&case.schedules[nth]));
                let found = sorted(subject.run(nth));
                prop_assert_eq!(&found.log, &expected.log, "{}", at());
                let failed = |trace: &Trace| trace.failed.keys().cloned().collect::<BTreeSet<_>>();
                prop_assert_eq!(
                    failed(&found),
                    failed(&expected),
                    "{}: {:?} {:?}",
                    at(),
                    found.failed,
                    expected.failed
                );
                for (name, reason) in &found.failed {
                    let expected = &expected.failed[name];
                    prop_assert!(
                        is_first(reason, expected),
                        "{}: {reason:?} instead of {expected:?}",
                        at()
                    );
                }
            }
            Action::Send(of_type, n, by_sender) => {
                for _ in 0..n {
                    n_sent += 1;
                    let (expected, found) = if by_sender {
                        let expected = model.queues[of_type].send_by_other(n_sent);
                        (expected, subject.send_by_other(of_type, n_sent))
                    } else {
                        let expected = model.queues[of_type].send(n_sent);
                        (expected, subject.send(of_type, n_sent))
                    };
                    prop_assert_eq!(found, expected, "{}", at());
                }
            }
            Action::Clear(of_type) => {
                model.queues[of_type].clear();
                subject.clear(of_type);
            }
            Action::SetBound(of_type, bound) => {
                model.queues[of_type].bound = bound;
                subject.set_bound(of_type, bound);
            }
            Action::Switch(nth, index, is_enabled) => {
                let mut all = Vec::new();
                names(&case.schedules[nth], &mut all);
                if !all.is_empty() {
                    let name = &all[index.index(all.len())];
                    model.switch(&case.schedules[nth], name, is_enabled);
                    subject.switch(nth, name, is_enabled);
                }
            }
            Action::Answer(nth, answer) => {
                model.answers[nth] = answer;
                subject.answer(nth, answer);
            }
            Action::Save => saved = Some((subject.save(), model.clone())),
            Action::Restore {
                is_new,
                is_state_first,
            } => {
                if let Some((saved, of_model)) = &saved {
                    subject.restore(saved, of_model, is_new, is_state_first);
                    model.restore(of_model, is_new);
                }
            }
            Action::Rebuild(nth) => {
                model.forget(["a", "b"][nth]);
                subject.rebuild(nth);
            }
        }
        let expected = model
            .queues
            .each_ref()
            .map(|queue| (queue.len(), queue.n_dropped));
        prop_assert_eq!(subject.numbers(), expected, "{}", at());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(400))
    })]

    #[test]
    fn every_executor_agrees_with_a_sequential_interpreter(case in cases()) {
        for &on in On::EACH {
            check(&case, on)?;
        }
    }

    #[test]
    fn the_order_of_a_serial_run_is_that_of_declarations(case in cases()) {
        let subject = Subject::new(&case, On::Serial);
        for (found, nodes) in subject.systems().into_iter().zip(&case.schedules) {
            let mut expected = Vec::new();
            names(nodes, &mut expected);
            let found: Vec<&str> = found.into_iter().filter(|name| !name.ends_with("answer")).collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).filter(|name| found.contains(name)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
