//! The messages of a journal: parts, truncation, damage, and settings of the stream.

use std::ops::ControlFlow;

use async_nats::jetstream::stream::{Config, StorageType};
use schedule_cluster::nats::NatsJournal;
use schedule_stream::journal::{EntryKind, Journal, JournalError, JournalRecord, RULES};

use super::server::Server;
use super::{append, batches, head, record, records};

/// Returns the numbers of the first and of the last message.
fn sequences(server: &Server, stream: &str) -> (u64, u64) {
    server.call(async |context| {
        let stream = context.get_stream(stream).await.unwrap();
        let state = &stream.cached_info().state;
        (state.first_sequence, state.last_sequence)
    })
}

/// Creates a stream with the first messages of another one, each changed by `change`.
fn copy(
    server: &Server,
    from: &str,
    to: &str,
    n_messages: u64,
    change: impl Fn(u64, &mut Vec<u8>),
) {
    server.open(to);
    server.call(async |context| {
        let stream = context.get_stream(from).await.unwrap();
        for sequence in 1..=n_messages {
            let message = stream.get_raw_message(sequence).await.unwrap();
            let mut payload = message.payload.to_vec();
            change(sequence, &mut payload);
            let subject = format!("{to}.journal");
            let sent = context.publish(subject, payload.into()).await.unwrap();
            assert_eq!(sent.await.unwrap().sequence, sequence);
        }
    });
}

fn assert_damaged(server: &Server, stream: &str, message: u64, affected: u64, text: &str) {
    let error = NatsJournal::open(&server.options(stream)).unwrap_err();
    let is_right = matches!(
        &error,
        JournalError::DamagedMessage { sequence, batch, .. }
            if (*sequence, *batch) == (message, affected)
    );
    assert!(is_right && error.to_string().contains(text), "{error}");
}

#[test]
fn group_above_the_maximum_payload_is_in_several_messages() {
    let Some(server) = Server::start(4096) else {
        return;
    };
    let mut journal = server.open("large");
    journal.start(&head(1)).unwrap();
    append(&mut journal, &[100_000, 0, 5000]);
    append(&mut journal, &[0]);
    append(&mut journal, &[3000; 20]);
    let (_, last) = sequences(&server, "large");
    assert!(last > 40, "{last} messages");
    let expected = records(&mut journal, 0);
    assert_eq!(expected.len(), 24);
    assert_eq!(expected[0].0, record(1, 100_000));
    let mut opened = server.open("large");
    assert!(records(&mut opened, 0) == expected);
    assert!(records(&mut opened, 7) == expected[6..]);
}

#[test]
fn record_above_one_mebibyte_can_be_read() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut journal = server.open("mebibytes");
    journal.start(&head(1)).unwrap();
    append(&mut journal, &[5 << 20]);
    let found = records(&mut server.open("mebibytes"), 0);
    assert!(found[0].0 == record(1, 5 << 20));
}

#[test]
fn incomplete_group_at_the_end_is_cut_off() {
    let Some(server) = Server::start(4096) else {
        return;
    };
    let mut journal = server.open("whole");
    journal.start(&head(1)).unwrap();
    append(&mut journal, &[10]);
    append(&mut journal, &[20_000, 10]);
    let (_, last) = sequences(&server, "whole");
    for n_messages in 3..last {
        let torn = format!("torn-{n_messages}");
        copy(&server, "whole", &torn, n_messages, |_, _| {});
        let mut journal = server.open(&torn);
        assert_eq!(journal.torn_batch(), Some(2));
        assert_eq!(batches(&mut journal), [1]);
        assert_eq!(journal.start(&head(2)).unwrap(), 2);
        append(&mut journal, &[30, 30]);
        assert_eq!(batches(&mut journal), [1, 2, 3]);

        // The incomplete group is in the middle now, in front of the head that has cut it off.
        let mut journal = server.open(&torn);
        assert_eq!(journal.torn_batch(), None);
        assert_eq!(records(&mut journal, 2)[0], (record(2, 30), 2, 2));
        journal.start(&head(3)).unwrap();
        append(&mut journal, &[40]);
        assert_eq!(batches(&mut journal), [1, 2, 3, 4]);
    }
}

