//! A queue for each key, in the hands of one scheduler.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::entry::{Entry, Key, Keys};
use crate::scheduler::Scheduler;

/// An event waits in the queues of all of its keys, and is ready when none of them holds it back.
pub(crate) struct Queues {
    /// By cell.
    queues: Vec<Queue>,
    /// By position.
    waits: Vec<Wait>,
    ready: VecDeque<u32>,
}

#[derive(Clone, Default)]
struct Queue {
    n_readers: u32,
    is_written: bool,
    /// Who waits, and whether to write.
    blocked: VecDeque<(u32, bool)>,
}

#[derive(Clone, Copy)]
struct Wait {
    keys: Keys,
    /// How many keys hold it back.
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
        match is_free {
            true => self.hold(is_write),
            false => self.blocked.push_back((position, is_write)),
        }
        is_free
    }

    fn lets_in(&self, is_write: bool) -> bool {
        !self.is_written && (!is_write || self.n_readers == 0)
    }

    fn hold(&mut self, is_write: bool) {
        match is_write {
            true => self.is_written = true,
            false => self.n_readers += 1,
        }
    }

    fn leave(&mut self, is_write: bool) {
        match is_write {
            true => self.is_written = false,
            false => self.n_readers -= 1,
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
