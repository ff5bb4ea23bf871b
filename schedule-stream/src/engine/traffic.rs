//! The events of one call between its [`Ends`]: the arrival of events and follow-up events, and the report of outcomes.

mod observation;

use crate::base::position::{BatchTime, EventInfo, Position};
use crate::engine::batches::{BatchInput, Batches, InputGate, PendingEvent};
use crate::engine::ends::{Apart, Ends, EventErrorOf, Reported};
use crate::observe::meter::ErrorLabel;
use crate::observe::observer::Observer;
use crate::program::event::{Event, Handled};
use crate::program::handler;
use crate::program::outcome::EventError;
use crate::store::limits::EventLimits;
use crate::store::reason::{ExceededLimit, Reason};
use crate::store::stores::{MOST_DOUBTS, Stores};
use schedule::internal::{Instant, ParentSpan, drop_caught};

/// The result of asking for the next event.
pub(crate) enum Incoming {
    Event,
    /// An event may come after all events that have arrived are reported.
    AfterReports,
    /// No event is available now.
    NotYet,
    Over,
}

/// The events of one call, with their follow-up events in one order, and the outcome callback.
pub(crate) struct Traffic<'t, E: Event> {
    ends: &'t mut (dyn Ends<E> + 't),
    pub(crate) batches: &'t mut Batches<E>,
    clock: &'t mut dyn FnMut() -> BatchTime,
    /// Number of events that have arrived in this call.
    n_arrived: u64,
    /// How often events named a place at which they may insert or remove a record, since vacant places were last freed.
    /// Includes earlier calls.
    pub(crate) n_doubts: u32,
    /// Whether handlers are no longer called.
    is_stopped: bool,
    /// Whether one event arrives after the other has ended.
    is_one_by_one: bool,
    /// Whether all events are processed apart, because of spans or of slow handlers, or one by one.
    are_observed: bool,
    /// The number of events that arrive before the next one whose handler call is measured.
    next_sample: u64,
    /// The number of events that arrive before the next one that is processed apart. 0 if all are.
    next_apart: u64,
    /// When the handler call that is measured began.
    started: Option<Instant>,
    pub(crate) observer: &'t mut Observer,
    limits: EventLimits,
    gate: InputGate,
    /// Whether the call has ended because too many follow-up events wait.
    is_backlogged: bool,
    /// The limit that the last event exceeds, if it is a follow-up event.
    exceeded: Option<ExceededLimit>,
    /// The parent of the spans of handlers.
    pub(crate) parent_span: ParentSpan,
}

