//! The division of events into batches, which determines their order.
//!
//! A batch begins with events of the input, at most [`MAX_OUTSIDE`]. The follow-up events that earlier batches have
//! caused come after them, in the order of their causes, up to the budget of a batch. The others wait for later
//! batches. So the same events and the same divisions give the same positions, on any number of threads.
//!
//! Events of a batch may arrive while those of the previous one are in flight. Only its follow-up events must wait
//! until the previous batch is reported: before that, they are not known. The events of the input must wait as long as
//! the previous batch may cause more than a budget of follow-up events: see [`InputGate`].

#[cfg(all(test, not(loom)))]
mod tests;

use core::fmt;
use std::collections::VecDeque;

use crate::base::position::{BatchTime, EventInfo, Position};
use crate::store::limits::EventLimits;
use crate::store::reason::ExceededLimit;
use schedule::internal::FirstPanic;

/// Maximum number of events of the input in a batch.
pub(crate) const MAX_OUTSIDE: u32 = 2048;

/// The rules for follow-up events above the budget of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum FollowUpRules {
    /// They are refused, and so are those that are too deep. For batches of an earlier version of this crate.
    #[cfg(feature = "durable")]
    Refuse,
    /// They wait. A handler that returns events that are too deep has failed.
    #[default]
    CarryOver,
}

/// The condition under which a batch begins with events of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputGate {
    /// The caller has divided the events into batches.
    Open,
    /// The input has given the events their positions. They wait as long as the stream may have to stop before them.
    Numbered,
    /// As before. Also, while more than one budget of follow-up events waits, a batch has none.
    Cut,
}

/// Whether a batch has events of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchInput {
    Some,
    None,
    /// Not known before more events are reported.
    Unknown,
    /// No batch may begin, because too many follow-up events wait.
    Backlog,
}

/// A follow-up event that has not arrived.
#[derive(Debug)]
pub(crate) struct PendingEvent<E> {
    /// The position of the event whose handler returned it.
    pub(crate) cause: Position,
    /// The depth of the follow-up event: one more than that of its cause. An event of the input has depth 0.
    pub(crate) depth: u32,
    pub(crate) event: E,
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
pub(crate) struct Batches<E> {
    /// The position of the next event that arrives.
    next: Position,
    /// The index in the current batch at which no more events of the input arrive. 0 if no batch may begin.
    input_end: u32,
    /// Whether it is not decided if the current batch has events of the input.
    is_undecided: bool,
    /// Whether the events of the input have arrived in the current batch, so that its follow-up events come next.
    is_input_over: bool,
    /// The index of the first follow-up event in the current batch, if `is_input_over`.
    first_follow_up: u32,
    /// Maximum number of batches that may still end, including the current one.
    max_batches: u64,
    /// The time of the current batch.
    time: BatchTime,
    /// Follow-up events, in the order of their positions.
    pub(crate) pending: VecDeque<PendingEvent<E>>,
    /// The position of the next event that is reported.
    reported: Position,
    /// The length of the batch of `reported`, `u32::MAX` if it is not complete.
    reported_len: u32,
    /// The lengths of the batches after it that are complete.
    lengths: VecDeque<u32>,
    /// The follow-up events in flight, in the order of positions.
    causes: VecDeque<FollowUpInFlight>,
    /// Positions of events that do not stop the stream if they fail. Empty, except in a durable stream.
    pub(crate) skipped: Vec<Position>,
    /// Positions of events of the current batch that have failed, so that their handlers are not called. Empty, except in a durable stream.
    pub(crate) dead_letters: Vec<Position>,
    pub(crate) rules: FollowUpRules,
}

impl<E> Batches<E> {
    pub(crate) fn new() -> Self {
        Self {
            next: Position::FIRST,
            input_end: 0,
            is_undecided: false,
            is_input_over: false,
            first_follow_up: 0,
            max_batches: 0,
            time: BatchTime::default(),
            pending: VecDeque::new(),
            reported: Position::FIRST,
            reported_len: u32::MAX,
            lengths: VecDeque::new(),
            causes: VecDeque::new(),
            skipped: Vec::new(),
            dead_letters: Vec::new(),
            rules: FollowUpRules::default(),
        }
    }

