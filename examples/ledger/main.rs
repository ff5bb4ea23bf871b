//! A ledger: events that each touch a few accounts, handled at once wherever they may be, with the result of a loop.
//!
//! `cargo run --release --example ledger -- [FILE] [--threads N] [--handler-ns X]`
//!
//! The same events go three ways: one after the other over plain vectors, through a stream, and by threads that lock
//! accounts. The stream has to come to what the loop comes to, balance by balance and outcome by outcome; locks do not,
//! as whoever comes first gets the money.
//!
//! With a FILE as `examples/ledger/sample.csv`, it is a ledger of transfers. Every account opens with a stated balance,
//! and every holder of tokens with a stated number of them. A row is, by its kind,
//!
//! - `plain` and `call`: a payment of the value to another account, or to a contract;
//! - `erc20`: the same, and one token goes from one holder to another (the file does not say how many); both or nothing;
//! - `create`: a contract is created, and given the value. If the row names no account for it, it is one that nobody has
//!   named, and does not exist if the creator has too little.
//!
//! Who pays more than he has is refused. Who pays himself is no mistake: he needs as much as he pays, and keeps it.
//!
//! Without a FILE, it is a small bank: see `bank.rs`. `transfers.rs` has the handlers of the ledger, which are plain
//! functions: the loop and the locks of `book.rs` call the very same.

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
    // All of it is read before anything is done.
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

/// Whether the stream came to the same as the loop.
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
