//! The sample as two programs.

use serde_json::Value;

use crate::scratch::Scratch;

pub(super) struct Program {
    scratch: Scratch,
}

/// An error of the compiler.
pub(super) struct Message {
    pub(super) text: String,
    /// The message as the compiler shows it.
    pub(super) rendered: String,
    /// The token at which it is reported, if there is one.
    pub(super) place: Option<Place>,
}

/// Lines and columns start at 1. The last column is exclusive.
pub(super) struct Place {
    pub(super) first_line: usize,
    pub(super) last_line: usize,
    pub(super) columns: (usize, usize),
    /// Whether the place is in generated code.
    pub(super) is_generated: bool,
}

impl Program {
    /// Writes the program, and the code that may fail to compile.
    pub(super) fn new(open: &str, closed: &str) -> Self {
        let scratch = Scratch::new("sample");
        scratch.write("open.rs", open);
        scratch.write("closed.rs", closed);
        Self { scratch }
    }

    /// Returns the output of the program.
    pub(super) fn run(&self) -> String {
        let output = self.scratch.compile("open.rs", "link", "human");
        assert!(
            output.status.success(),
            "the open schedules do not compile:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let output = self.scratch.run();
        assert!(
            output.status.success(),
            "the open schedules cannot be built:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("a program prints text")
    }

    /// Returns the errors of the compiler in the other code.
    pub(super) fn check(&self) -> Vec<Message> {
        let output = self.scratch.compile("closed.rs", "metadata", "json");
        let stderr = String::from_utf8(output.stderr).expect("the compiler prints text");
        let lines = stderr
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let messages: Vec<Message> = lines.filter_map(|line: Value| message(&line)).collect();
        assert_eq!(
            output.status.success(),
            messages.is_empty(),
            "the compiler fails for another reason:\n{stderr}"
        );
        messages
    }
}

/// Returns the error in an output line of the compiler.
fn message(message: &Value) -> Option<Message> {
    let text = message["message"].as_str()?;
    if message["level"] != "error" && message["level"] != "error: internal compiler error" {
        return None;
    }
    // The number of previous errors.
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
