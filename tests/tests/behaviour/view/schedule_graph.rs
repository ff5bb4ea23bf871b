//! The data of schedules.

use schedule::graph::{FaultKind, Kind, Origin, PolicyOf, ScheduleGraph};
use schedule::prelude::*;

use super::*;

fn node<'g>(graph: &'g ScheduleGraph, name: &str) -> &'g schedule::graph::Node {
    let mut named = graph.named(name);
    let idx = named.next().unwrap_or_else(|| panic!("no `{name}`"));
    assert!(named.next().is_none(), "two `{name}`");
    &graph.nodes[idx]
}

/// Returns the origins of the edge between two nodes.
fn origins<'g>(graph: &'g ScheduleGraph, first: &str, then: &str) -> &'g [Origin] {
    let mut edges = graph.edges.iter();
    let is_it = |edge: &&schedule::graph::Edge| {
        graph.nodes[edge.from].name == first && graph.nodes[edge.to].name == then
    };
    edges.find(is_it).map_or(&[], |edge| &edge.origins)
}

#[test]
fn every_node_has_its_kind() {
    let graph = all_kinds().graph();
    assert!(graph.is_built);
    let kind = |name: &str| node(&graph, name).kind.clone();
    assert_eq!(kind("Ready"), Kind::Checkpoint);
    assert_eq!(kind("Applied"), Kind::ApplyCommands);
    assert_eq!(kind("is_due"), Kind::Loop { at_most: Some(3) });
    assert_eq!(kind("is_alive"), Kind::Condition);
    let branches = vec!["Walk".to_string(), "Run".to_string()];
    assert_eq!(kind("gait"), Kind::Selector { branches });
    assert_eq!(kind("Physics"), Kind::Group);
    assert_eq!(kind("integrate"), Kind::System);
}

#[test]
fn nodes_name_their_loops_and_groups() {
    let graph = all_kinds().graph();
    let idx = |name: &str| graph.named(name).next().unwrap();
    assert_eq!(node(&graph, "integrate").repeat, Some(idx("is_due")));
    assert_eq!(node(&graph, "is_due").groups, [idx("Physics")]);
    assert_eq!(node(&graph, "Physics").groups, [idx("World")]);
    let mut around = vec![idx("World"), idx("Physics"), idx("is_due")];
    around.sort_unstable();
    assert_eq!(graph.around(idx("collide")), around);
}

#[test]
fn guards_are_listed_and_implied_conditions_are_marked() {
    let graph = all_kinds().graph();
    let run = node(&graph, "run");
    assert_eq!(
        run.guard.as_deref(),
        Some("gait is Run and not exists<Mood>")
    );
    assert!(run.is_added && !node(&graph, "gait").is_added);
    assert!(matches!(
        origins(&graph, "gait", "run"),
        [Origin::Guard { place: Some(place) }, ..] if place.file.ends_with("view.rs")
    ));
}

#[test]
fn an_edge_has_all_of_its_origins() {
    let graph = all_kinds().graph();
    assert!(matches!(
        origins(&graph, "integrate", "collide")[..],
        [Origin::Declared { .. }]
    ));
    assert!(matches!(
        origins(&graph, "Physics", "save")[..],
        [Origin::Declared { .. }]
    ));
    let of = |first, then| {
        let policies = origins(&graph, first, then)
            .iter()
            .map(|origin| match origin {
                Origin::Policy { policy, resource } => {
                    (*policy, graph.resources[*resource].name.clone())
                }
                other => panic!("{other:?}"),
            });
        policies.collect::<Vec<_>>()
    };
    assert_eq!(
        of("is_due", "render"),
        [(Policy::WritersFirst, "Health".to_string())]
    );
    assert_eq!(of("run", "save"), [(Policy::Accepted, "Mood".to_string())]);
}

#[test]
fn accesses_of_a_node_are_listed_by_number() {
    let graph = all_kinds().graph();
    let names = |numbers: &[usize]| -> Vec<String> {
        let names = numbers.iter().map(|&one| graph.resources[one].name.clone());
        names.collect()
    };
    let collide = &node(&graph, "collide").touched;
    assert_eq!(names(&collide.writes), ["Health"]);
    assert_eq!(collide.inserts, ["Mood"]);
    let save = &node(&graph, "save").touched;
    assert_eq!(save.reads_all_but, Some(Vec::new()));
}

