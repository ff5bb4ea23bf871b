//! The two ends of a call of `process`: the input, which yields events, and the reporter, which receives outcomes.
//!
//! Each call of `process` has an input and an outcome callback of different types. The engine uses both through `dyn`
//! [`Ends`], so it is compiled once per event type and not once per call. The code that is compiled for each call is in
//! this file: [`CallEnds`].

use core::iter::Fuse;
use std::collections::VecDeque;

use super::StreamError;
use super::event::{Event, Handled};
use super::outcome::{EventError, Outcome};
use super::reason::Reason;
use super::stores::{MOST_DOUBTS, Stores};
use schedule::internal::{Around, FirstPanic, Payload, drop_caught};

/// A source of events.
pub(super) trait Input<E> {
    /// Returns the next event, if one is available.
    fn next(&mut self) -> Option<E>;

    /// Returns whether the input will yield no more events, except follow-up events. Called after `next` has returned
    /// `None`.
    fn is_over(&self) -> bool {
        true
    }

    /// Adds a follow-up event. Returns the event if the input does not store follow-up events.
    fn follow(&mut self, event: E) -> Option<E> {
        Some(event)
    }

    /// Returns whether an event may be available.
    fn has_more(&self) -> bool {
        false
    }
}

/// The result of asking for the next event.
pub(super) enum Incoming {
    Event,
    /// No event is available now.
    NotYet,
    Over,
}

impl<I: Iterator> Input<I::Item> for Fuse<I> {
    #[inline(always)]
    fn next(&mut self) -> Option<I::Item> {
        Iterator::next(self)
    }
}

/// The receiver of outcomes.
pub(super) trait Reporter<E: Event> {
    /// Whether `arrived` must be called for each event.
    const HEARS_ARRIVALS: bool = false;

    /// Called when an event has arrived. Returns the panic of user code that was called with it, if there was one.
    #[inline(always)]
    fn arrived(&mut self, event: &E) -> Result<(), Payload> {
        let _ = event;
        Ok(())
    }

    /// Receives the outcome of an event. Called in order of arrival.
    fn report(&mut self, outcome: Outcome<E>);

    /// Returns whether `rest` must be called before another event arrives. Called only if `is_exact` returns true.
    fn wants_rest(&self) -> bool {
        false
    }

    /// Called when all outcomes so far were reported and no event is in flight.
    fn rest(&mut self) {}

    /// Returns whether the same events must always have the same outcomes, even after an event has failed.
    fn is_exact(&self) -> bool {
        false
    }
}

/// A reporter that calls a closure.
pub(super) struct OutcomeCallback<F>(pub(super) F);

impl<E: Event, F: FnMut(Outcome<E>)> Reporter<E> for OutcomeCallback<F> {
    #[inline(always)]
    fn report(&mut self, outcome: Outcome<E>) {
        (self.0)(outcome);
    }
}

/// An input and a reporter, without their types.
///
/// Events and results stay in the memory of the engine until the reporter takes them: a move right after a write
/// stalls.
pub(super) trait Ends<E: Event> {
    /// Puts the next event of the input into `to`, which is empty. It remains empty if the input has none, or if the
    /// input or the reporter panics.
    fn next(&mut self, to: &mut Option<E>);

    /// See [`Input::is_over`].
    fn is_over(&self) -> bool;

    /// Reports the outcome of an event: see [`Reporter::report`]. Takes the event first. `answer` is the answer, or
    /// `error` is the error.
    ///
    /// Then puts the next event into `event`, like [`next`](Self::next), if `of.asks_for_next` is set. Returns whether
    /// there is one.
    ///
    /// An answer is often small enough for a register. An [`Outcome`] is not, so it is built on this side of the dynamic call. This is
    /// the only place that calls the reporter with an outcome, so that the compiler inlines the outcome callback here.
    fn report(
        &mut self,
        position: u64,
        event: &mut Option<E>,
        of: Reported,
        answer: Option<E::Answer>,
        error: Option<&mut Option<EventErrorOf<E>>>,
    ) -> bool;

