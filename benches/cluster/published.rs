//! Workloads for which other systems have published figures: YCSB-T of Styx, and transactions of TPC-C.

use std::path::Path;

use bench_report::{Results, Role, Row};
use benches::effort::Effort;

use crate::contender::{CONTENDERS, measure};
use crate::program::Program;
use crate::tpcc::{self, Mix, Tpcc};
use crate::ycsb::{self, Ycsb};

/// The figures of other systems, with their sources. Also the description of the results.
const PUBLISHED: &str = include_str!("published.json");

/// The name of the bench in rows.
const BENCH: &str = "workloads";

/// A distribution of creditors: its name, and theta.
const CREDITORS: [(&str, f64); 3] = [
    ("YCSB-T, uniform", 0.0),
    ("YCSB-T, Zipf 0.99", 0.99),
    ("YCSB-T, Zipf 0.999", 0.999),
];

const MIXES: [(&str, Mix); 2] = [
    (
        "TPC-C, new orders and payments",
        Mix {
            payment_percent: 50,
        },
    ),
    ("TPC-C, new orders", Mix { payment_percent: 0 }),
];

/// Number of transactions of a run.
const N_TRANSFERS: usize = 400_000;
const N_TRANSACTIONS: usize = 200_000;

/// Measures the transfers of YCSB-T. Prints a table, and returns its rows.
pub(crate) fn measure_ycsb(effort: Effort, folder: &Path) -> Vec<Row> {
    print_head();
    let mut rows = Vec::new();
    for (workload, theta) in CREDITORS {
        let events = ycsb::random_transfers(N_TRANSFERS, theta);
        let of_workload = rows_of(Ycsb, workload, &events, effort, folder);
        rows.extend(of_workload.map(|row| row.with("accounts", u64::from(Ycsb.size()))));
    }
    rows
}

/// Measures the transactions of TPC-C. Prints a table, and returns its rows.
pub(crate) fn measure_tpcc(effort: Effort, folder: &Path, n_warehouses: u32) -> Vec<Row> {
    print_head();
    let mut rows = Vec::new();
    for (workload, mix) in MIXES {
        let (events, n_across) = tpcc::random_transactions(n_warehouses, N_TRANSACTIONS, mix);
        let across = 100.0 * n_across as f64 / events.len() as f64;
        eprintln!("{workload}: {across:.1} % of the transactions have rows in two processes");
        let of_workload = rows_of(Tpcc(n_warehouses), workload, &events, effort, folder);
        rows.extend(of_workload.map(|row| row.with("warehouses", u64::from(n_warehouses))));
    }
    rows
}

fn print_head() {
    println!("| workload | contender | events/s | events/s per core |\n|---|---|---:|---:|");
}

/// Measures all contenders. Each has a row for all cores, and one per core.
fn rows_of<P: Program>(
    program: P,
    workload: &str,
    events: &[P::Event],
    effort: Effort,
    folder: &Path,
) -> impl Iterator<Item = Row> {
    let rates = measure(program, events, effort, folder);
    let mut rows = Vec::new();
    for (contender, rate) in CONTENDERS.iter().zip(rates) {
        let (name, n_cores) = (contender.name, contender.n_cores);
        let per_core = rate / f64::from(n_cores);
        println!("| {workload} | {name} | {rate:.0} | {per_core:.0} |");
        let row = Row::new(BENCH, name)
            .with("workload", workload)
            .with("cores", u64::from(n_cores));
        rows.push(row.clone().unit("events/s").median_of(rate));
        rows.push(row.median_of(per_core));
    }
    rows.into_iter()
}

/// Adds the figures of other systems to these rows.
pub(crate) fn results(rows: Vec<Row>, role: impl Fn(&str) -> Role) -> Results {
    let published: Results = serde_json::from_str(PUBLISHED).expect("`published.json` is valid");
    let here = Results::here("", "", "");
    let mut results = Results {
        machine: here.machine,
        date: here.date,
        commit: here.commit,
        contenders: Vec::new(),
        rows: Vec::new(),
        ..published
    };
    results = results.with(rows, role);
    results.contenders.extend(published.contenders);
    results.rows.extend(published.rows);
    results
}
