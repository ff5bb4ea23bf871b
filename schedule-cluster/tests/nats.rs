//! Journals in a real `nats-server`. Without that program, the tests are skipped. With REQUIRE_ALL=1 they fail then.

#[path = "nats/cluster.rs"]
mod cluster;
#[path = "nats/durable.rs"]
mod durable;
#[path = "nats/kills.rs"]
mod kills;
#[path = "nats/messages.rs"]
mod messages;
#[path = "nats/model.rs"]
mod model;
#[path = "nats/server.rs"]
mod server;
#[path = "nats/service.rs"]
mod service;
#[path = "nats/writers.rs"]
mod writers;

use std::ops::ControlFlow;

use schedule_stream::journal::{EntryKind, Journal, JournalHead, JournalRecord};

/// A stored record, with its generation and the version of its head.
type Stored = (JournalRecord, u64, u32);

fn head(version: u32) -> JournalHead {
    JournalHead {
        program: "exchange".into(),
        version,
        types: vec![("Order".into(), 1)],
        constants: 7,
        events: None,
    }
}

/// A record whose body depends on its batch.
fn record(batch: u64, n_bytes: usize) -> JournalRecord {
    let body = (0..n_bytes).map(|byte| (batch as usize * 31 + byte) as u8);
    JournalRecord {
        batch,
        kind: EntryKind::BATCH,
        time: batch * 10,
        body: body.collect(),
    }
}

fn records(journal: &mut dyn Journal, from: u64) -> Vec<Stored> {
    let mut found = Vec::new();
    let result = journal.read(from, &mut |stored| {
        found.push((
            stored.record.clone(),
            stored.generation,
            stored.head.version,
        ));
        ControlFlow::Continue(())
    });
    result.expect("the journal can be read");
    found
}

/// The batches of the stored records.
fn batches(journal: &mut dyn Journal) -> Vec<u64> {
    let found = records(journal, 0);
    found.iter().map(|(record, ..)| record.batch).collect()
}

/// Appends and syncs one group with the next batches.
fn append(journal: &mut dyn Journal, sizes: &[usize]) {
    let next = journal.next_batch();
    let group = (next..)
        .zip(sizes)
        .map(|(batch, &size)| record(batch, size));
    journal.append(&group.collect::<Vec<_>>()).unwrap();
    journal.sync().unwrap();
}
