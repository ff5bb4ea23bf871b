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

use super::limits::Limits;
use super::position::{BatchTime, EventInfo, Position};
use super::reason::ExceededLimit;
use schedule::internal::FirstPanic;

/// Maximum number of events of the input in a batch.
pub(super) const MAX_OUTSIDE: u32 = 2048;

/// A follow-up event that has not arrived.
#[derive(Debug)]
pub(super) struct PendingEvent<E> {
    /// The position of the event whose handler returned it.
    pub(super) cause: Position,
    /// The depth of the follow-up event: one more than that of its cause. An event of the input has depth 0.
    pub(super) depth: u32,
    pub(super) event: E,
}

/// A follow-up event in flight.
#[derive(Clone, Copy, Debug)]
struct FollowUpInFlight {
    position: Position,
    cause: Position,
    depth: u32,
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
    /// The index of the first follow-up event in the current batch, if `is_input_over`.
    first_follow_up: u32,
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
    /// The follow-up events in flight, in the order of positions.
    causes: VecDeque<FollowUpInFlight>,
    /// Positions of events that do not stop the stream if they fail. Empty, except in a durable stream.
    pub(super) skipped: Vec<Position>,
}

impl<E> Batches<E> {
    pub(super) fn new() -> Self {
        Self {
            next: Position::default(),
            input_end: 0,
            is_input_over: false,
            first_follow_up: 0,
            max_batches: 0,
            time: BatchTime::default(),
            pending: VecDeque::new(),
            reported: Position::default(),
            reported_len: u32::MAX,
            lengths: VecDeque::new(),
            causes: VecDeque::new(),
            skipped: Vec::new(),
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
    #[cfg(feature = "durable")]
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
        self.first_follow_up = self.next.index;
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

    /// Returns the next follow-up event of the current batch, and the limit that it exceeds. All events of earlier
    /// batches are reported.
    pub(super) fn next_follow_up(&mut self, limits: &Limits) -> Option<(E, Option<ExceededLimit>)> {
        let is_due = |one: &PendingEvent<E>| one.cause.batch < self.next.batch;
        if !self.pending.front().is_some_and(is_due) {
            return None;
        }
        let pending = self.pending.pop_front()?;
        let PendingEvent {
            cause,
            depth,
            event,
        } = pending;
        self.causes.push_back(FollowUpInFlight {
            position: self.next,
            cause,
            depth,
        });
        let n_before = self.next.index - self.first_follow_up;
        let exceeded = if depth > limits.max_depth {
            Some(ExceededLimit::Depth)
        } else if n_before >= limits.max_follow_ups {
            Some(ExceededLimit::FollowUps)
        } else {
            None
        };
        Some((event, exceeded))
    }

    /// Returns the depth of the next follow-up events of a reported event.
    #[cold]
    pub(super) fn depth_after(&self, position: Position) -> u32 {
        let of_cause = self.follow_up_at(position).map_or(0, |one| one.depth);
        of_cause.saturating_add(1)
    }

    /// Returns the follow-up event at this position, if it is the oldest one in flight.
    fn follow_up_at(&self, position: Position) -> Option<&FollowUpInFlight> {
        let first = self.causes.front();
        first.filter(|one| one.position == position)
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
        self.follow_up_at(position)?;
        Some(self.causes.pop_front()?.cause)
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
        let limits = Limits::new();
        batches.arrive();
        let (cause, _) = batches.report();
        let depth = batches.depth_after(cause);
        let event = "b";
        batches.pending.push_back(PendingEvent {
            cause,
            depth,
            event,
        });
        assert_eq!(batches.next_follow_up(&limits), None);
        batches.close();
        batches.arrive();
        batches.end_input();
        assert_eq!(batches.next_follow_up(&limits), Some(("b", None)));
        assert_eq!(batches.depth_after(Position::new(1, 0)), 1);
        assert_eq!(batches.depth_after(Position::new(1, 1)), 2);
        batches.arrive();
        let first = batches.report().0;
        assert_eq!(batches.take_cause(first), None);
        let second = batches.report().0;
        assert_eq!(second, Position::new(1, 1));
        assert_eq!(batches.take_cause(second), Some(cause));
        assert!(!batches.has_causes());
    }

    #[test]
    fn follow_up_event_above_a_limit_is_refused_by_its_depth_or_index() {
        let limits = Limits::new().max_depth(3).max_follow_ups(2);
        let mut batches = begun();
        let cause = Position::default();
        for depth in [4, 3, 1, 4] {
            batches.pending.push_back(PendingEvent {
                cause,
                depth,
                event: depth,
            });
        }
        batches.arrive();
        batches.close();
        (0..7).for_each(|_| batches.arrive());
        batches.end_input();
        let expected = [
            (4, Some(ExceededLimit::Depth)),
            (3, None),
            (1, Some(ExceededLimit::FollowUps)),
            (4, Some(ExceededLimit::Depth)),
        ];
        for one in expected {
            assert_eq!(batches.next_follow_up(&limits), Some(one));
            batches.arrive();
        }
        assert_eq!(batches.next_follow_up(&limits), None);
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
