//! The model, its bounds, and the rules that it can break.

use stateright::{Model, Property};

use crate::state::{
    Journal, Manifest, NamedPart, Old, Part, PartName, Seat, State, Supervisor, Task, WORKERS,
    Worker, adds_to,
};
use crate::steps::Step;

/// How a second supervisor is kept from writing beside the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// A lock on the journal. The second supervisor starts after the first one has died.
    Lock,
    /// An expected sequence number. The second supervisor starts at any time, and appends of the first one fail from then on.
    Sequence,
}

/// A rule of the protocol that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Names of part files contain the batch and the worker only.
    NamesWithoutToken,
    /// As `NamesWithoutToken`, but a worker reads the current generation from a file before it writes, and writes only if it is
    /// its own. A worker that is paused between the two steps writes nevertheless.
    GenerationFile,
    /// The manifest is written after the first acknowledgement.
    FirstAcknowledgement,
    /// A worker acknowledges its part before it writes the file.
    AcknowledgementBeforeWrite,
    /// The manifest is written before the batch of the snapshot is synced.
    ManifestBeforeSync,
    /// Outcomes are released before their batch is synced.
    ReleaseBeforeSync,
    /// A supervisor that starts takes the records that it reads for synced.
    UnsyncedStart,
    /// A process of an old generation runs on, and the supervisor reads its messages.
    OldMessages,
    /// A second supervisor starts at any time, and the journal takes records from both.
    NoFence,
    /// All files are removed except the two newest whole manifests and their parts.
    RemovalOfOthers,
    /// All parts of older batches are removed, even if a newer manifest names them.
    RemovalOfReused,
    /// The journal is truncated to the newest manifest.
    TruncationToNewest,
    /// Parts that only the second newest manifest names are removed.
    RemovalOfNeeded,
    /// Parts are removed before the manifests that name them.
    PartsBeforeManifests,
}

/// The model.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    /// Number of batches that are processed.
    pub(crate) n_batches: u8,
    /// Maximum number of generations, of both supervisors together.
    pub(crate) n_generations: u8,
    pub(crate) fence: Fence,
    /// Whether one process of an old generation may write after its generation.
    pub(crate) has_delayed_write: bool,
    /// Whether one part may be damaged.
    pub(crate) has_damage: bool,
    /// Whether the supervisor asks for snapshots after any batch that it has given to workers. If not, only after the last one.
    pub(crate) has_early_snapshots: bool,
    /// Whether a snapshot contains the old part of a worker whose counter has not changed.
    pub(crate) has_reuse: bool,
    pub(crate) broken: Option<Broken>,
    /// The property that is checked. If `None`, all are.
    pub(crate) violated: Option<&'static str>,
}

impl Protocol {
    pub(crate) fn breaks(&self, rule: Broken) -> bool {
        self.broken == Some(rule)
    }

    /// The name of a worker's part in a snapshot.
    pub(crate) fn part_name(&self, batch: u8, worker: usize, generation: u8) -> PartName {
        let has_token =
            !self.breaks(Broken::NamesWithoutToken) && !self.breaks(Broken::GenerationFile);
        PartName {
            batch,
            worker,
            token: if has_token { generation } else { 0 },
        }
    }

    /// The part that a worker writes for a snapshot.
    pub(crate) fn named_part(&self, batch: u8, worker: usize, generation: u8) -> NamedPart {
        NamedPart {
            name: self.part_name(batch, worker, generation),
            written_by: generation,
        }
    }

    /// Whether a snapshot after a batch contains a worker's part of an older manifest again.
    pub(crate) fn reuses(&self, base: &Manifest, batch: u8, worker: usize) -> bool {
        self.has_reuse && !(base.batch..batch).any(|one| adds_to(one, worker))
    }

    /// Whether all parts of a manifest exist.
    pub(crate) fn is_whole(&self, state: &State, manifest: Manifest) -> bool {
        let mut parts = manifest.parts.iter();
        parts.all(|part| state.part(part.name).is_some())
    }

    /// The newest manifest whose parts exist and have right checksums.
    pub(crate) fn newest_intact(&self, state: &State) -> Option<Manifest> {
        let is_intact = |manifest: &&Manifest| {
            let mut parts = manifest.parts.iter().map(|part| state.part(part.name));
            parts.all(|part| part.is_some_and(|part| !part.is_damaged))
        };
        state.manifests.iter().rev().find(is_intact).copied()
    }

    /// Whether the journal takes records from a supervisor.
    pub(crate) fn owns_journal(&self, state: &State, supervisor: usize) -> bool {
        state.journal.owner == supervisor || self.breaks(Broken::NoFence)
    }

    /// A supervisor that has just restored its workers from a snapshot.
    pub(crate) fn restored(
        &self,
        log: Vec<u8>,
        generation: u8,
        manifest: Manifest,
        parts: &[Part],
    ) -> Supervisor {
        let workers = manifest.parts.map(|named| {
            let part = parts.iter().find(|part| part.name == named.name);
            Worker {
                n_done: manifest.batch,
                counter: part.expect("an intact manifest has its parts").counter,
                task: Task::Nothing,
            }
        });
        Supervisor {
            n_read: log.len() as u8,
            log,
            generation,
            workers,
            received: vec![[None; WORKERS]; usize::from(self.n_batches)],
            next_release: manifest.batch,
            base: manifest,
            snapshot: None,
            removal: None,
        }
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Step;

    /// The first supervisor has restored its workers from the snapshot of the state before the first batch.
    fn init_states(&self) -> Vec<State> {
        let generation = 1;
        let manifest = Manifest {
            batch: 0,
            generation: 0,
            parts: std::array::from_fn(|worker| self.named_part(0, worker, 0)),
        };
        let parts = manifest.parts.map(|named| Part {
            name: named.name,
            counter: 0,
            written_by: 0,
            is_late: false,
            is_damaged: false,
        });
        let supervisor = self.restored(Vec::new(), generation, manifest, &parts);
        vec![State {
            journal: Journal {
                records: Vec::new(),
                first: 0,
                synced: 0,
                owner: 0,
            },
            manifests: vec![manifest],
            parts: parts.to_vec(),
            n_generations: generation,
            supervisors: [Seat::Running(Box::new(supervisor)), Seat::NotStarted],
            old: if self.has_delayed_write {
                Old::NotYet
            } else {
                Old::Gone
            },
            released: vec![None; usize::from(self.n_batches)],
            has_differed: false,
            may_damage: self.has_damage,
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        self.possible_steps(state, steps);
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        Some(self.after(state, step))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = self.all_properties();
        if let Some(violated) = self.violated {
            properties.retain(|property| property.name == violated);
        }
        properties
    }
}