#[test]
fn policies_and_accepted_pairs_are_listed_with_reasons() {
    let graph = all_kinds().graph();
    let policies: Vec<_> = graph
        .policies
        .iter()
        .map(|one| (one.of, one.policy))
        .collect();
    assert_eq!(policies[0], (PolicyOf::Schedule, Policy::InsertionOrder));
    assert!(matches!(
        policies[1],
        (PolicyOf::Resource(_), Policy::WritersFirst)
    ));
    assert!(matches!(
        policies[2],
        (PolicyOf::Pair(..), Policy::Accepted)
    ));
    let [accepted] = &graph.accepted[..] else {
        panic!()
    };
    assert_eq!(graph.nodes[accepted.first].name, "run");
    assert_eq!(graph.nodes[accepted.then].name, "save");
    assert_eq!(
        accepted.reason.as_deref(),
        Some("one frame late is early enough")
    );
}

#[test]
fn implied_edges_are_marked() {
    let mut builder = Schedule::builder();
    builder.chain::<(integrate, collide, render)>();
    let graph = builder
        .order("integrate", "render")
        .build()
        .unwrap()
        .graph();
    let implied = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to, edge.is_implied));
    assert_eq!(
        implied.collect::<Vec<_>>(),
        [(0, 1, false), (0, 2, true), (1, 2, false)]
    );
}

#[test]
fn graph_data_reflects_changes_and_disabled_nodes() {
    let mut schedule = all_kinds();
    schedule.change(|builder| builder.remove("save")).unwrap();
    schedule.set_enabled("render", false).unwrap();
    let graph = schedule.graph();
    assert_eq!(graph.named("save").count(), 0);
    assert!(graph.accepted.is_empty());
    assert!(!node(&graph, "render").is_enabled);
    assert!(node(&graph, "collide").is_enabled);
    assert_eq!(
        node(&graph, "run").guard.as_deref(),
        Some("gait is Run and not exists<Mood>")
    );
}

#[test]
fn rejected_schedule_has_its_problems_by_node() {
    let mut builder = Schedule::builder();
    builder.add::<render>().add::<integrate>().add::<collide>();
    builder
        .group::<World>()
        .before::<collide>()
        .add::<run>()
        .in_group::<World>();
    builder
        .order("collide", "run")
        .order("collide", "never added");
    let graph = builder.build().unwrap_err().graph();
    assert!(!graph.is_built);
    let problems = graph.problems.iter().map(|fault| {
        let nodes = fault
            .nodes
            .iter()
            .map(|&node| graph.nodes[node].name.as_str());
        let resources = fault.resources.iter();
        let resources = resources.map(|&one| graph.resources[one].name.as_str());
        (fault.kind, nodes.collect(), resources.collect())
    });
    let problems: Vec<(FaultKind, Vec<&str>, Vec<&str>)> = problems.collect();
    assert_eq!(
        problems,
        [
            (FaultKind::Other, vec![], vec![]),
            (FaultKind::Other, vec![], vec![]),
            (FaultKind::Cycle, vec!["collide", "run", "World"], vec![]),
            (FaultKind::Race, vec!["render", "integrate"], vec!["Health"]),
            (FaultKind::Race, vec!["render", "collide"], vec!["Health"]),
        ]
    );
}

#[test]
fn graph_data_is_unchanged_after_a_round_trip() {
    let graph = all_kinds().graph();
    let text = serde_json::to_string(&graph).unwrap();
    assert!(text.starts_with(r#"{"version":4,"schedule":"all kinds","is_built":true,"nodes":[{"#));
    assert_eq!(serde_json::from_str::<ScheduleGraph>(&text).unwrap(), graph);
    let error = serde_json::from_str::<ScheduleGraph>(&text.replacen(":4", ":2", 1)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("version 2 of this data cannot be read, only version 4; save it again"),
        "{error}"
    );
}

/// Programs that read graphs rely on this format. If it changes, [`ScheduleGraph::version`] must change.
///
/// Set the variable `BLESS` to write the file.
#[test]
fn graph_data_has_the_stored_format() {
    let mut built = serde_json::to_value(all_kinds().graph()).unwrap();
    let mut builder = Schedule::builder();
    builder
        .add::<render>()
        .add::<integrate>()
        .after::<collide>();
    let error = builder.build().unwrap_err();
    let mut refused = serde_json::to_value(error.graph()).unwrap();
    for graph in [&mut built, &mut refused] {
        forget_lines(graph);
    }
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/behaviour/view/schedule_graph.json"
    );
    let graphs = serde_json::to_string_pretty(&[built, refused]).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, &graphs).unwrap();
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), graphs);
}

/// Replaces line numbers in data and texts, because they change with every edit.
fn forget_lines(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "line" => *field = 0.into(),
                    "text" => *field = "…".into(),
                    "warnings" => {
                        let texts = field.as_array_mut().into_iter().flatten();
                        texts.for_each(|text| *text = "…".into());
                    }
                    _ => forget_lines(field),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(forget_lines),
        _ => {}
    }
}