#[test]
fn damaged_missing_and_foreign_messages_are_errors() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut journal = server.open("good");
    journal.start(&head(1)).unwrap();
    for _ in 0..4 {
        append(&mut journal, &[10, 10]);
    }
    for damaged in 1..=5 {
        for byte in [0, 9, 25, 33, 45] {
            let name = format!("bad-{damaged}-{byte}");
            copy(&server, "good", &name, 5, |sequence, payload| {
                if sequence == damaged {
                    payload[byte] ^= 4;
                }
            });
            let affected = 2 * damaged.max(2) - 3;
            assert_damaged(&server, &name, damaged, affected, "its checksum does not");
        }
    }

    // The third message is in the place of the second one.
    server.open("swapped");
    server.call(async |context| {
        let good = context.get_stream("good").await.unwrap();
        for sequence in [1, 3] {
            let payload = good.get_raw_message(sequence).await.unwrap().payload;
            let sent = context.publish("swapped.journal", payload).await.unwrap();
            sent.await.unwrap();
        }
    });
    assert_damaged(&server, "swapped", 2, 1, "its checksum does not agree");

    copy(&server, "good", "missing", 5, |_, _| {});
    server.call(async |context| {
        let stream = context.get_stream("missing").await.unwrap();
        stream.delete_message(3).await.unwrap();
    });
    assert_damaged(&server, "missing", 3, 3, "is missing");

    copy(&server, "good", "foreign", 5, |_, _| {});
    server.call(async |context| {
        let sent = context.publish("foreign.journal", "hello".into());
        sent.await.unwrap().await.unwrap();
    });
    assert_damaged(&server, "foreign", 6, 9, "is not a message of a journal");

    copy(&server, "good", "purged", 5, |_, _| {});
    server.call(async |context| {
        let stream = context.get_stream("purged").await.unwrap();
        stream.purge().await.unwrap();
    });
    assert_damaged(&server, "purged", 5, 1, "was removed");

    // Without the head.
    copy(&server, "good", "headless", 5, |_, _| {});
    server.call(async |context| {
        let stream = context.get_stream("headless").await.unwrap();
        stream.purge().sequence(2).await.unwrap();
    });
    assert_damaged(&server, "headless", 2, 1, "does not follow");
}

/// A message of format 1: of this kind, with these numbers of parts, and with this body.
fn first_format(sequence: u64, kind: u32, n_parts: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"SNJ\x01".to_vec();
    bytes.extend([kind, 0, n_parts, 0].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([1, 1].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(body);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&sequence.to_le_bytes());
    hasher.update(&bytes);
    [&hasher.finalize().to_le_bytes(), &bytes[..]].concat()
}

#[test]
fn messages_of_the_first_format_are_read_and_continued() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    server.open("old");
    // The head of `head(3)`, and a group of batches 1 and 2.
    let program = b"\x08exchange\x03\x01\x05Order\x01\x07";
    let mut group = Vec::new();
    for batch in [1, 2] {
        let JournalRecord { time, body, .. } = record(batch, 5);
        group.extend(batch.to_le_bytes());
        group.extend(time.to_le_bytes());
        group.extend(5_u32.to_le_bytes());
        group.extend(body);
    }
    let payloads = [
        first_format(1, 0, 0, program),
        first_format(2, 1, 1, &group),
    ];
    server.call(async |context| {
        for payload in payloads {
            let sent = context.publish("old.journal", payload.into());
            sent.await.unwrap().await.unwrap();
        }
    });
    let mut journal = server.open("old");
    assert_eq!(journal.head(), Some(&head(3)));
    journal.start(&head(4)).unwrap();
    append(&mut journal, &[6]);
    let mut journal = server.open("old");
    let mut found = Vec::new();
    let read = journal.read(0, &mut |stored| {
        found.push((stored.record.clone(), stored.head.version, stored.rules));
        ControlFlow::Continue(())
    });
    read.unwrap();
    let expected = [(1, 5, 3, 1), (2, 5, 3, 1), (3, 6, 4, RULES)]
        .map(|(batch, n, version, rules)| (record(batch, n), version, rules));
    assert_eq!(found, expected);
}

