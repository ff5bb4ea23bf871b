//! All contenders.

use bench_report::Role;
use benches::pinning::Pinning;

use crate::contender::Contender;
use crate::ours::{Settings, Store};
use crate::pools::Pools;
use crate::workload::Workload;
use crate::{bevy, by_hand};

/// The baseline.
pub(crate) const PLAIN: &str = "plain loops";
/// The default of this project.
pub(crate) const AUTO: &str = "schedule auto";
pub(crate) const SERIAL: &str = "schedule serial";
pub(crate) const HECS_AUTO: &str = "schedule-hecs auto";
pub(crate) const HECS_SERIAL: &str = "schedule-hecs serial";
pub(crate) const FUSED: &str = "fused loops";
pub(crate) const BY_CHUNK: &str = "rayon by chunk";
pub(crate) const BEVY_PAR: &str = "bevy_ecs par_iter_mut";

/// A contender in a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// The version, for a crate.
    pub(crate) version: Option<&'static str>,
    pub(crate) about: &'static str,
    of: Create,
}

/// Creates a contender with entities of its own.
type Create = fn(Workload, &Pools, &Pinning) -> Box<dyn Contender>;

impl Entry {
    const fn new(name: &'static str, role: Role, about: &'static str, of: Create) -> Self {
        Self {
            name,
            role,
            version: None,
            about,
            of,
        }
    }

    const fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    /// Creates the contender for a workload, with entities of its own.
    pub(crate) fn create(
        self,
        workload: Workload,
        pools: &Pools,
        pinning: &Pinning,
    ) -> Box<dyn Contender> {
        (self.of)(workload, pools, pinning)
    }
}

/// All contenders. The baseline comes first.
pub(crate) const ALL: &[Entry] = &[
    Entry::new(
        PLAIN,
        Role::Baseline,
        "one thread, one system after the other, on vectors",
        |workload, pools, _| by_hand::Way::Plain.of(workload, pools),
    ),
    Entry::new(
        FUSED,
        Role::Peer,
        "one thread, all systems on 512 rows, then on the next 512",
        |workload, pools, _| by_hand::Way::Fused.of(workload, pools),
    ),
    Entry::new(
        SERIAL,
        Role::Variant,
        "one thread, `Columns`",
        |workload, pools, _| Settings::SERIAL.of(Store::Columns, workload, pools),
    ),
    Entry::new(AUTO, Role::Ours, "`Columns`", |workload, pools, _| {
        Settings::AUTO.of(Store::Columns, workload, pools)
    }),
    Entry::new(
        "schedule without sweeps",
        Role::Variant,
        "`Columns`",
        |workload, pools, _| Settings::WITHOUT_SWEEPS.of(Store::Columns, workload, pools),
    ),
    Entry::new(
        HECS_SERIAL,
        Role::Variant,
        "one thread, `World`",
        |workload, pools, _| Settings::SERIAL.of(Store::World, workload, pools),
    ),
    Entry::new(HECS_AUTO, Role::Variant, "`World`", |workload, pools, _| {
        Settings::AUTO.of(Store::World, workload, pools)
    }),
    Entry::new(
        "schedule-hecs without sweeps",
        Role::Variant,
        "`World`",
        |workload, pools, _| Settings::WITHOUT_SWEEPS.of(Store::World, workload, pools),
    ),
    Entry::new(
        "rayon by system",
        Role::Peer,
        "each system on chunks of 4,096 rows, in a thread of the pool",
        |workload, pools, _| by_hand::Way::ParSystems.of(workload, pools),
    )
    .version("1.12"),
    Entry::new(
        BY_CHUNK,
        Role::Peer,
        "all systems on each chunk of 512 rows, in a thread of the pool",
        |workload, pools, _| by_hand::Way::ParChunks.of(workload, pools),
    )
    .version("1.12"),
    Entry::new(
        "bevy_ecs iter_mut",
        Role::Peer,
        "one thread",
        |workload, _, _| bevy::Way::Iter.of(workload),
    )
    .version("0.20.1"),
    Entry::new(
        BEVY_PAR,
        Role::Peer,
        "the executor for several threads",
        |workload, _, _| bevy::Way::ParIter.of(workload),
    )
    .version("0.20.1"),
    #[cfg(feature = "flecs")]
    Entry::new(
        "flecs_ecs",
        Role::Peer,
        "`par_each` and `par_run`, without checks of borrows",
        |workload, _, pinning| crate::flecs::of(workload, pinning),
    )
    .version("0.2.2"),
];