    /// Returns the position of the next event that arrives.
    #[inline(always)]
    pub(crate) fn next(&self) -> Position {
        self.next
    }

    /// Returns the position of the next event that is reported.
    #[inline(always)]
    pub(crate) fn reported(&self) -> Position {
        self.reported
    }

    /// Returns the next event that is reported, if its batch is the current one.
    #[inline(always)]
    pub(crate) fn reported_info(&self, limits: &EventLimits) -> EventInfo {
        EventInfo {
            position: self.reported,
            time: self.time,
            max_follow_ups: self.max_after(self.causes.front(), self.reported, limits),
        }
    }

    /// Returns the number of follow-up events that the event at a position may cause. `cause`: the only follow-up event that may
    /// be at this position.
    #[inline(always)]
    fn max_after(
        &self,
        cause: Option<&FollowUpInFlight>,
        position: Position,
        limits: &EventLimits,
    ) -> u32 {
        if self.rules != FollowUpRules::CarryOver {
            return u32::MAX;
        }
        let cause = cause.filter(|one| one.position == position);
        limits.max_at_depth(cause.map_or(0, |one| one.depth))
    }

    /// Returns the number of follow-up events that the event that is reported at this position may cause.
    pub(crate) fn max_at(&self, position: Position, limits: &EventLimits) -> u32 {
        self.max_after(self.causes.front(), position, limits)
    }

    /// Returns the time of the current batch.
    pub(crate) fn time(&self) -> BatchTime {
        self.time
    }

    pub(crate) fn set_time(&mut self, time: BatchTime) {
        self.time = time;
    }

    /// Begins a call with at most `max_batches` batches. `next` is the position of its first event. No event is in flight.
    pub(crate) fn begin(&mut self, next: Position, max_batches: u64) {
        self.go_to(next);
        self.max_batches = max_batches;
        self.allow_input();
    }

    /// Lets events of the input arrive in the current batch.
    pub(crate) fn allow_input(&mut self) {
        self.is_undecided = false;
        self.input_end = match self.max_batches {
            0 => 0,
            _ => MAX_OUTSIDE,
        };
    }

    /// Lets no event of the input arrive in the current batch until [`allow_input`](Self::allow_input) or
    /// [`end_input`](Self::end_input).
    pub(crate) fn hold_input(&mut self) {
        self.is_undecided = true;
        self.input_end = 0;
    }

    /// Returns whether it is not decided if the current batch has events of the input.
    pub(crate) fn is_undecided(&self) -> bool {
        self.is_undecided
    }

    /// Decides whether the next batch has events of the input. `n_running`: number of events that are not reported. `max_new`:
    /// maximum number of follow-up events that they cause.
    ///
    /// The result, except `Unknown`, depends only on the follow-up events that wait when the batch before has ended.
    pub(crate) fn input_of_next(
        &self,
        gate: InputGate,
        n_running: usize,
        max_new: usize,
        limits: &EventLimits,
    ) -> BatchInput {
        let max_pending = limits.max_pending as usize;
        let max = match gate {
            InputGate::Open => return BatchInput::Some,
            InputGate::Numbered => max_pending,
            InputGate::Cut => max_pending.min(limits.budget()),
        };
        let n_pending = self.pending.len();
        // Memory has fewer events than `u32::MAX`, which means no limit.
        if max >= u32::MAX as usize || n_pending.saturating_add(max_new) <= max {
            BatchInput::Some
        } else if n_running > 0 {
            BatchInput::Unknown
        } else if n_pending > max_pending {
            BatchInput::Backlog
        } else {
            BatchInput::None
        }
    }

    /// Returns whether more than one budget of follow-up events waits.
    pub(crate) fn is_behind(&self, limits: &EventLimits) -> bool {
        self.rules == FollowUpRules::CarryOver && self.pending.len() > limits.budget()
    }

