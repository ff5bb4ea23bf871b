//! The protocol between the processes of a cluster, as a model. Stateright checks every reachable state of the model.
//!
//! # Processes and files
//!
//! The **supervisor** puts events in one order, cuts them into batches, appends a record of each batch to the **journal**, and
//! releases outcomes to clients. Its **workers** each hold one part of the state, and process the batches. The workers that run
//! together are a **generation**. A generation ends when one of its processes fails.
//!
//! A **snapshot** after batch *b* consists of one **part file** of each worker and a **manifest** that names them. It contains
//! all events up to and including *b*. The state before the first batch has a snapshot too. A manifest is *whole* if all its
//! parts exist, and *intact* if their checksums are right too.
//!
//! # Rules
//!
//! 1. *One writer.* The journal takes records from one supervisor, its owner. There are two ways. A lock makes a second supervisor
//!    wait until the first one has died. Or each append names the sequence number that it expects, so that the start of a second
//!    supervisor *fences* the first one: its appends fail from then on.
//! 2. *Start of a supervisor.* It becomes the owner, reads the journal, syncs it, and starts a generation. It cannot wait for
//!    the workers of a dead supervisor. Their delayed writes may arrive at any later time.
//! 3. *Start of a generation.* The supervisor kills all its workers and waits until they have ended. It selects a token that no
//!    other generation has. It restores the new workers from the newest intact manifest. Then it gives them the batches after
//!    that manifest, in order.
//! 4. *Batches.* The supervisor appends the record of a batch, gives the batch to the workers, and syncs the journal. Workers
//!    may process a batch before it is synced.
//! 5. *Messages.* A connection belongs to one generation. Messages of older generations are never read.
//! 6. *Outcomes.* The supervisor releases the outcome of a batch after two events: the record and all earlier ones are
//!    synced, and the workers of the current generation have sent the outcome.
//! 7. *Parts.* The supervisor asks each worker for its part after a batch *b*. The worker copies its state between *b* and the
//!    next batch. It writes and syncs the part file, then acknowledges it. The name of the file contains *b*, the worker and
//!    the token. A worker whose state has not changed since the last manifest of its generation, or since the manifest that it
//!    was restored from, writes nothing. The new manifest names its old part again.
//! 8. *Manifest.* After all workers have acknowledged and *b* is synced, the supervisor writes the manifest, in one atomic
//!    step. Its name contains *b* and the token.
//! 9. *Removal.* After it has written a manifest, the supervisor looks for the two newest whole manifests. Let *s* be the batch of
//!    the older one. In this order, it removes manifests of batches before *s*, part files of batches before *s* that no manifest
//!    of *s* or later names, and records up to and including *s*. The next snapshot begins after the removal.
//!
//! By rule 9, any supervisor may remove files at any time, also a fenced one that pauses between its look and the removal. There
//! always are two whole manifests of the batches that it spares. Files of interrupted snapshots and late part files remain
//! until the batches of later snapshots pass them. The rule "remove all files that the two newest manifests do not name" is
//! wrong: a fenced supervisor removes parts of the snapshot that its successor is taking.
//!
//! # Faults
//!
//! - A process is paused: each process makes its steps at any time, or never again.
//! - The supervisor ends the generation at any time, because a worker has died or is slow.
//! - The supervisor is killed at any time. Of the records that are not synced, any number is lost from the end.
//! - A write of a part is delayed until after its generation. There is at most one such write.
//! - A second supervisor starts as soon as rule 1 allows it. Its clients send other events than those of the first one, so that
//!   a lost record is followed by a different one at the same position.
//! - One part on the disk is damaged, after a second snapshot exists. This fault is checked without reuse of parts: a damaged
//!   part may be in both of the two newest manifests, and then the state cannot be restored.
//!
//! # Properties
//!
//! - A released outcome equals the outcome of the serial loop over the journal.
//! - A position never has two different outcomes.
//! - The batch of a released outcome is in the journal.
//! - A whole manifest holds the state of the serial loop after its batch.
//! - A manifest has all its parts, written by the generation that acknowledged them. With a fenced supervisor, a manifest may
//!   lack parts if there are two whole manifests of the same or newer batches.
//! - The newest intact manifest and the records after it give the state of the serial loop over the journal.
//! - As soon as the first snapshot is removed, there are two others that can be restored.
//! - The owner of the journal can go on until all outcomes are released and a snapshot after the last batch is taken.
//!
//! # The model
//!
//! There are two supervisors and two workers, two or three batches, and two or three generations. The state of a worker is a
//! counter. The events of a batch add a digit to one or both counters, so that a counter tells which events it contains, and in
//! which order.
//!
//! Four simplifications leave out states, but no violations:
//!
//! - A message arrives when it is sent. If its receiver dies first, the message has no effect, as if its sender had paused.
//! - An outcome is released as soon as it may be. If a later release violated a property, the earlier one does so too.
//! - A manifest that may be written is written, and a removal ends, before other steps of the same generation. These steps use
//!   different data. Faults and steps of other generations happen at any time.
//! - A crash that loses nothing, and after which no other process starts, is a pause.
//!
//! In some checks, the supervisor asks for a snapshot only after the last batch that it has given to the workers. Then there are no
//! snapshots in the middle of a replay.
//!
//! Each broken rule in `model::Broken` has a test that finds a violated property. It prints the shortest run that ends there:
//! `cargo test -p schedule-cluster --test protocol -- --nocapture`.

