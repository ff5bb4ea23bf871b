//! Removal of nodes that keeps the order of the remaining ones.

use std::collections::BTreeSet;

use proptest::prelude::*;
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::graph::{Kind, ScheduleGraph};
use schedule::prelude::*;
use schedule::{Builder, Target};

use super::{is_ordered, names, of, second, system, third};

#[derive(Group)]
struct Middle;

#[derive(Group)]
struct Stays;

/// Returns the checkpoints of a schedule.
fn checkpoints(schedule: &Schedule) -> Vec<String> {
    let nodes = schedule.graph().nodes.into_iter();
    let checkpoints = nodes.filter(|node| node.kind == Kind::Checkpoint);
    checkpoints.map(|node| node.name).collect()
}

#[test]
fn node_of_a_chain_of_attributes_is_removed() {
    let mut builder = Schedule::builder();
    builder
        .add_dynamic(system("last"))
        .after::<second>()
        .add::<third>()
        .add::<second>();
    let mut schedule = builder.build().unwrap();
    let error = schedule
        .change(|builder| builder.remove("third"))
        .unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Removed { .. }]),
        "{error}"
    );
    schedule
        .change(|builder| builder.remove_and_bridge(Target::of::<second>()))
        .unwrap();
    assert_eq!(names(&schedule), ["third", "last"]);
    assert!(is_ordered(&schedule, "third", "last"));
}

#[system]
fn start() {}

#[system]
fn middle() {}

#[system]
fn end() {}

schedule! {
    Line {
        start -> middle -> end,
    }
}

#[test]
fn node_of_a_listed_chain_is_removed() {
    let mut schedule = Line::new();
    schedule
        .change(|builder| builder.remove_and_bridge(Target::of::<middle>()))
        .unwrap();
    assert!(is_ordered(&schedule, "start", "end"));
}

#[test]
fn node_of_a_chain_of_types_is_removed() {
    let mut schedule = Schedule::builder()
        .chain::<(start, middle, end)>()
        .build()
        .unwrap();
    schedule
        .change(|builder| builder.remove_and_bridge("middle"))
        .unwrap();
    assert_eq!(names(&schedule), ["start", "end"]);
    assert!(is_ordered(&schedule, "start", "end"));
}

#[test]
fn order_through_a_removed_node_is_kept() {
    let mut builder = of(&["c", "b", "a"]);
    builder.order("a", "b").order("b", "c");
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| builder.remove_and_bridge("b"))
        .unwrap();
    assert_eq!(names(&schedule), ["a", "c"]);
    // The bridging order is removed with either of its nodes.
    schedule.change(|builder| builder.remove("a")).unwrap();
    assert_eq!(names(&schedule), ["c"]);
}

#[test]
fn systems_of_a_bridge_do_not_race() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c"] {
        builder.add_dynamic(system(name).writes("R"));
    }
    builder.order("a", "b").order("b", "c");
    let mut schedule = builder.build().unwrap();
    let error = schedule.change(|builder| builder.remove("b")).unwrap_err();
    assert_eq!(error.races().count(), 1);
    schedule
        .change(|builder| builder.remove_and_bridge("b"))
        .unwrap();
}

#[test]
fn weak_order_is_bridged_by_a_weak_one() {
    let build = |uses: &str| {
        let mut builder = Schedule::builder();
        builder
            .add_dynamic(system("c").writes(uses))
            .add_dynamic(system("b").writes("R"))
            .add_dynamic(system("a").writes("R"));
        builder.order_if_conflicting("a", "b").order("b", "c");
        builder.remove_and_bridge("b");
        builder.build().unwrap()
    };
    assert!(is_ordered(&build("R"), "a", "c"));
    assert!(!is_ordered(&build("S"), "a", "c"));
}

#[test]
fn order_if_present_is_bridged_when_its_other_end_is_added_later() {
    let mut builder = of(&["c", "b"]);
    builder.at("b").after_if_present::<third>();
    builder.order("b", "c");
    builder.remove_and_bridge("b");
    builder.add::<third>();
    assert_eq!(names(&builder.build().unwrap()), ["third", "c"]);
}

