//! The page, the program that writes it, and the mistakes that results can have.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bench_report::{Results, Role, Row, page, read};

/// A folder as a repository has it, with these files of results, empty at first.
fn repository(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let results = folder.join("benches/results");
    fs::create_dir_all(&results).unwrap();
    for (name, text) in files {
        fs::write(results.join(name), text).unwrap();
    }
    folder
}

fn program(arguments: &[&str], folder: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bench-report"));
    program.args(arguments).arg(folder).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// With `rest` in the place of tables and bars, and these rows.
fn results(rest: &str, rows: &str) -> String {
    format!(
        r#"{{
            "title": "Running",
            "measured": "Time of a run.",
            "unit": "speed-up",
            "command": "cargo bench -- [--quick | --long]",
            "machine": "2 cores",
            "date": "2026-11-26",
            "commit": "abcdef0",
            "contenders": [
                {{"name": "loop", "role": "baseline"}},
                {{"name": "ours", "role": "ours", "about": "by default"}},
                {{"name": "theirs", "role": "peer", "version": "1.2"}}
            ],
            {rest}
            "rows": [{rows}]
        }}"#
    )
}

fn row(workload: &str, contender: &str, median: f64) -> String {
    format!(
        r#"{{"bench": "run", "parameters": {{"workload": "{workload}", "cost_ns": 1000}}, "contender": "{contender}", "median": {median}}}"#
    )
}

/// Two workloads: a peer is better with one of them.
fn rows() -> String {
    [
        row("chain", "theirs", 1.5),
        row("chain", "ours", 1.9),
        row("tree", "ours", 1.2),
        row("tree", "theirs", 1.25),
    ]
    .join(", ")
}

/// The mistakes of one file with this text.
fn mistakes(name: &str, text: &str) -> Vec<String> {
    let folder = repository(name, &[("run.json", text)]);
    read(&folder.join("benches/results")).unwrap_err()
}

fn written(name: &str, text: &str) -> String {
    let folder = repository(name, &[("run.json", text)]);
    page::write(&read(&folder.join("benches/results")).unwrap()).unwrap()
}

#[test]
fn committed_page_agrees_with_the_committed_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = program(&["--check"], &folder);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn check_fails_where_the_page_differs() {
    let text = results("", &rows());
    let folder = repository("check", &[("run.json", &text)]);
    let output = program(&["--check"], &folder);
    assert!(
        !output.status.success(),
        "the page is missing, so the check must fail"
    );
    assert!(program(&[], &folder).status.success());
    let output = program(&["--check"], &folder);
    assert!(output.status.success(), "{}", stderr(&output));

    let path = folder.join("BENCHMARKS.md");
    let page = fs::read_to_string(&path).unwrap();
    let n_before = page
        .lines()
        .take_while(|line| !line.contains("1.90"))
        .count();
    fs::write(&path, page.replace("1.90", "1.99")).unwrap();
    let output = program(&["--check"], &folder);
    assert!(!output.status.success());
    let wanted = format!("at line {}: run `cargo run -p bench-report`", n_before + 1);
    assert!(stderr(&output).contains(&wanted), "{}", stderr(&output));

    // A line more at the end is a difference as well.
    fs::write(&path, format!("{page}\n")).unwrap();
    assert!(!program(&["--check"], &folder).status.success());
}

#[test]
fn unknown_argument_is_an_error() {
    let output = program(&["--chek"], Path::new("."));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("argument `--chek` is unknown"));
}

#[test]
fn sections_have_the_order_of_file_names() {
    let [one, other] = ["Streams", "Streams by size"]
        .map(|title| results("", &rows()).replace("\"Running\"", &format!("{title:?}")));
    let files = [("streams-size.json", &*other), ("streams.json", &*one)];
    let folder = repository("order", &files);
    let page = page::write(&read(&folder.join("benches/results")).unwrap()).unwrap();
    let at = |title: &str| page.find(&format!("## {title}\n")).unwrap();
    assert!(at("Streams") < at("Streams by size"));
}

