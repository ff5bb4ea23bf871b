//! A ledger: processes events that each use a few accounts, and compares a stream with a loop and with locks.
//!
//! `cargo run --release -p examples --example ledger -- [FILE] [--threads N] [--processes N] [--handler-ns X]`
//!
//! The same events are processed by three methods: a sequential loop over vectors, a stream, and threads that lock single
//! accounts. The stream must have the same result as the loop, for each balance and each outcome. With locks, the result
//! depends on timing.
//!
//! With `--processes`, a fourth method runs the same handlers in worker processes, which divide the records between them. It must have
//! the same result as the loop, too.
//!
//! With a FILE such as `examples/ledger/sample.csv`, the events are transfers. Every account starts with the same balance,
//! and every holder of tokens with the same number of tokens. The kinds of rows are:
//!
//! - `plain` and `call`: a payment to another account or to a contract.
//! - `erc20`: a payment, and one token moves to another holder. Either both happen or none. (The file does not contain the
//!   number of tokens.)
//! - `create`: creates a contract and pays it. If the row contains no account for it, the contract gets a new account.
//!   If the creator has too little money, the contract is not created.
//!
//! A payment of more than the balance is rejected. A payment to the same account needs the balance, but changes nothing.
//!
//! Without a FILE, the events are those of a small bank: see `bank.rs`. `transfers.rs` has the handlers of the ledger. They
//! are plain functions, so the loop and the locks of `table.rs` call them too.

mod account;
mod bank;
mod digest;
mod method;
mod options;
mod processes;
mod report;
mod result;
mod table;
mod transfers;
mod work;
mod workload;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use inputs::transfers::reader;
use lexopt::Parser;
use schedule::BoxError;

use crate::bank::Bank;
use crate::options::Options;
use crate::report::Report;
use crate::transfers::Ledger;
use crate::work::Work;
use crate::workload::Workload;

fn main() -> ExitCode {
    // A worker process has the arguments of its supervisor, and one more.
    let arguments = || schedule_cluster::arguments().skip(1);
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
    // Read the whole file first.
    let result = match &options.file {
        None => run(Bank::new(), &options),
        Some(file) => match reader::read(file) {
            Ok(blocks) => run(Ledger::new(&blocks), &options),
            Err(mistake) => {
                eprintln!("{mistake}");
                return ExitCode::from(2);
            }
        },
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all methods, and returns whether all except the locks had the same result as the loop. Never returns in a worker process.
fn run<B: Workload>(workload: B, options: &Options) -> Result<bool, BoxError> {
    let workload = Arc::new(workload);
    let work = Work::new(options.handler_ns);
    if options.n_processes.is_some() {
        // A worker needs the workload, because it has the first balances.
        drop(processes::cluster(&workload, work).work_if_asked());
    }
    let report = Report {
        workload: workload.describe(),
        n_events: workload.entries().len(),
        options,
        measurements: method::run_all(&workload, work, options)?,
    };
    write!(io::stdout().lock(), "{report}")?;
    Ok(report.is_good())
}
