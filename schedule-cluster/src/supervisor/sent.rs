//! A batch that was sent to the workers, and which of its events have ended.

use crate::wire::{EndsCheck, digest_of_end};

/// A batch that was sent to the workers since the last manifest.
pub(super) struct SentBatch {
    pub(super) batch: u64,
    /// The frames of each worker.
    pub(super) frames: Vec<Vec<u8>>,
    /// The events, by index. `None`: not sent.
    events: Vec<Option<EventStatus>>,
    n_events: u32,
    /// Number of events that have ended in this generation.
    n_ended: u32,
    /// A digest of their ends, in any order.
    digest: u64,
    /// Number of ends that other processes compute, too, and do not report.
    n_checks: u32,
    /// Number of them whose digests have arrived in this generation.
    n_checked: u32,
    /// The sum of the digests that processes have computed for these ends, without the sum of those that they must be equal to.
    difference: u64,
    /// Whether this generation has not got it: its events run one by one when it is the oldest batch.
    pub(super) is_held: bool,
    /// Whether its last event was sent.
    pub(super) is_complete: bool,
    /// The digest of all ends, if the batch was finished before.
    pub(super) finished: Option<u64>,
}

#[derive(Clone, Copy)]
struct EventStatus {
    case: u16,
    /// Number of processes that run its handler, and do not report its end.
    n_checks: u8,
    /// Whether it has ended in this generation.
    has_ended: bool,
}

impl SentBatch {
    pub(super) fn new(batch: u64, n_processes: u32) -> Self {
        Self {
            batch,
            frames: vec![Vec::new(); n_processes as usize],
            events: Vec::new(),
            n_events: 0,
            n_ended: 0,
            digest: 0,
            n_checks: 0,
            n_checked: 0,
            difference: 0,
            is_held: false,
            is_complete: false,
            finished: None,
        }
    }

    /// Adds an event, which has a higher index than all before it. `n_executors`: the number of processes that run its handler.
    pub(super) fn add(&mut self, index: u32, case: usize, n_executors: u32) {
        self.events.resize(index as usize, None);
        self.events.push(Some(EventStatus {
            case: case as u16,
            n_checks: (n_executors - 1) as u8,
            has_ended: false,
        }));
        self.n_checks += n_executors - 1;
        self.n_events += 1;
    }

    /// Prepares to send it to the next generation. `holds`: not before it is the oldest one, if it is not finished.
    pub(super) fn send_again(&mut self, holds: bool) {
        self.is_held = holds && self.finished.is_none();
        (self.n_ended, self.digest) = (0, 0);
        (self.n_checked, self.difference) = (0, 0);
        let events = self.events.iter_mut().flatten();
        events.for_each(|event| event.has_ended = false);
    }

    /// Returns whether all its events have ended in this generation, in all processes that run their handlers.
    pub(super) fn has_ended(&self) -> bool {
        (self.n_ended, self.n_checked) == (self.n_events, self.n_checks)
    }

    /// Returns whether all events before an index have ended in all processes that run their handlers, and so has this one.
    pub(super) fn has_ended_through(&self, index: u32) -> bool {
        let sent = self.events.iter().take(index as usize + 1).flatten();
        let counts = sent.fold((0, 0), |(n, n_checks), event| {
            (n + 1, n_checks + u32::from(event.n_checks))
        });
        (self.n_ended, self.n_checked) == counts
    }

