//! The sample as a package, which is built as a user builds one.

use schedule_tests::scratch::Scratch;
use serde_json::Value;

pub(super) struct Program {
    scratch: Scratch,
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

impl Program {
    /// With a program, and with what may fail to compile.
    pub(super) fn new(open: &str, closed: &str) -> Self {
        let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"), "sample");
        scratch.write("src/bin/open.rs", open);
        scratch.write("src/bin/closed.rs", closed);
        Self { scratch }
    }

    /// What the program prints.
    pub(super) fn run(&self) -> String {
        let output = self.scratch.cargo(&["run", "--quiet", "--bin", "open"]);
        assert!(
            output.status.success(),
            "the open schedules do not compile, or cannot be built:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("a program prints text")
    }

    /// What the compiler says of the rest.
    pub(super) fn check(&self) -> Vec<Message> {
        let output = self
            .scratch
            .cargo(&["build", "--bin", "closed", "--message-format", "json"]);
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
