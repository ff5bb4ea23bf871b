//! The contenders, and how they are measured.

use std::time::Instant;

use bench_report::Role;
use schedule::Executor;

use crate::workload::{N_READERS, Workload};
use crate::{bevy, ours, plain};

/// A contender in the comparison.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// The version, for a crate.
    pub(crate) version: Option<&'static str>,
    pub(crate) about: &'static str,
    /// Prepares a workload.
    pub(crate) of: fn(Workload) -> Box<dyn Traffic>,
}

/// Writers and readers.
pub(crate) trait Traffic {
    /// Writes and reads the messages of a run.
    fn run(&mut self);

    /// Returns the sum of each reader over all runs.
    fn sums(&self) -> [u64; N_READERS];
}

/// The baseline.
pub(crate) const PLAIN: &str = "plain loops";
pub(crate) const MESSAGES: &str = "messages";
pub(crate) const VECTOR: &str = "shared vector";
pub(crate) const BEVY: &str = "bevy_ecs messages";

/// All contenders. The baseline comes first.
pub(crate) const ALL: &[Contender] = &[
    Contender {
        name: PLAIN,
        role: Role::Baseline,
        version: None,
        about: "into a vector and over it, without a schedule, one thread",
        of: plain::of,
    },
    Contender {
        name: MESSAGES,
        role: Role::Ours,
        version: None,
        about: "`MessageWriter` and `MessageReader`",
        of: |workload| ours::of_messages(workload, Executor::Auto),
    },
    Contender {
        name: "messages, one thread",
        role: Role::Variant,
        version: None,
        about: "the same with `Executor::Serial`",
        of: |workload| ours::of_messages(workload, Executor::Serial),
    },
    Contender {
        name: VECTOR,
        role: Role::Variant,
        version: None,
        about: "a resource that a system clears, writers one after the other",
        of: ours::of_vector,
    },
    Contender {
        name: "fold",
        role: Role::Variant,
        version: None,
        about: "`Fold` into a vector that a system clears",
        of: ours::of_fold,
    },
    Contender {
        name: BEVY,
        role: Role::Peer,
        version: Some("0.20.1"),
        about: "the executor for several threads",
        of: |workload| bevy::of(workload, bevy::Threads::Many),
    },
    Contender {
        name: "bevy_ecs messages, one thread",
        role: Role::Peer,
        version: Some("0.20.1"),
        about: "the executor for one thread",
        of: |workload| bevy::of(workload, bevy::Threads::One),
    },
];

/// Runs for at least 2 ms, and returns the time of one run in nanoseconds.
pub(crate) fn sample(traffic: &mut dyn Traffic) -> Vec<f64> {
    let start = Instant::now();
    let mut n_runs = 0;
    while start.elapsed().as_micros() < 2_000 {
        traffic.run();
        n_runs += 1;
    }
    vec![start.elapsed().as_nanos() as f64 / f64::from(n_runs)]
}
