//! Remedies are short, and annotations that do not apply are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::remedy::twins;

/// The most lines that a remedy removes, and the most that it adds.
const MOST: usize = 5;

/// The cases of `tests/ui` by folder and name.
fn cases() -> BTreeMap<(String, String), String> {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui");
    let mut cases = BTreeMap::new();
    for subject in fs::read_dir(ui).unwrap() {
        let subject = subject.unwrap();
        for file in fs::read_dir(subject.path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let subject = subject.file_name().into_string().unwrap();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                cases.insert((subject, name), fs::read_to_string(path).unwrap());
            }
        }
    }
    cases
}

#[test]
fn every_remedy_is_short_and_its_case_states_a_rule() {
    let mut n_remedies = 0;
    let mut wrong = Vec::new();
    for ((subject, name), case) in cases() {
        let n_twins = twins(&case).map_or(0, |twins| twins.len());
        let remedies = case.split("\n//~ remedy\n").skip(1);
        let counts: Vec<_> = remedies
            .map(|remedy| ["//~ - ", "//~ + "].map(|sign| remedy.matches(sign).count()))
            .collect();
        let place = format!("tests/ui/{subject}/{name}.rs");
        if counts.len() != n_twins {
            wrong.push(format!(
                "{place}: {} remedies, {n_twins} twins",
                counts.len()
            ));
        }
        if counts.iter().flatten().any(|&n_lines| n_lines > MOST) {
            wrong.push(format!("{place}: more than {MOST} lines removed or added"));
        }
        if n_twins > 0 && !case.starts_with("//! ") {
            wrong.push(format!(
                "{place}: must start with the rule that it breaks, as `//!`"
            ));
        }
        n_remedies += n_twins;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_remedies > 300, "{n_remedies} remedies found");
    let compiled = include_str!(concat!(env!("OUT_DIR"), "/twins.rs"));
    assert_eq!(compiled.matches("#[path").count(), n_remedies);
}

const CASE: &str =
    "//! A rule.\n\nlist! {\n    one,\n    two,\n    two,\n}\n\nfn main() {\n    list();\n}\n\n";

/// The twins of `CASE` with these annotations.
fn twins_with(annotations: &str) -> Result<Vec<String>, String> {
    twins(&format!("{CASE}{annotations}"))
}

#[test]
fn a_case_without_annotations_has_no_twin() {
    assert_eq!(twins(CASE), Ok(Vec::new()));
}

#[test]
fn a_remedy_replaces_inserts_and_removes_lines() {
    let annotations =
        "//~ remedy\n//~ - one,\n//~ + first,\n//~ + second,\n//~\n//~   two,\n//~ - two,\n";
    let twin = "//! A rule.\n\nlist! {\nfirst,\nsecond,\ntwo,\n}\n\n#[test]\nfn it_compiles() {\n    list();\n}\n\n";
    assert_eq!(twins_with(annotations), Ok(vec![twin.to_owned()]));
}

#[test]
fn alternatives_are_applied_separately() {
    let twins =
        twins_with("//~ remedy\n//~ - one,\n//~ remedy\n//~   one,\n//~ + three,\n").unwrap();
    assert_eq!(twins.len(), 2);
    assert!(!twins[0].contains("one,") && !twins[0].contains("three,"));
    assert!(twins[1].contains("one,\nthree,\n    two,"));
}

#[test]
fn changes_match_only_the_original_case() {
    let twins = twins_with("//~ remedy\n//~   list! {\n//~ + one,\n//~\n//~ - one,\n").unwrap();
    assert!(twins[0].contains("list! {\none,\n    two,"), "{}", twins[0]);
}

#[test]
fn an_annotation_that_does_not_apply_is_an_error() {
    let faults = [
        (
            "//~ remedy\n//~ - three,\n",
            "line 14: the removed and kept lines must occur once in the case, but occur 0 times",
        ),
        (
            "//~ remedy\n//~ - two,\n",
            "line 14: the removed and kept lines must occur once in the case, but occur 2 times",
        ),
        (
            "//~ remedy\n//~ - two,\n//~ - one,\n",
            "line 14: the removed and kept lines must occur once in the case, but occur 0 times",
        ),
        (
            "//~ remedy\n//~ - one,\n//~ - two,\n//~\n//~ - one,\n",
            "line 17: this change overlaps another one",
        ),
        (
            "//~ remedy\n//~   one,\n",
            "line 14: this change neither removes nor adds a line",
        ),
        (
            "//~ remedy\n//~ + one,\n",
            "line 14: this change must keep or remove a line, to show where it applies",
        ),
        ("//~ remedy\n", "a remedy changes nothing"),
        (
            "//~ remedy\n//~ * one,\n",
            "line 14: expected `//~ remedy`, `//~ - line`, `//~ + line`, `//~   line` or `//~`",
        ),
        (
            "//~ remedy\n//~ - one,\nfn late() {}\n",
            "line 15: only lines that start with `//~` can follow a remedy",
        ),
        (
            "//~ - one,\n",
            "line 13: a remedy must start with `//~ remedy`",
        ),
        (
            "//~ remedy\n//~ - fn main() {\n",
            "the case must have one `fn main()`, but has 0",
        ),
    ];
    for (annotations, fault) in faults {
        assert_eq!(
            twins_with(annotations),
            Err(fault.to_owned()),
            "{annotations}"
        );
    }
}
