//! A part of a stretch on several threads, which ends where a call does, or where there is nothing to do.

use schedule::internal::Instant;

/// The clock is looked at after so many events, at most.
const MOST_UNSEEN: usize = 64;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: Instant,
    /// How many events were processed by then.
    pub(super) n_before: u64,
    /// How many were told since, and at how many the clock is looked at.
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

    /// So many events more were told. Whether it is time to look at the clock.
    pub(super) fn wants_look(&mut self, n_reported: usize) -> bool {
        self.n_reported += n_reported;
        let wants_look = self.n_reported >= self.next_look;
        if wants_look {
            self.next_look = self.n_reported + (self.n_reported / 4).clamp(1, MOST_UNSEEN);
        }
        wants_look
    }
}
