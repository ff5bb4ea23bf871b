//! A queue for each key, in a single scheduler.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::entry::{Entry, Key, Keys};
use crate::scheduler::Scheduler;

/// An event waits in the queues of all its keys. It is ready when it is not blocked in any of them.
pub(crate) struct Queues {
    /// The queues, by cell.
    queues: Vec<Queue>,
    /// The events, by position.
    waits: Vec<Wait>,
    ready: VecDeque<u32>,
}

#[derive(Clone, Default)]
struct Queue {
    n_readers: u32,
    is_written: bool,
    /// The waiting events, and whether each writes.
    blocked: VecDeque<(u32, bool)>,
}

#[derive(Clone, Copy)]
struct Wait {
    keys: Keys,
    /// The number of keys by which it is blocked.
    n_blocking: u32,
}

impl Queues {
    pub(crate) fn new(batch: &Batch) -> Self {
        let wait = |entry: &Entry| Wait {
            keys: entry.keys(),
            n_blocking: 0,
        };
        Self {
            queues: vec![Queue::default(); batch.opening.len()],
            waits: batch.entries.iter().map(wait).collect(),
            ready: VecDeque::new(),
        }
    }
}

impl Queue {
    /// Adds an event. Returns whether it may run at once. Events do not overtake waiting ones.
    fn enter(&mut self, position: u32, is_write: bool) -> bool {
        let is_free = self.blocked.is_empty() && self.lets_in(is_write);
        if is_free {
            self.hold(is_write)
        } else {
            self.blocked.push_back((position, is_write))
        }
        is_free
    }

    fn lets_in(&self, is_write: bool) -> bool {
        !self.is_written && (!is_write || self.n_readers == 0)
    }

    fn hold(&mut self, is_write: bool) {
        if is_write {
            self.is_written = true
        } else {
            self.n_readers += 1
        }
    }

    fn leave(&mut self, is_write: bool) {
        if is_write {
            self.is_written = false
        } else {
            self.n_readers -= 1
        }
    }
}

impl Scheduler for Queues {
    fn insert(&mut self, position: u32, _: &Entry) {
        let wait = &mut self.waits[position as usize];
        wait.n_blocking = 0;
        for key in wait.keys.iter() {
            let is_write = matches!(key, Key::Write(_));
            if !self.queues[key.cell() as usize].enter(position, is_write) {
                wait.n_blocking += 1;
            }
        }
        if wait.n_blocking == 0 {
            self.ready.push_back(position);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        self.ready.pop_front()
    }

    fn finish(&mut self, position: u32) {
        let keys = self.waits[position as usize].keys;
        for key in keys.iter() {
            let queue = &mut self.queues[key.cell() as usize];
            queue.leave(matches!(key, Key::Write(_)));
            while let Some(&(next, is_write)) = queue.blocked.front()
                && queue.lets_in(is_write)
            {
                queue.hold(is_write);
                queue.blocked.pop_front();
                let wait = &mut self.waits[next as usize];
                wait.n_blocking -= 1;
                if wait.n_blocking == 0 {
                    self.ready.push_back(next);
                }
            }
        }
    }
}
