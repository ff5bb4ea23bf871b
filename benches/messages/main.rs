//! Measures messages between systems, compared with shared vectors and another crate.
//!
//! `cargo bench -p benches --bench messages -- [--json FILE] [--only WORKLOAD] [--stretches N | --quick]`
//!
//! A run writes messages, and four readers see each of them. The contenders write the same messages, and the sums of all readers are
//! compared after some runs. There are two threads, if a contender does not state otherwise. The contenders take turns: each is measured
//! once per round, and another one is first in the next round. Rounds in which other processes used more than a tenth of a processor are
//! discarded.

mod bevy;
mod contender;
mod ours;
mod plain;
mod table;
mod workload;

use std::process::ExitCode;

use benches::options::Options;
use benches::rounds::Rounds;

use crate::contender::{ALL, Traffic, sample};
use crate::table::{Row, Table};
use crate::workload::Workload;

const USAGE: &str = "usage: messages [--json FILE] [--only WORKLOAD] [--stretches N | --quick]";

/// The number of runs before sums are compared.
const N_CHECKED: usize = 64;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1), |_, _| Ok(false)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut table = Table::default();
    for workload in Workload::ALL {
        let name = workload.to_string();
        let is_wanted = |only: &String| name.starts_with(only);
        if !options.only.as_ref().is_none_or(is_wanted) {
            continue;
        }
        let mut all: Vec<Box<dyn Traffic>> = ALL.iter().map(|one| (one.of)(workload)).collect();
        check(&mut all, workload);
        let names = ALL.iter().map(|one| one.name).collect();
        let rounds = Rounds::measure(names, options.effort(), |idx| sample(&mut *all[idx]));
        let row = Row::new(workload, &rounds);
        eprintln!("{row}");
        table.rows.push(row);
    }
    println!("{table}");
    options.write_json(|| table.to_json())
}

/// Checks that all readers of all contenders have seen each message once.
fn check(all: &mut [Box<dyn Traffic>], workload: Workload) {
    let expected = workload.sum().wrapping_mul(N_CHECKED as u64);
    for (contender, traffic) in ALL.iter().zip(all) {
        (0..N_CHECKED).for_each(|_| traffic.run());
        for sum in traffic.sums() {
            assert_eq!(sum, expected, "{}, {workload}", contender.name);
        }
    }
}
