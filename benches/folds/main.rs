//! Measures folds whose partial result is a whole field: each entity adds to a cell of a grid.
//!
//! `cargo bench -p benches --bench folds -- [--json FILE] [--stretches N | --quick]`
//!
//! All contenders add the same numbers to a field of their own, and the fields are compared after some runs. The contenders take turns:
//! each is measured once per round, and another one is first in the next round. Rounds in which other processes used more than a tenth of
//! a processor are discarded. Then each contender runs again in a process of its own, whose peak memory is measured.

mod contender;
mod table;

use std::process::{Command, ExitCode};

use benches::options::{Options, value};
use benches::rounds::Rounds;

use crate::contender::{ALL, Contender, Deposit, sample};
use crate::table::Table;

const USAGE: &str = "usage: folds [--json FILE] [--stretches N | --quick]";

/// The number of runs before fields are compared, and before peak memory is read.
const N_CHECKED: usize = 8;

fn main() -> ExitCode {
    let mut peak_of = None;
    let parsed = Options::parse(std::env::args().skip(1), |option, arguments| {
        if option != "--peak" {
            return Ok(false);
        }
        peak_of = Some(value::<String>(option, "a name", arguments)?);
        Ok(true)
    });
    let options = match parsed {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(name) = peak_of {
        let contender = ALL.iter().find(|one| one.name == name);
        let contender = contender.expect("the parent process names a contender");
        println!("{}", peak_after_runs(contender));
        return ExitCode::SUCCESS;
    }
    let mut all: Vec<Box<dyn Deposit>> = ALL.iter().map(|one| (one.of)()).collect();
    check(&mut all);
    let names = ALL.iter().map(|one| one.name).collect();
    let rounds = Rounds::measure(names, options.effort(), |idx| sample(&mut *all[idx]));
    drop(all);
    let table = Table::new(&rounds, peak_in_a_process);
    println!("{table}");
    options.write_json(|| table.to_json())
}

/// Checks that all contenders compute the same field.
fn check(all: &mut [Box<dyn Deposit>]) {
    for deposit in &mut *all {
        (0..N_CHECKED).for_each(|_| deposit.run());
    }
    let expected = all[0].field();
    for (contender, deposit) in ALL.iter().zip(&*all) {
        assert!(deposit.field() == expected, "{} differs", contender.name);
    }
}

/// The peak memory of a process that runs a contender, in MB. NaN if the system does not report it.
fn peak_in_a_process(name: &str) -> f64 {
    let measure = || {
        let program = std::env::current_exe().ok()?;
        let output = Command::new(program).args(["--peak", name]).output();
        let output = String::from_utf8(output.ok()?.stdout).ok()?;
        output.trim().parse().ok()
    };
    measure().unwrap_or(f64::NAN)
}

/// The peak memory of this process after some runs of a contender, in MB. NaN if the system does not report it.
fn peak_after_runs(contender: &Contender) -> f64 {
    let mut deposit = (contender.of)();
    (0..N_CHECKED).for_each(|_| deposit.run());
    peak().unwrap_or(f64::NAN)
}

/// `VmHWM`, the high-water mark of the resident set, on Linux.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