#[test]
fn table_has_a_line_for_conditions_and_a_column_for_contenders() {
    let page = written("table", &results("", &rows()));
    let whole = "\
| run (speed-up): cost, ns | workload | ours | theirs |
|---|---|---:|---:|
| 1000 | chain | 1.90 | 1.50 |
| 1000 | tree | 1.20 | 1.25 |
";
    assert!(page.contains(whole), "{page}");

    let tables = r#""tables": [
        {"caption": "Chains", "where": {"workload": ["chain", "ring"]}, "lines": ["workload"]},
        {"caption": "Ours", "where": {"contender": "ours"}, "lines": ["cost_ns"], "columns": "workload"}
    ],"#;
    let page = written("table", &results(tables, &rows()));
    let parts = "\
| Chains (speed-up; 2 of 4 figures): workload | ours | theirs |
|---|---:|---:|
| chain | 1.90 | 1.50 |

| Ours (speed-up; 2 of 4 figures): cost, ns | chain | tree |
|---|---:|---:|
| 1000 | 1.90 | 1.20 |
";
    assert!(page.contains(parts), "{page}");
}

#[test]
fn source_and_better_peers_are_shown() {
    let worse = [row("ring", "ours", 1.5), row("ring", "theirs", 1.25)];
    let rows = format!("{}, {}", rows(), worse.join(", "));
    let page = written("source", &results("", &rows));
    for wanted in [
        "Command: `cargo bench -- [--quick | --long]`. Machine: 2 cores. Date: 2026-11-26, commit abcdef0.",
        "Data: [run.json](benches/results/run.json).",
        "- Contenders: `ours` (by default), `theirs` 1.2.",
        "Conditions under which a peer is better than `ours`: 1 of 3 in run (speed-up).",
    ] {
        assert!(page.contains(wanted), "{wanted}\n\n{page}");
    }
}

#[test]
fn higher_figures_per_second_are_better() {
    let rows = [
        rows(),
        row("ring", "ours", 1.5),
        row("ring", "theirs", 1.25),
    ]
    .join(", ");
    for (unit, n_better) in [("events/s", 1), ("events/s per core", 1), ("ms", 2)] {
        let text =
            results("", &rows).replace(r#""unit": "speed-up""#, &format!(r#""unit": "{unit}""#));
        let page = written(&format!("unit-{n_better}-{}", unit.len()), &text);
        let wanted = format!("better than `ours`: {n_better} of 3 in run ({unit}).");
        assert!(page.contains(&wanted), "{page}");
    }
}

#[test]
fn bar_shows_the_worst_figure_and_whether_it_is_missed() {
    let bars = r#""bars": [
        {"name": "both", "where": {"contender": "ours"}, "at_least": 1.5},
        {"name": "chain", "where": {"contender": "ours", "workload": "chain"}, "at_least": 1.9},
        {"name": "near theirs", "where": {"contender": "ours", "workload": "tree"}, "at_least": 0.97, "part_of": "theirs"},
        {"name": "split", "where": {"contender": "ours", "workload": "chain"}, "at_least": 1.0},
        {"name": "split", "where": {"contender": "ours", "workload": "tree"}, "at_least": 1.3}
    ],"#;
    let page = written("bars", &results(bars, &rows()));
    for wanted in [
        "| both | ≥ 1.50 | 1.20 tree, **missed** (1 of 2) |",
        "| chain | ≥ 1.90 | 1.90 |",
        "| near theirs | ≥ 0.97 × theirs | 0.96, **missed** |",
        "| split | ≥ 1.00 to 1.30 | 1.20 tree, **missed** (1 of 2) |",
    ] {
        assert!(page.contains(wanted), "{wanted}\n\n{page}");
    }
}

#[test]
fn upper_bar_applies_to_the_upper_end_of_a_range() {
    let rows =
        r#"{"bench": "run", "contender": "ours", "unit": "ns", "lowest": -2, "highest": 11.5}"#;
    let bars = r#""bars": [{"name": "cost", "where": {"contender": "ours"}, "at_most": 10}],"#;
    let page = written("range", &results(bars, rows));
    assert!(
        page.contains("| cost | ≤ 10 ns | -2 to 11.5, **missed** |"),
        "{page}"
    );
}

