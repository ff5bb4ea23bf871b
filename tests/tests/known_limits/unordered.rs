//! Many systems without an order, in a listed schedule.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use schedule_tests::child::Child;
use serde_json::Value;

use super::harness::still_fails;

/// A listed schedule of this many systems that write one resource.
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

/// The errors that the compiler finds in a program, without the last one, which counts them.
fn errors(program: &str) -> Vec<String> {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = temporary.join("unordered");
    let manifest = format!(
        "[package]\nname = \"unordered\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [[bin]]\nname = \"unordered\"\npath = \"main.rs\"\n\n[dependencies]\nschedule = {{ path = {:?} }}\n\n\
         [profile.dev]\ndebug = false\nincremental = false\n\n[workspace]\n",
        workspace.join("schedule")
    );
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("main.rs"), program).unwrap();
    // The versions that the tests were built with, which are here already.
    fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(&folder)
        .args(["check", "--offline", "--message-format", "json"])
        // That of the test `sample`, so that what both depend on is compiled once.
        .arg("--target-dir")
        .arg(temporary.join("sample/target"))
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = lines.filter(|line| line["reason"] == "compiler-message");
    let errors = messages.filter(|line| line["message"]["level"] == "error");
    let errors = errors.map(|line| line["message"]["rendered"].as_str().unwrap().to_string());
    let errors: Vec<String> = errors
        .filter(|text| !text.contains("could not compile"))
        .collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.is_empty(), "the program has no error:\n{stderr}");
    errors
}

#[test]
fn unordered_writers_of_one_resource_are_one_error() {
    let case = Child::new(|| {
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
    });
    // Compiles what the program depends on, the first time.
    still_fails(
        case.limit(Duration::from_secs(900)),
        "there is more than one error",
    );
}
