//! Contenders, and how they are measured.

use std::time::Instant;

use crate::workload::Workload;

/// Runs a workload once.
pub(crate) type Run = Box<dyn FnMut()>;

/// A crate, or a way to use one.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Prepares a workload, if the contender can run it.
    pub(crate) of: fn(Workload) -> Option<Run>,
}

pub(crate) const HECS: &str = "hecs";
pub(crate) const OURS: &str = "schedule-hecs";
pub(crate) const OURS_BY_COMMANDS: &str = "schedule-hecs, commands";

/// Runs for about 2 ms, and returns the time of one run in nanoseconds.
pub(crate) fn sample(run: &mut Run) -> Vec<f64> {
    let start = Instant::now();
    let mut n_runs = 0;
    while start.elapsed().as_micros() < 2_000 {
        run();
        n_runs += 1;
    }
    vec![start.elapsed().as_nanos() as f64 / f64::from(n_runs)]
}
