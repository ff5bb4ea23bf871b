//! Random events, and a clock that is the same in each run.

use schedule_stream::BatchTime;

use super::{Act, Entry, Fault, N_ACCOUNTS};

/// A generator of random numbers and events.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator. The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// Returns a number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.number() >> 32) % n
    }

    fn act(&mut self, depth: u32) -> Act {
        // Some accounts do not exist.
        let account = |random: &mut Self| random.below(u64::from(N_ACCOUNTS) + 4) as u32;
        let n_many = self.below(8);
        Act {
            a: account(self),
            b: account(self),
            c: self.below(8) as u32,
            many: (0..n_many).map(|_| account(self)).collect(),
            nonce: self.number(),
            spin: if self.below(10) == 0 {
                self.below(20_000) as u32
            } else {
                0
            },
            fault: match self.below(24) {
                0 => Some(Fault::Error),
                1 => Some(Fault::Panic),
                2 => Some(Fault::Key),
                _ => None,
            },
            following: match depth {
                0 => Vec::new(),
                _ => (0..self.below(4)).map(|_| self.entry(depth - 1)).collect(),
            },
        }
    }

    fn entry(&mut self, depth: u32) -> Entry {
        let act = self.act(depth);
        match self.below(12) {
            0 | 1 => Entry::Transfer(act),
            2 => Entry::Copy(act),
            3 => Entry::Merge(act),
            4 => Entry::Look(act),
            5 => Entry::Open(act),
            6 => Entry::Put(act),
            7 => Entry::Bonus(act),
            8 => Entry::Survey(act),
            9 => Entry::Earn(act),
            10 => Entry::SafeMerge(act),
            _ => Entry::Spawn(act),
        }
    }

    /// Returns the events of a batch, which depend only on the seed and the batch.
    pub fn of_batch(seed: u64, batch: u64) -> Vec<Entry> {
        let mut random = Self::new(seed << 20 | batch);
        for _ in 0..4 {
            random.number();
        }
        let n = 1 + random.below(60);
        random.events(n as usize)
    }

    /// Returns random events. Their follow-up events are up to four levels deep.
    pub fn events(&mut self, n: usize) -> Vec<Entry> {
        (0..n).map(|_| self.entry(4)).collect()
    }
}

/// A clock that is the same in each run.
pub fn clock() -> impl FnMut() -> BatchTime + Send {
    clock_after(0)
}

/// The same clock after some batches.
pub fn clock_after(n_batches: u64) -> impl FnMut() -> BatchTime + Send {
    let mut now = n_batches * 1_000;
    move || {
        now += 1_000;
        BatchTime::from_nanos(now)
    }
}