    /// Takes an event out of the batch, which this generation has not got.
    pub(super) fn remove(&mut self, index: u32) -> Result<(), &'static str> {
        let event = self.events.get_mut(index as usize).and_then(Option::take);
        let event = event.ok_or("the index of an event is unknown")?;
        self.n_events -= 1;
        self.n_checks -= u32::from(event.n_checks);
        Ok(())
    }

    /// Returns the case of an event.
    pub(super) fn case_at(&self, index: u32) -> Option<usize> {
        let event = self.events.get(index as usize)?.as_ref()?;
        Some(event.case.into())
    }

    /// Returns the case of an event that has not ended.
    pub(super) fn case_of(&self, index: u32) -> Result<usize, &'static str> {
        match self.events.get(index as usize) {
            Some(Some(event)) if event.has_ended => Err("an event has ended twice"),
            Some(Some(event)) => Ok(event.case.into()),
            _ => Err("the index of an event is unknown"),
        }
    }

    /// Notes the end of an event, which has these bytes.
    pub(super) fn end(&mut self, index: u32, bytes: &[u8]) {
        let digest = digest_of_end(bytes);
        if let Some(Some(event)) = self.events.get_mut(index as usize) {
            event.has_ended = true;
            let expected = digest.wrapping_mul(event.n_checks.into());
            self.difference = self.difference.wrapping_sub(expected);
        }
        self.digest = self.digest.wrapping_add(digest);
        self.n_ended += 1;
    }

    /// Notes the digest of ends that a process has computed and does not report.
    pub(super) fn check(&mut self, check: &EndsCheck) -> Result<(), &'static str> {
        self.n_checked = self.n_checked.saturating_add(check.n);
        if self.n_checked > self.n_checks {
            return Err("an event has ended twice in a process that does not report it");
        }
        self.difference = self.difference.wrapping_add(check.digest);
        Ok(())
    }

    /// Notes that the ends of its events are given to the stream.
    pub(super) fn finish(&mut self) {
        debug_assert!(self.is_complete, "the last events were added");
        self.finished = Some(self.digest);
    }

    /// Returns why the ends are not those that they must be, once all have arrived.
    pub(super) fn difference(&self) -> Option<&'static str> {
        if !self.has_ended() {
            return None;
        }
        if self.difference != 0 {
            return Some("has different outcomes in two processes");
        }
        let differs = self.finished.is_some_and(|digest| digest != self.digest);
        differs.then_some("has other outcomes than before")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ends_once_in_a_generation() {
        let mut sent = SentBatch::new(7, 2);
        sent.add(0, 4, 1);
        sent.add(2, 5, 1);
        for finished_before in [false, true] {
            assert_eq!(sent.case_of(2), Ok(5));
            sent.end(2, b"two");
            assert_eq!(sent.case_of(2), Err("an event has ended twice"));
            for unknown in [1, 3] {
                assert_eq!(
                    sent.case_of(unknown),
                    Err("the index of an event is unknown")
                );
            }
            assert!(!sent.has_ended());
            assert_eq!(sent.case_of(0), Ok(4));
            sent.end(0, b"zero");
            assert!(sent.has_ended() && sent.difference().is_none());
            sent.is_complete = true;
            if !finished_before {
                sent.finish();
            }
            sent.send_again(false);
        }
        sent.end(0, b"zero");
        assert_eq!(sent.difference(), None);
        sent.end(2, b"three");
        assert_eq!(sent.difference(), Some("has other outcomes than before"));
    }

    #[test]
    fn ends_in_all_processes_are_compared() {
        for (other, expected) in [
            ("one", None),
            ("two", Some("has different outcomes in two processes")),
        ] {
            let mut sent = SentBatch::new(7, 3);
            sent.add(0, 4, 3);
            sent.add(1, 4, 1);
            let check = |n, ends: &[&str]| EndsCheck {
                batch: 7,
                n,
                digest: ends.iter().fold(0, |sum: u64, end| {
                    sum.wrapping_add(digest_of_end(end.as_bytes()))
                }),
            };
            for is_again in [false, true] {
                sent.check(&check(1, &["one"])).unwrap();
                sent.end(0, b"one");
                sent.end(1, b"end");
                assert!(!sent.has_ended());
                sent.check(&check(1, &[other])).unwrap();
                assert!(sent.has_ended());
                assert_eq!(sent.difference(), expected, "{is_again}");
                assert!(sent.check(&check(1, &["one"])).is_err());
                sent.send_again(false);
            }
        }
    }
}