    /// Puts an event that does not come from the input into `to`.
    fn arrive(&mut self, event: E, to: &mut Option<E>);

    /// See [`Input::follow`].
    fn follow(&mut self, event: E) -> Option<E>;

    /// See [`Input::has_more`].
    fn has_more(&self) -> bool;

    /// See [`Reporter::wants_rest`].
    fn wants_rest(&self) -> bool;

    /// See [`Reporter::rest`].
    fn rest(&mut self);

    /// See [`Reporter::is_exact`].
    fn is_exact(&self) -> bool;
}

/// The reason why an event has no answer.
pub(super) type EventErrorOf<E> = EventError<<E as Event>::Error>;

/// An event whose outcome is reported. Fits in one register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported {
    /// The index of its variant in [`Event::HANDLERS`].
    case: u16,
    /// Whether to ask the input for the next event after the report.
    asks_for_next: bool,
}

/// The input and the reporter of one call.
pub(super) struct CallEnds<I, S> {
    pub(super) input: I,
    pub(super) reporter: S,
}

impl<I, S> CallEnds<I, S> {
    /// Ends the call: drops the input and the reporter.
    ///
    /// # Errors
    ///
    /// Returns the error of `processed`.
    ///
    /// # Panics
    ///
    /// Continues the first panic of the call, or one of the destructors.
    pub(super) fn close(
        self,
        processed: Result<FirstPanic, StreamError>,
    ) -> Result<(), StreamError> {
        let (mut panics, result) = match processed {
            Ok(panics) => (panics, Ok(())),
            Err(error) => (FirstPanic::default(), Err(error)),
        };
        panics.drop(self.input);
        panics.drop(self.reporter);
        panics.resume();
        result
    }

    /// Calls `Reporter::arrived`, if an event has arrived.
    #[inline(always)]
    fn arrived<E>(&mut self, to: &mut Option<E>)
    where
        E: Event,
        S: Reporter<E>,
    {
        if S::HEARS_ARRIVALS
            && let Some(event) = to
            && let Err(payload) = self.reporter.arrived(event)
        {
            let mut panics = FirstPanic::of(payload);
            panics.drop(to.take());
            panics.resume();
        }
    }
}

impl<E, I, S> Ends<E> for CallEnds<I, S>
where
    E: Event,
    I: Input<E>,
    S: Reporter<E>,
{
    #[inline]
    fn next(&mut self, to: &mut Option<E>) {
        *to = self.input.next();
        self.arrived(to);
    }

    fn is_over(&self) -> bool {
        self.input.is_over()
    }

    fn report(
        &mut self,
        position: u64,
        to: &mut Option<E>,
        of: Reported,
        answer: Option<E::Answer>,
        error: Option<&mut Option<EventErrorOf<E>>>,
    ) -> bool {
        if let Some(event) = to.take() {
            let handler = E::HANDLERS[usize::from(of.case)].name.base();
            let result = match answer {
                Some(answer) => Ok(answer),
                None => Err(error
                    .and_then(Option::take)
                    .expect("an event has an answer or an error")),
            };
            self.reporter.report(Outcome {
                position,
                event,
                handler,
                result,
            });
        }
        if !of.asks_for_next {
            return false;
        }
        self.next(to);
        to.is_some()
    }

    fn arrive(&mut self, event: E, to: &mut Option<E>) {
        *to = Some(event);
        self.arrived(to);
    }

    fn follow(&mut self, event: E) -> Option<E> {
        self.input.follow(event)
    }

    fn has_more(&self) -> bool {
        self.input.has_more()
    }

    fn wants_rest(&self) -> bool {
        self.reporter.wants_rest()
    }

    fn rest(&mut self) {
        self.reporter.rest();
    }

    fn is_exact(&self) -> bool {
        self.reporter.is_exact()
    }
}

