//! When the workers were heard of, and whether one is silent.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Watches the silence of workers.
#[derive(Debug)]
pub(super) struct Heartbeats {
    start: Instant,
    /// `heard[i]`: when bytes of worker i arrived last, in nanoseconds after `start`.
    heard: Arc<[AtomicU64]>,
    limit: Duration,
    /// When this process last looked for silent workers.
    looked: Instant,
    /// Silence before this time is not judged.
    since: Instant,
}

impl Heartbeats {
    /// Workers that are silent for longer than `limit` have failed.
    pub(super) fn new(n: usize, limit: Duration) -> Self {
        let start = Instant::now();
        Self {
            start,
            heard: (0..n).map(|_| AtomicU64::new(0)).collect(),
            limit,
            looked: start,
            since: start,
        }
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// The time between two looks.
    pub(super) fn interval(&self) -> Duration {
        self.limit / 4
    }

    /// Returns a reader of the bytes of a worker, which notes when they arrive.
    pub(super) fn listen<R: Read>(&self, index: u32, from: R) -> Heard<R> {
        Heard {
            from,
            start: self.start,
            heard: Arc::clone(&self.heard),
            index: index as usize,
        }
    }

    /// Notes that this process looks for silent workers. Must be called at least once in each interval. If a call comes much
    /// later, this process did not run, or it waited for a disk: the messages of the workers may still wait to be read. The
    /// silence of the workers is then judged from now on. Returns the time that was lost.
    pub(super) fn look(&mut self, now: Instant) -> Duration {
        let gap = now - self.looked;
        self.looked = now;
        if gap <= self.limit / 2 {
            return Duration::ZERO;
        }
        self.since = now;
        gap
    }

    /// Returns the worker that was silent for the longest time, if this is longer than the limit.
    pub(super) fn silent(&self, now: Instant) -> Option<u32> {
        let (index, last) = self.oldest();
        (now.saturating_duration_since(last.max(self.since)) > self.limit).then_some(index)
    }

    /// Returns the worker that was silent for the longest time, and when it was heard of.
    pub(super) fn oldest(&self) -> (u32, Instant) {
        let heard = self.heard.iter().map(|of| {
            // Relaxed: no other value depends on the time.
            self.start + Duration::from_nanos(of.load(Ordering::Relaxed))
        });
        let oldest = (0..).zip(heard).min_by_key(|of| of.1);
        oldest.expect("a cluster has a worker")
    }
}

/// See [`Heartbeats::listen`].
#[derive(Debug)]
pub(super) struct Heard<R> {
    from: R,
    start: Instant,
    heard: Arc<[AtomicU64]>,
    index: usize,
}

impl<R: Read> Read for Heard<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to);
        let nanos = self.start.elapsed().as_nanos() as u64;
        // Relaxed: no other value depends on the time.
        self.heard[self.index].store(nanos, Ordering::Relaxed);
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(100);

    #[test]
    fn worker_that_sends_nothing_is_silent() {
        let mut heartbeats = Heartbeats::new(2, LIMIT);
        let mut now = heartbeats.start;
        heartbeats.heard[1].store(1, Ordering::Relaxed);
        for _ in 0..4 {
            now += heartbeats.interval();
            assert_eq!(heartbeats.look(now), Duration::ZERO);
            assert_eq!(heartbeats.silent(now), None);
        }
        now += heartbeats.interval();
        assert_eq!(heartbeats.look(now), Duration::ZERO);
        assert_eq!(heartbeats.silent(now), Some(0));
        assert_eq!(heartbeats.listen(0, &[7_u8][..]).read(&mut [0]).unwrap(), 1);
        assert_ne!(heartbeats.heard[0].load(Ordering::Relaxed), 0);
    }

    #[test]
    fn silence_is_not_judged_directly_after_a_pause_of_this_process() {
        let mut heartbeats = Heartbeats::new(2, LIMIT);
        let mut now = heartbeats.start + LIMIT * 10;
        assert_eq!(heartbeats.look(now), LIMIT * 10);
        assert_eq!(heartbeats.silent(now), None);
        for _ in 0..5 {
            now += heartbeats.interval();
            assert_eq!(heartbeats.look(now), Duration::ZERO);
        }
        assert_eq!(heartbeats.silent(now), Some(0));
    }
}
