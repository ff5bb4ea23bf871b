//! Threads that are not there, and what they make of nodes that are handed out to them.

mod events;

use core::time::Duration;

pub use self::events::{Load, Stint, hand_out};

/// What a run is simulated on.
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
    /// How many threads take part, the one that calls `run` included.
    pub n_workers: usize,
    /// What each node costs its worker besides its system.
    pub per_node: Duration,
    /// What a node costs its worker if another one released it.
    pub hand_over: Duration,
    /// How long it takes until there are helpers, from the time at which there is first something for them.
    pub wake_up: Duration,
    /// Which node a worker takes next.
    pub discipline: Discipline,
}

/// Which node a worker takes next, of those that wait for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Discipline {
    /// Of those that it has just released the most urgent one, and if there are none, the most urgent of all: as the
    /// executor does.
    #[default]
    Keep,
    /// The most urgent of all.
    MostUrgent,
}

impl Machine {
    /// On which nothing costs anything but the systems.
    ///
    /// # Panics
    ///
    /// If there are no workers.
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

    /// The same, where each node costs so much besides its system.
    pub fn per_node(self, per_node: Duration) -> Self {
        Self { per_node, ..self }
    }

    /// The same, where it costs so much to go on with what another worker has released.
    pub fn hand_over(self, hand_over: Duration) -> Self {
        Self { hand_over, ..self }
    }

    /// The same, where helpers take so long to come.
    pub fn wake_up(self, wake_up: Duration) -> Self {
        Self { wake_up, ..self }
    }

    /// The same, where workers choose so.
    pub fn discipline(self, discipline: Discipline) -> Self {
        Self { discipline, ..self }
    }
}

/// So many workers, on which nothing costs anything but the systems: as [`Machine::new`].
impl From<usize> for Machine {
    fn from(n_workers: usize) -> Self {
        Self::new(n_workers)
    }
}

#[cfg(test)]
mod tests;
