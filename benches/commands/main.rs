//! Measures commands that change many entities, compared with loops over the store.
//!
//! `cargo bench -p benches --bench commands -- [--only PREFIX] [--stretches N | --quick]`
//!
//! A `for_each` system chooses entities in equal steps and records the changes, which are applied at the end of the run. A loop by hand
//! chooses the same entities and changes them without commands. The floor is such a loop that first pushes all changes into a new vector,
//! with the data of commands. A ratio is the median of the ratios of each round to the loop of the same round.

mod by_hand;
mod contender;
mod data;
mod ours;
mod workload;

use std::process::ExitCode;

use benches::options::Options;
use benches::quantile::median;
use benches::rounds::Rounds;

use crate::contender::{COLUMNS, Contenders, Store, WORLD, sample};
use crate::workload::Workload;

const USAGE: &str = "usage: commands [--only PREFIX] [--stretches N | --quick]";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1), |_, _| Ok(false)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    for (name, contenders) in [("columns", COLUMNS), ("world", WORLD)] {
        for workload in Workload::all() {
            let name = format!("{name} {workload}");
            let is_wanted = |only: &String| name.starts_with(only);
            if options.only.as_ref().is_none_or(is_wanted) {
                measure(&name, workload, &contenders, &options);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Prints a row: for each contender the median and the least time in milliseconds, and the ratio to the first contender.
fn measure(name: &str, workload: Workload, contenders: &Contenders, options: &Options) {
    let mut all: Vec<Box<dyn Store>> = contenders.iter().map(|one| (one.of)(workload)).collect();
    // The first run reserves memory.
    for store in &mut all {
        sample(&mut **store, workload);
    }
    let names = contenders.iter().map(|one| one.name).collect();
    let rounds = Rounds::measure(names, options.effort(), |idx| {
        sample(&mut *all[idx], workload)
    });
    print!("| {name} |");
    for (contender, samples) in rounds.names.iter().zip(&rounds.samples) {
        let ratios = samples.iter().zip(&rounds.samples[0]);
        let ratio = median(ratios.map(|(us, of_loop)| us / of_loop));
        let ms = median(samples.iter().copied()) / 1e3;
        let least = samples.iter().copied().fold(f64::INFINITY, f64::min) / 1e3;
        print!(" {contender} {ms:.2} ms, least {least:.2} ({ratio:.2}) |");
    }
    println!(" {} rounds, {} noisy", rounds.n_rounds, rounds.n_noisy);
}