mod effects;
mod model;
mod properties;
mod state;
mod steps;

use stateright::{Checker, HasDiscoveries, Model};

use model::{Broken, Fence, Protocol};
use properties::{
    ACKNOWLEDGED_PARTS, KEPT_RECORDS, ONE_OUTCOME, RESTORABLE, SERIAL_OUTCOMES, SERIAL_SNAPSHOTS,
    TWO_SNAPSHOTS,
};

const WITH_LOCK: Protocol = Protocol {
    n_batches: 2,
    n_generations: 3,
    fence: Fence::Lock,
    has_delayed_write: false,
    has_damage: false,
    has_early_snapshots: false,
    has_reuse: true,
    broken: None,
    violated: None,
};

const WITH_SEQUENCE: Protocol = Protocol {
    fence: Fence::Sequence,
    ..WITH_LOCK
};

const WITH_DAMAGE: Protocol = Protocol {
    has_damage: true,
    has_reuse: false,
    ..WITH_LOCK
};

const WITH_DELAYED_WRITE: Protocol = Protocol {
    has_delayed_write: true,
    ..WITH_LOCK
};

/// Checks every reachable state.
#[track_caller]
fn assert_holds(protocol: Protocol) {
    let finish = HasDiscoveries::AnyFailures;
    let checker = protocol.checker().finish_when(finish).spawn_bfs().join();
    println!(
        "{} states, at most {} steps",
        checker.unique_state_count(),
        checker.max_depth() - 1
    );
    checker.assert_properties();
}

/// Finds the shortest run in which a property does not hold.
#[track_caller]
fn assert_violates(protocol: Protocol, broken: impl Into<Option<Broken>>, property: &'static str) {
    let broken = broken.into();
    let protocol = Protocol {
        broken,
        violated: Some(property),
        ..protocol
    };
    let checker = protocol.checker().spawn_bfs().join();
    let n_states = checker.unique_state_count();
    let Some(path) = checker.discovery(property) else {
        panic!("{broken:?}: none of {n_states} states violates `{property}`");
    };
    let steps = path.into_actions();
    match broken {
        Some(broken) => println!("{broken:?}: {} steps violate `{property}`:", steps.len()),
        None => println!("{} steps violate `{property}`:", steps.len()),
    }
    for step in steps {
        println!("    {step:?}");
    }
}

#[test]
fn protocol_holds_with_a_lock_and_a_delayed_write() {
    assert_holds(WITH_DELAYED_WRITE);
}

#[test]
fn protocol_holds_with_a_fenced_supervisor() {
    assert_holds(WITH_SEQUENCE);
}

