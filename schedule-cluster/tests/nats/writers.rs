//! Two writers of one journal.

use core::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use schedule_cluster::nats::NatsJournal;
use schedule_stream::journal::{Journal, JournalError};

use super::server::Server;
use super::{append, batches, head, record};

fn assert_fenced(result: Result<(), JournalError>, stream: &str, sequence: u64) {
    let Err(error) = result else {
        panic!("the older writer must be fenced");
    };
    let text = format!(
        "cannot write message {sequence} of stream `{stream}`: another process writes this journal; end one of the two"
    );
    assert!(matches!(error, JournalError::Fenced { .. }), "{error}");
    assert_eq!(error.to_string(), text);
}

fn assert_closed(journal: &mut NatsJournal) {
    let next = journal.next_batch();
    let results = [
        journal.start(&head(1)).map(drop),
        journal.append(&[record(next, 1)]),
        journal.sync(),
        journal.truncate(next),
    ];
    for result in results {
        assert!(matches!(result, Err(JournalError::Closed { .. })));
    }
}

#[test]
fn older_writer_is_fenced_by_a_start() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut older = server.open("start");
    older.start(&head(1)).unwrap();
    append(&mut older, &[10, 10]);
    let mut newer = server.open("start");
    assert_eq!(newer.start(&head(2)).unwrap(), 2);

    older.append(&[record(3, 10)]).unwrap();
    assert_fenced(older.sync(), "start", 3);
    assert_closed(&mut older);
    // It can still read the records that it has synced.
    assert_eq!(batches(&mut older), [1, 2]);

    append(&mut newer, &[20]);
    assert_eq!(batches(&mut newer), [1, 2, 3]);
    assert_eq!(batches(&mut server.open("start")), [1, 2, 3]);
}

#[test]
fn older_writer_is_fenced_by_an_append() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut first = server.open("append");
    first.start(&head(1)).unwrap();
    // Both were opened at the same message. The one that starts first wins, until the other one is opened again.
    let (mut second, mut third) = (server.open("append"), server.open("append"));
    second.start(&head(2)).unwrap();
    append(&mut second, &[1]);
    assert_fenced(third.start(&head(3)).map(drop), "append", 2);
    assert_closed(&mut third);
    assert_eq!(batches(&mut server.open("append")), [1]);
}

#[test]
fn no_later_group_of_a_fenced_writer_is_stored() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut older = server.open("groups");
    older.start(&head(1)).unwrap();
    let mut newer = server.open("groups");
    newer.start(&head(2)).unwrap();
    // The second group expects the message that the newer writer has written as the last one.
    for batch in 1..6 {
        older.append(&[record(batch, 10)]).unwrap();
    }
    assert_fenced(older.sync(), "groups", 2);
    append(&mut newer, &[10]);
    assert_eq!(batches(&mut server.open("groups")), [1]);
}

#[test]
fn fenced_writer_cannot_truncate() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let options = server.options("truncate").max_segment_bytes(1);
    let mut older = NatsJournal::open(&options).unwrap();
    older.start(&head(1)).unwrap();
    append(&mut older, &[10]);
    append(&mut older, &[10]);
    let mut newer = server.open("truncate");
    newer.start(&head(2)).unwrap();
    assert_fenced(older.truncate(2), "truncate", 5);
    assert_closed(&mut older);
    assert_eq!(batches(&mut newer), [1, 2]);
}

#[test]
fn reader_of_a_truncated_journal_is_fenced() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut writer = NatsJournal::open(&server.options("reader").max_segment_bytes(1)).unwrap();
    writer.start(&head(1)).unwrap();
    for _ in 0..3 {
        append(&mut writer, &[10]);
    }
    let mut reader = server.open("reader");
    assert_eq!(batches(&mut reader), [1, 2, 3]);
    writer.truncate(3).unwrap();
    let read = reader.read(1, &mut |_| ControlFlow::Continue(()));
    assert_fenced(read, "reader", 7);
}

/// Each opening of the journal finds whole segments, although they are removed meanwhile.
#[test]
fn journal_is_opened_while_another_process_truncates_it() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut writer = NatsJournal::open(&server.options("beside").max_segment_bytes(1)).unwrap();
    writer.start(&head(1)).unwrap();
    // Enough for several reads, so that messages are removed between them.
    for _ in 0..100 {
        append(&mut writer, &[10]);
    }
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                append(&mut writer, &[10]);
                writer.truncate(writer.next_batch() - 50).unwrap();
            }
            is_done.store(true, Relaxed);
        });
        while !is_done.load(Relaxed) {
            let opened = server.open("beside");
            assert!(opened.next_batch() - opened.first_batch().unwrap() >= 50);
        }
    });
}
