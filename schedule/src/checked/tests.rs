//! The verifier of `schedule!` against that of a builder, on random schedules.

mod case;
mod compiler;
mod dice;
mod found;
mod parted;
mod pool;
mod random;
mod smaller;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::case::Case;
use self::compiler::{Fault, found};
use self::found::found_by_builder;
use super::fault::{Faults, Kind};
use crate::builder::Builder;
use crate::listing::Listing;
use crate::problem::Problem;

fn asked(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// `RANDOM_CASES=100000 cargo test --release …` for a long run; `RANDOM_SEED=…` to start at a case of another one.
#[test]
fn what_the_compiler_finds_is_what_a_builder_finds() {
    let n_cases = asked("RANDOM_CASES").unwrap_or(if cfg!(miri) { 30 } else { 2000 });
    let first = asked("RANDOM_SEED").unwrap_or(0);
    for seed in first..first.saturating_add(n_cases) {
        let case = random::case(seed);
        if check(&case).is_err() {
            let case = smaller::smallest(case, |smaller| check(smaller).is_err());
            let told = check(&case).expect_err("it fails");
            panic!("RANDOM_CASES=1 RANDOM_SEED={seed}, made smaller:\n{case:?}{told}");
        }
    }
}

/// What `BuildError::remedy` proposes is enough, also where a flush races with a condition that nobody added.
#[test]
fn remedy_of_a_random_schedule_ends_all_its_races() {
    let n_cases = asked("RANDOM_CASES").unwrap_or(if cfg!(miri) { 30 } else { 2000 });
    let first = asked("RANDOM_SEED").unwrap_or(0);
    let mut n_mended = 0;
    for seed in first..first.saturating_add(n_cases) {
        let listing = random::case(seed).listing();
        let Err(error) = Builder::listed(&listing).build() else {
            continue;
        };
        let is_only_races = error.races().count() == error.problems().len();
        let Some(remedy) = error.remedy().filter(|_| is_only_races) else {
            continue;
        };
        n_mended += 1;
        let mut builder = Builder::listed(&listing);
        for order in remedy.orders() {
            builder.order(order.first_node, order.then_node);
        }
        if let Err(left) = builder.build() {
            panic!("RANDOM_CASES=1 RANDOM_SEED={seed}:\n{error}\nand then\n{left}");
        }
    }
    assert!(n_cases < 100 || n_mended * 50 > n_cases, "{n_mended}");
}

/// The orders that the compiler names are those of `BuildError::remedy`.
#[test]
fn remedy_of_the_compiler_is_that_of_a_builder() {
    let n_cases = asked("RANDOM_CASES").unwrap_or(if cfg!(miri) { 30 } else { 2000 });
    let first = asked("RANDOM_SEED").unwrap_or(0);
    let mut n_several = 0;
    for seed in first..first.saturating_add(n_cases) {
        let listing = random::case(seed).listing();
        let error = Builder::listed(&listing).build().err();
        let remedy = error.as_ref().and_then(|error| error.remedy());
        let orders = remedy.iter().flat_map(|remedy| remedy.orders());
        let orders = orders.map(|order| (order.first.name.clone(), order.then.name.clone()));
        let mut orders: Vec<_> = orders.collect();
        orders.sort();
        let is_tangled = error.as_ref().is_some_and(|error| {
            let mut problems = error.problems().iter();
            problems.any(|problem| matches!(problem, Problem::GroupInItself { .. }))
        });
        if !is_tangled {
            n_several += u64::from(orders.len() > 1);
            let by_compiler = found(&listing).orders;
            assert_eq!(by_compiler, orders, "RANDOM_CASES=1 RANDOM_SEED={seed}");
        }
    }
    assert!(n_cases < 100 || n_several * 50 > n_cases, "{n_several}");
}

/// The same of schedules of which some entries stand in a part, with policies of its own.
#[test]
fn what_the_compiler_finds_in_parts_is_what_a_builder_finds() {
    let n_cases = asked("RANDOM_CASES").unwrap_or(if cfg!(miri) { 30 } else { 2000 });
    let first = asked("RANDOM_SEED").unwrap_or(0);
    let mut n_parted = 0;
    for seed in first..first.saturating_add(n_cases) {
        let case = random::case(seed);
        if let Some(whole) = parted::whole(&case, seed) {
            n_parted += 1;
            if let Err(told) = compare(&whole) {
                panic!("RANDOM_CASES=1 RANDOM_SEED={seed}:\n{case:?}{whole:#?}\n{told}");
            }
        }
    }
    assert!(n_cases < 100 || n_parted * 3 > n_cases, "{n_parted}");
}

/// Without policies of its own, a part is a group of what it lists.
#[test]
fn what_is_found_in_parts_is_what_is_found_in_groups() {
    for seed in 0..if cfg!(miri) { 30 } else { 1000 } {
        let case = random::case(seed);
        if let Some((whole, grouped)) = parted::whole_and_grouped(&case, seed) {
            let of_whole = found_by_compiler(&whole);
            assert_eq!(of_whole, found_by_compiler(&grouped), "{seed}:\n{case:?}");
            assert_eq!(
                found_by_builder(&whole),
                found_by_builder(&grouped),
                "{seed}:\n{case:?}"
            );
        }
    }
}

/// Whether both find the same; else who finds what.
fn check(case: &Case) -> Result<(), String> {
    compare(&case.listing())
}

fn compare(listing: &Listing) -> Result<(), String> {
    let by_builder = caught("the builder", found_by_builder, listing)?;
    let by_compiler = caught("the compiler", found_by_compiler, listing)?;
    // So many are kept in const evaluation; the others are counted.
    let is_cut = by_builder.len() > Faults::KEPT && by_compiler.len() == Faults::KEPT;
    // Groups inside themselves have no begin and no end there, so an order against one says nothing.
    let n_tangles = |found: &[Fault]| {
        let tangles = found
            .iter()
            .filter(|fault| fault.kind == Kind::GroupInItself);
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
    find: fn(&Listing) -> Vec<Fault>,
    listing: &Listing,
) -> Result<Vec<Fault>, String> {
    let found = catch_unwind(AssertUnwindSafe(|| find(listing)));
    found.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("    {who} panics: {}", text.unwrap_or("?"))
    })
}

