//! The machine model of simulated runs.

mod events;

use core::time::Duration;

pub use self::events::{Assignment, SimulatedRun, Workload, simulate};

/// A machine on which runs are simulated: a number of workers, and the overhead of running nodes on them.
///
/// ```
/// use std::time::Duration;
///
/// use schedule_graph::Machine;
///
/// let machine = Machine::new(8).hand_over(Duration::from_nanos(100));
/// assert_eq!(machine.n_workers, 8);
/// assert_eq!(machine.wake_up, Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Machine {
    /// The number of workers: the thread that calls `run`, and its helpers.
    pub n_workers: usize,
    /// The overhead of each node, in addition to its system.
    pub per_node: Duration,
    /// The additional overhead of a node if its last predecessor ran on another worker.
    pub hand_over: Duration,
    /// The time until the helpers start, measured from the first time at which a node is ready for them.
    pub wake_up: Duration,
    /// The rule by which a worker selects its next node.
    pub discipline: Discipline,
}

/// The rule by which a worker selects its next node, among the ready ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Discipline {
    /// A worker takes the most urgent of the successors that it just released. If it released none, it takes the most
    /// urgent ready node. The parallel executor uses this rule.
    #[default]
    Keep,
    /// A worker takes the most urgent ready node.
    MostUrgent,
}

impl Machine {
    /// Creates a machine without overhead, with [`Discipline::Keep`].
    ///
    /// # Panics
    ///
    /// If `n_workers` is 0.
    pub fn new(n_workers: usize) -> Self {
        assert!(n_workers > 0, "`n_workers` must be at least 1");
        Self {
            n_workers,
            per_node: Duration::ZERO,
            hand_over: Duration::ZERO,
            wake_up: Duration::ZERO,
            discipline: Discipline::Keep,
        }
    }

    /// Sets [`Machine::per_node`](Self#structfield.per_node).
    pub fn per_node(self, per_node: Duration) -> Self {
        Self { per_node, ..self }
    }

    /// Sets [`Machine::hand_over`](Self#structfield.hand_over).
    pub fn hand_over(self, hand_over: Duration) -> Self {
        Self { hand_over, ..self }
    }

    /// Sets [`Machine::wake_up`](Self#structfield.wake_up).
    pub fn wake_up(self, wake_up: Duration) -> Self {
        Self { wake_up, ..self }
    }

    /// Sets [`Machine::discipline`](Self#structfield.discipline).
    pub fn discipline(self, discipline: Discipline) -> Self {
        Self { discipline, ..self }
    }
}

/// Creates a machine with this number of workers, as [`Machine::new`] does.
impl From<usize> for Machine {
    fn from(n_workers: usize) -> Self {
        Self::new(n_workers)
    }
}

#[cfg(test)]
mod tests;
