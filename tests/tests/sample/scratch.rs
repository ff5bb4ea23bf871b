//! A package of its own, which is built as a user builds one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The folder of the package; it is kept, so that what it depends on is compiled once.
pub(super) struct Scratch {
    folder: PathBuf,
}

/// What the compiler says is wrong.
pub(super) struct Message {
    pub(super) text: String,
    /// As the compiler shows it.
    pub(super) rendered: String,
    /// The token that it is said under, if it is one.
    pub(super) place: Option<Place>,
}

/// Lines and columns count from 1; the last column is the one behind.
pub(super) struct Place {
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    pub(super) columns: (usize, usize),
    /// It is in what a macro made.
    pub(super) is_generated: bool,
}

impl Scratch {
    /// With a program, and with what may fail to compile.
    pub(super) fn new(open: &str, closed: &str) -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = package.parent().expect("the workspace is around the tests");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample");
        let path = workspace.join("schedule");
        let manifest = format!(
            r#"[package]
name = "sample"
version = "0.0.0"
edition = "2024"
publish = false

[[bin]]
name = "open"
path = "open.rs"

[[bin]]
name = "closed"
path = "closed.rs"

[dependencies]
schedule = {{ path = {path:?} }}

[profile.dev]
debug = false
incremental = false

[workspace]
"#
        );
        fs::create_dir_all(&folder).expect("a folder can be made");
        let write = |name: &str, text: &str| {
            // What has not changed is not compiled again.
            if fs::read_to_string(folder.join(name)).ok().as_deref() != Some(text) {
                fs::write(folder.join(name), text).expect("a file can be written");
            }
        };
        write("Cargo.toml", &manifest);
        write("open.rs", open);
        write("closed.rs", closed);
        // The versions that the tests were built with, which are here already.
        let lock = fs::read_to_string(workspace.join("Cargo.lock"));
        fs::write(
            folder.join("Cargo.lock"),
            lock.expect("the workspace has one"),
        )
        .expect("a file can be written");
        Self { folder }
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.folder).args(arguments);
        command.args(["--offline", "--target-dir", "target"]);
        command.output().expect("cargo runs")
    }

    /// What the program prints.
    pub(super) fn run(&self) -> String {
        let output = self.cargo(&["run", "--quiet", "--bin", "open"]);
        assert!(
            output.status.success(),
            "the open schedules do not compile, or cannot be built:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("a program prints text")
    }

    /// What the compiler says of the rest.
    pub(super) fn check(&self) -> Vec<Message> {
        let output = self.cargo(&["check", "--bin", "closed", "--message-format", "json"]);
        let stdout = String::from_utf8(output.stdout).expect("cargo prints text");
        let lines = stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let messages: Vec<Message> = lines.filter_map(|line: Value| message(&line)).collect();
        assert_eq!(
            output.status.success(),
            messages.is_empty(),
            "cargo fails for another reason:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        messages
    }
}

/// An error that a line of cargo tells of.
fn message(line: &Value) -> Option<Message> {
    let message = &line["message"];
    let text = message["message"].as_str()?;
    if message["level"] != "error" && message["level"] != "error: internal compiler error" {
        return None;
    }
    // A count of the others.
    if text.starts_with("aborting due to ") {
        return None;
    }
    let spans = message["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let place = primary.map(|span| {
        let number = |key: &str| span[key].as_u64().expect("a span has numbers") as usize;
        Place {
            first_line: number("line_start"),
            last_line: number("line_end"),
            columns: (number("column_start"), number("column_end")),
            is_generated: !span["expansion"].is_null(),
        }
    });
    Some(Message {
        text: text.to_string(),
        rendered: message["rendered"].as_str().unwrap_or(text).to_string(),
        place,
    })
}
