//! What must not compile, and what the compiler says of it; `TRYBUILD=overwrite` accepts what it says now.
//!
//! One fault a file, in the folder of its subject, the `.stderr` beside it. Not here are faults that the compiler
//! itself tells twice whatever the macros do: a variadic function (unstable, and unsafe), a function inside of an
//! `impl` (it cannot hold types), a module of the system's name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trybuild::TestCases;

/// Folders of faults that `cargo check` finds.
const CHECKED: [&str; 14] = [
    "branch",
    "by_hand",
    "conflict",
    "identity",
    "if",
    "lint",
    "options",
    "order",
    "output",
    "parameter",
    "params",
    "resource",
    "schedule",
    "signature",
];

/// The folder of faults that are found when code is generated for an instance of a generic system.
const BUILT: &str = "instance";

/// The folder of what compiles and runs.
const PASS: &str = "pass";

/// What only the macros, or `schedule` behind them, may name.
const GENERATED: [&str; 7] = [
    "__schedule",
    "__private",
    "__Never",
    "Assembled",
    "field_0",
    "param_0",
    "{closure#",
];

#[test]
fn the_compiler_says_what_is_wrong() {
    let cases = TestCases::new();
    for subject in CHECKED {
        cases.compile_fail(format!("ui/{subject}/*.rs"));
    }
}

/// A case that passes turns `check` into `build` for all cases beside it.
#[test]
fn the_compiler_says_what_is_wrong_with_an_instance() {
    let cases = TestCases::new();
    cases.pass(format!("ui/{PASS}/*.rs"));
    cases.compile_fail(format!("ui/{BUILT}/*.rs"));
}

#[test]
fn every_fault_is_one_error_and_names_nothing_generated() {
    let mut wrong = Vec::new();
    let mut n_files = 0;
    for path in files("stderr") {
        let text = fs::read_to_string(&path).unwrap();
        let n_errors = text.lines().filter(|line| is_error(line)).count();
        if n_errors != 1 {
            wrong.push(format!("{}: {n_errors} errors", path.display()));
        }
        for name in GENERATED {
            if text.contains(name) {
                wrong.push(format!("{}: names `{name}`", path.display()));
            }
        }
        n_files += 1;
    }
    assert!(n_files > 100, "{n_files} files found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_tried() {
    let known: BTreeSet<_> = CHECKED.into_iter().chain([BUILT, PASS]).collect();
    let subject = |path: &PathBuf| path.parent().unwrap().file_name().unwrap().to_owned();
    for path in files("rs") {
        let subject = subject(&path);
        assert!(
            known.contains(subject.to_str().unwrap()),
            "{}",
            path.display()
        );
        let message = path.with_extension("stderr");
        assert_eq!(message.exists(), subject != PASS, "{}", message.display());
    }
    for path in files("stderr") {
        assert!(path.with_extension("rs").exists(), "{}", path.display());
    }
}

fn is_error(line: &str) -> bool {
    line.starts_with("error")
        && !line.starts_with("error: aborting")
        && !line.starts_with("error: could not compile")
}

fn files(extension: &str) -> Vec<PathBuf> {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let subjects = fs::read_dir(ui).unwrap().map(|entry| entry.unwrap().path());
    let files = subjects.flat_map(|subject| fs::read_dir(subject).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}