/// Sorted.
fn found_by_compiler(listing: &Listing) -> Vec<Fault> {
    let mut faults = found(listing).faults;
    faults.iter_mut().for_each(leave_places_out);
    faults.sort();
    faults
}

/// What has two policies is told with where it stands: `the pair of n1 (file:line) and n2 (file:line)`.
fn leave_places_out(fault: &mut Fault) {
    if fault.kind == Kind::TwoPolicies {
        for name in &mut fault.names {
            let words = name.split(' ').filter(|word| !word.starts_with('('));
            *name = words.collect::<Vec<_>>().join(" ");
        }
    }
}

fn in_words(faults: &[Fault]) -> String {
    let words = faults.iter();
    let words = words.map(|Fault { kind, names }| format!("{kind:?}({})", names.join(", ")));
    match words.collect::<Vec<_>>().join("; ") {
        words if words.is_empty() => "nothing".to_string(),
        words => words,
    }
}

/// Else the other test would say little.
#[cfg(not(miri))]
#[test]
fn random_schedules_have_every_fault_and_are_often_accepted() {
    let n_cases = 2000;
    let mut n_accepted = 0;
    let mut n_with: BTreeMap<Kind, usize> = BTreeMap::new();
    for seed in 0..n_cases {
        let found = found_by_builder(&random::case(seed).listing());
        let mut kinds: Vec<Kind> = found.into_iter().map(|fault| fault.kind).collect();
        kinds.dedup();
        n_accepted += usize::from(kinds.is_empty());
        for kind in kinds {
            *n_with.entry(kind).or_default() += 1;
        }
    }
    println!("of {n_cases}, accepted: {n_accepted}, with {n_with:?}");
    assert!(n_accepted * 10 >= n_cases as usize * 3, "{n_accepted}");
    assert_eq!(n_with.len(), 13, "{n_with:?}");
    assert!(n_with.values().all(|&n| n >= 40), "{n_with:?}");
}
