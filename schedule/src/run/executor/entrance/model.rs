//! Checks all interleavings of small works that threads share, and that each memory ordering is needed.
//!
//! Cells of the model checker represent the address of the work and the data of its chunks. An unordered access is an error.
#![expect(unsafe_code, reason = "the model checker watches the cells")]

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;

use super::Entrance;
use crate::base::sync::model::weaken;

/// The number of chunks of a work.
const N_CHUNKS: u32 = 2;

/// Divides the two parts of `left`.
const BASE: u32 = 256;

#[derive(Default)]
struct Shared {
    entrance: Entrance,
    /// The work, as a number. An owner writes it before it opens the entrance.
    work: UnsafeCell<u64>,
    /// The first chunk that is left, and [`BASE`] times the one after the last.
    left: AtomicU32,
    /// The works that have run each chunk, as a sum.
    chunks: [UnsafeCell<u64>; N_CHUNKS as usize],
}

// SAFETY: the model checker reports each access to a cell that is not ordered.
unsafe impl Sync for Shared {}

// SAFETY: as for `Sync`.
unsafe impl Send for Shared {}

impl Shared {
    /// Takes chunks from the front, or from the back.
    fn take_part(&self, is_front: bool) {
        // SAFETY: the model checker reports each access to the cell that is not ordered.
        let work = self.work.with(|work| unsafe { *work });
        let mut left = self.left.load(Ordering::Relaxed);
        loop {
            let (first, end) = (left % BASE, left / BASE);
            if first == end {
                return;
            }
            let (nth, rest) = if is_front {
                (first, left + 1)
            } else {
                (end - 1, left - BASE)
            };
            let taken =
                self.left
                    .compare_exchange(left, rest, Ordering::Relaxed, Ordering::Relaxed);
            if let Err(now) = taken {
                left = now;
                continue;
            }
            left = rest;
            // SAFETY: as above.
            self.chunks[nth as usize].with_mut(|chunk| unsafe { *chunk += work });
        }
    }

    /// Shares a work, if no other thread does.
    fn share(&self, work: u64) {
        if !self.entrance.try_own() {
            return;
        }
        // SAFETY: as above.
        self.work.with_mut(|cell| unsafe { *cell = work });
        self.left.store(N_CHUNKS * BASE, Ordering::Relaxed);
        let before = self.sum();
        self.entrance.open();
        self.take_part(true);
        self.entrance.close();
        while !self.entrance.has_only_owner() {
            thread::yield_now();
        }
        assert_eq!(self.sum(), before + work * u64::from(N_CHUNKS));
        self.entrance.release();
    }

    fn help(&self) {
        if self.entrance.enter() {
            self.take_part(false);
            self.entrance.leave();
        }
    }

    fn sum(&self) -> u64 {
        let chunks = self.chunks.iter();
        // SAFETY: as above.
        chunks
            .map(|chunk| chunk.with(|chunk| unsafe { *chunk }))
            .sum()
    }
}

/// One thread shares two works, and another one helps twice.
fn owner_and_helper() {
    let shared = Arc::new(Shared::default());
    let other = Arc::clone(&shared);
    let helper = thread::spawn(move || {
        other.help();
        other.help();
    });
    shared.share(1);
    shared.share(10);
    helper.join().unwrap();
}

/// Two threads share one work each, and a third one helps.
fn two_owners() {
    let shared = Arc::new(Shared::default());
    let threads: Vec<_> = (0..2)
        .map(|nth| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || match nth {
                0 => shared.share(10),
                _ => shared.help(),
            })
        })
        .collect();
    shared.share(1);
    threads.into_iter().for_each(|one| one.join().unwrap());
}

/// Whether the model checker finds no error.
fn holds(check: impl Fn() + Sync + Send + 'static) -> bool {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    // Uses a new thread for each check, so that state of a failed check does not affect the next one.
    std::thread::spawn(move || builder.check(check))
        .join()
        .is_ok()
}

#[test]
fn shared_work_is_correct_in_all_interleavings_and_needs_each_memory_ordering() {
    assert!(holds(owner_and_helper));
    assert!(holds(two_owners));
    for name in ["own", "open", "enter", "leave", "empty", "release"] {
        weaken(Some(name));
        let is_caught = !holds(owner_and_helper) || !holds(two_owners);
        assert!(is_caught, "`{name}` is not needed");
    }
    weaken(None);
}
