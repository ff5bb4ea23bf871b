//! Model checking of all orderings: all interleavings of small streams, and a check that each memory ordering is
//! needed.
//!
//! Threads behave like those of a stream, but helpers give up after some looks, and the dispatcher never sleeps. The
//! model checker watches a cell for each record and for each slot. It reports an access that is not ordered after
//! earlier accesses, and a stream that does not end.

use core::ptr::{NonNull, without_provenance_mut};
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::{DISPATCHER, Dispatch, Held};
use crate::base::footprint::Use;
use crate::engine::lanes::Lanes;
use crate::engine::queues::Queues;
use crate::engine::tickets::Tickets;
use schedule::internal::sync::weaken;

const R: Use = Use::Read;
const W: Use = Use::Write;

/// A small stream.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// The records that each event names.
    events: &'static [&'static [(usize, Use)]],
    n_slots: usize,
    n_helpers: usize,
    /// Whether the dispatcher continues with an event that became ready by its completion. Otherwise it leaves the
    /// event to any thread. Only for queues: no case fills the lane of the dispatcher.
    goes_on: bool,
    /// Maximum number of preemptions, if `LOOM_MAX_PREEMPTIONS` is not set.
    n_preemptions: usize,
}

/// Two writers.
const LINE: Case = Case {
    events: &[&[(0, W)], &[(0, W)]],
    n_slots: 2,
    n_helpers: 1,
    goes_on: false,
    n_preemptions: 2,
};

