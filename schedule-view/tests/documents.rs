//! Wrong documents are reported as errors and never cause panics.

use proptest::prelude::*;
use schedule_view::{Document, graph_svg, timeline_svg};
use serde_json::{Value, json};

const GRAPH: &str = include_str!("data/all_kinds.json");
const REFUSED: &str = include_str!("data/refused.json");
const TIMELINE: &str = include_str!("data/timeline.json");
const LIMITS: &str = include_str!("data/limits.json");

fn error(json: &str) -> String {
    Document::from_json(json).unwrap_err().to_string()
}

/// The error after one value was replaced.
fn error_with(json: &str, pointer: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(json).unwrap();
    let place = document
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no `{pointer}`"));
    *place = value;
    error(&document.to_string())
}

#[test]
fn text_that_is_not_a_document_is_an_error() {
    for (json, expected) in [
        (
            "",
            "the text is not JSON: EOF while parsing a value at line 1 column 0",
        ),
        (
            "<svg/>",
            "the text is not JSON: expected value at line 1 column 1",
        ),
        (
            "{} {}",
            "the text is not JSON: trailing characters at line 1 column 4",
        ),
    ] {
        assert_eq!(error(json), expected);
    }
    for json in [
        "1",
        "[]",
        "{}",
        r#"{"version": 1}"#,
        r#"{"schedule": "frame", "costs": []}"#,
    ] {
        let expected = "the JSON is neither a graph, which has the field `nodes`, nor a timeline";
        assert!(error(json).starts_with(expected), "{json}");
    }
}

#[test]
fn another_version_is_an_error_for_any_content() {
    for (json, kind, version) in [
        (r#"{"nodes": 1, "new": 2, "version": 9}"#, "graph", 4),
        (r#"{"executions": 1, "version": 9}"#, "timeline", 3),
    ] {
        let expected = format!(
            "cannot read the {kind}: version 9 of this data cannot be read, only version {version}; save it again"
        );
        assert!(error(json).starts_with(&expected), "{}", error(json));
    }
    let missing = error(r#"{"executions": []}"#);
    assert!(
        missing.starts_with("cannot read the timeline: missing field `version`"),
        "{missing}"
    );
}

#[test]
fn unknown_fields_and_other_types_are_errors() {
    let unknown = GRAPH.replacen("\"is_built\"", "\"is_bulit\"", 1);
    assert!(
        error(&unknown).contains("unknown field `is_bulit`"),
        "{}",
        error(&unknown)
    );
    let unknown = TIMELINE.replacen("\"makespan\"", "\"makespam\"", 1);
    assert!(
        error(&unknown).contains("unknown field `makespam`"),
        "{}",
        error(&unknown)
    );
    let kind = error_with(GRAPH, "/nodes/0/kind", json!("sistem"));
    assert!(kind.contains("unknown variant `sistem`"), "{kind}");
}

#[test]
fn data_that_contradicts_itself_is_an_error() {
    let graph: Value = serde_json::from_str(GRAPH).unwrap();
    let n_nodes = graph["nodes"].as_array().unwrap().len();
    let n_resources = graph["resources"].as_array().unwrap().len();
    let n_executions = serde_json::from_str::<Value>(TIMELINE).unwrap()["executions"]
        .as_array()
        .unwrap()
        .len();
    let no_node = format!("refers to node {n_nodes}, but there are {n_nodes}");
    let no_resource = format!("refers to resource {n_resources}, but there are {n_resources}");
    let refused: Value = serde_json::from_str(REFUSED).unwrap();
    let group = refused["nodes"].as_array().unwrap().iter();
    let group = group
        .enumerate()
        .find(|(_, node)| node["kind"] == "group")
        .unwrap()
        .0;
    for (pointer, value, expected) in [
        ("/edges/0/from", json!(n_nodes), format!("edge 0 {no_node}")),
        ("/edges/0/to", json!(n_nodes), format!("edge 0 {no_node}")),
        (
            "/edges/0/origins",
            json!([]),
            "edge 0 has no origin".to_string(),
        ),
        (
            "/edges/0/origins",
            json!([{"never_both": {"condition": n_nodes}}]),
            format!("edge 0 {no_node}"),
        ),
        (
            "/edges/0/origins",
            json!([{"policy": {"policy": "writers_first", "resource": n_resources}}]),
            format!("edge 0 {no_resource}"),
        ),
        (
            "/nodes/1/repeat",
            json!(n_nodes),
            format!("node 1 {no_node}"),
        ),
        (
            "/nodes/1/groups",
            json!([n_nodes]),
            format!("node 1 {no_node}"),
        ),
        (
            "/nodes/1/touched/reads",
            json!([n_resources]),
            format!("node 1 {no_resource}"),
        ),
        (
            "/nodes/1/touched/writes_all_but",
            json!([n_resources]),
            format!("node 1 {no_resource}"),
        ),
        (
            "/policies/0/of",
            json!({"pair": [0, n_nodes]}),
            format!("policy 0 {no_node}"),
        ),
        (
            "/accepted/0/first",
            json!(n_nodes),
            format!("accepted race 0 {no_node}"),
        ),
    ] {
        let error = error_with(GRAPH, pointer, value);
        assert_eq!(
            error,
            format!("the graph contradicts itself: {expected}"),
            "{pointer}"
        );
    }
    let error = error_with(REFUSED, &format!("/nodes/{group}/groups"), json!([group]));
    assert_eq!(
        error,
        format!("the graph contradicts itself: node {group} contains itself")
    );
    for (pointer, value, expected) in [
        (
            "/executions/0/worker",
            json!(2),
            "execution 0 refers to worker 2, but there are 2".to_string(),
        ),
        (
            "/executions/0/waited_for",
            json!(n_executions),
            format!("execution 0 refers to execution {n_executions}, but there are {n_executions}"),
        ),
        (
            "/executions/0/start",
            json!({"secs": 9, "nanos": 0}),
            "execution 0 ends before its start".to_string(),
        ),
        (
            "/executions/6/start",
            json!({"secs": 0, "nanos": 20_000}),
            "execution 7 starts before the previous execution in the list".to_string(),
        ),
        (
            "/makespan",
            json!({"secs": u64::MAX, "nanos": 0}),
            "`makespan` does not fit in 64 bits of nanoseconds".to_string(),
        ),
    ] {
        let error = error_with(TIMELINE, pointer, value);
        assert_eq!(
            error,
            format!("the timeline contradicts itself: {expected}"),
            "{pointer}"
        );
    }
    for (pointer, value, expected) in [
        (
            "/limits/4/executions/1",
            json!(7),
            "limit 4 refers to execution 7, but there are 7",
        ),
        (
            "/limits/4/executions/1",
            json!(3),
            "the executions of limit 4 are not ascending",
        ),
        (
            "/limits/0/due/Before",
            json!({"secs": u64::MAX, "nanos": 0}),
            "the times of limit 0 do not fit in 64 bits of nanoseconds",
        ),
    ] {
        let error = error_with(LIMITS, pointer, value);
        assert_eq!(
            error,
            format!("the timeline contradicts itself: {expected}"),
            "{pointer}"
        );
    }
}

/// A line cannot be drawn between a box and its content.
#[test]
fn a_race_of_a_group_and_its_member_is_written_below_the_picture() {
    let mut document: Value = serde_json::from_str(GRAPH).unwrap();
    let nodes = document["nodes"].as_array().unwrap();
    let member = nodes
        .iter()
        .position(|node| node["groups"] != json!([]))
        .unwrap();
    let group = nodes[member]["groups"][0].clone();
    document["problems"] = json!([
        {"kind": "race", "text": "they race", "nodes": [group, member], "resources": [0]}
    ]);
    let Ok(Document::Graph(graph)) = Document::from_json(&document.to_string()) else {
        panic!()
    };
    let svg = graph_svg(&graph);
    assert!(svg.contains(">they race</text>"), "{svg}");
}

/// The JSON pointers of all values in a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_string());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                pointers(field, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(values) => {
            for (idx, value) in values.iter().enumerate() {
                pointers(value, &format!("{at}/{idx}"), all);
            }
        }
        _ => {}
    }
}

