//! Compares the verifier of `schedule!` with that of the builder, on random schedules.

mod case;
mod compiler;
mod dice;
mod examples;
mod found;
mod included;
mod pool;
mod random;
mod smaller;

use core::cell::{Cell, RefCell};
use core::ops::Range;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

use self::case::Case;
use self::compiler::{ListingFault, found};
use self::dice::rng;
use self::found::found_by_builder;
use self::smaller::Cases;
use super::fault::{Faults, ListingFaultKind};
use crate::builders::builder::Builder;
use crate::declare::listing::Listing;
use crate::declare::problem::Problem;

fn asked(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// Checks `n_cases` random cases under `ci/all_tests.sh`, a quarter of them under `cargo test`, and fewer under Miri. Returns their number.
///
/// `RANDOM_CASES=100000 cargo test --release …` runs more cases. `RANDOM_SEED=…` sets the seed of the first case.
fn for_each_case<S: Strategy>(
    n_cases: u64,
    cases: &S,
    check: impl Fn(S::Value) -> TestCaseResult,
) -> u64 {
    let is_full = std::env::var_os("SCHEDULE_TESTS").is_some_and(|value| value == "all");
    let n_cases = asked("RANDOM_CASES").unwrap_or(if cfg!(miri) {
        30
    } else if is_full {
        n_cases
    } else {
        n_cases / 4
    });
    let first = asked("RANDOM_SEED").unwrap_or(0);
    for_each(first..first.saturating_add(n_cases), cases, check);
    n_cases
}

fn for_each<S: Strategy>(seeds: Range<u64>, cases: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    for seed in seeds {
        let config = ProptestConfig {
            failure_persistence: None,
            max_shrink_iters: 20_000,
            ..ProptestConfig::with_cases(1)
        };
        let result = TestRunner::new_with_rng(config, rng(seed)).run(cases, &check);
        if let Err(error) = result {
            panic!("RANDOM_CASES=1 RANDOM_SEED={seed}: {error}");
        }
    }
}

/// Random cases, each with the seed that determines its entries in a plugin.
fn included_cases() -> impl Strategy<Value = (Case, u64)> {
    (Cases, any::<u64>().no_shrink())
}

#[test]
fn compiler_and_builder_find_the_same_errors() {
    for_each_case(2000, &Cases, |case| check(&case.listing()));
}

/// The orders of `BuildError::remedy` are sufficient, also for races between a sync point and an implied condition.
#[test]
fn remedy_of_a_random_schedule_resolves_all_races() {
    let n_mended = Cell::new(0);
    let n_cases = for_each_case(2000, &Cases, |case| {
        let listing = case.listing();
        let Err(error) = Builder::listed(&listing).build() else {
            return Ok(());
        };
        let is_only_races = error.races().count() == error.problems().len();
        let Some(remedy) = error.remedy().filter(|_| is_only_races) else {
            return Ok(());
        };
        n_mended.update(|n| n + 1);
        let mut builder = Builder::listed(&listing);
        for order in remedy.orders() {
            builder.order(order.first_node, order.then_node);
        }
        let left = builder.build().err();
        // Without races, readers of messages may be between writers.
        let is_between = |problem: &Problem| matches!(problem, Problem::ReaderBetweenWriters(_));
        let is_resolved = left
            .as_ref()
            .is_none_or(|left| left.problems().iter().all(is_between));
        prop_assert!(is_resolved, "{error}\nand then\n{left:?}");
        Ok(())
    });
    let n_mended = n_mended.get();
    assert!(n_cases < 100 || n_mended * 50 > n_cases, "{n_mended}");
}

/// The compiler proposes the same orders as `BuildError::remedy`.
#[test]
fn compiler_and_builder_propose_the_same_remedy() {
    let n_several = Cell::new(0);
    let n_cases = for_each_case(2000, &Cases, |case| {
        let listing = case.listing();
        let error = Builder::listed(&listing).build().err();
        let remedy = error.as_ref().and_then(|error| error.remedy());
        let orders = remedy
            .iter()
            .flat_map(|remedy| remedy.orders())
            .map(|order| (order.first.name.clone(), order.then.name.clone()));
        let mut orders: Vec<_> = orders.collect();
        orders.sort();
        let is_tangled = error.as_ref().is_some_and(|error| {
            let mut problems = error.problems().iter();
            problems.any(|problem| matches!(problem, Problem::GroupInItself { .. }))
        });
        if !is_tangled {
            n_several.update(|n| n + u64::from(orders.len() > 1));
            prop_assert_eq!(found(&listing).orders, orders);
        }
        Ok(())
    });
    let n_several = n_several.get();
    assert!(n_cases < 100 || n_several * 50 > n_cases, "{n_several}");
}

/// Like the test above, for schedules with some entries in a plugin that has its own policies.
#[test]
fn compiler_and_builder_find_the_same_errors_with_plugins() {
    let n_included = Cell::new(0);
    let n_cases = for_each_case(2000, &included_cases(), |(case, seed)| {
        let Some(whole) = included::whole(&case, seed) else {
            return Ok(());
        };
        n_included.update(|n| n + 1);
        check(&whole)
    });
    let n_included = n_included.get();
    assert!(n_cases < 100 || n_included * 3 > n_cases, "{n_included}");
}

/// A plugin without its own policies is equivalent to a group of its entries.
#[test]
fn plugin_and_equivalent_group_have_the_same_errors() {
    for_each_case(1000, &included_cases(), |(case, seed)| {
        if let Some((whole, grouped)) = included::whole_and_grouped(&case, seed) {
            prop_assert_eq!(found_by_compiler(&whole), found_by_compiler(&grouped));
            prop_assert_eq!(found_by_builder(&whole), found_by_builder(&grouped));
        }
        Ok(())
    });
}

/// Fails with both results if the compiler and the builder find different faults.
fn check(listing: &Listing) -> TestCaseResult {
    compare(listing).map_err(TestCaseError::fail)
}

fn compare(listing: &Listing) -> Result<(), String> {
    let by_builder = caught("the builder", found_by_builder, listing)?;
    let by_compiler = caught("the compiler", found_by_compiler, listing)?;
    // Const evaluation keeps only the first faults and counts the others.
    let is_cut = by_builder.len() > Faults::KEPT && by_compiler.len() == Faults::KEPT;
    // A group inside itself has no begin and no end, so orders on it have no effect.
    let n_tangles = |found: &[ListingFault]| {
        let tangles = found
            .iter()
            .filter(|fault| fault.kind == ListingFaultKind::GroupInItself);
        tangles.count()
    };
    let is_tangled =
        n_tangles(&by_builder) > 0 && n_tangles(&by_builder) == n_tangles(&by_compiler);
    if is_cut || is_tangled || by_builder == by_compiler {
        return Ok(());
    }
    Err(format!(
        "    the builder finds {}\n    the compiler finds {}",
        in_words(&by_builder),
        in_words(&by_compiler)
    ))
}

fn caught(
    who: &str,
    find: fn(&Listing) -> Vec<ListingFault>,
    listing: &Listing,
) -> Result<Vec<ListingFault>, String> {
    let found = catch_unwind(AssertUnwindSafe(|| find(listing)));
    found.map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        format!("    {who} panics: {}", text.unwrap_or("?"))
    })
}