#[test]
fn group_is_removed_and_its_paths_are_kept() {
    let mut builder = of(&["s", "t", "p", "q", "aside"]);
    for name in ["x", "y", "z"] {
        builder.add_dynamic(system(name)).in_group::<Middle>();
    }
    builder
        .order("p", "x")
        .order("x", "y")
        .order("y", "s")
        .order("q", "z")
        .order("z", "t");
    builder.remove_and_bridge(Target::of::<Middle>());
    let schedule = builder.build().unwrap();
    for (first, then, is_one) in [
        ("p", "s", true),
        ("q", "t", true),
        ("p", "t", false),
        ("q", "s", false),
        ("p", "aside", false),
    ] {
        assert_eq!(is_ordered(&schedule, first, then), is_one, "{first} {then}");
    }
}

#[test]
fn orders_of_a_removed_group_are_kept() {
    for is_empty in [false, true] {
        let mut builder = of(&["s", "p"]);
        builder.group::<Middle>();
        if !is_empty {
            builder.add_dynamic(system("x")).in_group::<Middle>();
        }
        builder.order("p", Target::of::<Middle>());
        builder.order(Target::of::<Middle>(), "s");
        builder.remove_and_bridge(Target::of::<Middle>());
        assert_eq!(names(&builder.build().unwrap()), ["p", "s"]);
    }
}

#[test]
fn loop_is_removed_with_the_orders_of_its_body() {
    let mut builder = of(&["s", "p"]);
    builder.repeat_while_closure(
        "again",
        || false,
        |body| body.add_dynamic(system("x")).add_dynamic(system("y")),
    );
    // Each order applies to the whole loop, so the loop is between the two systems.
    builder.order("p", "x").order("y", "s");
    builder.remove_and_bridge("again");
    assert_eq!(names(&builder.build().unwrap()), ["p", "s"]);
}

#[test]
fn checkpoint_replaces_a_removed_node_with_many_neighbours() {
    let mut builder = of(&["s0", "s1", "s2", "x", "p0", "p1", "p2"]);
    for idx in 0..3 {
        builder
            .order(format!("p{idx}"), "x")
            .order("x", format!("s{idx}"));
    }
    let mut schedule = builder.build().unwrap();
    schedule
        .change(|builder| builder.remove_and_bridge("x"))
        .unwrap();
    assert_eq!(checkpoints(&schedule), ["in place of x"]);
    assert_eq!(schedule.graph().edges.len(), 6);
    for (a, b) in [("p0", "s2"), ("p2", "s0")] {
        assert!(is_ordered(&schedule, a, b));
    }
    // The checkpoint is removed when it no longer connects any nodes.
    for name in ["s0", "s1"] {
        schedule.change(|builder| builder.remove(name)).unwrap();
        assert_eq!(checkpoints(&schedule).len(), 1);
    }
    schedule.change(|builder| builder.remove("s2")).unwrap();
    assert!(checkpoints(&schedule).is_empty());
    assert_eq!(names(&schedule), ["p0", "p1", "p2"]);
}

#[test]
fn node_with_few_neighbours_leaves_no_checkpoint() {
    let mut builder = of(&["s0", "s1", "x", "p0", "p1"]);
    for idx in 0..2 {
        builder
            .order(format!("p{idx}"), "x")
            .order("x", format!("s{idx}"));
    }
    builder.remove_and_bridge("x");
    let schedule = builder.build().unwrap();
    assert!(checkpoints(&schedule).is_empty());
    assert_eq!(schedule.graph().edges.len(), 4);
}

#[test]
fn bridging_a_missing_node_is_an_error() {
    let mut builder = of(&["draw"]);
    builder.remove_and_bridge("darw");
    let error = builder.build().unwrap_err();
    assert!(
        matches!(error.problems(), [Problem::Dangling { name, .. }] if name == "darw"),
        "{error}"
    );
}

const N: usize = 8;

/// Nodes, some of which are in a removed group, in a remaining group, or in a loop.
#[derive(Clone, Debug)]
struct Case {
    orders: BTreeSet<(usize, usize)>,
    in_middle: Vec<bool>,
    in_stays: Vec<bool>,
    in_loop: Vec<bool>,
    removed: Vec<usize>,
}