/// A document in which some values are replaced by other values of the document or by small numbers.
fn damaged() -> impl Strategy<Value = Value> {
    let place = any::<prop::sample::Index>();
    let change = (
        place,
        prop::option::of(any::<prop::sample::Index>()),
        0..24_u64,
    );
    let json = prop::sample::select(vec![GRAPH, REFUSED, TIMELINE, LIMITS]);
    (json, prop::collection::vec(change, 1..4)).prop_map(|(json, changes)| {
        let mut document: Value = serde_json::from_str(json).unwrap();
        for (to, from, number) in changes {
            let mut all = Vec::new();
            pointers(&document, "", &mut all);
            let value = match from {
                Some(from) => {
                    let from: &String = from.get(&all);
                    document.pointer(from).unwrap().clone()
                }
                None => number.into(),
            };
            // Most replacements are numbers, because values of other types are rejected when the document is read.
            let numbers = all
                .iter()
                .filter(|at| document.pointer(at).is_some_and(Value::is_u64));
            let numbers: Vec<&String> = numbers.collect();
            let at = match (from, numbers.is_empty()) {
                (None, false) => (*to.get(&numbers)).clone(),
                _ => to.get(&all).clone(),
            };
            *document.pointer_mut(&at).unwrap() = value;
        }
        document
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1024,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_damaged_document_is_an_error_or_is_drawn(document in damaged()) {
        match Document::from_json(&document.to_string()) {
            Ok(Document::Graph(graph)) => {
                let picture = graph.picture().with_resources().with_implied();
                prop_assert!(graph_svg(&picture).ends_with("</svg>\n"));
            }
            Ok(Document::Timeline(timeline)) => {
                prop_assert!(timeline_svg(&timeline).ends_with("</svg>\n"));
            }
            Ok(other) => prop_assert!(false, "{other:?}"),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// Colour is not the only sign of a missed deadline.
#[test]
fn limits_are_drawn_with_their_outcome() {
    let Ok(Document::Timeline(timeline)) = Document::from_json(LIMITS) else {
        panic!()
    };
    let svg = timeline_svg(&timeline);
    for text in [
        ">deadline of Rate&lt;Control&gt;</text>",
        ">missed by 1.7ms; due 800.0µs before the begin, took 4.7ms of 3.0ms</text>",
        ">deadline 300.0µs before the begin, missed by 4.2ms; due ",
        ">deadline 9.1ms after the begin, met; due 100.0µs after the begin, ",
        ">missed by 490.0µs; took 2.0ms of 1.5ms</text>",
        ">met; took 995.0µs of 1.5ms</text>",
        "\nended 1.7ms after the deadline of Rate&lt;Control&gt;",
        "\nended 4.2ms after the deadline of control",
        "\nthe budget of control was exceeded by 490.0µs",
    ] {
        assert!(svg.contains(text), "{text} is missing in {svg}");
    }
    let n_marks = |class: &str| svg.matches(&format!("<path class=\"{class}\"")).count();
    assert_eq!((n_marks("missed"), n_marks("deadline")), (2, 2));
    assert_eq!(svg.matches("<text class=\"late\"").count(), 3);
}