#[test]
fn protocol_holds_with_a_fenced_supervisor_and_three_batches() {
    assert_holds(Protocol {
        n_batches: 3,
        n_generations: 2,
        ..WITH_SEQUENCE
    });
}

#[test]
fn protocol_holds_with_a_damaged_part() {
    assert_holds(WITH_DAMAGE);
}

#[test]
fn protocol_holds_with_three_batches() {
    assert_holds(Protocol {
        n_batches: 3,
        n_generations: 2,
        has_early_snapshots: true,
        ..WITH_DELAYED_WRITE
    });
}

#[test]
fn names_of_parts_need_a_token() {
    let broken = Broken::NamesWithoutToken;
    assert_violates(WITH_DELAYED_WRITE, broken, SERIAL_SNAPSHOTS);
}

#[test]
fn generation_in_a_file_does_not_replace_the_token() {
    assert_violates(WITH_DELAYED_WRITE, Broken::GenerationFile, SERIAL_SNAPSHOTS);
}

#[test]
fn manifest_needs_all_acknowledgements() {
    assert_violates(WITH_LOCK, Broken::FirstAcknowledgement, ACKNOWLEDGED_PARTS);
}

#[test]
fn acknowledgement_needs_the_part() {
    assert_violates(
        WITH_LOCK,
        Broken::AcknowledgementBeforeWrite,
        ACKNOWLEDGED_PARTS,
    );
}

#[test]
fn manifest_needs_the_synced_batch() {
    assert_violates(WITH_LOCK, Broken::ManifestBeforeSync, SERIAL_SNAPSHOTS);
}

#[test]
fn outcome_needs_the_synced_batch() {
    assert_violates(WITH_LOCK, Broken::ReleaseBeforeSync, KEPT_RECORDS);
    assert_violates(WITH_LOCK, Broken::ReleaseBeforeSync, ONE_OUTCOME);
}

#[test]
fn start_needs_a_synced_journal() {
    assert_violates(WITH_LOCK, Broken::UnsyncedStart, KEPT_RECORDS);
}

#[test]
fn messages_of_old_processes_are_not_read() {
    let broken = Broken::OldMessages;
    assert_violates(WITH_DELAYED_WRITE, broken, SERIAL_OUTCOMES);
    assert_violates(WITH_DELAYED_WRITE, broken, ACKNOWLEDGED_PARTS);
}

#[test]
fn second_supervisor_needs_a_fence() {
    assert_violates(WITH_SEQUENCE, Broken::NoFence, SERIAL_OUTCOMES);
    assert_violates(WITH_SEQUENCE, Broken::NoFence, ONE_OUTCOME);
}

#[test]
fn files_of_newer_batches_are_spared() {
    assert_violates(WITH_SEQUENCE, Broken::RemovalOfOthers, ACKNOWLEDGED_PARTS);
    assert_violates(WITH_SEQUENCE, Broken::RemovalOfOthers, TWO_SNAPSHOTS);
}

#[test]
fn parts_of_older_batches_are_kept_if_they_are_used_again() {
    let one_generation = Protocol {
        n_batches: 3,
        n_generations: 1,
        ..WITH_LOCK
    };
    assert_violates(one_generation, Broken::RemovalOfReused, ACKNOWLEDGED_PARTS);
}

#[test]
fn journal_is_kept_back_to_the_second_newest_snapshot() {
    assert_violates(WITH_DAMAGE, Broken::TruncationToNewest, RESTORABLE);
}

#[test]
fn damaged_part_may_be_in_both_snapshots() {
    let with_reuse = Protocol {
        has_reuse: true,
        ..WITH_DAMAGE
    };
    assert_violates(with_reuse, None, RESTORABLE);
}

#[test]
fn parts_of_the_second_newest_snapshot_are_kept() {
    assert_violates(WITH_LOCK, Broken::RemovalOfNeeded, ACKNOWLEDGED_PARTS);
}

#[test]
fn manifest_is_removed_before_its_parts() {
    assert_violates(WITH_LOCK, Broken::PartsBeforeManifests, ACKNOWLEDGED_PARTS);
}
