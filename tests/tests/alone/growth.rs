//! Memory that grows with the number of systems, and not with its square: measured by what is allocated, which is the same
//! in each run.

use std::fmt::Write as _;

use dhat::{HeapStats, Profiler};
use schedule::BuildError;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule_tests::child::Child;

/// Systems that all write one resource, rejected.
fn writers(n: usize) -> BuildError {
    let mut builder = Schedule::builder();
    for nth in 0..n {
        builder.add_dynamic(DynamicSystem::new(format!("writer {nth}"), |_| ()).writes("R"));
    }
    builder.build().unwrap_err()
}

#[test]
fn races_of_one_resource_take_memory_by_system_and_not_by_pair() {
    Child::new(|| {
        let [one, twice] = [1_000, 2_000].map(|n| {
            let _profiler = Profiler::builder().testing().build();
            let error = writers(n);
            let mut text = String::new();
            write!(text, "{error}").unwrap();
            let allocated = HeapStats::get().total_bytes;
            let n_pairs = n * (n - 1) / 2;
            assert!(
                text.contains(&format!("race on `R`, {n_pairs} pairs\n")),
                "{text}"
            );
            allocated
        });
        // Bits of all pairs are the part that is quadratic.
        let ratio = twice as f64 / one as f64;
        assert!(
            ratio < 2.6,
            "work of twice the size allocates {ratio:.2} times as much: {one} and {twice} bytes"
        );
    })
    .run();
}

#[test]
fn many_races_are_counted_and_the_first_of_each_resource_are_listed() {
    Child::new(|| {
        let error = writers(1_000);
        assert_eq!(error.n_races(), 1_000 * 999 / 2);
        let listed = error
            .races()
            .map(|race| (&*race.first.name, &*race.second.name));
        let listed: Vec<(&str, &str)> = listed.collect();
        let names: Vec<String> = (1..=20).map(|nth| format!("writer {nth}")).collect();
        let first: Vec<(&str, &str)> = names.iter().map(|name| ("writer 0", &**name)).collect();
        assert_eq!(listed, first);
        let text = error.to_string();
        assert!(
            text.starts_with("499500 problems in schedule"),
            "the races are not counted: {text}"
        );
        assert!(
            text.contains("499500 races in all, on 1 resources; the first 20 are shown"),
            "{text}"
        );
        let orders = error.remedy().unwrap().orders().iter();
        let orders = orders.map(|order| (order.first_node, order.then_node));
        let mut builder = Schedule::builder();
        for nth in 0..1_000 {
            builder.add_dynamic(DynamicSystem::new(format!("writer {nth}"), |_| ()).writes("R"));
        }
        for (first, then) in orders {
            builder.order(first, then);
        }
        assert!(builder.build().is_ok());
    })
    .run();
}