    /// Returns the number of follow-up events in the next batch. No event is in flight.
    #[cfg(feature = "durable")]
    pub(crate) fn n_due_follow_ups(&self, limits: &EventLimits) -> usize {
        match self.rules {
            FollowUpRules::Refuse => self.pending.len(),
            FollowUpRules::CarryOver => self.pending.len().min(limits.budget()),
        }
    }

    /// Returns the number of events that have arrived and are not reported.
    pub(crate) fn n_in_flight(&self) -> usize {
        if self.reported.batch == self.next.batch {
            return (self.next.index - self.reported.index) as usize;
        }
        let of_first = (self.reported_len - self.reported.index) as usize;
        let of_others = self.lengths.iter().map(|len| *len as usize);
        of_first + of_others.sum::<usize>() + self.next.index as usize
    }

    /// Returns whether no further batch may begin.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.max_batches == 0
    }

    /// Sets the position of the next event. No event is in flight.
    pub(crate) fn go_to(&mut self, next: Position) {
        self.next = next;
        self.reported = next;
        self.reported_len = u32::MAX;
        self.lengths.clear();
        self.causes.clear();
        self.is_input_over = false;
    }

    /// Returns whether the next event may come from the input.
    #[inline(always)]
    pub(crate) fn takes_input(&self) -> bool {
        self.next.index < self.input_end
    }

    /// Returns whether the events of the input have arrived, so that follow-up events come next.
    pub(crate) fn is_input_over(&self) -> bool {
        self.is_input_over
    }

    /// Notes that the current batch has no more events of the input.
    pub(crate) fn end_input(&mut self) {
        self.is_input_over = true;
        self.is_undecided = false;
        self.first_follow_up = self.next.index;
        self.input_end = 0;
    }

    /// Returns whether no event has arrived in the current batch.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.next.index == 0
    }

    /// Returns whether all events of earlier batches are reported.
    #[inline(always)]
    pub(crate) fn is_previous_reported(&self) -> bool {
        self.reported.batch >= self.next.batch
    }

    /// Counts an event that arrives.
    #[inline(always)]
    pub(crate) fn arrive(&mut self) {
        self.next.index += 1;
    }

    /// Returns the last event that has arrived. It is in the current batch.
    #[inline(always)]
    pub(crate) fn last_info(&self, limits: &EventLimits) -> EventInfo {
        let position = Position::new(self.next.batch, self.next.index - 1);
        EventInfo {
            position,
            time: self.time,
            max_follow_ups: self.max_after(self.causes.back(), position, limits),
        }
    }

    /// Returns the next follow-up event of the current batch, and the limit that it exceeds, under the first rules. All
    /// events of earlier batches are reported.
    pub(crate) fn next_follow_up(
        &mut self,
        limits: &EventLimits,
    ) -> Option<(E, Option<ExceededLimit>)> {
        let n_before = self.next.index - self.first_follow_up;
        let is_full =
            self.rules == FollowUpRules::CarryOver && n_before as usize >= limits.budget();
        let is_due = |one: &PendingEvent<E>| one.cause.batch < self.next.batch;
        if is_full || !self.pending.front().is_some_and(is_due) {
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
        let exceeded = if self.rules == FollowUpRules::CarryOver {
            None
        } else if depth > limits.max_depth {
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
    pub(crate) fn depth_after(&self, position: Position) -> u32 {
        let of_cause = self.follow_up_at(position).map_or(0, |one| one.depth);
        of_cause.saturating_add(1)
    }

    /// Returns the follow-up event at this position, if it is the oldest one in flight.
    fn follow_up_at(&self, position: Position) -> Option<&FollowUpInFlight> {
        let first = self.causes.front();
        first.filter(|one| one.position == position)
    }

    /// Ends the current batch, and begins the next one.
    pub(crate) fn close(&mut self) {
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
    pub(crate) fn report(&mut self) -> (Position, bool) {
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
    pub(crate) fn has_causes(&self) -> bool {
        !self.causes.is_empty()
    }

    /// Returns the cause of a reported event, if it is a follow-up event.
    #[cold]
    pub(crate) fn take_cause(&mut self, position: Position) -> Option<Position> {
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
