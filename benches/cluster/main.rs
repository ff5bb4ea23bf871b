//! Clusters compared with one process, on two processors.
//!
//! `cargo run --release -p cluster-bench -- [--quick] [--stretches N] [--only PART] [--json FILE]`
//!
//! Parts, of which the first two are the default:
//!
//! - `throughput`: events per second for handlers of several durations, and shares of events whose accounts are in two
//!   processes. `--handler-ns` and `--across` select one of them.
//! - `recovery`: the time from the kill of a worker to the next outcome.
//! - `ycsb`: the transfers of YCSB-T, as in the publication about Styx.
//! - `tpcc`: two transactions of TPC-C, with `--warehouses`, 10 by default.
//! - `published`: `ycsb` and `tpcc`. The file of results has the published figures of other systems, too.
//!
//! All files are in a temporary folder.

mod bank;
mod contender;
mod program;
mod published;
mod recovery;
mod throughput;
mod tpcc;
mod ycsb;

use std::process::ExitCode;

use bench_report::{Results, Role};
use benches::options::{Options, value};

use crate::bank::Bank;
use crate::program::work_if_asked;
use crate::tpcc::Tpcc;
use crate::ycsb::Ycsb;

const USAGE: &str = "usage: cluster-bench [--quick] [--stretches N] [--only PART] [--handler-ns NS] [--across PERCENT] \
                     [--warehouses N] [--json FILE]";

/// The options of this bench.
#[derive(Debug, Default)]
struct OwnOptions {
    handler_ns: Option<u32>,
    across_percent: Option<u32>,
    n_warehouses: Option<std::num::NonZero<u32>>,
}

impl OwnOptions {
    /// Returns whether it knows the option.
    fn parse(
        &mut self,
        option: &str,
        arguments: &mut impl Iterator<Item = String>,
    ) -> Result<bool, String> {
        match option {
            "--handler-ns" => {
                self.handler_ns = Some(value(option, "a number of nanoseconds", arguments)?);
            }
            "--across" => self.across_percent = Some(value(option, "a percentage", arguments)?),
            "--warehouses" => {
                self.n_warehouses = Some(value(option, "a number from 1 on", arguments)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn main() -> ExitCode {
    work_if_asked::<Bank>();
    work_if_asked::<Ycsb>();
    work_if_asked::<Tpcc>();
    let mut own = OwnOptions::default();
    let parsed = Options::parse(std::env::args().skip(1), |option, rest| {
        own.parse(option, rest)
    });
    let options = match parsed {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let folder = std::env::temp_dir().join(format!("cluster-bench-{}", std::process::id()));
    let only = options.only.as_deref();
    let is_only = |parts: &[&str]| only.is_some_and(|only| parts.contains(&only));
    let effort = options.effort();
    let mut rows = Vec::new();
    let mut published = Vec::new();
    if only.is_none() || is_only(&["throughput"]) {
        let (handler_ns, percent) = (own.handler_ns, own.across_percent);
        rows.extend(throughput::measure(effort, &folder, handler_ns, percent));
    }
    if only.is_none() || is_only(&["recovery"]) {
        rows.extend(recovery::measure(effort.n_rounds + 1, &folder));
    }
    if is_only(&["ycsb", "published"]) {
        published.extend(published::measure_ycsb(effort, &folder));
    }
    if is_only(&["tpcc", "published"]) {
        let n_warehouses = own.n_warehouses.map_or(10, std::num::NonZero::get);
        published.extend(published::measure_tpcc(effort, &folder, n_warehouses));
    }
    drop(std::fs::remove_dir_all(&folder));
    let role = |contender: &str| match contender {
        contender::ONE => Role::Baseline,
        contender::TWO => Role::Ours,
        _ => Role::Variant,
    };
    if !published.is_empty() {
        return options.write_json(|| published::results(published, role).to_json());
    }
    if rows.is_empty() {
        eprintln!(
            "nothing was measured: `--only` must be a part, and the other options must select a workload\n{USAGE}"
        );
        return ExitCode::from(2);
    }
    let results = Results::here(
        "Clusters",
        "Payments between 100,000 accounts. Each worker process is pinned to a processor, the supervisor is not.",
        "events/s",
    );
    options.write_json(|| results.with(rows, role).to_json())
}