#[test]
fn verdict_of_the_bench_overrides_rounded_figures() {
    let bars = |kept: &str| {
        format!(
            r#""runs": [{{"name": "first"}}],
            "bars": [{{"name": "chain", "where": {{"contender": "ours"}}, "at_least": 1.9{kept}}}],"#
        )
    };
    let rows = r#"{"bench": "run", "run": "first", "contender": "ours", "median": 1.9}"#;
    let page = written("kept", &results(&bars(""), rows));
    assert!(page.contains("| chain | ≥ 1.90 | 1.90 |"), "{page}");
    let text = results(&bars(r#", "kept": {"first": false}"#), rows);
    let page = written("kept", &text);
    assert!(
        page.contains("| chain | ≥ 1.90 | 1.90, **missed** |"),
        "{page}"
    );
}

#[test]
fn row_of_samples_shows_their_median() {
    let rows = r#"{"bench": "run", "contender": "ours", "samples": [3.5, 1.25, 2]}"#;
    let page = written("samples", &results("", rows));
    assert!(page.contains("| run | 2.00 |"), "{page}");
}

#[test]
fn brief_results_are_a_point_with_figures_and_sources() {
    let rest = r#""is_brief": true,
        "runs": [{"name": "before", "commit": "1234567"}, {"name": "after"}],
        "bars": [{"name": "all", "where": {"contender": "ours"}, "at_least": 1.5}],"#;
    let rows = r#"{"bench": "run", "run": "before", "parameters": {"size": 7, "cost_us": 10}, "contender": "ours", "median": 1},
        {"bench": "run", "run": "after", "parameters": {"size": 7}, "contender": "ours", "median": 2}"#;
    let page = written("brief", &results(rest, rows));
    let point = "- **Running**: Time of a run. Contenders: `ours` (by default), `theirs` 1.2. \
        In speed-up: before, ours, cost 10 µs, size 7: 1.00; after, ours, size 7: 2.00. \
        Bar `all`: ≥ 1.50; measured: 1.00, **missed**, 2.00. \
        Command: `cargo bench -- [--quick | --long]`. Machine: 2 cores. \
        Date: 2026-11-26, commit 1234567 (before), 2026-11-26, commit abcdef0 (after). \
        Data: [run.json](benches/results/run.json).";
    assert!(
        page.ends_with(&format!("## Other results\n\n{point}\n")),
        "{page}"
    );
}

#[test]
fn every_mistake_of_a_row_is_reported() {
    let rows = [
        r#"{"bench": "run", "contender": "nobody", "median": 1}"#,
        r#"{"bench": "run", "contender": "ours", "lowest": 1}"#,
        r#"{"bench": "run", "contender": "ours", "run": "evening", "median": 1}"#,
        r#"{"bench": "run", "contender": "theirs", "median": 1}"#,
        r#"{"bench": "run", "contender": "theirs", "median": 2}"#,
    ];
    assert_eq!(
        mistakes("rows", &results("", &rows.join(", "))),
        [
            "run.json: row 1: contender `nobody` is not one of `contenders`",
            "run.json: row 2: it needs `median`, `samples`, or `lowest` and `highest`",
            "run.json: row 3: run `evening` is not one of `runs`",
            "run.json: row 5: an earlier row has the same conditions",
        ]
    );
    let runs = r#""runs": [{"name": "evening"}],"#;
    let found = mistakes("runs", &results(runs, &row("chain", "ours", 1.0)));
    assert_eq!(found, ["run.json: row 1: `run` is missing"]);
    assert_eq!(
        mistakes("none", &results("", "")),
        ["run.json: `rows` is empty"]
    );
}

#[test]
fn unknown_field_is_an_error_with_its_line() {
    let found = mistakes("field", &results(r#""title_of_page": "x","#, &rows()));
    assert!(
        found[0].starts_with("run.json: unknown field `title_of_page`"),
        "{found:?}"
    );
    assert!(found[0].contains(" at line "), "{found:?}");
}

#[test]
fn table_must_have_one_row_for_each_cell() {
    let tables = |rest: &str| format!(r#""tables": [{{"caption": "t", "lines": {rest}}}],"#);
    let found = |name: &str, rest: &str| mistakes(name, &results(&tables(rest), &rows()));
    assert_eq!(
        found("cell", r#"["cost_ns"]"#),
        ["run.json: table `t`: several rows for column `ours` of line `1000`"]
    );
    assert_eq!(
        found("empty", r#"["workload"], "where": {"workload": "ring"}"#),
        ["run.json: table `t`: no row matches"]
    );
    assert_eq!(
        found("column", r#"["workload"], "columns": "size""#),
        ["run.json: table `t`: a row has no `size`"]
    );
    let rows = format!(
        r#"{}, {{"bench": "run", "contender": "ours", "unit": "ns", "median": 1}}"#,
        rows()
    );
    assert_eq!(
        mistakes("units", &results(&tables(r#"["workload"]"#), &rows)),
        ["run.json: table `t`: it mixes the units `speed-up` and `ns`"]
    );
}

#[test]
fn bar_must_have_rows_and_one_limit() {
    let bars = r#""bars": [
        {"name": "a", "where": {"contender": "ours"}},
        {"name": "b", "where": {"workload": "ring"}, "at_most": 1},
        {"name": "c", "where": {"contender": "ours"}, "at_least": 1, "part_of": "loop"},
        {"name": "d", "where": {"contender": "ours"}, "at_least": 1, "kept": {"evening": true}},
        {"name": "e", "where": {"contender": "ours"}, "at_least": 1},
        {"name": "e", "where": {"contender": "theirs"}, "at_most": 2}
    ],"#;
    let found = mistakes("bar", &results(bars, &rows()));
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(
        found[0],
        "run.json: bar `a`: it must have `at_least` or `at_most`"
    );
    assert_eq!(found[1], "run.json: bar `b`: no row matches");
    assert!(found[2].starts_with("run.json: bar `c`: `loop` has no row with"));
    assert_eq!(
        found[3],
        "run.json: bar `d`: run `evening` is not one of `runs`"
    );
    let wanted =
        "run.json: bar `e`: it differs from an earlier bar of this name in more than its limit";
    assert_eq!(found[4], wanted);
}

#[test]
fn page_of_too_many_lines_is_an_error() {
    let rows = (0..page::MAX_LINES).map(|idx| row(&format!("workload {idx}"), "ours", 1.0));
    let rows: Vec<String> = rows.collect();
    let folder = repository("long", &[("run.json", &results("", &rows.join(", ")))]);
    let files = read(&folder.join("benches/results")).unwrap();
    let mistake = page::write(&files).unwrap_err();
    assert!(mistake.contains("show fewer rows in `tables`"), "{mistake}");
}

#[test]
fn results_of_a_bench_can_be_read_again() {
    let rows = ["chain", "tree"].map(|workload| {
        Row::new("run", "ours")
            .with("workload", workload)
            .with("cost_ns", 1000_u64)
            .with("pinned", true)
            .median_of(12.500_04)
            .p90_and_mean(14.0, 123_456.7)
    });
    let results =
        Results::here("Running", "Time of a run.", "ns").with(rows.to_vec(), |_| Role::Ours);
    let text = results.to_json();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("\"bench\""))
        .map(|line| line.trim().trim_end_matches(','))
        .collect();
    let wanted = |workload: &str| {
        format!(
            r#"{{"bench":"run","parameters":{{"cost_ns":1000,"pinned":true,"workload":"{workload}"}},"contender":"ours","median":12.5,"p90":14.0,"mean":123460.0}}"#
        )
    };
    assert_eq!(rows, [wanted("chain"), wanted("tree")]);

    let folder = repository("bench", &[("run.json", &text)]);
    let files = read(&folder.join("benches/results")).unwrap();
    assert_eq!(files[0].results.to_json(), text);
    let machine = results.machine.unwrap();
    assert!(machine.contains(std::env::consts::ARCH), "{machine}");
    let page = page::write(&files).unwrap();
    assert!(page.contains("| 1000 | yes | chain | 12.5 |"), "{page}");
}