fn cases() -> impl Strategy<Value = Case> {
    let flags = |weight| prop::collection::vec(prop::bool::weighted(weight), N);
    (
        prop::collection::btree_set((0..N, 0..N), 1..16),
        flags(0.25),
        flags(0.2),
        prop_oneof![2 => flags(0.0), 1 => flags(0.3)],
        prop::collection::vec(0..N + 2, 1..4),
    )
        .prop_map(|(orders, in_middle, in_stays, in_loop, removed)| Case {
            // Only from smaller to greater numbers, so that there is no cycle.
            orders: orders.into_iter().filter(|(a, b)| a < b).collect(),
            in_middle,
            in_stays,
            in_loop,
            removed,
        })
}

fn declare(case: &Case) -> Builder {
    let mut builder = Schedule::builder();
    builder.group::<Middle>().group::<Stays>();
    let add = |builder: &mut Builder, idx: usize| {
        builder.add_dynamic(DynamicSystem::new(format!("n{idx}"), |_| ()));
    };
    builder.repeat_while_closure(
        "loop",
        || false,
        |body| {
            (0..N)
                .filter(|&idx| case.in_loop[idx])
                .for_each(|idx| add(body, idx));
            body
        },
    );
    for idx in (0..N).filter(|&idx| !case.in_loop[idx]) {
        add(&mut builder, idx);
        if case.in_middle[idx] {
            builder.in_group::<Middle>();
        } else if case.in_stays[idx] {
            builder.in_group::<Stays>();
        }
    }
    for &(a, b) in &case.orders {
        builder.order(format!("n{a}"), format!("n{b}"));
    }
    builder
}

/// Returns all pairs of systems in which the first runs before the second.
fn closure(graph: &ScheduleGraph, is_wanted: impl Fn(&str) -> bool) -> BTreeSet<(String, String)> {
    let n_nodes = graph.nodes.len();
    let mut is_before = vec![vec![false; n_nodes]; n_nodes];
    for edge in &graph.edges {
        is_before[edge.from][edge.to] = true;
    }
    for through in 0..n_nodes {
        for from in 0..n_nodes {
            for to in 0..n_nodes {
                is_before[from][to] |= is_before[from][through] && is_before[through][to];
            }
        }
    }
    let name = |idx: usize| graph.nodes[idx].name.clone();
    let pairs = (0..n_nodes).flat_map(|from| (0..n_nodes).map(move |to| (from, to)));
    pairs
        .filter(|&(from, to)| is_before[from][to])
        .map(|(from, to)| (name(from), name(to)))
        .filter(|(from, to)| is_wanted(from) && is_wanted(to))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Without loops and remaining groups, the order of the remaining nodes does not change.
    #[test]
    fn remaining_nodes_keep_their_order(mut case in cases()) {
        case.in_loop = vec![false; N];
        case.in_stays = vec![false; N];
        check(&case)?;
    }

    /// With loops and remaining groups, no orders are added.
    #[test]
    fn bridges_add_no_new_orders(case in cases()) {
        check(&case)?;
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let Ok(mut schedule) = declare(case).build() else {
        return Ok(());
    };
    let is_exact = !case.in_loop.contains(&true) && !case.in_stays.contains(&true);
    for &removed in &case.removed {
        let before = schedule.graph();
        let (name, target) = match removed {
            N => ("Middle".to_string(), Target::of::<Middle>()),
            idx if idx > N => ("loop".to_string(), Target::from("loop")),
            idx => (format!("n{idx}"), Target::from(format!("n{idx}"))),
        };
        let is_there = before.named(&name).next().is_some();
        let changed = schedule.change(|builder| builder.remove_and_bridge(target));
        prop_assert_eq!(changed.is_ok(), is_there, "{:?}", changed);
        if !is_there {
            continue;
        }
        let after = schedule.graph();
        let is_left = |name: &str| {
            let is_system = name.starts_with('n') || name == "loop";
            is_system && after.named(name).next().is_some()
        };
        let (was, is) = (closure(&before, is_left), closure(&after, is_left));
        prop_assert!(is.is_subset(&was), "{:?}", is.difference(&was));
        if is_exact {
            prop_assert_eq!(is, was);
        }
    }
    Ok(())
}
