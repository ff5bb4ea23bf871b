//! Random graphs with loops, conditions and groups. All executors and an interpreter must produce the same results.
//!
//! Covers features that no other random test covers: loops, conditions, selectors, failure policies, groups that are switched off, changes
//! and plugins.

mod case;
mod digest;
#[cfg(not(miri))]
mod found;
mod interpreter;
mod random;
mod refusal;
mod subject;

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};

use self::case::{Case, Missing, N_GROUPS, Thing};
use self::interpreter::Law;
use self::random::cases;
use self::refusal::check_refusal;
use self::subject::{Junk, Subject, first_values};
use schedule_tests::n_cases;
use schedule_tests::on::On;

const MAX_NODES: usize = if cfg!(miri) { 6 } else { 16 };

const ON: &[On] = if cfg!(miri) {
    &[On::Serial, On::Threads(2)]
} else {
    &[
        On::Serial,
        On::Auto,
        On::Threads(1),
        On::Threads(2),
        On::Threads(4),
        On::Timetabled(2),
        On::Timetabled(4),
    ]
};

#[test]
fn nested_schedules_run_like_the_reference_model() {
    let all = (cases(MAX_NODES), switches(), missing());
    for_each_case(&all, |(case, switches, missing)| {
        check(&case, &switches, &missing)
    });
}

/// `RANDOM_SEED=…` sets the seed of the first case.
pub(crate) fn for_each_case<S: Strategy>(cases: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    // Each test run uses different seeds. `ci/slow.sh` runs many cases.
    let first = std::env::var("RANDOM_SEED").map_or_else(
        |_| RandomState::new().hash_one(0) >> 16,
        |seed| seed.parse().expect("`RANDOM_SEED` is a number"),
    );
    for seed in first..first + u64::from(n_cases(200)) {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = ProptestConfig {
            failure_persistence: None,
            max_shrink_iters: 20_000,
            ..ProptestConfig::with_cases(1)
        };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let result = TestRunner::new_with_rng(config, rng).run(cases, &check);
        if let Err(error) = result {
            panic!("RANDOM_CASES=1 RANDOM_SEED={seed}: {error}");
        }
    }
}

/// For each run, whether each node is switched off, followed by the same for each group.
type Switches = [Vec<bool>; 3];

fn switches() -> impl Strategy<Value = Switches> {
    let one = || {
        let none = Just(vec![false; MAX_NODES + N_GROUPS]);
        let some = prop::collection::vec(prop::bool::weighted(0.15), MAX_NODES + N_GROUPS);
        prop_oneof![none, some]
    };
    [one(), one(), one()]
}

/// For each run, whether each resource is missing.
fn missing() -> impl Strategy<Value = [Missing; 3]> {
    let one = || {
        let some = prop::array::uniform5(prop::bool::weighted(0.2));
        prop_oneof![2 => Just(Missing::default()), 1 => some]
    };
    [one(), one(), one()]
}

/// Returns the nodes and groups that are switched off in a run.
fn off(case: &Case, switches: &[bool]) -> Vec<Thing> {
    let nodes = (0..case.nodes.len()).filter(|&idx| switches[idx]);
    let groups = (0..N_GROUPS).filter(|group| switches[MAX_NODES + group]);
    nodes
        .map(Thing::Node)
        .chain(groups.map(Thing::Group))
        .collect()
}

/// Returns the nodes that each of three changes adds. The next change removes them.
fn junk() -> impl Strategy<Value = Vec<Vec<Junk>>> {
    let one = (
        prop::array::uniform5(prop::option::weighted(0.2, any::<bool>())),
        [0.2, 0.2].map(prop::bool::weighted),
        prop::option::weighted(0.2, 0..N_GROUPS),
        prop::collection::vec(prop::option::weighted(0.2, any::<bool>()), MAX_NODES),
    )
        .prop_map(|(uses, [is_loop, is_guarded], group, orders)| Junk {
            uses,
            is_loop,
            is_guarded,
            group,
            orders,
        });
    prop::collection::vec(prop::collection::vec(one, 0..3), 3)
}

/// Returns up to three chunks of the nodes, split only outside of all loops.
fn chunks(case: &Case, cuts: [Index; 2]) -> Vec<Range<usize>> {
    let tops = (0..case.nodes.len()).filter(|&idx| case.nodes[idx].level.is_none());
    let tops: Vec<usize> = tops.collect();
    let mut cuts = cuts.map(|cut| tops[cut.index(tops.len())]);
    cuts.sort_unstable();
    let chunks = [0..cuts[0], cuts[0]..cuts[1], cuts[1]..case.nodes.len()];
    chunks
        .into_iter()
        .filter(|chunk| !chunk.is_empty())
        .collect()
}

