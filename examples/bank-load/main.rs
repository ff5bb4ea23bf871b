//! Load for the program `bank`: many connections send payments, and the balances are compared with the answers.
//!
//! `cargo run --release -p bank --bin bank-load -- [--address ADDRESS | --in-process FOLDER] [--payments N] [--connections N]
//! [--accounts N] [--leave PERCENT] [--keys] [--max-growth MIB]`
//!
//! It opens accounts of its own, and prints the number of answers, their latency, and the memory of the bank. At the end, each accepted
//! payment must be in the balances, no money may be lost, and the statements must be complete. With `--leave`, some clients close
//! their connection during a request. Their payments may or may not be in the balances.
//!
//! With `--keys`, each payment has an idempotency key. It is repeated after a broken connection and after the status 503, so the bank
//! can be killed and started again meanwhile. A payment without an answer after 60 s is an error, and so is each other status than those
//! of accepted and rejected payments.
//!
//! With `--in-process`, there is no HTTP: the payments are submitted to a service in this process.

#[path = "../bank/api.rs"]
#[allow(dead_code, reason = "the bank and its tests use the rest")]
mod api;
mod book;
#[path = "../bank/client.rs"]
mod client;
mod connection;
#[path = "../bank/ledger.rs"]
#[allow(dead_code, reason = "the bank and its tests use the rest")]
mod ledger;
mod load;
#[path = "../bank/memory.rs"]
mod memory;
mod options;
mod report;
mod submitter;

use std::process::ExitCode;

use schedule::BoxError;
use schedule_stream::service::ServiceSettings;

use crate::connection::Target;
use crate::options::Options;
use crate::report::Report;

/// Number of batches between two snapshots of a bank in this process.
const SNAPSHOT_EVERY: u64 = 1000;

fn main() -> ExitCode {
    let arguments = || std::env::args_os().skip(1);
    if arguments().any(|argument| argument == "--help") {
        println!("{}", options::USAGE);
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(report) => {
            print!("{report}");
            if report.is_good() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Report, BoxError> {
    let runtime = tokio::runtime::Runtime::new()?;
    let Some(folder) = &options.in_process else {
        return runtime.block_on(load::run(Target::Http(options.address), options));
    };
    let stream = ledger::bank().recover(folder, ledger::first_state())?;
    let service = stream.serve_with(ServiceSettings::new().snapshot_every(SNAPSHOT_EVERY));
    let target = Target::InProcess(service.handle());
    let report = runtime.block_on(load::run(target, options))?;
    service.shutdown()?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_above_the_maximum_is_bad() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["--payments", "10", "--accounts", "2", "--in-process"]
            .map(Into::into)
            .into_iter();
        let options = Options::parse(arguments.chain([folder.path().into()])).unwrap();
        let mut report = run(&options).unwrap();
        report.growth_bytes = Some(5);
        assert!(report.is_good(), "there is no maximum");
        report.max_growth_bytes = Some(5);
        assert!(report.is_good());
        report.max_growth_bytes = Some(4);
        assert!(!report.is_good() && report.to_string().contains("TOO MUCH"));
        report.growth_bytes = None;
        assert_eq!(report.is_good(), report.resident_bytes.is_none());
    }

    /// The tests of the bank cover HTTP.
    #[test]
    fn payments_in_this_process_are_in_the_balances() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            address: ([127, 0, 0, 1], 0).into(),
            in_process: Some(folder.path().to_owned()),
            n_payments: 2_000,
            n_connections: 50,
            n_accounts: 7,
            leave: 0,
            has_keys: false,
            max_growth: None,
        };
        // The second run finds the accounts of the first.
        for has_keys in [false, true] {
            let options = Options {
                has_keys,
                ..options.clone()
            };
            let report = run(&options).unwrap();
            assert!(report.is_good(), "{report}");
            let tally = &report.tally;
            assert_eq!(tally.n_accepted + tally.n_rejected, 2_000);
            assert!(tally.n_accepted > 0 && tally.n_rejected > 0, "{report}");
            assert_eq!(tally.latency_us.len(), 2_000);
        }
    }
}
