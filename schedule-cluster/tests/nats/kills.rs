//! Servers that end, stop, or are missing.

use std::thread;
use std::time::{Duration, Instant};

use schedule_cluster::nats::NatsJournal;
use schedule_stream::journal::{Journal, JournalError};

use super::server::Server;
use super::{append, batches, head, record, records};

const TIMEOUT: Duration = Duration::from_secs(2);

#[test]
fn synced_records_survive_a_server_that_is_killed_during_appends() {
    let Some(mut server) = Server::start(4096) else {
        return;
    };
    let options = server.options("during").timeout(TIMEOUT);
    let mut n_synced = 0;
    for round in 0..8 {
        let mut journal = NatsJournal::open(&options).unwrap();
        let generation = journal.start(&head(round)).unwrap();
        assert_eq!(generation, u64::from(round) + 1);
        let appender = thread::spawn(move || {
            loop {
                let next = journal.next_batch();
                // Every fourth group is in several messages.
                let n_bytes = if next.is_multiple_of(4) { 20_000 } else { 100 };
                let group = [record(next, n_bytes), record(next + 1, 50)];
                let result = journal.append(&group).and_then(|()| journal.sync());
                if let Err(error) = result {
                    assert!(matches!(error, JournalError::Remote { .. }), "{error}");
                    let closed = journal.sync();
                    assert!(matches!(closed, Err(JournalError::Closed { .. })));
                    return next - 1;
                }
            }
        });
        thread::sleep(Duration::from_millis(40 + 37 * u64::from(round)));
        server.kill();
        n_synced = appender.join().unwrap().max(n_synced);
        server.restart();

        let mut journal = NatsJournal::open(&options).unwrap();
        let found = records(&mut journal, 0);
        let n_found = found.len() as u64;
        assert!(n_found >= n_synced, "{n_found} of {n_synced} records");
        for ((found, ..), batch) in found.iter().zip(1..) {
            assert_eq!(found, &record(batch, found.body.len()));
        }
    }
    assert!(n_synced > 0);
}

#[test]
fn synced_records_survive_a_server_that_is_killed_between_appends() {
    let Some(mut server) = Server::start(1 << 20) else {
        return;
    };
    let mut journal = server.open("between");
    journal.start(&head(1)).unwrap();
    for round in 0..4 {
        append(&mut journal, &[10, 20]);
        server.kill();
        server.restart();
        if round % 2 == 1 {
            journal = server.open("between");
            journal.start(&head(2)).unwrap();
        }
        // The journal connects again.
        assert_eq!(batches(&mut journal).len(), 2 * (round + 1));
    }
}

#[test]
fn silent_server_closes_the_journal_after_the_time_limit() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let limit = Duration::from_millis(500);
    let options = server.options("silent").timeout(limit);
    let mut journal = NatsJournal::open(&options).unwrap();
    journal.start(&head(1)).unwrap();
    append(&mut journal, &[1]);
    server.stop();
    let start = Instant::now();
    for batch in 2..10 {
        journal.append(&[record(batch, 1)]).unwrap();
    }
    let error = journal.sync().unwrap_err();
    let opened = NatsJournal::open(&options);
    // One limit for the messages, and one for the opening.
    assert!(start.elapsed() < 10 * limit);
    server.signal("CONT");
    assert!(
        matches!(error, JournalError::Remote { action, .. } if action == "write to"),
        "{error}"
    );
    assert!(matches!(opened, Err(JournalError::Remote { .. })));
    let error = journal.sync().unwrap_err();
    assert!(matches!(error, JournalError::Closed { .. }));

    // The message without an acknowledgement may be stored, but no later one.
    drop(journal);
    let mut journal = server.open("silent");
    assert!(batches(&mut journal).len() <= 2);
    journal.start(&head(2)).unwrap();
    append(&mut journal, &[1]);
}

#[test]
fn missing_server_is_an_error() {
    let Some(mut server) = Server::start(1 << 20) else {
        return;
    };
    server.kill();
    let error = NatsJournal::open(&server.options("missing")).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("cannot open JetStream stream `missing`: "),
        "{text}"
    );
}
