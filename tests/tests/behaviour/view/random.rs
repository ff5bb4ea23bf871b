//! The graphs of random schedules, built or rejected, and the validity of their pictures.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use schedule::Builder;
use schedule::dynamic::DynamicSystem;
use schedule::graph::ScheduleGraph;
use schedule::prelude::*;
use schedule_view::graph_svg;

use super::reader::{check_dot, check_mermaid, check_svg};
use super::{Other, Physics, World, is_alive, is_due, is_near};

/// Systems in groups and loops, with orders. Some schedules are built and some are rejected.
fn graphs() -> impl Strategy<Value = ScheduleGraph> {
    let system = (0..8_u8, 0..3_u8, 0..4_usize, any::<bool>());
    let order = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let orders = prop::collection::vec(order, 0..16);
    let systems = prop::collection::vec(system, 1..14);
    (systems, orders, any::<bool>()).prop_map(|(systems, orders, is_strict)| {
        let mut builder = Schedule::builder();
        if !is_strict {
            builder.policy(Policy::InsertionOrder);
        }
        let mut of_loop: BTreeMap<u8, Vec<(usize, u8, usize, bool)>> = BTreeMap::new();
        for (idx, &(groups, level, resource, is_guarded)) in systems.iter().enumerate() {
            let system = (idx, groups, resource, is_guarded);
            of_loop.entry(level).or_default().push(system);
        }
        let add = |builder: &mut Builder, systems: &[(usize, u8, usize, bool)], is_inside: bool| {
            for &(idx, groups, resource, is_guarded) in systems {
                let resource = format!("r{resource}");
                let system = DynamicSystem::new(format!("system_{idx}"), |_| ());
                builder.add_dynamic(system.writes(resource.as_str()));
                if is_guarded {
                    builder.run_if(schedule::Condition::of::<is_alive>());
                }
                for bit in 0..3 {
                    if groups & (1 << bit) != 0 && !is_inside {
                        match bit {
                            0 => builder.in_group::<Physics>(),
                            1 => builder.in_group::<World>(),
                            _ => builder.in_group::<Other>(),
                        };
                    }
                }
            }
        };
        for (level, systems) in &of_loop {
            match level {
                0 => add(&mut builder, systems, false),
                1 => drop(builder.repeat_while::<is_due>(|step| {
                    add(step, systems, true);
                    step
                })),
                _ => drop(
                    builder
                        .repeat_while::<is_near>(|step| {
                            add(step, systems, true);
                            step
                        })
                        .in_group::<Other>(),
                ),
            }
        }
        for (a, b) in &orders {
            let (a, b) = (a.index(systems.len()), b.index(systems.len()));
            // Some orders go backward, so that there are cycles.
            if a < b || (is_strict && a > b && (a + b) % 7 == 0) {
                builder.order(
                    format!("system_{a}").as_str(),
                    format!("system_{b}").as_str(),
                );
            }
        }
        match builder.build() {
            Ok(schedule) => schedule.graph(),
            Err(error) => error.graph(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_schedules_are_drawn_without_overlap(graph in graphs()) {
        check_svg(&graph_svg(&graph));
        check_svg(&graph_svg(graph.picture().with_resources().with_implied()));
        check_svg(&graph_svg(graph.picture().around([0], 1)));
    }

    #[test]
    fn lines_of_a_built_schedule_run_forward_in_time(graph in graphs()) {
        let svg = graph_svg(&graph);
        prop_assert!(!graph.is_built || !svg.contains("marker-start"), "{svg}");
    }

    #[test]
    fn random_graphs_are_consistent(graph in graphs()) {
        prop_assert_eq!(graph.check(), Ok(()));
    }

    #[test]
    fn random_graphs_are_unchanged_after_a_round_trip(graph in graphs()) {
        let text = serde_json::to_string(&graph).unwrap();
        prop_assert_eq!(serde_json::from_str::<ScheduleGraph>(&text).unwrap(), graph);
    }

    #[test]
    fn edges_of_a_built_schedule_point_forward(graph in graphs()) {
        for edge in &graph.edges {
            prop_assert!(!graph.is_built || edge.from < edge.to, "{edge:?}");
            prop_assert!(!edge.origins.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn graphviz_reads_random_schedules(graph in graphs()) {
        check_dot(&graph.picture().with_resources().to_dot());
    }
}

#[test]
fn mermaid_reads_random_schedules() {
    let mut runner = TestRunner::deterministic();
    let charts = (0..24).map(|_| {
        let graph = graphs().new_tree(&mut runner).unwrap().current();
        graph.picture().with_resources().to_mermaid()
    });
    check_mermaid(&charts.collect::<Vec<_>>());
}
