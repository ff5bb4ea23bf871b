//! Verifies the graphs of systems in a file, and runs them.
//!
//! `cargo run --release -p examples --example verify -- examples/verify/sample.json --run`
//!
//! The folder `inputs/graphs` reads the file: `graph.rs` has its types, and `declaration.rs` builds schedules of dynamic
//! systems from it. The benches use this folder too.
//!
//! `verdict.rs` compares the races that the builder finds with the races that the file expects. With `--svg FOLDER`,
//! `picture.rs` draws each graph. With `--run`, `trial.rs` runs each schedule on one thread and in parallel, and
//! `reference.rs` runs the systems without the library. All runs must have the same result.

mod access;
mod gate;
mod options;
mod picture;
mod reference;
mod report;
mod trace;
mod trial;
mod verdict;

use std::io::{self, Write};
use std::process::ExitCode;

use inputs::graphs::reader;
use lexopt::Parser;

use crate::options::Options;
use crate::report::Report;
use crate::verdict::Verdict;

fn main() -> ExitCode {
    let arguments = || std::env::args_os().skip(1);
    if arguments().any(|argument| argument == "--help") {
        println!("{}", options::USAGE);
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(Parser::from_args(arguments())) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let graphs = match reader::read(&options.file) {
        Ok(graphs) => graphs,
        Err(mistake) => {
            eprintln!("{mistake}");
            return ExitCode::from(2);
        }
    };
    for graph in &graphs {
        if let Err(error) = picture::draw(graph, &options) {
            eprintln!("no picture of {}: {error}", graph.name);
            return ExitCode::from(2);
        }
    }
    let verdicts = graphs.iter().map(|graph| Verdict::on(graph, &options));
    let report = Report {
        verdicts: verdicts.collect(),
    };
    if let Err(error) = write!(io::stdout().lock(), "{report}") {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    if report.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
