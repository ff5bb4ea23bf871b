//! The workloads: the changes of each run, and the number of entities that they concern.

use core::fmt;

/// The number of entities before each run.
pub(crate) const N_ENTITIES: usize = 1_000_000;

/// Changes of single entities, chosen in equal steps among all entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Workload {
    pub(crate) change: Change,
    /// The number of entities that are chosen.
    pub(crate) n_chosen: usize,
}

/// The change for each entity that is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is despawned.
    Despawn,
    /// Another entity is spawned.
    Spawn,
    /// It is despawned, and another entity is spawned.
    Replace,
}

impl Change {
    pub(crate) fn has_despawn(self) -> bool {
        self != Self::Spawn
    }

    pub(crate) fn has_spawn(self) -> bool {
        self != Self::Despawn
    }
}

impl Workload {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let changes = [Change::Despawn, Change::Spawn, Change::Replace];
        changes
            .into_iter()
            .flat_map(|change| [10_000, 100_000, 500_000].map(|n_chosen| Self { change, n_chosen }))
    }

    /// Every entity whose number is a multiple of it is chosen.
    pub(crate) fn step(self) -> u32 {
        (N_ENTITIES / self.n_chosen) as u32
    }

    /// The number of entities after the changes.
    pub(crate) fn n_after(self) -> usize {
        match self.change {
            Change::Despawn => N_ENTITIES - self.n_chosen,
            Change::Spawn => N_ENTITIES + self.n_chosen,
            Change::Replace => N_ENTITIES,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match self.change {
            Change::Despawn => "despawn",
            Change::Spawn => "spawn",
            Change::Replace => "replace",
        };
        write!(f, "{change} {}", self.n_chosen)
    }
}
