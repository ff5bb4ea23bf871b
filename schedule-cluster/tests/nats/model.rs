//! Random calls, with the same results as those of a journal in memory.

use schedule_cluster::nats::NatsJournal;
use schedule_stream::journal::{EntryKind, Journal, JournalError, JournalRecord, MemoryJournal};

use super::server::Server;
use super::{head, record, records};

const MAX_SEGMENT_BYTES: u64 = 600;

/// Random numbers: SplitMix64.
struct Random(u64);

impl Random {
    /// Returns a number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

#[test]
fn random_calls_agree_with_a_journal_in_memory() {
    let Some(server) = Server::start(2048) else {
        return;
    };
    for seed in 0..12 {
        compare(&server, seed);
    }
}

fn compare(server: &Server, seed: u64) {
    let mut random = Random(seed);
    let first = [1, 1, 40][random.below(3) as usize];
    let options = server
        .options(&format!("model-{seed}"))
        .max_segment_bytes(MAX_SEGMENT_BYTES)
        .first_batch(first);
    let mut journal = NatsJournal::open(&options).unwrap();
    let mut model = MemoryJournal::beginning_with(first);
    model.set_max_segment_bytes(MAX_SEGMENT_BYTES);
    assert!(matches!(
        journal.append(&[record(first, 1)]),
        Err(JournalError::NotStarted { .. })
    ));
    for step in 0..80 {
        let at = format!("seed {seed}, step {step}");
        let (next, call) = (model.next_batch(), random.below(20));
        match call {
            _ if model.head().is_none() => start(&mut journal, &mut model, 0),
            0..10 => {
                let n_records = random.below(4);
                let group = (next..next + n_records).map(|batch| {
                    let n_bytes = match random.below(12) {
                        0 => random.below(9000),
                        _ => random.below(200),
                    };
                    record(batch, n_bytes as usize)
                });
                let mut group: Vec<_> = group.collect();
                // A note before one of the batches, or after all of them.
                if random.below(3) == 0 {
                    let at = random.below(group.len() as u64 + 1);
                    let note = JournalRecord {
                        kind: EntryKind::MAX_PENDING,
                        ..record(next + at, 4)
                    };
                    group.insert(at as usize, note);
                }
                if random.below(6) == 0 {
                    group.retain(|one| one.kind != EntryKind::BATCH && one.batch == next);
                }
                model.append(&group).unwrap();
                journal.append(&group).unwrap();
            }
            10 => {
                for wrong in [next + 1, next - 1] {
                    let result = journal.append(&[record(wrong, 1)]);
                    assert!(
                        matches!(
                            result,
                            Err(JournalError::NotConsecutive { expected, found, .. })
                                if (expected, found) == (next, wrong)
                        ),
                        "{at}"
                    );
                }
            }
            11..14 => journal.sync().unwrap(),
            14 => {
                let before = random.below(next + 2);
                model.truncate(before).unwrap();
                journal.truncate(before).unwrap();
            }
            15 => start(&mut journal, &mut model, step),
            16 => {
                journal.sync().unwrap();
                drop(journal);
                journal = NatsJournal::open(&options).unwrap();
                assert_eq!(journal.torn_batch(), None);
                agree(&mut journal, &mut model, 0, &at);
                start(&mut journal, &mut model, step);
            }
            _ => {
                let from = random.below(next + 2);
                agree(&mut journal, &mut model, from, &at);
            }
        }
    }
    agree(&mut journal, &mut model, 0, &format!("seed {seed}"));
}

fn start(journal: &mut NatsJournal, model: &mut MemoryJournal, version: u32) {
    let head = head(version);
    assert_eq!(journal.start(&head).unwrap(), model.start(&head).unwrap());
}

fn agree(journal: &mut NatsJournal, model: &mut MemoryJournal, from: u64, at: &str) {
    assert_eq!(journal.first_batch(), model.first_batch(), "{at}");
    assert_eq!(journal.last_batch(), model.last_batch(), "{at}");
    assert_eq!(journal.next_batch(), model.next_batch(), "{at}");
    assert_eq!(journal.head(), model.head(), "{at}");
    assert!(records(journal, from) == records(model, from), "{at}");
}
