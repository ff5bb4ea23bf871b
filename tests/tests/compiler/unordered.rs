//! Many unordered systems in a listed schedule.

use std::time::Duration;

use schedule_tests::child::Child;
use serde_json::Value;

use super::scratch::Scratch;

/// Returns the source of a listed schedule with this many systems that write one resource.
fn program(n: usize) -> String {
    let functions = (0..n).map(|nth| {
        format!(
            "#[system]\nfn writer_{nth}(health: &mut Health) {{\n    health.0 += {nth};\n}}\n\n"
        )
    });
    let entries = (0..n).map(|nth| format!("writer_{nth}, "));
    format!(
        "//! Checked by a test.\nuse schedule::prelude::*;\n\n#[derive(Resource)]\nstruct Health(usize);\n\n{}\
         schedule! {{ Frame {{ {} }} }}\n\nfn main() {{\n    let _ = Frame::builder();\n}}\n",
        functions.collect::<String>(),
        entries.collect::<String>()
    )
}

/// Returns the errors that the compiler finds in a program, without the last one, which contains their number.
fn errors(program: &str) -> Vec<String> {
    let scratch = Scratch::new("unordered");
    scratch.write("main.rs", program);
    let output = scratch.compile("main.rs", "metadata", "json");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines = stderr
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let errors = lines
        .filter(|line| line["level"] == "error")
        .map(|line| line["rendered"].as_str().unwrap().to_string());
    let errors: Vec<String> = errors
        .filter(|text| !text.starts_with("error: aborting"))
        .collect();
    assert!(!errors.is_empty(), "the program has no error:\n{stderr}");
    errors
}

#[test]
fn unordered_writers_of_one_resource_are_one_error() {
    Child::new(|| {
        let errors = errors(&program(8));
        assert!(
            errors.iter().all(|error| error.contains("Health")),
            "another error:\n{}",
            errors.join("\n")
        );
        assert_eq!(
            errors.len(),
            1,
            "there is more than one error:\n{}",
            errors.join("\n")
        );
        assert!(
            errors[0].contains("28 pairs conflict on `Health`"),
            "{}",
            errors[0]
        );
        for nth in 1..8 {
            let order = format!("`writer_{nth}: after writer_{}`", nth - 1);
            assert!(errors[0].contains(&order), "{}", errors[0]);
        }
    })
    .limit(Duration::from_secs(300))
    .run();
}
