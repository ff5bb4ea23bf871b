//! The properties of the model.

use stateright::Property;

use crate::model::{Fence, Protocol};
use crate::state::{Manifest, Part, State, Supervisor, WORKERS, add, serial, serial_outcome};

pub(crate) const SERIAL_OUTCOMES: &str = "released outcomes equal those of the serial loop";
pub(crate) const ONE_OUTCOME: &str = "a position has one outcome";
pub(crate) const SERIAL_SNAPSHOTS: &str = "whole manifests hold the state of the serial loop";
pub(crate) const ACKNOWLEDGED_PARTS: &str = "manifests have the parts that were acknowledged";
pub(crate) const RESTORABLE: &str = "the state can be restored";
pub(crate) const TWO_SNAPSHOTS: &str = "two whole snapshots can be restored";
pub(crate) const KEPT_RECORDS: &str = "the batches of released outcomes are in the journal";
const PROGRESS: &str = "the owner of the journal can go on";

// States that must be reachable.
const ALL_DONE: &str = "all outcomes are released and the last snapshot is taken";
const INTERRUPTED: &str = "a generation ends during a snapshot";
const LATE_PART: &str = "a part is written after its generation";
const LOST_BATCH: &str = "a part contains a batch that the journal has lost";
const TRUNCATED: &str = "the journal is truncated";
const LACKS_PART: &str = "a manifest that is not needed lacks a part";

impl Protocol {
    pub(crate) fn all_properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(SERIAL_OUTCOMES, has_serial_outcomes),
            Property::always(ONE_OUTCOME, |_, state: &State| !state.has_differed),
            Property::always(SERIAL_SNAPSHOTS, has_serial_snapshots),
            Property::always(ACKNOWLEDGED_PARTS, has_acknowledged_parts),
            Property::always(RESTORABLE, is_restorable),
            Property::always(TWO_SNAPSHOTS, has_two_snapshots),
            Property::always(KEPT_RECORDS, has_records),
            Property::always(PROGRESS, can_go_on),
            Property::sometimes(ALL_DONE, |protocol: &Protocol, state: &State| {
                (0..state.supervisors.len()).any(|one| protocol.is_done(state, one))
            }),
            Property::sometimes(INTERRUPTED, is_interrupted),
            Property::sometimes(LOST_BATCH, has_lost_batch),
            Property::sometimes(TRUNCATED, |_, state: &State| state.journal.first > 0),
        ];
        if self.has_delayed_write || self.fence == Fence::Sequence {
            properties.push(Property::sometimes(LATE_PART, has_late_part));
        }
        if self.fence == Fence::Sequence && self.n_batches > 2 {
            properties.push(Property::sometimes(LACKS_PART, lacks_part));
        }
        properties
    }

    /// Whether a supervisor has nothing left to do.
    fn is_done(&self, state: &State, supervisor: usize) -> bool {
        let is_last = |running: &Supervisor| {
            running.removal.is_none() && running.base.batch == self.n_batches
        };
        state.supervisor(supervisor).is_some_and(is_last)
            && state.released.iter().all(Option::is_some)
    }
}

fn has_serial_outcomes(_: &Protocol, state: &State) -> bool {
    let records = &state.journal.records;
    (0..records.len()).all(|batch| match state.released.get(batch) {
        Some(Some(outcome)) => *outcome == serial_outcome(records, batch as u8),
        Some(None) | None => true,
    })
}

fn has_records(_: &Protocol, state: &State) -> bool {
    let n_records = state.journal.records.len();
    state.released.iter().skip(n_records).all(Option::is_none)
}

fn has_serial_snapshots(protocol: &Protocol, state: &State) -> bool {
    let records = &state.journal.records;
    state.manifests.iter().all(|&manifest| {
        if !protocol.is_whole(state, manifest) {
            return true;
        }
        let counters = manifest.parts.map(|named| {
            let part = state.part(named.name);
            part.expect("a whole manifest has this part").counter
        });
        usize::from(manifest.batch) <= records.len() && counters == serial(records, manifest.batch)
    })
}

/// A fenced supervisor may write a manifest, or remove parts of one, after newer snapshots. Such a manifest is not needed.
fn has_acknowledged_parts(protocol: &Protocol, state: &State) -> bool {
    state.manifests.iter().all(|&manifest| {
        let is_own = manifest.parts.iter().all(|named| {
            let part = state.part(named.name);
            part.is_none_or(|part| part.written_by == named.written_by)
        });
        let is_whole = protocol.is_whole(state, manifest);
        let is_needed = || {
            let newer = state
                .manifests
                .iter()
                .filter(|one| one.batch >= manifest.batch);
            let n_whole = newer.filter(|&&one| protocol.is_whole(state, one)).count();
            protocol.fence == Fence::Lock || n_whole < 2
        };
        is_own && (is_whole || !is_needed())
    })
}

/// Restores the newest intact snapshot, replays the records of the journal after it, and compares the result.
fn is_restorable(protocol: &Protocol, state: &State) -> bool {
    let Some(manifest) = protocol.newest_intact(state) else {
        return false;
    };
    let records = &state.journal.records;
    let n_records = records.len() as u8;
    if manifest.batch < state.journal.first || manifest.batch > n_records {
        return false;
    }
    let mut counters = [0; WORKERS];
    for (worker, named) in manifest.parts.iter().enumerate() {
        counters[worker] = state
            .part(named.name)
            .expect("an intact manifest has it")
            .counter;
        for batch in manifest.batch..n_records {
            let events = records[usize::from(batch)];
            counters[worker] = add(counters[worker], batch, worker, events);
        }
    }
    counters == serial(records, n_records)
}

/// Before the snapshot of the state before the first batch is removed, one snapshot is enough.
fn has_two_snapshots(protocol: &Protocol, state: &State) -> bool {
    let mut whole = state
        .manifests
        .iter()
        .filter(|one| one.batch >= state.journal.first && protocol.is_whole(state, **one));
    let is_first = |one: &Manifest| one.generation == 0;
    state.manifests.iter().any(is_first) || whole.nth(1).is_some()
}

/// Whether the owner is done, or has a step that is not a fault.
fn can_go_on(protocol: &Protocol, state: &State) -> bool {
    let owner = state.journal.owner;
    let Some(running) = state.supervisor(owner) else {
        return true;
    };
    let mut steps = Vec::new();
    protocol.steps_of_generation(state, owner, running, &mut steps);
    !steps.is_empty() || protocol.is_done(state, owner)
}

fn is_named(state: &State, part: &Part) -> bool {
    let mut named = state.manifests.iter().flat_map(|one| &one.parts);
    named.any(|one| one.name == part.name)
}

fn is_interrupted(_: &Protocol, state: &State) -> bool {
    state.parts.iter().any(|part| {
        !part.is_late && part.written_by < state.n_generations && !is_named(state, part)
    })
}

fn has_late_part(_: &Protocol, state: &State) -> bool {
    state.parts.iter().any(|part| part.is_late)
}

fn has_lost_batch(_: &Protocol, state: &State) -> bool {
    let records = &state.journal.records;
    state.parts.iter().any(|part| {
        let is_there = usize::from(part.name.batch) <= records.len();
        is_there && part.counter != serial(records, part.name.batch)[part.name.worker]
    })
}

fn lacks_part(protocol: &Protocol, state: &State) -> bool {
    let mut manifests = state.manifests.iter();
    manifests.any(|&manifest| !protocol.is_whole(state, manifest))
}
