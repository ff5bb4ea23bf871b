//! A part of a stretch on several threads. It ends with a call, or when no event is available.

use schedule::internal::Instant;

/// Maximum number of events between two reads of the clock.
const MOST_UNSEEN: usize = 64;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: Instant,
    /// Number of events that were processed before the start.
    pub(super) n_before: u64,
    /// Number of events that were reported since, and the number at which the clock is read next.
    n_reported: usize,
    next_look: usize,
}

impl Piece {
    pub(super) fn new(start: Instant, n_before: u64) -> Self {
        Self {
            start,
            n_before,
            n_reported: 0,
            next_look: 1,
        }
    }

    /// Counts reports. Returns whether it is time to read the clock.
    pub(super) fn wants_look(&mut self, n_reported: usize) -> bool {
        self.n_reported += n_reported;
        let wants_look = self.n_reported >= self.next_look;
        if wants_look {
            self.next_look = self.n_reported + (self.n_reported / 4).clamp(1, MOST_UNSEEN);
        }
        wants_look
    }
}
