//! The contenders, and how they are measured.

use std::time::Instant;

use schedule::Executor;

use crate::workload::Workload;
use crate::{by_hand, ours};

/// A contender in the comparison.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Prepares a workload.
    pub(crate) of: fn(Workload) -> Box<dyn Store>,
}

/// A store of entities, and the changes of a workload.
pub(crate) trait Store {
    /// Restores the entities before a run.
    fn reset(&mut self);

    /// Makes the changes.
    fn run(&mut self);

    /// Returns the number of entities.
    fn len(&mut self) -> usize;
}

/// The contenders that use one store. A loop by hand comes first.
pub(crate) type Contenders = [Contender; 4];

pub(crate) const COLUMNS: Contenders = [
    Contender {
        name: "loop",
        of: by_hand::columns,
    },
    Contender {
        name: "floor",
        of: by_hand::columns_after_recording,
    },
    Contender {
        name: "commands, one thread",
        of: |workload| ours::columns(workload, Executor::Serial),
    },
    Contender {
        name: "commands",
        of: |workload| ours::columns(workload, Executor::Auto),
    },
];

pub(crate) const WORLD: Contenders = [
    Contender {
        name: "loop",
        of: by_hand::world,
    },
    Contender {
        name: "floor",
        of: by_hand::world_after_recording,
    },
    Contender {
        name: "commands, one thread",
        of: |workload| ours::world(workload, Executor::Serial),
    },
    Contender {
        name: "commands",
        of: |workload| ours::world(workload, Executor::Auto),
    },
];

/// Returns the time of one run in microseconds.
pub(crate) fn sample(store: &mut dyn Store, workload: Workload) -> Vec<f64> {
    store.reset();
    let start = Instant::now();
    store.run();
    let us = start.elapsed().as_nanos() as f64 / 1e3;
    assert_eq!(store.len(), workload.n_after(), "{workload}");
    vec![us]
}