/// The events of one call, with their follow-up events in one order, and the outcome callback.
///
/// Follow-up events arrive after `delay` more events, or when the input ends. They never arrive earlier, so the order
/// does not depend on timing. An input that stores follow-up events gets them when the outcome is reported.
pub(super) struct Traffic<'t, E: Event> {
    ends: &'t mut (dyn Ends<E> + 't),
    is_exact: bool,
    /// With fewer doubts, the next event may arrive immediately: see [`may_come_at_once`](Self::may_come_at_once).
    most_doubts: u32,
    /// Follow-up events, each with the position at which it is due.
    following: VecDeque<(u64, E)>,
    delay: u64,
    n_arrived: &'t mut u64,
    /// Whether follow-up events are dropped, because the input already contains them.
    drops_following: bool,
    /// How often events named a place at which they may insert or remove a record, since vacant places were last freed.
    /// Includes earlier calls.
    pub(super) n_doubts: u32,
    /// Whether handlers are no longer called.
    pub(super) is_stopped: bool,
    /// The parent of the spans of handlers.
    pub(super) around: Around,
}

impl<'t, E: Event> Traffic<'t, E> {
    pub(super) fn new(
        ends: &'t mut (dyn Ends<E> + 't),
        delay: usize,
        n_arrived: &'t mut u64,
        n_doubts: u32,
        drops_following: bool,
        around: Around,
    ) -> Self {
        let is_exact = ends.is_exact();
        Self {
            is_exact,
            most_doubts: if is_exact { 0 } else { MOST_DOUBTS },
            ends,
            following: VecDeque::new(),
            delay: delay as u64,
            n_arrived,
            drops_following,
            n_doubts,
            is_stopped: false,
            around,
        }
    }

    /// Returns the number of events that have arrived, including earlier calls.
    #[inline]
    pub(super) fn n_arrived(&self) -> u64 {
        *self.n_arrived
    }

    /// See [`Reporter::is_exact`].
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns whether a rest must come before the next arrival. This depends only on the events, and not on the mode
    /// or the division into calls, because a rest frees places.
    #[inline(always)]
    pub(super) fn wants_rest(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS || self.reporter_wants_rest()
    }

    /// Returns whether the next event may arrive before a rest, if `n_events` events have arrived and have not named
    /// their records yet.
    #[inline(always)]
    pub(super) fn may_come_ahead(&self, n_events: usize) -> bool {
        let most = u32::from(u8::MAX) * n_events as u32;
        self.n_doubts + most < MOST_DOUBTS && !self.reporter_wants_rest()
    }

    /// Returns whether the next event may arrive without a rest, as far as known without a call of the reporter.
    #[inline(always)]
    pub(super) fn may_come_at_once(&self) -> bool {
        self.n_doubts < self.most_doubts
    }

    #[inline(always)]
    fn reporter_wants_rest(&self) -> bool {
        self.is_exact && self.ends.wants_rest()
    }

    /// Counts the doubts of a completed event. If it is `u8::MAX`, asks the stores: an event that takes a whole store
    /// may have replaced it.
    ///
    /// # Safety
    ///
    /// As for [`Stores::count_records`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(super) unsafe fn doubt(&mut self, n_doubts: u8, stores: &Stores) {
        match n_doubts {
            0 => {}
            // SAFETY: the stores are borrowed exclusively, and no event runs: the contract of this function.
            u8::MAX => self.n_doubts = unsafe { stores.n_doubts() },
            n => self.n_doubts += u32::from(n),
        }
    }

    /// Ends a rest: all outcomes were reported, and the records are counted.
    pub(super) fn rest(&mut self) {
        if self.n_doubts >= MOST_DOUBTS {
            self.n_doubts = 0;
        }
        if self.reporter_wants_rest() {
            self.ends.rest();
        }
    }

    /// Returns whether an event may have become available since the last call of `next`.
    pub(super) fn has_more(&self) -> bool {
        self.ends.has_more()
    }

    /// Puts the next event into `to`. If it returns `Over`, only unreported events can still cause follow-up events.
    #[inline]
    pub(super) fn next(&mut self, to: &mut Option<E>) -> Incoming {
        if self.is_following_due() {
            return self.follows(to);
        }
        self.ends.next(to);
        self.arrive(to.is_some(), to)
    }

    /// Returns whether a follow-up event is due before the next event of the input.
    #[inline(always)]
    fn is_following_due(&self) -> bool {
        let is_due = |(due, _): &(u64, E)| *due <= *self.n_arrived;
        self.following.front().is_some_and(is_due)
    }

    /// Counts the event that the input has put into `to`. If there is none, tries a follow-up event.
    #[inline(always)]
    fn arrive(&mut self, is_there: bool, to: &mut Option<E>) -> Incoming {
        if !is_there {
            return self.follows(to);
        }
        *self.n_arrived += 1;
        Incoming::Event
    }

    /// Puts the next follow-up event into `to`, if it is due or the input is over.
    #[cold]
    #[inline(never)]
    fn follows(&mut self, to: &mut Option<E>) -> Incoming {
        if !self.is_following_due() && !self.ends.is_over() {
            return Incoming::NotYet;
        }
        let Some((_, event)) = self.following.pop_front() else {
            return Incoming::Over;
        };
        self.ends.arrive(event, to);
        *self.n_arrived += 1;
        Incoming::Event
    }

    /// Reports an event, and takes it. Must be called in order of arrival.
    #[inline(always)]
    pub(super) fn report(
        &mut self,
        position: u64,
        event: &mut Option<E>,
        case: u16,
        result: Result<Handled<E>, Reason>,
    ) {
        let of = Reported {
            case,
            asks_for_next: false,
        };
        self.report_event(position, event, of, result);
    }

    /// Reports an event, and then puts the next event into `event`, like [`next`](Self::next). No rest may be wanted in
    /// between.
    #[inline(always)]
    pub(super) fn report_and_next(
        &mut self,
        position: u64,
        event: &mut Option<E>,
        case: u16,
        result: Result<Handled<E>, Reason>,
    ) -> Incoming {
        let of = Reported {
            case,
            asks_for_next: true,
        };
        let is_there = self.report_event(position, event, of, result);
        self.arrive(is_there, event)
    }

    /// Reports an event, and stores its follow-up events. If a follow-up event is due, the input is not asked for the
    /// next event. Returns whether the input yielded one.
    #[inline(always)]
    fn report_event(
        &mut self,
        position: u64,
        event: &mut Option<E>,
        mut of: Reported,
        result: Result<Handled<E>, Reason>,
    ) -> bool {
        let error = match result {
            Ok(Handled { result, next }) => {
                if let Some(next) = next {
                    self.follow(position + self.delay, next);
                }
                of.asks_for_next &= !self.is_following_due();
                match result {
                    Ok(answer) => {
                        return self.ends.report(position, event, of, Some(answer), None);
                    }
                    Err(error) => EventError::Failed(error),
                }
            }
            Err(reason) => {
                of.asks_for_next &= !self.is_following_due();
                EventError::new::<E>(reason, of.case)
            }
        };
        self.ends
            .report(position, event, of, None, Some(&mut Some(error)))
    }

    #[cold]
    fn follow(&mut self, due: u64, events: Box<[E]>) {
        for event in events {
            if self.drops_following {
                drop_caught(event);
            } else if let Some(event) = self.ends.follow(event) {
                self.following.push_back((due, event));
            }
        }
    }

    /// Ends the call: drops follow-up events that did not arrive.
    pub(super) fn close(self, panics: &mut FirstPanic) {
        panics.drop_each(self.following);
    }
}
