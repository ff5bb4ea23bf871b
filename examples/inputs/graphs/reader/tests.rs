use super::*;

/// A schedule of three systems with these edges and races.
fn file(edges: &str, races: &str) -> String {
    let systems = ["a", "b", "c"]
        .map(|name| format!(r#"{{"name": "{name}", "reads": [], "writes": ["R"]}}"#))
        .join(", ");
    format!(
        r#"{{"schedules": [{{"name": "Frame", "systems": [{systems}], "edges": {edges}, "races": {races}}}]}}"#
    )
}

/// A schedule of one system with these fields.
fn file_of_system(fields: &str) -> String {
    format!(
        r#"{{"schedules": [{{"name": "Frame", "systems": [{{{fields}}}], "edges": [], "races": []}}]}}"#
    )
}

#[track_caller]
fn assert_mistake(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err(), expected);
}

#[test]
fn a_file_becomes_graphs() {
    let graphs = parse(&file("[[0, 1]]", "[[2, 0], [1, 2]]")).unwrap();
    assert_eq!(graphs.len(), 1);
    assert_eq!(graphs[0].name, "Frame");
    assert_eq!(graphs[0].systems.len(), 3);
    assert_eq!(graphs[0].edges, [(0, 1)]);
    assert_eq!(graphs[0].races, BTreeSet::from([(0, 2), (1, 2)]));
}

#[test]
fn a_missing_file_is_named() {
    let mistake = read(Path::new("no/such/file.json")).unwrap_err();
    assert!(mistake.to_string().starts_with("no/such/file.json: "));
}

#[test]
fn invalid_json_is_reported_with_line_and_column() {
    assert_mistake("", "EOF while parsing a value at line 1 column 0");
    assert_mistake("{\n\"schedules\": [}", "expected value at line 2 column 15");
}

#[test]
fn a_missing_field_is_named_with_its_schedule() {
    assert_mistake("{}", "missing field `schedules` at line 1 column 2");
    assert_mistake(
        r#"{"schedules": [{"name": "Frame", "systems": [], "edges": []}]}"#,
        "schedule `Frame`: missing field `races`",
    );
    assert_mistake(
        r#"{"schedules": [{"systems": [], "edges": [], "races": []}]}"#,
        "schedule 0: missing field `name`",
    );
    assert_mistake(
        &file_of_system(r#""name": "a", "reads": []"#),
        "schedule `Frame`, system 0: missing field `writes`",
    );
}

#[test]
fn misspelt_field_is_rejected() {
    let text = file_of_system(r#""name": "a", "reads": [], "writes": [], "exclusiv": true"#);
    let mistake = parse(&text).unwrap_err();
    assert!(
        mistake.starts_with("schedule `Frame`, system 0: unknown field `exclusiv`"),
        "{mistake}"
    );
}

#[test]
fn contradictory_access_is_rejected() {
    assert_mistake(
        &file_of_system(r#""name": "a", "reads": [], "writes": [], "reads_except": ["R"]"#),
        "schedule `Frame`, system 0: `reads_except` requires `reads_all`",
    );
    assert_mistake(
        &file_of_system(r#""name": "a", "reads": ["R"], "writes": [], "no_world_access": true"#),
        "schedule `Frame`, system 0: `no_world_access` contradicts a system that reads or writes",
    );
}

#[test]
fn invalid_pair_is_reported_with_its_location() {
    assert_mistake(
        &file("[[0, 1], [1, 300]]", "[]"),
        "schedule `Frame`, edge 1: system 300 is out of range, there are 3",
    );
    assert_mistake(
        &file("[]", "[[0, 3]]"),
        "schedule `Frame`, race 0: system 3 is out of range, there are 3",
    );
    assert_mistake(
        &file("[[0, 1, 2]]", "[]"),
        "schedule `Frame`, edge 0: `[0,1,2]` is not a pair of systems",
    );
    assert_mistake(
        &file("[[-1, 2]]", "[]"),
        "schedule `Frame`, edge 0: `[-1,2]` is not a pair of systems",
    );
    assert_mistake(
        &file("[[1, 1]]", "[]"),
        "schedule `Frame`, edge 0: system 1 is paired with itself",
    );
    assert_mistake(
        &file("[]", "[[0, 1], [1, 0]]"),
        "schedule `Frame`, race 1: duplicate pair",
    );
}

#[test]
fn cycle_is_reported_as_a_path() {
    assert_mistake(
        &file("[[0, 1], [2, 1], [1, 2]]", "[]"),
        "schedule `Frame`: the edges form a cycle: 2 (`c`) -> 1 (`b`) -> 2 (`c`)",
    );
}
