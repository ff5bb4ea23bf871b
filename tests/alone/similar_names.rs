//! The search for similar names is cheap, regardless of the number and the length of the names.
//!
//! Each case runs in its own process with a time limit, which a search without limits would exceed by far.

use std::time::Duration;

use dhat::{HeapStats, Profiler};
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{BuildError, Builder, Condition};
use schedule_tests::child::Child;

/// A busy machine must not fail a test. On an idle machine, the cases take less than a second.
const LIMIT: Duration = Duration::from_secs(60);

fn system(name: impl Into<String>) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

fn refused(builder: &mut Builder) -> BuildError {
    builder.build().expect_err("names are missing")
}

#[test]
fn similar_name_is_not_searched_among_long_names() {
    for length in [100_000, 400_000] {
        Child::new(|| {
            let mut builder = Schedule::builder();
            builder.add_dynamic(system("ab".repeat(length / 2)));
            builder.order("ba".repeat(length / 2).as_str(), "c");
            let text = refused(&mut builder).to_string();
            assert_eq!(text.matches("is not in this schedule").count(), 2);
            assert!(!text.contains("did you mean"));
        })
        .label(length)
        .limit(LIMIT)
        .run();
    }
}

#[test]
fn many_missing_names_among_many_names_do_not_take_long_to_report() {
    const N: usize = 10_000;
    Child::new(|| {
        let mut builder = Schedule::builder();
        for nth in 0..N {
            builder.add_dynamic(system(format!("system {nth}")));
            let missing = format!("sistem {nth}");
            builder.order(missing.as_str(), format!("system {nth}").as_str());
        }
        let error = refused(&mut builder);
        assert_eq!(error.problems().len(), N);
        assert!(error.to_string().contains("did you mean `system 0`?"));
    })
    .limit(LIMIT)
    .run();
}

#[test]
fn many_missing_conditions_among_long_names_do_not_take_long_to_report() {
    const N: usize = 1_000;
    Child::new(|| {
        let long = "x".repeat(240);
        let mut builder = Schedule::builder();
        for nth in 0..N {
            builder
                .add_dynamic(system(format!("system {nth} {long}")))
                .run_if(Condition::added(format!("sistem {nth} {long}")));
        }
        assert_eq!(refused(&mut builder).problems().len(), N);
    })
    .limit(LIMIT)
    .run();
}

#[test]
fn similar_name_is_found_among_many_names() {
    let mut builder = Schedule::builder();
    for nth in 0..10_000 {
        builder.add_dynamic(system(format!("system {nth}")));
    }
    builder.order("sistem 9876", "system 1");
    let text = refused(&mut builder).to_string();
    assert!(text.contains("did you mean `system 9876`?"), "{text}");
}

/// Returns the bytes that the build of `n` systems allocates. Each system has an order with a missing one.
fn allocated(n: usize) -> u64 {
    let mut builder = Schedule::builder();
    for nth in 0..n {
        builder.add_dynamic(system(format!("system {nth}")));
        let missing = format!("missing {nth}");
        builder.order(missing.as_str(), format!("system {nth}").as_str());
    }
    let _profiler = Profiler::builder().testing().build();
    let error = refused(&mut builder);
    let total = HeapStats::get().total_bytes;
    assert_eq!(error.problems().len(), n);
    total
}

#[test]
fn search_for_similar_names_takes_memory_by_the_number_of_names() {
    Child::new(|| {
        let [one, twice] = [150, 300].map(allocated);
        let ratio = twice as f64 / one as f64;
        // Quadratic growth would need four times the memory.
        assert!(
            ratio < 2.6,
            "twice the names allocate {ratio:.2} times as much: {one} and {twice} bytes"
        );
    })
    .limit(LIMIT)
    .run();
}
