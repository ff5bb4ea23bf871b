//! The division of events into batches, which determines their order.
//!
//! A batch begins with events of the input, at most [`MAX_OUTSIDE`]. The follow-up events that the previous batch has
//! caused come after them, in the order of their causes. So the same events and the same divisions give the same
//! positions, on any number of threads.
//!
//! Events of a batch may arrive while those of the previous one are in flight. Only its follow-up events must wait
//! until the previous batch is reported: before that, they are not known.

use core::fmt;
use std::collections::VecDeque;

use super::position::{BatchTime, EventInfo, Position};
use schedule::internal::FirstPanic;

/// Maximum number of events of the input in a batch.
pub(super) const MAX_OUTSIDE: u32 = 2048;

/// A follow-up event that has not arrived.
#[derive(Debug)]
pub(super) struct PendingEvent<E> {
    /// The position of the event whose handler returned it.
    pub(super) cause: Position,
    pub(super) event: E,
}

/// The positions of the events that arrive, and of those that are reported.
///
/// Invariant: `reported <= next`. `pending` is in the order of causes.
pub(super) struct Batches<E> {
    /// The position of the next event that arrives.
    next: Position,
    /// Whether the events of the input have arrived in the current batch, so that its follow-up events come next.
    is_input_over: bool,
    /// The time of the current batch.
    time: BatchTime,
    /// Follow-up events, in the order of their positions.
    pub(super) pending: VecDeque<PendingEvent<E>>,
    /// The position of the next event that is reported.
    reported: Position,
    /// The length of the batch of `reported`, `u32::MAX` if it is not complete.
    reported_len: u32,
    /// The lengths of the batches after it that are complete.
    lengths: VecDeque<u32>,
    /// The positions and causes of the follow-up events in flight, in order.
    causes: VecDeque<(Position, Position)>,
}

impl<E> Batches<E> {
    pub(super) fn new() -> Self {
        Self {
            next: Position::default(),
            is_input_over: false,
            time: BatchTime::default(),
            pending: VecDeque::new(),
            reported: Position::default(),
            reported_len: u32::MAX,
            lengths: VecDeque::new(),
            causes: VecDeque::new(),
        }
    }

    /// Returns the position of the next event that arrives.
    #[inline(always)]
    pub(super) fn next(&self) -> Position {
        self.next
    }

    /// Returns the position of the next event that is reported.
    #[inline(always)]
    pub(super) fn reported(&self) -> Position {
        self.reported
    }

    /// Returns the next event that is reported, if its batch is the current one.
    #[inline(always)]
    pub(super) fn reported_info(&self) -> EventInfo {
        EventInfo {
            position: self.reported,
            time: self.time,
        }
    }

    /// Returns the time of the current batch.
    pub(super) fn time(&self) -> BatchTime {
        self.time
    }

    pub(super) fn set_time(&mut self, time: BatchTime) {
        self.time = time;
    }

    /// Sets the position of the next event. No event is in flight.
    pub(super) fn go_to(&mut self, next: Position) {
        self.next = next;
        self.reported = next;
        self.reported_len = u32::MAX;
        self.lengths.clear();
        self.causes.clear();
        self.is_input_over = false;
    }

    /// Returns whether the next event may come from the input.
    #[inline(always)]
    pub(super) fn takes_input(&self) -> bool {
        !self.is_input_over && self.next.index < MAX_OUTSIDE
    }

    /// Returns whether the events of the input have arrived, so that follow-up events come next.
    pub(super) fn is_input_over(&self) -> bool {
        self.is_input_over
    }

    /// Notes that the current batch has no more events of the input.
    pub(super) fn end_input(&mut self) {
        self.is_input_over = true;
    }

    /// Returns whether no event has arrived in the current batch.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.next.index == 0
    }

    /// Returns whether all events of earlier batches are reported.
    #[inline(always)]
    pub(super) fn is_previous_reported(&self) -> bool {
        self.reported.batch >= self.next.batch
    }

    /// Counts an event that arrives, and returns what its handler may ask for.
    #[inline(always)]
    pub(super) fn arrive(&mut self) -> EventInfo {
        let position = self.next;
        self.next.index += 1;
        EventInfo {
            position,
            time: self.time,
        }
    }

    /// Returns the next follow-up event of the current batch. All events of earlier batches are reported.
    pub(super) fn next_follow_up(&mut self) -> Option<E> {
        let is_due = |one: &PendingEvent<E>| one.cause.batch < self.next.batch;
        if !self.pending.front().is_some_and(is_due) {
            return None;
        }
        let PendingEvent { cause, event } = self.pending.pop_front()?;
        self.causes.push_back((self.next, cause));
        Some(event)
    }

    /// Ends the current batch, and begins the next one.
    pub(super) fn close(&mut self) {
        let n = self.next.index;
        if self.reported.batch < self.next.batch {
            self.lengths.push_back(n);
        } else if self.reported.index == n {
            self.reported = self.next.next_batch();
        } else {
            self.reported_len = n;
        }
        self.next = self.next.next_batch();
        self.is_input_over = false;
    }

    /// Counts a reported event. Returns its position, and that of its cause.
    #[inline(always)]
    pub(super) fn report(&mut self) -> (Position, Option<Position>) {
        let position = self.reported;
        self.reported.index += 1;
        if self.reported.index == self.reported_len {
            self.reported = self.reported.next_batch();
            self.reported_len = self.lengths.pop_front().unwrap_or(u32::MAX);
        }
        let is_this = |of: &&(Position, Position)| of.0 == position;
        match self.causes.front().filter(is_this) {
            None => (position, None),
            Some((_, cause)) => {
                let cause = *cause;
                self.causes.pop_front();
                (position, Some(cause))
            }
        }
    }
}

impl<E> Drop for Batches<E> {
    /// Drops pending events one at a time, because their destructors may panic.
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.pending.drain(..));
        panics.resume_from_drop();
    }
}

impl<E> fmt::Debug for Batches<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("next", &self.next)
            .field("n_pending", &self.pending.len())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_at_arrival_and_again_at_reports() {
        let mut batches = Batches::<()>::new();
        for n in [2, 1] {
            (0..n).for_each(|_| {
                batches.arrive();
            });
            batches.close();
        }
        assert_eq!(batches.arrive().position, Position::new(2, 0));
        assert!(!batches.is_previous_reported());
        let expected = [(0, 0), (0, 1), (1, 0), (2, 0)];
        for (batch, index) in expected {
            let position = Position::new(batch, index);
            assert_eq!(batches.report(), (position, None));
        }
        assert!(batches.is_previous_reported());
        batches.close();
        assert_eq!(batches.reported(), Position::new(3, 0));
    }

    #[test]
    fn follow_up_event_names_its_cause_and_comes_in_the_next_batch() {
        let mut batches = Batches::new();
        batches.arrive();
        let (cause, _) = batches.report();
        batches
            .pending
            .push_back(PendingEvent { cause, event: "b" });
        assert_eq!(batches.next_follow_up(), None);
        batches.close();
        batches.arrive();
        assert_eq!(batches.next_follow_up(), Some("b"));
        let position = batches.arrive().position;
        assert_eq!(batches.report().1, None);
        assert_eq!(batches.report(), (position, Some(cause)));
    }
}
