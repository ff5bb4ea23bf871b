//! A bank: an HTTP service whose accounts survive crashes.
//!
//! `cargo run --release -p bank --bin bank -- [--folder FOLDER] [--port PORT] [--snapshot-every N] [--processes N | --read-only]`
//! `cargo run --release -p bank --bin bank -- [--folder FOLDER] --compare`
//!
//! It serves JSON on 127.0.0.1. A request that changes an account is answered after its event is synced in the journal, which is in
//! the folder. After a crash, the next start recovers all accounts. Ctrl-C and SIGTERM end the bank: it answers the requests that
//! have arrived, and takes a snapshot. Money is in cents.
//!
//! With `--processes N`, the handlers run in N worker processes, which divide the accounts between them. If a worker is killed, the bank
//! starts the workers again, and the clients only wait longer. A folder is always used either with this option or without it.
//!
//! With `--read-only`, the bank writes nothing to the folder, and answers only the requests with `GET`. So it also works on a full disk, and
//! while another bank has the folder open: it shows the accounts as they were at its start.
//!
//! `--compare` finds a handler that is not deterministic: it replays the journal from the second newest snapshot, and prints
//! which types have another value in the newest one. It changes nothing, and the bank may be open meanwhile. The exit status is 1 if there
//! is a difference or an error. The snapshots of a bank with worker processes cannot be compared.
//!
//! | request | body | effect |
//! |---|---|---|
//! | `POST /accounts` | `account` | opens an account |
//! | `POST /deposits`, `POST /withdrawals` | `account`, `cents`, optional `memo` | moves money in or out |
//! | `POST /payments` | `from`, `to`, `cents`, optional `memo` | moves money to another account |
//! | `GET /accounts/NAME` | | reads a balance |
//! | `GET /accounts/NAME/statement` | | reads the newest changes of a balance |
//! | `GET /totals` | | reads the sums of all accounts and statements |
//! | `GET /status` | | reads the memory of the process, and the number of requests that wait |
//!
//! A client that gets no answer does not know whether its event was accepted. The body of an answer with the status 503 has the
//! field `accepted`. With `"no"`, this request has changed nothing. With `"unknown"`, its event may be in the journal.
//!
//! If the request had the header `Idempotency-Key`, it can be repeated in all these cases: the event is handled once, and the answer
//! is the same. The keys of the last 100,000 requests with a key are stored.
//!
//! | status | reason |
//! |---|---|
//! | 400 | the body is not the JSON of the request, or a name, a memo or a key is invalid |
//! | 404 | the account or the path is unknown |
//! | 405 | the path has no such method |
//! | 409 | the event was rejected: the account exists, payer and payee are the same, or the balance is too small or would be too large |
//! | 413 | the body is too large |
//! | 415 | the content type is not `application/json` |
//! | 422 | the idempotency key belongs to another request |
//! | 500 | a handler panicked |
//! | 503 | the bank ends or cannot take requests; the field `accepted` has the value `"no"` or `"unknown"` |
//!
//! `ledger.rs` has the events and their handlers, `routes.rs` the requests. The program `bank-load` sends many payments.

mod api;
#[cfg(test)]
mod client;
mod compare;
mod ledger;
mod memory;
mod options;
mod problem;
mod routes;
mod server;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use crate::options::Options;

fn main() -> ExitCode {
    // A worker process never returns from this call.
    drop(ledger::cluster().work_if_asked());
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
    if options.compares {
        return match compare::run(&options.folder) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let started = |address| println!("the bank is open at http://{address}; Ctrl-C ends it");
    match server::run(&options, started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
