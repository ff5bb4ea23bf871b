//! Programs that must not compile, and their error messages. `TRYBUILD=overwrite` accepts changed messages.
//!
//! Each file has one fault. It is in the folder of its subject, with its `.stderr` next to it, and ends with the remedy that the compiler
//! suggests. `remedies` compiles the file with this remedy. Faults that the compiler always reports twice are omitted, such as a variadic
//! function, which is unstable and unsafe. The fault of a module with the system's name is included nevertheless, because one of its errors
//! contains the remedy.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schedule_tests::child::Child;
use schedule_tests::has_full_counts;
use trybuild::TestCases;

use super::COMPILER;

/// Folders of faults that `cargo check` finds.
const CHECKED: [&str; 45] = [
    "branch",
    "by_hand",
    "cfg",
    "chain",
    "change",
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
    "message",
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

/// Folders whose cases need no remedy, with the reason. A case of them can have one nevertheless.
const WITHOUT: &str = "
branch: the error names the one item of the enum that must go
by_hand: rustc's own errors about an implementation by hand
cfg: the error shows the correct form of the predicate or its place
conflict: the error names the parameter that replaces the two; the function's body changes with it
identity: the error names the missing derive, or an option that must go
if: the error shows the correct form of the option
instance: the same errors as in `conflict` and `parameter`, of a generic function
lint: lints of rustc, which name the user's item and no change
listing: errors about the whole `schedule!`, and lints of rustc
module: `every_fault_is_one_error` checks that the error names the option to add
open: errors about another item than the schedule, and lints of rustc
options: the error shows the correct form of the option
order: errors of trait bounds, which name the type that is needed
output: the error lists the types that a system can return
parameter: errors of trait bounds and borrows, which name the type that is needed
params: errors of trait bounds and borrows, which name the type that is needed
pass: compiles as it is
resource: errors of trait bounds, and options that must go
schedule: errors of trait bounds and paths of a builder's calls
signature: the attribute stands on an item that cannot be a system
";

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

/// Of the cases of a folder, `cargo test` compiles the first and then each fourth one. `ci/all_tests.sh` compiles all.
const STRIDE: usize = 4;

#[test]
fn compiler_reports_the_expected_errors() {
    run_cases("metadata", || {
        let cases = TestCases::new();
        for path in CHECKED.into_iter().flat_map(selected) {
            cases.compile_fail(path);
        }
    });
}

/// The compiler also has to generate code.
#[test]
fn compiler_reports_the_expected_errors_of_an_instance() {
    run_cases("obj", || {
        let cases = TestCases::new();
        for path in selected(BUILT) {
            cases.compile_fail(path);
        }
    });
}

#[test]
fn programs_compile_and_run() {
    run_cases("link", || {
        let cases = TestCases::new();
        for path in selected(PASS) {
            cases.pass(path);
        }
    });
}

/// Runs cases of `trybuild` in a process in which `cases` stands in for cargo. The compiler writes the output `emit`.
fn run_cases<F: FnOnce()>(emit: &str, run: F) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = Child::new(run)
        .env("CARGO", env!("CARGO_BIN_EXE_cases"))
        .env("CASES_CARGO", cargo.display())
        .env("CASES_COMPILER", COMPILER)
        .env("CASES_EMIT", emit)
        .limit(Duration::from_secs(1800));
    for filter in env::args().filter(|argument| argument.starts_with(FILTER)) {
        child = child.argument(&filter);
    }
    child.run();
}

/// The start of an argument that selects cases: `cargo test -p schedule-tests --test compiler ui trybuild=race/writers`.
const FILTER: &str = "trybuild=";

/// Returns the cases of a folder to compile, relative to the package.
fn selected(subject: &str) -> Vec<PathBuf> {
    let has_filter = env::args().any(|argument| argument.starts_with(FILTER));
    let stride = if has_full_counts() || has_filter || env::var_os("TRYBUILD").is_some() {
        1
    } else {
        STRIDE
    };
    let folder = Path::new("ui").join(subject);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == "rs"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no cases", folder.display());
    paths.into_iter().step_by(stride).collect()
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

#[test]
fn every_case_has_a_remedy_or_a_reason() {
    let reasons = WITHOUT
        .trim()
        .lines()
        .map(|line| line.split_once(": ").unwrap());
    let reasons: BTreeMap<_, _> = reasons.collect();
    let mut unused = reasons.clone();
    let mut missing = Vec::new();
    for path in files("rs") {
        let subject = path.parent().unwrap().file_name().unwrap();
        let subject = subject.to_str().unwrap();
        if !fs::read_to_string(&path)
            .unwrap()
            .contains("\n//~ remedy\n")
        {
            unused.remove(subject);
            if !reasons.contains_key(subject) {
                missing.push(format!("{}: has no remedy", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(unused.is_empty(), "these need no reason: {unused:?}");
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
    let files = subjects
        .flat_map(|subject| fs::read_dir(subject).unwrap())
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}
