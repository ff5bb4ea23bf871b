//! Clusters compared with one process, on two processors.
//!
//! `cargo run --release -p cluster-bench -- [--quick] [--stretches N] [--only PART] [--handler-ns X] [--json FILE]`
//!
//! Parts: `throughput` has events per second for handlers of several durations, and shares of events whose accounts are in two
//! processes. `recovery` has the time from the kill of a worker to the next outcome. All files are in a temporary folder.

mod bank;
mod recovery;
mod throughput;

use std::process::ExitCode;

use bench_report::{Results, Role};
use benches::options::Options;

const USAGE: &str =
    "usage: cluster-bench [--quick] [--stretches N] [--only PART] [--handler-ns X] [--json FILE]";

fn main() -> ExitCode {
    let n_accounts = std::env::var(bank::ACCOUNTS).ok();
    let n_accounts = n_accounts.and_then(|n| n.parse().ok());
    drop(bank::cluster(n_accounts.unwrap_or(bank::N_ACCOUNTS)).work_if_asked());
    let mut handler_ns = None;
    let mut own = |option: &str, arguments: &mut dyn Iterator<Item = String>| {
        if option != "--handler-ns" {
            return Ok(false);
        }
        let value = arguments.next().and_then(|value| value.parse::<u32>().ok());
        handler_ns = Some(value.ok_or("`--handler-ns` must be a number of nanoseconds")?);
        Ok(true)
    };
    let parsed = Options::parse(std::env::args().skip(1), |option, rest| own(option, rest));
    let options = match parsed {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let folder = std::env::temp_dir().join(format!("cluster-bench-{}", std::process::id()));
    let is_wanted = |part: &str| {
        let only = options.only.as_deref();
        only.is_none_or(|only| part.starts_with(only))
    };
    let effort = options.effort();
    let mut rows = Vec::new();
    if is_wanted("throughput") {
        rows.extend(throughput::measure(effort, &folder, handler_ns));
    }
    if is_wanted("recovery") {
        rows.extend(recovery::measure(effort.n_rounds + 1, &folder));
    }
    drop(std::fs::remove_dir_all(&folder));
    if rows.is_empty() {
        eprintln!("`--only` must be a part: `throughput` or `recovery`\n{USAGE}");
        return ExitCode::from(2);
    }
    let results = Results::here(
        "Clusters",
        "Payments between 100,000 accounts. Each worker process is pinned to a processor, the supervisor is not.",
        "events/s",
    );
    let role = |contender: &str| match contender {
        throughput::ONE => Role::Baseline,
        throughput::TWO => Role::Ours,
        _ => Role::Variant,
    };
    options.write_json(|| results.with(rows, role).to_json())
}