/// Readers between writers.
const READERS: Case = Case {
    events: &[&[(0, W)], &[(0, R)], &[(0, R)], &[(0, W)]],
    n_slots: 4,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// The last event waits for both others.
const TWO_KEYS: Case = Case {
    events: &[&[(0, W)], &[(1, W)], &[(1, W), (0, W)]],
    n_slots: 4,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// Slots are reused, for events with more links than a slot has.
const AGAIN: Case = Case {
    events: &[
        &[(0, W), (1, R), (2, R), (3, R), (4, W)],
        &[(4, W)],
        &[(0, W), (1, W), (2, R), (3, R), (4, R)],
        &[(1, R)],
    ],
    n_slots: 2,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// Slots are reused, for events that wait for less.
const FEWER: Case = Case {
    events: &[&[(0, W)], &[(0, W), (2, W)], &[(2, W)], &[(0, R)]],
    n_slots: 2,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// With so few slots, keys 0 and 1 share a queue. An event may be in it twice, and must not wait for itself.
const ONE_QUEUE: Case = Case {
    events: &[
        &[(0, R), (1, W)],
        &[(1, W), (0, R)],
        &[(0, W), (1, W)],
        &[(0, R)],
    ],
    n_slots: 2,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// Two helpers.
const TRIO: Case = Case {
    events: &[&[(0, W)], &[(0, R)]],
    n_slots: 4,
    n_helpers: 2,
    goes_on: true,
    n_preemptions: 1,
};

/// Two readers and a writer, for lanes. With queues the readers could run at once, which has too many interleavings.
const CROWD: Case = Case {
    events: &[&[(0, R)], &[(0, R)], &[(0, W)]],
    n_slots: 4,
    n_helpers: 2,
    goes_on: true,
    n_preemptions: 1,
};

/// The last two events can begin before the second one. With lanes they go to the lane of the dispatcher.
const FORK: Case = Case {
    events: &[&[(0, W), (1, W)], &[(0, W)], &[(1, W)], &[(1, W)]],
    n_slots: 4,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

// The fastest cases come first: one case must fail for each weakened ordering.
const CASES: [Case; 8] = [TWO_KEYS, TRIO, LINE, FEWER, READERS, FORK, ONE_QUEUE, AGAIN];

/// A writer waits for a reader.
const READER: Case = Case {
    events: &[&[(0, R)], &[(0, W)]],
    n_slots: 2,
    n_helpers: 1,
    goes_on: true,
    n_preemptions: 2,
};

/// More keys than any case has.
const N_KEYS: usize = 5;

struct ModelState<O> {
    case: Case,
    order: O,
    /// `slots[s]`: which event is in slot s, and whether it was handled.
    slots: Vec<UnsafeCell<(usize, bool)>>,
    /// `written[k]`: how often record k was written.
    written: Vec<UnsafeCell<usize>>,
}

// The cells check the accesses of each event.
#[expect(unsafe_code, reason = "the model checker watches the cells")]
// SAFETY: the cells are the shared state, and the model checker fails on each access that is not ordered.
unsafe impl<O: Sync> Sync for ModelState<O> {}

#[expect(unsafe_code, reason = "the model checker watches the cells")]
// SAFETY: as for `Sync`.
unsafe impl<O: Send> Send for ModelState<O> {}

fn read<T: Copy>(cell: &UnsafeCell<T>) -> T {
    #[expect(unsafe_code, reason = "the model checker watches the cell")]
    // SAFETY: the model checker fails if this read is not ordered after the last write.
    cell.with(|value| unsafe { *value })
}

fn write<T>(cell: &UnsafeCell<T>, to: T) {
    #[expect(unsafe_code, reason = "the model checker watches the cell")]
    // SAFETY: the model checker fails if this write is not ordered after all earlier accesses.
    cell.with_mut(|value| unsafe { *value = to });
}

impl<O: Dispatch> ModelState<O> {
    /// Handles an event.
    fn handle(&self, slot: usize) {
        let (event, is_handled) = read(&self.slots[slot]);
        assert!(!is_handled, "{event} is handed out once");
        let before = &self.case.events[..event];
        for &(key, how) in self.case.events[event] {
            let names = |event: &&&[(usize, Use)]| event.contains(&(key, W));
            let n_written = before.iter().filter(names).count();
            assert_eq!(read(&self.written[key]), n_written, "{event} on {key}");
            if how == W {
                write(&self.written[key], n_written + 1);
            }
        }
        write(&self.slots[slot], (event, true));
    }

    /// Handles an event, and those that its completion hands out.
    fn work(&self, thread: usize, held: Held) {
        let mut next = Some(held);
        while let Some(held) = next {
            self.handle(held.slot());
            let goes_on = thread != DISPATCHER || self.case.goes_on;
            next = self.order.complete(thread, held, goes_on).next;
        }
    }

    fn work_if_any(&self, thread: usize) -> bool {
        let taken = self.order.take(thread, true);
        if let Some(held) = taken {
            self.work(thread, held);
        }
        taken.is_some()
    }

    fn help(&self, thread: usize) {
        // One look each with two helpers: three threads have many interleavings.
        for _ in 0..2 / self.case.n_helpers {
            if !self.work_if_any(thread) {
                thread::yield_now();
            }
        }
    }

    fn dispatcher(&self) {
        let mut dispatcher = self.order.dispatcher();
        let (mut n_come, mut n_gone) = (0, 0);
        while n_gone < self.case.events.len() {
            let slot = n_come % self.case.n_slots;
            if n_come < self.case.events.len() && n_come - n_gone < self.case.n_slots {
                write(&self.slots[slot], (n_come, false));
                let footprint = self.case.events[n_come].iter();
                let address = |key: usize| NonNull::new(without_provenance_mut(16 * key + 16));
                let footprint = footprint.filter_map(|&(key, how)| Some((address(key)?, how)));
                let footprint: Vec<_> = footprint.collect();
                self.order.wanted(&mut dispatcher, 1);
                if self.order.arrive(&mut dispatcher, slot, &footprint) {
                    self.handle(slot);
                }
                self.order.publish(&mut dispatcher);
                n_come += 1;
                continue;
            }
            let oldest = n_gone % self.case.n_slots;
            if self.order.is_done(&mut dispatcher, oldest) {
                assert_eq!(read(&self.slots[oldest]), (n_gone, true));
                self.order.release(&mut dispatcher, oldest);
                self.order.set_oldest((n_gone + 1) % self.case.n_slots);
                n_gone += 1;
            } else if !self.work_if_any(DISPATCHER) {
                thread::yield_now();
            }
        }
    }
}

impl Case {
    fn check<O: Dispatch>(self) {
        let shared = Arc::new(ModelState {
            case: self,
            order: O::new(self.n_slots, 1 + self.n_helpers),
            slots: (0..self.n_slots)
                .map(|_| UnsafeCell::new((0, true)))
                .collect(),
            written: (0..N_KEYS).map(|_| UnsafeCell::new(0)).collect(),
        });
        for nth in 0..self.n_helpers {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.help(DISPATCHER + 1 + nth));
        }
        shared.dispatcher();
    }

    /// Returns whether the model checker finds no error.
    fn holds<O: Dispatch>(self) -> bool {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = builder.preemption_bound.or(Some(self.n_preemptions));
        // On a separate thread: state that a failed check leaves behind must not affect the next one.
        std::thread::spawn(move || builder.check(move || self.check::<O>()))
            .join()
            .is_ok()
    }
}

fn check_all<O: Dispatch>(cases: &[Case], needed: &[&'static str]) {
    weaken(None);
    for case in cases {
        assert!(case.holds::<O>(), "{case:?}");
    }
    for name in needed {
        weaken(Some(name));
        let is_caught = cases.iter().any(|case| !case.holds::<O>());
        assert!(is_caught, "`{name}` is not needed");
    }
    weaken(None);
}

#[test]
fn queues_are_right_in_all_interleavings_and_need_each_ordering() {
    let needed = [
        "arrive",
        "is over",
        "is completed",
        "hang",
        "complete",
        "decrement",
        "done",
        "is done",
        "put",
        "take",
        "summary",
        "forget",
    ];
    check_all::<Queues>(&CASES, &needed);
}

#[test]
fn lanes_are_right_in_all_interleavings_and_need_each_ordering() {
    let needed = [
        "lane, arrive",
        "lane has more",
        "lane has come so far",
        "lane is done",
        "lane, complete",
    ];
    check_all::<Lanes>(&[&CASES[..], &[CROWD]].concat(), &needed);
}

#[test]
fn tickets_are_right_in_all_interleavings_and_need_each_ordering() {
    let needed = [
        "tickets, arrive",
        "tickets, waits",
        "writes",
        "reads",
        "write is done",
        "read is done",
        "tickets, done",
        "tickets, is done",
    ];
    // Threads look through all waiting events, which has many more interleavings.
    check_all::<Tickets>(&[LINE, READER], &needed);
}