/// A schedule that is built by changes equals the one that is built at once, or is rejected for the same reasons.
#[test]
fn changed_schedule_equals_a_new_one() {
    let both = (cases(MAX_NODES), any::<[Index; 2]>(), junk());
    for_each_case(&both, |(case, cuts, junk)| {
        let chunks = chunks(&case, cuts);
        for &on in ON {
            let new = Subject::in_chunks(&case, &chunks, on);
            let changed = Subject::by_changes(&case, &chunks, &junk, on);
            let (mut new, mut changed) = match (new, changed) {
                (Ok(new), Ok(changed)) => (new, changed),
                (Err(new), Err(changed)) => {
                    prop_assert_eq!(changed.to_string(), new.to_string());
                    continue;
                }
                (Ok(_), Err(error)) => return Err(TestCaseError::fail(error.to_string())),
                (Err(error), Ok(_)) => {
                    prop_assert!(false, "the change is not refused: {}", error);
                    continue;
                }
            };
            prop_assert_eq!(changed.text(), new.text());
            for may_fail in [true, false] {
                let (new_run, changed_run) = (new.run(may_fail), changed.run(may_fail));
                if on == On::Serial {
                    prop_assert_eq!(changed_run, new_run);
                } else if !case.may_stop() {
                    prop_assert_eq!(changed_run.failures, new_run.failures);
                    prop_assert_eq!(changed_run.skipped, new_run.skipped);
                    prop_assert_eq!(by_name(changed_run.log), by_name(new_run.log));
                } else {
                    break;
                }
                prop_assert_eq!(changed.values(), new.values(), "{:?}", on);
            }
        }
        Ok(())
    });
}

/// A schedule behaves the same on its own and as a plugin that is the only content of another schedule.
#[test]
fn plugin_runs_like_a_schedule_by_itself() {
    for_each_case(&cases(MAX_NODES), |case| {
        match (
            Subject::new(&case, On::Serial),
            Subject::as_part(&case, On::Serial),
        ) {
            (Ok(mut alone), Ok(mut part)) => {
                prop_assert_eq!(part.text(), alone.text());
                prop_assert_eq!(part.run(true), alone.run(true));
                prop_assert_eq!(part.values(), alone.values());
            }
            (Err(alone), Err(part)) => prop_assert_eq!(part.to_string(), alone.to_string()),
            (Ok(_), Err(error)) => prop_assert!(false, "refused as a part: {}", error),
            (Err(error), Ok(_)) => prop_assert!(false, "refused only alone: {}", error),
        }
        Ok(())
    });
}

fn check(case: &Case, switches: &Switches, missing: &[Missing; 3]) -> TestCaseResult {
    let chosen = Subject::new(case, On::Serial).map(|subject| subject.chosen());
    let law = Law::new(case, &chosen.unwrap_or_default());
    for &on in ON {
        match (&law, Subject::new(case, on)) {
            (Ok(law), Ok(mut subject)) => {
                check_runs(case, switches, missing, law, &mut subject, on)?
            }
            (Err(refusal), Err(error)) => {
                let checked = check_refusal(&error, refusal);
                prop_assert!(checked.is_ok(), "{}: {error}", checked.unwrap_err());
            }
            (Ok(_), Err(error)) => prop_assert!(false, "it is refused: {error}"),
            (Err(refusal), Ok(_)) => prop_assert!(false, "it is not refused: {refusal:?}"),
        }
    }
    Ok(())
}

/// Runs three times. Nothing fails in the second run.
fn check_runs(
    case: &Case,
    switches: &Switches,
    missing: &[Missing; 3],
    law: &Law,
    subject: &mut Subject,
    on: On,
) -> TestCaseResult {
    let mut values = first_values();
    let mut counts = vec![0; case.nodes.len()];
    for (run, (switches, missing)) in switches.iter().zip(missing).enumerate() {
        let may_fail = run != 1;
        let off = off(case, switches);
        subject.switch_off(&off);
        let off = law.nodes_of(&off);
        let expected = law.run(&mut values, &mut counts, may_fail, missing, &off);
        let found = subject.run_without(missing, may_fail);
        let in_order = law.check_order(&found.log);
        prop_assert!(
            in_order.is_ok(),
            "run {run} {on:?}: {}",
            in_order.unwrap_err()
        );
        // With helpers, it is not determined which systems run before the failure is seen.
        if expected.is_stopped && on != On::Serial {
            prop_assert!(!found.failures.is_empty());
            break;
        }
        prop_assert_eq!(&found.failures, &expected.failures, "run {} {:?}", run, on);
        prop_assert_eq!(&found.ran, &expected.ran, "run {} {:?}", run, on);
        if !expected.is_stopped {
            prop_assert_eq!(&found.skipped, &expected.skipped, "run {} {:?}", run, on);
        }
        if on == On::Serial {
            prop_assert_eq!(&found.log, &expected.log, "run {}", run);
        }
        let (found, expected) = (by_name(found.log), by_name(expected.log));
        prop_assert_eq!(found, expected, "run {} {:?}", run, on);
        prop_assert_eq!(subject.values(), values, "run {} {:?}", run, on);
    }
    Ok(())
}

/// Sorts by name and keeps the order of equal names. Entries of shared names have no defined order, so they are sorted by value.
fn by_name(mut log: Vec<(String, u64)>) -> Vec<(String, u64)> {
    let is_of_several = |name: &str| name.starts_with("typed") || name.starts_with("own");
    log.sort_by(|a, b| {
        let by_digest = if is_of_several(&a.0) {
            a.1.cmp(&b.1)
        } else {
            std::cmp::Ordering::Equal
        };
        a.0.cmp(&b.0).then(by_digest)
    });
    log
}
