//! Transfers between accounts, analysed block by block: one frame per block.
//!
//! `cargo run --release -p examples --example blocks -- examples/blocks/sample.csv`
//!
//! `inputs/transfers.rs` has the input of a frame, and `frame.rs` builds the schedule. Each system computes one statistic,
//! and `row.rs` collects them. `reference.rs` computes the same in one loop without the library. Both results must be equal.

mod account;
mod analysis;
mod balance;
mod chain;
mod digest;
mod frame;
mod gas;
mod kind;
mod reference;
mod report;
mod row;
mod summary;
mod token;
mod value;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use inputs::transfers::{Block, reader};
use schedule::BoxError;

use crate::report::Report;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [file] = arguments.as_slice() else {
        eprintln!("usage: blocks FILE");
        eprintln!("a file to try: examples/blocks/sample.csv");
        return ExitCode::from(2);
    };
    let blocks = match reader::read(Path::new(file)) {
        Ok(blocks) => blocks,
        Err(mistake) => {
            eprintln!("{mistake}");
            return ExitCode::from(2);
        }
    };
    match analyse(blocks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs both analyses, checks that they are equal, and prints the result.
fn analyse(blocks: Vec<Block>) -> Result<(), BoxError> {
    let expected = reference::analyse(&blocks);
    let start = Instant::now();
    let analysis = frame::analyse(blocks)?;
    let elapsed = start.elapsed();
    analysis.assert_same(&expected);
    let report = Report {
        analysis: &analysis,
        elapsed,
    };
    write!(io::stdout().lock(), "{report}")?;
    Ok(())
}
