//! Programs that must not compile, and their error messages. `TRYBUILD=overwrite` accepts changed messages.
//!
//! Each file has one fault. It is in the folder of its subject, with its `.stderr` next to it, and ends with the remedy that the compiler
//! suggests. `remedies` compiles the file with this remedy. Faults that the compiler always reports twice are omitted, such as a variadic
//! function, which is unstable and unsafe. The fault of a module with the system's name is included nevertheless, because one of its errors
//! contains the remedy.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trybuild::TestCases;

/// Folders of faults that `cargo check` finds.
const CHECKED: [&str; 43] = [
    "branch",
    "by_hand",
    "cfg",
    "chain",
    "clause",
    "columns",
    "conflict",
    "cycle",
    "record",
    "entity",
    "entry",
    "event",
    "executor",
    "failure",
    "fold",
    "for_each",
    "group",
    "guard",
    "handler",
    "identity",
    "if",
    "lint",
    "listing",
    "loop",
    MODULE,
    "naming",
    "open",
    "options",
    "order",
    "output",
    "parameter",
    "params",
    "include",
    "policy",
    "race",
    "reference",
    "resource",
    "schedule",
    "signature",
    "snapshot",
    "spanning",
    "sweep",
    "writers_first",
];

/// The folder of faults that the compiler itself reports, too: E0428 and E0573.
const MODULE: &str = "module";

/// The folder of faults that are found when code is generated for an instance of a generic system.
const BUILT: &str = "instance";

/// The folder of programs that compile and run.
const PASS: &str = "pass";

/// Faults of a type that the compiler reports at each mention of the type, also in generated code. The first line of all these errors is
/// the same.
const REPEATED: [&str; 6] = [
    "columns_of_a_struct_without_the_derive",
    "filter_by_reference",
    "not_foldable",
    "term_by_value",
    "term_by_value_in_a_tuple",
    "thirteen_terms",
];

/// Names that only the macros and `schedule` may use.
const GENERATED: [&str; 17] = [
    "__schedule",
    "__private",
    "__LISTING",
    "__WHOLE",
    "__VERDICT",
    "__GUARDS",
    "__ARGUMENTS",
    "__HANDLERS",
    "__Cases",
    "__METHODS",
    "__take",
    "__R0",
    "__Never",
    "Assembled",
    "field_0",
    "param_0",
    "{closure#",
];

#[test]
fn compiler_reports_the_expected_errors() {
    let cases = TestCases::new();
    for subject in CHECKED {
        cases.compile_fail(format!("ui/{subject}/*.rs"));
    }
}

/// A passing case changes `check` to `build` for all cases of the same run.
#[test]
fn compiler_reports_the_expected_errors_of_an_instance() {
    let cases = TestCases::new();
    cases.pass(format!("ui/{PASS}/*.rs"));
    cases.compile_fail(format!("ui/{BUILT}/*.rs"));
}

#[test]
fn every_mistake_is_one_error_without_generated_names() {
    let mut wrong = Vec::new();
    let mut n_files = 0;
    for path in files("stderr") {
        let text = fs::read_to_string(&path).unwrap();
        let errors: Vec<_> = text.lines().filter(|line| is_error(line)).collect();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if REPEATED.contains(&name) && errors.iter().all(|&error| error == errors[0]) {
            n_files += 1;
            continue;
        }
        let n_errors = errors.len();
        let is_module = path.parent().unwrap().ends_with(MODULE);
        if is_module && !text.contains("type_NewName") {
            wrong.push(format!("{}: names no remedy", path.display()));
        }
        if n_errors != if is_module { 3 } else { 1 } {
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
fn every_ui_file_is_checked() {
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

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")
}

fn files(extension: &str) -> Vec<PathBuf> {
    let subjects = fs::read_dir(ui())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = subjects.flat_map(|subject| fs::read_dir(subject).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}
