//! Writes `BENCHMARKS.md` from `benches/results`, or checks that it is up to date.
//!
//! `cargo run -p bench-report -- [--check] [FOLDER]`: the folder of the repository, if it is not the one of this crate.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench_report::{page, read};

const USAGE: &str = "usage: bench-report [--check] [FOLDER]";

fn main() -> ExitCode {
    let mut is_check = false;
    let mut folder = None;
    for argument in env::args().skip(1) {
        match argument.as_str() {
            "--check" => is_check = true,
            _ if folder.is_none() && !argument.starts_with('-') => {
                folder = Some(PathBuf::from(argument));
            }
            _ => {
                eprintln!("argument `{argument}` is unknown\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    match run(&folder, is_check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("{mistake}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, is_check: bool) -> Result<(), Vec<String>> {
    let one = |mistake: String| vec![mistake];
    let files = read(&folder.join("benches/results"))?;
    let page = page::write(&files).map_err(one)?;
    let path = folder.join("BENCHMARKS.md");
    if !is_check {
        let result = fs::write(&path, page);
        return result.map_err(|error| one(format!("{}: {error}", path.display())));
    }
    let committed =
        fs::read_to_string(&path).map_err(|error| one(format!("{}: {error}", path.display())))?;
    if committed == page {
        return Ok(());
    }
    let mut lines = committed.lines().zip(page.lines());
    let line = lines
        .position(|(committed, wanted)| committed != wanted)
        .unwrap_or(committed.lines().count().min(page.lines().count()));
    Err(one(format!(
        "BENCHMARKS.md differs from `benches/results` at line {}: run `cargo run -p bench-report`",
        line + 1
    )))
}
