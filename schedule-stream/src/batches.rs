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
    /// The index in the current batch at which no more events of the input arrive. 0 if no batch may begin.
    input_end: u32,
    /// Whether the events of the input have arrived in the current batch, so that its follow-up events come next.
    is_input_over: bool,
    /// Maximum number of batches that may still end, including the current one.
    max_batches: u64,
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
            input_end: 0,
            is_input_over: false,
            max_batches: 0,
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

    /// Begins a call with at most `max_batches` batches. `next` is the position of its first event. No event is in flight.
    pub(super) fn begin(&mut self, next: Position, max_batches: u64) {
        self.go_to(next);
        self.max_batches = max_batches;
        self.allow_input();
    }

    /// Sets `input_end` for the current batch.
    fn allow_input(&mut self) {
        self.input_end = match self.max_batches {
            0 => 0,
            _ => MAX_OUTSIDE,
        };
    }

    /// Returns whether no further batch may begin.
    pub(super) fn is_at_limit(&self) -> bool {
        self.max_batches == 0
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
        self.next.index < self.input_end
    }

    /// Returns whether the events of the input have arrived, so that follow-up events come next.
    pub(super) fn is_input_over(&self) -> bool {
        self.is_input_over
    }

    /// Notes that the current batch has no more events of the input.
    pub(super) fn end_input(&mut self) {
        self.is_input_over = true;
        self.input_end = 0;
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

    /// Counts an event that arrives.
    #[inline(always)]
    pub(super) fn arrive(&mut self) {
        self.next.index += 1;
    }

    /// Returns the last event that has arrived. It is in the current batch.
    #[inline(always)]
    pub(super) fn last_info(&self) -> EventInfo {
        EventInfo {
            position: Position::new(self.next.batch, self.next.index - 1),
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
        self.max_batches -= 1;
        self.allow_input();
    }

    /// Counts a reported event. Returns its position, and whether it is the last one of its batch.
    #[inline(always)]
    pub(super) fn report(&mut self) -> (Position, bool) {
        let position = self.reported;
        self.reported.index += 1;
        let is_last = self.reported.index == self.reported_len;
        if is_last {
            self.go_on();
        }
        (position, is_last)
    }

    /// Advances `reported` to the next batch.
    #[cold]
    fn go_on(&mut self) {
        self.reported = self.reported.next_batch();
        self.reported_len = self.lengths.pop_front().unwrap_or(u32::MAX);
    }

    /// Returns whether follow-up events are in flight.
    #[inline(always)]
    pub(super) fn has_causes(&self) -> bool {
        !self.causes.is_empty()
    }

    /// Returns the cause of a reported event, if it is a follow-up event.
    #[cold]
    pub(super) fn take_cause(&mut self, position: Position) -> Option<Position> {
        let is_this = |of: &&(Position, Position)| of.0 == position;
        self.causes.front().filter(is_this)?;
        Some(self.causes.pop_front()?.1)
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

    fn begun<E>() -> Batches<E> {
        let mut batches = Batches::new();
        batches.begin(Position::default(), u64::MAX);
        batches
    }

    #[test]
    fn positions_are_counted_at_arrival_and_again_at_reports() {
        let mut batches = begun::<()>();
        for n in [2, 1] {
            (0..n).for_each(|_| batches.arrive());
            batches.close();
        }
        batches.arrive();
        assert_eq!(batches.last_info().position, Position::new(2, 0));
        assert!(!batches.is_previous_reported());
        let expected = [(0, 0, false), (0, 1, true), (1, 0, true), (2, 0, false)];
        for (batch, index, is_last) in expected {
            let position = Position::new(batch, index);
            assert_eq!(batches.report(), (position, is_last));
        }
        assert!(batches.is_previous_reported());
        batches.close();
        assert_eq!(batches.reported(), Position::new(3, 0));
    }

    #[test]
    fn follow_up_event_names_its_cause_and_comes_in_the_next_batch() {
        let mut batches = begun();
        batches.arrive();
        let (cause, _) = batches.report();
        batches
            .pending
            .push_back(PendingEvent { cause, event: "b" });
        assert_eq!(batches.next_follow_up(), None);
        batches.close();
        batches.arrive();
        assert_eq!(batches.next_follow_up(), Some("b"));
        batches.arrive();
        let first = batches.report().0;
        assert_eq!(batches.take_cause(first), None);
        let second = batches.report().0;
        assert_eq!(second, Position::new(1, 1));
        assert_eq!(batches.take_cause(second), Some(cause));
        assert!(!batches.has_causes());
    }

    #[test]
    fn number_of_batches_is_limited() {
        let mut batches = Batches::<()>::new();
        batches.begin(Position::default(), 1);
        assert!(batches.takes_input() && !batches.is_at_limit());
        batches.arrive();
        batches.close();
        assert!(!batches.takes_input() && batches.is_at_limit());
    }
}
