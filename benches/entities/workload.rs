//! The workloads of the public `ecs_bench_suite`, and one for the overhead of systems.

use core::fmt;

/// A workload, which each contender implements with its own means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// Inserts 10,000 entities with four components into an empty store.
    SimpleInsert,
    /// Adds the velocity of 10,000 entities of one archetype to their position.
    SimpleIter,
    /// Doubles a component of 20 entities in each of 26 archetypes.
    FragmentedIter,
    /// Runs three systems without conflicts, on four archetypes of 10,000 entities: each swaps two components.
    Schedule,
    /// Inverts the matrices of 1,000 entities 100 times, on all threads.
    HeavyCompute,
    /// Adds a component to 10,000 entities, and removes it again.
    AddRemove,
    /// Runs 100 systems, each of which reads the only entity. Not in the suite.
    Systems,
}

impl Workload {
    pub(crate) const ALL: [Self; 7] = [
        Self::SimpleInsert,
        Self::SimpleIter,
        Self::FragmentedIter,
        Self::Schedule,
        Self::HeavyCompute,
        Self::AddRemove,
        Self::Systems,
    ];
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SimpleInsert => "simple_insert",
            Self::SimpleIter => "simple_iter",
            Self::FragmentedIter => "fragmented_iter",
            Self::Schedule => "schedule",
            Self::HeavyCompute => "heavy_compute",
            Self::AddRemove => "add_remove",
            Self::Systems => "systems",
        })
    }
}

/// The number of entities of `simple_insert`, `simple_iter` and `add_remove`, and of each archetype of `schedule`.
pub(crate) const N_ENTITIES: usize = 10_000;
/// The number of entities of each archetype of `fragmented_iter`.
pub(crate) const N_OF_FRAGMENT: usize = 20;
/// The number of systems of `systems`.
pub(crate) const N_SYSTEMS: usize = 100;
/// The number of entities of `heavy_compute`.
pub(crate) const N_HEAVY: usize = 1_000;
