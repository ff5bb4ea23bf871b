//! The peak memory of a build of a large graph.

use std::process::Command;

use benches::random_graph::{Policy, RandomGraph};

use crate::ours;

/// The peak memory of a separate process that declares and builds the graph, in MB. `None` if the system does not report
/// it.
pub(crate) fn in_a_process(n_resources: usize) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let n_resources = n_resources.to_string();
    let output = Command::new(program)
        .args(["--peak", &n_resources])
        .output();
    String::from_utf8(output.ok()?.stdout)
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The peak memory of this process after the graph was built, in MB. NaN if the system does not report it.
pub(crate) fn of_largest(n_systems: usize, n_resources: usize) -> f64 {
    let graph = RandomGraph::random(n_systems, n_resources, Policy::InsertionOrder);
    let schedule = ours::declared(&graph).build().expect("no race is refused");
    drop(schedule);
    peak().unwrap_or(f64::NAN)
}

/// `VmHWM`, the high-water mark of the resident set, on Linux.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