impl<'t, E: Event> Traffic<'t, E> {
    pub(crate) fn new(
        ends: &'t mut (dyn Ends<E> + 't),
        batches: &'t mut Batches<E>,
        clock: &'t mut dyn FnMut() -> BatchTime,
        n_doubts: u32,
        (limits, gate): (EventLimits, InputGate),
        parent_span: ParentSpan,
        observer: &'t mut Observer,
    ) -> Self {
        hold(batches, gate);
        let are_observed = parent_span.is_some() || observer.slow.threshold.is_some();
        let next_sample = observer.meter.next_sample();
        Self {
            ends,
            batches,
            clock,
            n_arrived: 0,
            n_doubts,
            is_stopped: false,
            is_one_by_one: false,
            are_observed,
            next_sample,
            next_apart: if are_observed { 0 } else { next_sample },
            started: None,
            observer,
            limits,
            gate,
            is_backlogged: false,
            exceeded: None,
            parent_span,
        }
    }

    /// Returns whether the call has ended because too many follow-up events wait.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.is_backlogged
    }

    /// Returns the next event that is reported, if its batch is the current one.
    #[inline(always)]
    pub(crate) fn reported_info(&self) -> EventInfo {
        self.batches.reported_info(&self.limits)
    }

    /// Returns the last event that has arrived. It is in the current batch.
    #[inline(always)]
    pub(crate) fn last_info(&self) -> EventInfo {
        self.batches.last_info(&self.limits)
    }

    /// Returns the number of events that have arrived in this call.
    #[inline]
    pub(crate) fn n_arrived(&self) -> u64 {
        self.n_arrived
    }

    /// Returns whether a rest must come before the next arrival. This depends only on the events, and not on the mode
    /// or the division into batches, because a rest frees places.
    #[inline(always)]
    pub(crate) fn wants_rest(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS
    }

    /// Returns whether the next event may arrive before a rest, if `n_events` events have arrived and have not named
    /// their records yet.
    #[inline(always)]
    pub(crate) fn may_come_ahead(&self, n_events: usize) -> bool {
        let most = u32::from(u8::MAX) * n_events as u32;
        self.n_doubts.saturating_add(most) < MOST_DOUBTS && self.batches.takes_input()
    }

    /// Counts the doubts of a completed event. If it is `u8::MAX`, asks the stores: an event that takes a whole store
    /// may have replaced it.
    ///
    /// # Safety
    ///
    /// As for [`Stores::count_records`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn doubt(&mut self, n_doubts: u8, stores: &Stores) {
        match n_doubts {
            0 => {}
            // SAFETY: the stores are borrowed exclusively, and no event runs: the contract of this function.
            u8::MAX => self.n_doubts = unsafe { stores.n_doubts() },
            n => self.n_doubts = self.n_doubts.saturating_add(n.into()),
        }
    }

    /// Ends a rest: all outcomes were reported, and the records are counted.
    pub(crate) fn rest(&mut self) {
        if self.wants_rest() {
            self.n_doubts = 0;
        }
    }

    /// Returns whether an event may have become available since the last call of `next`.
    pub(crate) fn has_more(&self) -> bool {
        self.ends.has_more()
    }

    /// Stops the stream, because the event that is reported next has failed, unless it is skipped.
    #[cold]
    pub(crate) fn stop(&mut self) {
        let Batches { skipped, .. } = &*self.batches;
        if !skipped.contains(&self.batches.reported()) {
            self.set_stopped();
        }
    }

    /// Returns whether the last event exceeds a limit, so that its handler must not run.
    #[inline(always)]
    pub(crate) fn is_refused(&self) -> bool {
        let may_follow = const { handler::have_follow_ups(E::HANDLERS) };
        may_follow && self.exceeded.is_some()
    }

    /// Returns the reason why the handler of the last event must not run, if it exceeds a limit. Must be called before
    /// the next event arrives.
    #[inline(always)]
    pub(crate) fn take_refusal(&mut self) -> Option<Reason> {
        if self.is_refused() {
            self.exceeded.take().map(Reason::Exceeds)
        } else {
            None
        }
    }

    /// Puts the next event into `to`.
    #[inline]
    pub(crate) fn next(&mut self, to: &mut Option<E>) -> Incoming {
        if !self.batches.takes_input() {
            return self.advance(to);
        }
        self.ends.next(to);
        self.arrive(to.is_some(), to)
    }

    /// Puts the next event of the input into `to`, if it is in the current batch. Returns whether there is one.
    #[inline]
    pub(crate) fn next_ahead(&mut self, to: &mut Option<E>) -> bool {
        if !self.batches.takes_input() {
            return false;
        }
        self.ends.next(to);
        if to.is_some() {
            self.count_arrival();
        }
        to.is_some()
    }

    /// Counts the event that the input has put into `to`. If there is none, advances to follow-up events or to the next
    /// batch.
    #[inline(always)]
    fn arrive(&mut self, is_there: bool, to: &mut Option<E>) -> Incoming {
        if !is_there {
            return self.advance(to);
        }
        self.count_arrival();
        Incoming::Event
    }

    #[inline(always)]
    fn count_arrival(&mut self) {
        if self.batches.is_empty() {
            self.begin_batch();
        }
        self.batches.arrive();
        self.n_arrived += 1;
    }

    #[cold]
    fn begin_batch(&mut self) {
        // A clock may go back. The times of batches do not.
        let time = (self.clock)().max(self.batches.time());
        self.batches.set_time(time);
        self.observer.meter.begin_batch(self.batches.next().batch);
    }

    /// Ends the events of the input in the current batch, lets its follow-up events arrive, and begins the next batch. The
    /// input has no event, or the batch is full.
    #[cold]
    #[inline(never)]
    fn advance(&mut self, to: &mut Option<E>) -> Incoming {
        loop {
            if self.batches.is_at_limit() {
                return Incoming::Over;
            }
            if self.batches.is_undecided() {
                let n_running = self.batches.n_in_flight();
                let max_new = n_running.saturating_mul(self.limits.max_per_event as usize);
                let (batches, limits) = (&mut *self.batches, &self.limits);
                match batches.input_of_next(self.gate, n_running, max_new, limits) {
                    BatchInput::Some => {
                        self.batches.allow_input();
                        self.ends.next(to);
                        if to.is_some() {
                            self.count_arrival();
                            return Incoming::Event;
                        }
                    }
                    BatchInput::None => self.batches.end_input(),
                    BatchInput::Unknown => return Incoming::AfterReports,
                    BatchInput::Backlog => {
                        self.is_backlogged = true;
                        return Incoming::Over;
                    }
                }
            }
            if !self.batches.is_input_over() {
                if self.batches.is_empty() && !self.has_follow_up() {
                    return if self.ends.is_over() {
                        Incoming::Over
                    } else {
                        Incoming::NotYet
                    };
                }
                if self.ends.end_batch() {
                    self.batches.end_input();
                } else {
                    self.ends.next(to);
                    if to.is_some() {
                        self.count_arrival();
                        return Incoming::Event;
                    }
                    continue;
                }
            }
            let may_follow = const { handler::have_follow_ups(E::HANDLERS) };
            if may_follow && !self.batches.is_previous_reported() {
                return Incoming::AfterReports;
            }
            if let Some((event, exceeded)) = self.batches.next_follow_up(&self.limits) {
                *to = Some(event);
                self.exceeded = exceeded;
                self.count_arrival();
                return Incoming::Event;
            }
            self.close();
            if self.batches.takes_input() {
                self.ends.next(to);
                if to.is_some() {
                    self.count_arrival();
                    return Incoming::Event;
                }
            }
        }
    }

    /// Returns whether a batch without events of the input could begin now.
    fn has_follow_up(&self) -> bool {
        !self.batches.pending.is_empty() && self.batches.is_previous_reported()
    }

    fn close(&mut self) {
        self.batches.close();
        hold(self.batches, self.gate);
        if self.batches.is_previous_reported() {
            self.note_reported();
        }
    }

    /// Notifies the input and the metrics that all events of a batch are reported.
    #[cold]
    fn note_reported(&mut self) {
        let batch = self.batches.reported().batch;
        let n_pending = self.batches.pending.len();
        let is_behind = self.batches.is_behind(&self.limits);
        self.ends.reported(batch, n_pending, is_behind);
        self.measure_reported(batch);
    }

    /// Reports an event, and takes it. Must be called in order of arrival.
    #[inline(always)]
    pub(crate) fn report(
        &mut self,
        event: &mut Option<E>,
        case: u16,
        result: Result<Handled<E>, Reason>,
    ) {
        self.report_event(event, case, false, result);
    }

    /// Reports an event, and then puts the next event into `event`, like [`next`](Self::next).
    #[inline(always)]
    pub(crate) fn report_and_next(
        &mut self,
        event: &mut Option<E>,
        case: u16,
        result: Result<Handled<E>, Reason>,
    ) -> Incoming {
        let asks = self.batches.takes_input();
        let is_there = self.report_event(event, case, asks, result);
        self.arrive(is_there, event)
    }

    /// Reports an event, and stores its follow-up events. If `asks_for_next`, asks the input for the next event. Returns
    /// whether the input yielded one.
    #[inline(always)]
    fn report_event(
        &mut self,
        event: &mut Option<E>,
        case: u16,
        asks_for_next: bool,
        result: Result<Handled<E>, Reason>,
    ) -> bool {
        let (position, is_last) = self.batches.report();
        let of = Reported {
            batch: position.batch,
            index: position.index,
            case,
            asks_for_next,
        };
        let is_there = match result {
            Ok(Handled {
                result,
                next: Some(next),
            }) => {
                let result = self.follow(position, case, result, next);
                self.report_apart(event, of, result)
            }
            Ok(Handled { result, next: None }) => match result {
                Ok(answer) if !self.batches.has_causes() => {
                    self.ends.report(event, of, Some(answer), None)
                }
                Ok(answer) => self.report_apart(event, of, Ok(answer)),
                Err(error) => {
                    self.observer.meter.note_error(ErrorLabel::Failed);
                    self.report_apart(event, of, Err(EventError::Failed(error)))
                }
            },
            Err(reason) => {
                let label = ErrorLabel::of(&reason);
                self.observer.meter.note_error(label);
                let error = EventError::new::<E>(reason, case, &self.limits);
                self.report_apart(event, of, Err(error))
            }
        };
        if is_last {
            self.note_reported();
        }
        is_there
    }

    /// Reports an event that has an error, or may have a cause.
    #[inline(never)]
    fn report_apart(
        &mut self,
        event: &mut Option<E>,
        of: Reported,
        result: Result<E::Answer, EventErrorOf<E>>,
    ) -> bool {
        let cause = self.batches.take_cause(Position::new(of.batch, of.index));
        let (answer, error) = match result {
            Ok(answer) => (Some(answer), None),
            Err(error) => (None, Some(error)),
        };
        let mut apart = Apart { cause, error };
        self.ends.report(event, of, answer, Some(&mut apart))
    }

    /// Stores the follow-up events of an event, unless there are too many. Then the event has failed. Returns its result.
    #[cold]
    fn follow(
        &mut self,
        cause: Position,
        case: u16,
        result: Result<E::Answer, E::Error>,
        events: Box<[E]>,
    ) -> Result<E::Answer, EventErrorOf<E>> {
        let max = self.batches.max_at(cause, &self.limits);
        if events.len() > max as usize {
            drop_caught(result);
            events.into_iter().for_each(drop_caught);
            let reason = Reason::Exceeds(self.limits.exceeded(max));
            self.observer.meter.note_error(ErrorLabel::of(&reason));
            return Err(EventError::new::<E>(reason, case, &self.limits));
        }
        let depth = self.batches.depth_after(cause);
        let pending = events.into_iter().map(|event| PendingEvent {
            cause,
            depth,
            event,
        });
        self.batches.pending.extend(pending);
        result.map_err(EventError::Failed)
    }
}

/// Holds the input at the beginning of a batch, if it may have to wait.
fn hold<E: Event>(batches: &mut Batches<E>, gate: InputGate) {
    if const { handler::have_follow_ups(E::HANDLERS) } && gate != InputGate::Open {
        batches.hold_input();
    }
}
