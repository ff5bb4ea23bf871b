//! Stands in for cargo when `trybuild` calls it, and compiles the cases with crates that are already compiled.
//!
//! `trybuild` finds the cases, normalizes the messages of the compiler, and compares them with the `.stderr` files or writes these. It
//! compiles the cases through cargo, which would compile all dependencies two more times, and passing cases one by one. The tests in
//! `tests/compiler/ui.rs` set `CARGO` to this program. It calls the compiler once for each case, on all processors, with the crates
//! that the test executable links.
//!
//! Environment variables: `CASES_CARGO` is the real cargo. `CASES_COMPILER` has the compiler and its arguments on separate lines.
//! `CASES_EMIT` is the output of the compiler: `metadata` like `cargo check`, or `obj` to also generate code.

use std::env;
use std::io::Write as _;
use std::path::{self, Path, PathBuf};
use std::process::{self, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

/// The folder of the compiled cases, in the folder of the package that `trybuild` writes.
const OUT: &str = "cases";

/// A case, as a target of the package that `trybuild` writes.
struct Case {
    name: String,
    path: PathBuf,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |argument: &str| arguments.iter().any(|found| found == argument);
    let chosen = arguments
        .iter()
        .skip_while(|found| *found != "--bin")
        .nth(1);
    if has("metadata") {
        forward(Command::new(variable("CASES_CARGO")).args(&arguments));
    } else if has("run") {
        let name = chosen.expect("`trybuild` runs one case");
        forward(&mut Command::new(Path::new(OUT).join(name)));
    } else if (has("check") || has("build")) && has("--message-format=json") {
        let (edition, mut cases) = cases();
        match chosen {
            Some(name) => cases.retain(|case| case.name == *name),
            // The program without a case, which belongs to the dependencies.
            None => cases.retain(|case| !case.path.ends_with("main.rs")),
        }
        // Of one case, `trybuild` also runs the program.
        let emit = if has("build") {
            "link".to_owned()
        } else {
            variable("CASES_EMIT")
        };
        compile_all(&cases, &edition, &emit);
    }
    // All other calls compile the dependencies, or remove what was compiled.
}

fn variable(name: &str) -> String {
    env::var(name)
        .unwrap_or_else(|_| panic!("`{name}` must be set: this program runs only under a test"))
}

/// Runs a command with the output and the exit code of this program.
fn forward(command: &mut Command) {
    let status = command.status().expect("a program starts");
    process::exit(status.code().unwrap_or(1));
}

/// Returns the edition and the targets of the package in the current folder.
fn cases() -> (String, Vec<Case>) {
    let output = Command::new(variable("CASES_CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let package = &metadata["packages"][0];
    let text = |value: &Value| value.as_str().expect("metadata has texts").to_owned();
    let targets = package["targets"]
        .as_array()
        .expect("a package has targets");
    let cases = targets.iter().map(|target| Case {
        name: text(&target["name"]),
        path: text(&target["src_path"]).into(),
    });
    (text(&package["edition"]), cases.collect())
}

/// Compiles the cases on all processors, and prints their messages like cargo.
fn compile_all(cases: &[Case], edition: &str, emit: &str) {
    let next = AtomicUsize::new(0);
    let messages = Mutex::new(vec![String::new(); cases.len()]);
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                // Relaxed: only the number matters. The scope ends after its threads.
                while let idx = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(case) = cases.get(idx)
                {
                    let printed = compile(case, edition, emit);
                    messages.lock().expect("no thread panics with it")[idx] = printed;
                }
            });
        }
    });
    let messages = messages.into_inner().expect("no thread panics with it");
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(messages.concat().as_bytes())
        .expect("`trybuild` reads the output");
}

/// Compiles a case, and returns its messages, each on a line.
fn compile(case: &Case, edition: &str, emit: &str) -> String {
    let compiler = variable("CASES_COMPILER");
    // The messages quote the source files of the compiled crates, whose paths are relative to this folder.
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = tests.parent().expect("the package is in the workspace");
    let mut lines = compiler.lines();
    let output = Command::new(lines.next().expect("begins with the compiler"))
        .args(lines)
        .args([
            "--crate-type=bin",
            "--error-format=json",
            "--diagnostic-width=140",
        ])
        .args(["--cfg", "trybuild", "--verbose", "-Adead_code"])
        .args(["--crate-name", &case.name, "--out-dir"])
        .arg(path::absolute(OUT).expect("the current folder has a path"))
        .args([format!("--edition={edition}"), format!("--emit={emit}")])
        .arg(&case.path)
        .current_dir(workspace)
        // The variables that macros read.
        .env("CARGO", variable("CASES_CARGO"))
        .env("CARGO_CRATE_NAME", &case.name)
        .env("CARGO_PKG_NAME", "schedule-tests-tests")
        .output()
        .expect("the compiler runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut printed = String::new();
    for line in stderr.lines() {
        let Ok(mut message) = serde_json::from_str::<Value>(line) else {
            // For example an internal error of the compiler.
            eprintln!("{line}");
            continue;
        };
        if let Some(rendered) = message["rendered"].as_str() {
            message["rendered"] = with_absolute_places(rendered, workspace).into();
            // `trybuild` expects the fields in this order.
            let target = json!({ "src_path": case.path });
            printed += &format!(
                "{{\"reason\":\"compiler-message\",\"target\":{target},\"message\":{message}}}\n"
            );
        }
    }
    printed
}

/// Makes the paths of places absolute, as they are in messages about crates of another workspace.
fn with_absolute_places(rendered: &str, workspace: &Path) -> String {
    let mut absolute = String::new();
    for line in rendered.split_inclusive('\n') {
        let place = line.trim_start();
        let start = line.len() - place.len();
        let mark = ["--> ", "::: "]
            .into_iter()
            .find(|mark| place.starts_with(mark));
        match mark {
            Some(mark) if Path::new(&place[mark.len()..]).is_relative() => {
                let (before, path) = line.split_at(start + mark.len());
                absolute += &format!("{before}{}", workspace.join(path).display());
            }
            _ => absolute += line,
        }
    }
    absolute
}
