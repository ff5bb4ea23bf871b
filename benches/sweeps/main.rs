//! Measures systems that run for each entity, compared with loops by hand and other crates.
//!
//! `cargo bench -p benches [--features flecs] --bench sweeps -- [--json FILE] [--only WORKLOAD] [--stretches N | --quick]`
//!
//! A relative name of a file is in the folder `benches`. Without the feature, no C compiler is needed.
//!
//! All contenders call the same functions on entities of their own, in vectors or in a store. Before the measurement, digests of
//! all components are compared after some runs. There are two threads, even if the machine has more processors.
//!
//! The contenders take turns: each is measured once per round, right after other runs of the same contender, and another one is
//! first in the next round. Everything is measured with pinned threads, and again without pinning. Rounds in which other
//! processes used more than a tenth of a processor are discarded, unless all are like that.

mod bars;
mod bevy;
mod by_hand;
mod contender;
mod contenders;
mod digest;
#[cfg(feature = "flecs")]
mod flecs;
mod heavy;
mod light;
mod ours;
#[path = "../executor/pools.rs"]
mod pools;
mod row;
mod table;
mod workload;

use std::process::ExitCode;

use benches::effort::Effort;
use benches::options::Options;
use benches::pinning::Pinning;
use benches::rounds::Rounds;
use benches::work::Calibration;

use crate::contender::Contender;
use crate::pools::Pools;
use crate::row::Row;
use crate::table::Table;
use crate::workload::Workload;

const USAGE: &str = "usage: sweeps [--json FILE] [--only WORKLOAD] [--stretches N | --quick]";

/// The minimum length of a sample, in nanoseconds. An interruption by the operating system takes about 10 µs.
const LEAST_SAMPLE_NS: f64 = 1e6;

/// The number of runs before digests are compared.
const N_CHECKED: usize = 8;

/// Nanoseconds: the average cost of the second system of `heavy` without overlap. The processor overlaps neighbouring entities, so
/// about 100 ns remain.
const HEAVY_NS: u64 = 140;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1), |_, _| Ok(false)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let table = measure(options.only.as_deref(), options.effort());
    println!("{table}");
    options.write_json(|| table.to_json())
}

fn measure(only: Option<&str>, effort: Effort) -> Table {
    let pinning = Pinning::of_two();
    let pools = Pools::new(&pinning);
    pinning.set(pinning.is_possible());
    let calibration = Calibration::measure();
    eprintln!("{calibration}");
    let mean_depth = calibration.n_steps(HEAVY_NS) as u32;
    let mut table = Table::default();
    for workload in Workload::all(mean_depth) {
        if only.is_some_and(|only| !workload.to_string().starts_with(only)) {
            continue;
        }
        for &is_pinned in pinning.ways() {
            pinning.set(is_pinned);
            let names = contenders::ALL.iter().map(|entry| entry.name).collect();
            let all = contenders::ALL
                .iter()
                .map(|entry| entry.create(workload, &pools, &pinning));
            let mut all: Vec<Box<dyn Contender>> = all.collect();
            check(&mut all, workload);
            let n_runs: Vec<u32> = all.iter_mut().map(|one| n_runs(&mut **one)).collect();
            let rounds = Rounds::measure(names, effort, |idx| all[idx].sample(n_runs[idx]));
            let row = Row::new(workload, is_pinned, rounds);
            eprintln!("{row}");
            table.rows.push(row);
        }
    }
    table
}

/// Checks that all contenders compute the same.
fn check(all: &mut [Box<dyn Contender>], workload: Workload) {
    let digests = all.iter_mut().map(|one| {
        for _ in 0..N_CHECKED {
            one.run();
        }
        one.digest()
    });
    let digests: Vec<_> = digests.collect();
    for (entry, digest) in contenders::ALL.iter().zip(&digests) {
        let name = entry.name;
        assert_eq!(*digest, digests[0], "{name} computes another {workload}");
    }
}

/// The number of runs in a sample.
fn n_runs(contender: &mut dyn Contender) -> u32 {
    let mut n_runs = 1;
    loop {
        // The minimum, because an interruption would end the search too early.
        let samples = (0..3).flat_map(|_| contender.sample(n_runs));
        let each_ns = samples.fold(f64::INFINITY, f64::min);
        let sample_ns = f64::from(n_runs) * each_ns;
        if sample_ns >= LEAST_SAMPLE_NS {
            return n_runs;
        }
        n_runs = (LEAST_SAMPLE_NS / each_ns).ceil() as u32;
    }
}