#[test]
fn unknown_entries_are_skipped_only_if_they_may_be() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let unknown = |kind| JournalRecord {
        kind,
        ..record(1, 3)
    };
    let mut journal = server.open("newer");
    journal.start(&head(1)).unwrap();
    let group = [unknown(EntryKind::optional(900)), record(1, 3)];
    journal.append(&group).unwrap();
    journal.sync().unwrap();
    let mut journal = server.open("newer");
    assert_eq!(batches(&mut journal), [1]);
    journal.start(&head(1)).unwrap();
    let required = JournalRecord {
        batch: 2,
        ..unknown(EntryKind::required(900))
    };
    journal.append(&[required]).unwrap();
    journal.sync().unwrap();
    let error = NatsJournal::open(&server.options("newer")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the entry at message 4 of stream `newer`, at batch 2, has kind 900, which this program does not know and must not skip; use \
         the program that wrote it, or a newer one"
    );
}

#[test]
fn message_that_is_removed_after_opening_is_an_error() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let mut journal = server.open("removed");
    journal.start(&head(1)).unwrap();
    append(&mut journal, &[1]);
    append(&mut journal, &[1]);
    server.call(async |context| {
        let stream = context.get_stream("removed").await.unwrap();
        stream.delete_message(2).await.unwrap();
    });
    let result = journal.read(0, &mut |_| unreachable!());
    let Err(JournalError::DamagedMessage { sequence: 2, .. }) = result else {
        panic!("the message is missing");
    };
}

#[test]
fn truncation_removes_the_messages_of_whole_segments() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let options = server.options("truncated").max_segment_bytes(100);
    let mut journal = NatsJournal::open(&options).unwrap();
    journal.start(&head(1)).unwrap();
    for _ in 0..6 {
        append(&mut journal, &[40]);
    }
    // Two groups are above the limit, so each third message is a head.
    assert_eq!(sequences(&server, "truncated"), (1, 9));
    journal.truncate(4).unwrap();
    assert_eq!(sequences(&server, "truncated"), (4, 9));
    assert_eq!(journal.first_batch(), Some(3));
    journal.truncate(u64::MAX).unwrap();
    assert_eq!(sequences(&server, "truncated"), (7, 9));
    assert_eq!(batches(&mut journal), [5, 6]);

    let mut journal = NatsJournal::open(&options).unwrap();
    assert_eq!(batches(&mut journal), [5, 6]);
    assert_eq!(journal.start(&head(2)).unwrap(), 2);
    journal.truncate(u64::MAX).unwrap();
    assert_eq!((journal.first_batch(), journal.next_batch()), (None, 7));
    let journal = NatsJournal::open(&options).unwrap();
    assert_eq!((journal.first_batch(), journal.next_batch()), (None, 7));
    assert_eq!(journal.head(), Some(&head(2)));
}

#[test]
fn stream_that_would_lose_messages_is_refused() {
    let Some(server) = Server::start(1 << 20) else {
        return;
    };
    let config = |name: &str| Config {
        name: name.into(),
        subjects: vec![format!("{name}.journal")],
        storage: StorageType::File,
        ..Config::default()
    };
    let refused = [
        (
            Config {
                storage: StorageType::Memory,
                ..config("memory")
            },
            "it is stored in memory",
        ),
        (
            Config {
                max_messages: 1000,
                ..config("limited")
            },
            "it removes old messages",
        ),
        (
            Config {
                max_age: std::time::Duration::from_secs(3600),
                ..config("aged")
            },
            "it removes old messages",
        ),
        (
            Config {
                subjects: vec!["other".into()],
                ..config("subject")
            },
            "its subjects are [\"other\"]",
        ),
    ];
    for (config, text) in refused {
        let options = server.options(&config.name);
        server.call(async |context| {
            context.create_stream(config).await.unwrap();
        });
        let error = NatsJournal::open(&options).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    server.call(async |context| {
        context.create_stream(config("plain")).await.unwrap();
    });
    server.open("plain");
}
