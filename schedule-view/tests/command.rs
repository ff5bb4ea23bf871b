//! The command `schedule-view` as a process.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GRAPH: &str = include_str!("data/all_kinds.json");
const GRAPH_SVG: &str = include_str!("data/all_kinds.svg");
const TIMELINE_SVG: &str = include_str!("data/timeline.svg");

/// Runs the command in the folder of kept documents, with this standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data"]
        .iter()
        .collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_schedule-view"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn drawn(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refused(arguments: &[&str], input: &str, code: i32) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(code));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_file_or_the_standard_input_is_drawn_on_the_standard_output() {
    let options = ["--with-resources", "--with-implied"];
    assert!(drawn(&[&options[..], &["all_kinds.json"]].concat(), "") == GRAPH_SVG);
    assert!(drawn(&options, GRAPH) == GRAPH_SVG);
    assert!(drawn(&[&["-"], &options[..]].concat(), GRAPH) == GRAPH_SVG);
    assert!(drawn(&["timeline.json"], "") == TIMELINE_SVG);
}

#[test]
fn an_output_file_is_written() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("timeline.svg");
    let _ = std::fs::remove_file(&file);
    assert_eq!(
        drawn(&["timeline.json", "-o", file.to_str().unwrap()], ""),
        ""
    );
    assert!(std::fs::read_to_string(file).unwrap() == TIMELINE_SVG);
}

#[test]
fn options_select_a_subgraph() {
    let around = drawn(&["--around", "gait", "all_kinds.json"], "");
    assert!(around.contains(">run</text>") && !around.contains(">integrate</text>"));
    let of_radius = |radius| {
        drawn(
            &["--around", "gait", "--radius", radius, "all_kinds.json"],
            "",
        )
    };
    assert!(around == of_radius("1") && around != of_radius("2"));
    let near = drawn(&["--around=integrate", "--radius=0", "all_kinds.json"], "");
    assert!(near.contains(">integrate</text>") && !near.contains(">collide</text>"));
    let inside = drawn(&["--inside", "Physics", "all_kinds.json"], "");
    assert!(inside.contains(">collide</text>") && !inside.contains(">render</text>"));
    let without = drawn(&["--without-places", "all_kinds.json"], "");
    assert!(GRAPH_SVG.contains("declared at") && !without.contains("declared at"));
}

#[test]
fn help_names_the_options() {
    for option in ["--help", "-h"] {
        let help = drawn(&[option], "");
        assert!(
            help.contains("Usage: schedule-view [OPTIONS] [FILE]"),
            "{help}"
        );
    }
    let version = drawn(&["--version"], "");
    assert_eq!(
        version,
        format!("schedule-view {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_arguments_end_with_code_2() {
    let error = refused(&["--colour"], "", 2);
    assert_eq!(
        error,
        "error: invalid option '--colour'\nhelp: `schedule-view --help` lists the options\n"
    );
}

#[test]
fn an_input_that_cannot_be_read_or_drawn_ends_with_code_1() {
    let missing = refused(&["missing.json"], "", 1);
    assert!(
        missing.starts_with("error: cannot read `missing.json`: "),
        "{missing}"
    );
    assert_eq!(
        refused(&[], "{", 1),
        "error: the standard input: the text is not JSON: EOF while parsing an object at line 1 column 1\n"
    );
    let version = refused(
        &[],
        &GRAPH.replacen("\"version\": 4", "\"version\": 9", 1),
        1,
    );
    let expected =
        "error: the standard input: cannot read the graph: version 9 of this data cannot be read";
    assert!(version.starts_with(expected), "{version}");
    assert_eq!(
        refused(&["--around", "nobody", "all_kinds.json"], "", 1),
        "error: schedule `all kinds` has no node `nobody`\n"
    );
    let timeline = refused(&["--with-implied", "timeline.json"], "", 1);
    assert!(
        timeline.starts_with("error: `timeline.json` is a timeline"),
        "{timeline}"
    );
    let written = refused(&["timeline.json", "-o", "missing/out.svg"], "", 1);
    assert!(
        written.starts_with("error: cannot write `missing/out.svg`: "),
        "{written}"
    );
}
