//! Verifies the graphs of systems in a file, and runs them.
//!
//! `cargo run --release --example verify -- examples/verify/sample.json --run`
//!
//! In the folder `graphs`, which the benches use too, `graph.rs` is what a file holds, and `declaration.rs` makes a
//! schedule of it: systems that know what they touch only at run time, ordered by what the builder returned for each.
//! Here, `picture.rs` draws a graph, with `--svg FOLDER`, and `verdict.rs` compares the races that the builder finds with those that the file expects. With `--run`, `trial.rs` runs the schedule, on one thread and in parallel, and
//! `reference.rs` does the same without the framework; all of them must agree.

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

use crate::options::Options;
use crate::report::Report;
use crate::verdict::Verdict;

fn main() -> ExitCode {
    let arguments = || std::env::args_os().skip(1);
    if arguments().any(|argument| argument == "--help") {
        println!("{}", options::USAGE);
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments()) {
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