/// The result is sorted.
fn found_by_compiler(listing: &Listing) -> Vec<ListingFault> {
    let mut faults = found(listing).faults;
    faults.iter_mut().for_each(leave_places_out);
    faults.sort();
    faults
}

/// Removes the locations from the fault of two policies: `the pair of n1 (file:line) and n2 (file:line)`.
fn leave_places_out(fault: &mut ListingFault) {
    if fault.kind == ListingFaultKind::TwoPolicies {
        for name in &mut fault.names {
            let words = name.split(' ').filter(|word| !word.starts_with('('));
            *name = words.collect::<Vec<_>>().join(" ");
        }
    }
}

fn in_words(faults: &[ListingFault]) -> String {
    let words = faults
        .iter()
        .map(|ListingFault { kind, names }| format!("{kind:?}({})", names.join(", ")));
    match words.collect::<Vec<_>>().join("; ") {
        words if words.is_empty() => "nothing".to_string(),
        words => words,
    }
}

/// Shows that the other tests cover all kinds of faults and accepted schedules.
#[cfg_attr(miri, ignore = "takes long")]
#[test]
fn random_schedules_cover_every_error_and_are_often_accepted() {
    let n_accepted = Cell::new(0);
    let n_with: RefCell<BTreeMap<ListingFaultKind, usize>> = RefCell::default();
    let n_cases = 2000;
    for_each(0..n_cases, &Cases, |case| {
        let found = found_by_builder(&case.listing());
        let mut kinds: Vec<ListingFaultKind> = found.into_iter().map(|fault| fault.kind).collect();
        kinds.dedup();
        n_accepted.update(|n| n + u64::from(kinds.is_empty()));
        for kind in kinds {
            *n_with.borrow_mut().entry(kind).or_default() += 1;
        }
        Ok(())
    });
    let (n_accepted, n_with) = (n_accepted.get(), n_with.into_inner());
    println!("of {n_cases}, accepted: {n_accepted}, with {n_with:?}");
    assert!(n_accepted * 10 >= n_cases * 3, "{n_accepted}");
    assert_eq!(n_with.len(), 14, "{n_with:?}");
    assert!(n_with.values().all(|&n| n >= 40), "{n_with:?}");
}
