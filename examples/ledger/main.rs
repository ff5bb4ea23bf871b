//! A ledger: each event uses a few accounts. Events run in parallel, with the result of a sequential loop.
//!
//! `cargo run --release --example ledger -- [FILE] [--threads N] [--handler-ns X]`
//!
//! The program processes the same events in three ways: one after the other on plain vectors, through a stream, and on
//! threads that lock accounts. The stream must have the same balances and outcomes as the loop. Locks may have others,
//! because threads get them in any order.
//!
//! With a FILE like `examples/ledger/sample.csv`, the events are transfers. Each account opens with a fixed balance,
//! and each holder with a fixed number of tokens. The kinds of rows are:
//!
//! - `plain` and `call`: a payment of the value to another account, or to a contract.
//! - `erc20`: a payment, and the transfer of one token between two holders (the file has no amount of tokens). Either
//!   both happen, or neither.
//! - `create`: the creation of a contract, with a payment to it. If the row has no account for it, it gets a new one.
//!   That account does not exist if the balance of the creator is too low.
//!
//! A payment of more than the balance fails. A payment to the same account needs the balance too, and changes nothing.
//!
//! Without a FILE, the events are those of a small bank: see `bank.rs`. `transfers.rs` has the handlers of the ledger.
//! They are plain functions: the loop and the locks of `book.rs` call the same functions.

mod account;
mod bank;
mod book;
mod business;
mod digest;
mod options;
mod report;
mod transfers;
mod verdict;
mod way;
mod work;

use std::io::{self, Write};
use std::process::ExitCode;

use inputs::transfers::reader;
use schedule::BoxError;

use crate::bank::Bank;
use crate::business::Business;
use crate::options::Options;
use crate::report::Report;
use crate::transfers::Ledger;

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
    // The whole file is read before any event is processed.
    let result = match &options.file {
        None => run(&Bank::new(), &options),
        Some(file) => match reader::read(file) {
            Ok(blocks) => run(&Ledger::new(&blocks), &options),
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

/// Prints the report. Returns whether the stream had the same results as the loop.
fn run<B: Business>(business: &B, options: &Options) -> Result<bool, BoxError> {
    let report = Report {
        business: business.describe(),
        n_events: business.entries().len(),
        options,
        ways: way::take_all(business, options)?,
    };
    write!(io::stdout().lock(), "{report}")?;
    Ok(report.is_good())
}
