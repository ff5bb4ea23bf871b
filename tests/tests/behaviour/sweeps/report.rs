//! Sweeps in reports, in graphs as data, and in pictures.

use schedule::graph::ScheduleGraph;
use schedule::prelude::*;
use schedule::report::SweepRule;
use schedule_hecs::prelude::*;

use super::{Frozen, Position, Velocity, accelerate, bounce, integrate};

#[system(for_each, after_if_present = bounce)]
fn flock(velocity: &mut Velocity, others: Query<&Position>) {
    velocity.0 += others.len() as i64;
}

#[system(for_each, after = flock)]
fn stop(velocity: &mut Velocity, _: &Frozen) {
    velocity.0 = 0;
}

/// Two sweeps: `flock` reads positions of other entities, which `integrate` writes.
fn flying() -> Schedule {
    Schedule::builder()
        .name("flying")
        .chain::<(accelerate, integrate, bounce)>()
        .add::<flock>()
        .add::<stop>()
        .build()
        .unwrap()
}

#[test]
fn a_report_lists_the_sweeps_and_the_rules_between_them() {
    let report = flying().report();
    let sweeps = report.sweeps.iter().map(|members| {
        let names = members.iter().map(|one| one.name.as_str());
        names.collect::<Vec<_>>()
    });
    let sweeps: Vec<_> = sweeps.collect();
    assert_eq!(
        sweeps,
        [
            vec!["accelerate", "integrate", "bounce"],
            vec!["flock", "stop"]
        ]
    );
    let [apart] = &report.apart[..] else {
        panic!("{:?}", report.apart);
    };
    assert_eq!((&*apart.first.name, &*apart.then.name), ("bounce", "flock"));
    assert!(matches!(&apart.rule, SweepRule::Conflict { first, .. } if first.name == "integrate"));
    assert_eq!(report.n_apart, 1);
    let text = report.to_string();
    assert!(
        text.contains(
            "\nsweeps\n  `accelerate`, `integrate`, `bounce`\n  `flock`, `stop`\
             \nfor_each systems in different sweeps\
             \n  `bounce` and `flock`: `integrate` and `flock` conflict on `Position`, \
             which `flock` also accesses of other entities"
        ),
        "{text}"
    );
}

#[test]
fn a_report_without_sweeps_has_no_such_sections() {
    let mut builder = Schedule::builder();
    builder.sweep(false).chain::<(accelerate, integrate)>();
    let report = builder.build().unwrap().report();
    assert!(report.sweeps.is_empty() && report.apart.is_empty());
    let text = report.to_string();
    assert!(
        !text.contains("\nsweeps") && !text.contains("for_each"),
        "{text}"
    );
}

/// The number of pairs that are explained is limited, but not the number that is counted.
#[test]
fn a_report_counts_all_pairs_that_are_apart() {
    let mut builder = Schedule::builder();
    for n in 0..60 {
        builder.add::<flock>().named(format!("flock {n}"));
        builder.add::<integrate>().named(format!("integrate {n}"));
    }
    builder.policy(Policy::InsertionOrder);
    let report = builder.build().unwrap().report();
    assert_eq!(report.apart.len(), 100);
    assert_eq!(report.n_apart, 119);
    let text = report.to_string();
    assert!(text.contains("\n  and 99 more"), "{text}");
}

#[test]
fn a_graph_lists_the_members_of_each_sweep() {
    let graph = flying().graph();
    let names = |members: &[usize]| -> Vec<String> {
        let names = members.iter().map(|&one| graph.nodes[one].name.clone());
        names.collect()
    };
    assert_eq!(graph.sweeps.len(), 2);
    assert_eq!(names(&graph.sweeps[1]), ["flock", "stop"]);
    let text = serde_json::to_string(&graph).unwrap();
    assert!(text.contains(r#","sweeps":[[0,1,2],[3,4]],"#), "{text}");
    let read: ScheduleGraph = serde_json::from_str(&text).unwrap();
    assert_eq!(read, graph);
}

#[test]
fn a_graph_with_wrong_sweeps_is_inconsistent() {
    let graph = flying().graph();
    for (sweeps, error) in [
        (
            vec![vec![0, 9]],
            "sweep 0 refers to node 9, but there are 5",
        ),
        (vec![vec![0, 1], vec![1, 2]], "node 1 is in two sweeps"),
        (vec![vec![0, 0]], "node 0 is in two sweeps"),
        (
            vec![vec![2, 1]],
            "sweep 0 must have at least two members, ascending",
        ),
        (
            vec![vec![2]],
            "sweep 0 must have at least two members, ascending",
        ),
    ] {
        let graph = ScheduleGraph {
            sweeps,
            ..graph.clone()
        };
        assert_eq!(graph.check().unwrap_err().to_string(), error);
    }
}

#[test]
fn a_picture_shows_each_sweep_as_a_box() {
    let graph = flying().graph();
    let dot = graph.picture().to_dot();
    let boxes: Vec<&str> = dot
        .split("subgraph ")
        .skip(1)
        .filter(|one| one.contains("label=\"sweep "))
        .collect();
    let [first, second] = boxes[..] else {
        panic!("{dot}");
    };
    for name in ["accelerate", "integrate", "bounce"] {
        assert!(first.contains(&format!("label=\"{name}\"")), "{dot}");
    }
    for name in ["flock", "stop"] {
        assert!(second.contains(&format!("label=\"{name}\"")), "{dot}");
    }
    assert!(dot.contains("legend_sweep"), "{dot}");
    let mermaid = graph.picture().to_mermaid();
    assert!(mermaid.contains("[\"sweep 1\"]\n"), "{mermaid}");
    let svg = schedule_view::graph_svg(&graph);
    assert_eq!(svg.matches("class=\"shape sweep\"").count(), 3, "{svg}");
    // Without the sweep, nothing of it is drawn.
    let part = graph.picture().around(graph.named("flock"), 0).to_dot();
    assert!(
        part.contains("sweep 2") && !part.contains("sweep 1"),
        "{part}"
    );
}

#[test]
fn a_group_that_shares_a_part_of_a_sweep_keeps_its_box() {
    let schedule = |in_group: &[&str]| {
        let mut builder = Schedule::builder();
        builder.chain::<(accelerate, integrate, bounce)>();
        for system in in_group {
            builder.at(*system).in_group_named("Physics");
        }
        builder
            .add_closure("measure", || ())
            .in_group_named("Physics");
        builder.build().unwrap().graph()
    };
    let crossing = schedule(&["integrate", "bounce"]).picture().to_dot();
    assert!(!crossing.contains("label=\"sweep 1\""), "{crossing}");
    assert!(
        crossing.contains("\"integrate\\nalso in sweep 1\""),
        "{crossing}"
    );
    assert!(crossing.contains("label=\"Physics\""), "{crossing}");
    // A group can contain a sweep, and a sweep can contain a group.
    let nested = schedule(&["accelerate", "integrate", "bounce"]);
    let dot = nested.picture().to_dot();
    assert!(dot.contains("    label=\"sweep 1\""), "{dot}");
    assert!(!dot.contains("also in"), "{dot}");
}
