//! A batch that was sent to the workers, and which of its events have ended.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

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
    /// Whether its last event was sent.
    pub(super) is_whole: bool,
    /// The digest of all ends, if the batch was finished before.
    pub(super) finished: Option<u64>,
}

#[derive(Clone, Copy)]
struct EventStatus {
    case: u16,
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
            is_whole: false,
            finished: None,
        }
    }

    /// Adds an event, which has a higher index than all before it.
    pub(super) fn add(&mut self, index: u32, case: usize) {
        self.events.resize(index as usize, None);
        self.events.push(Some(EventStatus {
            case: case as u16,
            has_ended: false,
        }));
        self.n_events += 1;
    }

    /// Prepares to send it to the next generation.
    pub(super) fn send_again(&mut self) {
        (self.n_ended, self.digest) = (0, 0);
        let events = self.events.iter_mut().flatten();
        events.for_each(|event| event.has_ended = false);
    }

    /// Returns whether all its events have ended in this generation.
    pub(super) fn has_ended(&self) -> bool {
        self.n_ended == self.n_events
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
        if let Some(Some(event)) = self.events.get_mut(index as usize) {
            event.has_ended = true;
        }
        let mut hasher = SipHasher13::new();
        hasher.write(bytes);
        self.digest = self.digest.wrapping_add(hasher.finish());
        self.n_ended += 1;
    }

    /// Notes that the ends of its events are given to the stream.
    pub(super) fn finish(&mut self) {
        debug_assert!(self.is_whole, "the last events were added");
        self.finished = Some(self.digest);
    }

    /// Returns whether the batch was finished before, and its ends were others.
    pub(super) fn differs(&self) -> bool {
        self.has_ended() && self.finished.is_some_and(|digest| digest != self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ends_once_in_a_generation() {
        let mut sent = SentBatch::new(7, 2);
        sent.add(0, 4);
        sent.add(2, 5);
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
            assert!(sent.has_ended() && !sent.differs());
            sent.is_whole = true;
            if !finished_before {
                sent.finish();
            }
            sent.send_again();
        }
        sent.end(0, b"zero");
        assert!(!sent.differs());
        sent.end(2, b"three");
        assert!(sent.differs());
    }
}
