//! Both ends of a call of `process`: the input, which gives events, and the reporter, to which outcomes are reported.
//!
//! Each call of `process` has an input and an outcome callback of its own types. The engine knows them only as `dyn` [`Ends`], so
//! it is compiled once per event type and not once per call. What is compiled for each call is in this file: [`CallEnds`].

use core::iter::Fuse;
use std::collections::VecDeque;

use super::StreamError;
use super::event::{Event, Handled};
use super::outcome::{EventError, Outcome};
use super::reason::Reason;
use super::stores::{MOST_DOUBTS, Stores};
use schedule::internal::{Around, FirstPanic, Payload, drop_caught};

/// Where events come from.
pub(super) trait Input<E> {
    /// The next one, if it is there.
    fn next(&mut self) -> Option<E>;

    /// Whether there will be none any more, but for what follows from others. Asked when there was none.
    fn is_over(&self) -> bool {
        true
    }

    /// An event that follows from another one; given back by an input that has no place for it.
    fn follow(&mut self, event: E) -> Option<E> {
        Some(event)
    }

    /// Whether there might be a next one.
    fn has_more(&self) -> bool {
        false
    }
}

/// What comes next.
pub(super) enum Incoming {
    Event,
    /// None at the moment.
    NotYet,
    Over,
}

impl<I: Iterator> Input<I::Item> for Fuse<I> {
    #[inline(always)]
    fn next(&mut self) -> Option<I::Item> {
        Iterator::next(self)
    }
}

/// Who is told of what happens.
pub(super) trait Reporter<E: Event> {
    /// Whether it wants to know of events that arrive.
    const HEARS_ARRIVALS: bool = false;

    /// An event has arrived. Returns the panic of user code that was called with it, if there was one.
    #[inline(always)]
    fn arrived(&mut self, event: &E) -> Result<(), Payload> {
        let _ = event;
        Ok(())
    }

    /// What became of an event. In the order of arrival.
    fn report(&mut self, outcome: Outcome<E>);

    /// Whether it wants to look at the resources before another event arrives. Only asked if it `is_exact`.
    fn wants_rest(&self) -> bool {
        false
    }

    /// All that arrived before was told, and nothing is in flight.
    fn rest(&mut self) {}

    /// Whether it has to be told the same whenever the same events are processed, also of what runs beside an event that fails.
    fn is_exact(&self) -> bool {
        false
    }
}

/// Tells a closure.
pub(super) struct OutcomeCallback<F>(pub(super) F);

impl<E: Event, F: FnMut(Outcome<E>)> Reporter<E> for OutcomeCallback<F> {
    #[inline(always)]
    fn report(&mut self, outcome: Outcome<E>) {
        (self.0)(outcome);
    }
}

/// An input and a reporter, of whatever types.
///
/// Events and results stay where the engine has them until the reporter takes them: to move what was just written has to wait for it.
pub(super) trait Ends<E: Event> {
    /// Puts the next event of the input there, where none is. There is none if the input has none, or if the input or the reporter
    /// panics.
    fn next(&mut self, to: &mut Option<E>);

    /// See [`Input::is_over`].
    fn is_over(&self) -> bool;

    /// Reports the outcome of an event to the reporter: see [`Reporter::report`]. Takes the event first. The result is the answer, or else the
    /// error.
    ///
    /// Then puts the next event there as [`next`](Self::next), if `of` says so. Returns whether it did and there is one.
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

    /// Puts an event there that is not from the input.
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

/// Why an event has no answer.
pub(super) type EventErrorOf<E> = EventError<<E as Event>::Error>;

/// An event whose outcome is reported. Fits in one register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported {
    /// Its variant: an index into [`Event::HANDLERS`].
    case: u16,
    /// Whether the input is asked for the next event after that.
    asks_for_next: bool,
}

/// The ends of one call.
pub(super) struct CallEnds<I, S> {
    pub(super) input: I,
    pub(super) reporter: S,
}

impl<I, S> CallEnds<I, S> {
    /// The call is over. Drops the input, and returns the reporter.
    ///
    /// # Errors
    ///
    /// If nothing was processed.
    ///
    /// # Panics
    ///
    /// With the first panic of the call, if there was one, or with that of what is dropped here.
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

    /// An event is there.
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

/// The events of one call, and those that follow from them, in one order; and the outcome callback.
///
/// What follows from an event takes its place after `delay` more events, or when the input ends: not sooner when the outcome
/// is known sooner, so that the order does not depend on how fast anything goes. An input that has places for what follows
/// gives them as soon as the outcome is told.
pub(super) struct Traffic<'t, E: Event> {
    ends: &'t mut (dyn Ends<E> + 't),
    is_exact: bool,
    /// With fewer doubts the next event may arrive at once: see [`may_come_at_once`](Self::may_come_at_once).
    most_doubts: u32,
    /// Each with the position before which it takes its place.
    following: VecDeque<(u64, E)>,
    delay: u64,
    n_arrived: &'t mut u64,
    /// What follows is not to happen: it is in the input already.
    drops_following: bool,
    /// How often events named a place to which a record may come, in earlier calls as well, since places became free.
    pub(super) n_doubts: u32,
    /// No handler is called any more.
    pub(super) is_stopped: bool,
    /// What the spans of handlers are in.
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

    /// How many events have arrived, in earlier calls as well.
    #[inline]
    pub(super) fn n_arrived(&self) -> u64 {
        *self.n_arrived
    }

    /// See [`Reporter::is_exact`].
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether nothing should arrive before there was a rest: after the same events, however they are processed and cut into
    /// calls, since places become free by that.
    #[inline(always)]
    pub(super) fn wants_rest(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS || self.reporter_wants_rest()
    }

    /// Whether nothing may want a rest before so many events are over that have arrived and not named anything yet: the next
    /// one may arrive before that.
    #[inline(always)]
    pub(super) fn may_come_ahead(&self, n_events: usize) -> bool {
        let most = u32::from(u8::MAX) * n_events as u32;
        self.n_doubts + most < MOST_DOUBTS && !self.reporter_wants_rest()
    }

    /// Whether it is known without asking the reporter that the next event may arrive without a rest before.
    #[inline(always)]
    pub(super) fn may_come_at_once(&self) -> bool {
        self.n_doubts < self.most_doubts
    }

    #[inline(always)]
    fn reporter_wants_rest(&self) -> bool {
        self.is_exact && self.ends.wants_rest()
    }

    /// An event is over that let records come or go at so many places; at any, if it is the most: then it is counted anew, as an
    /// event that takes all of a store may put another in its place.
    ///
    /// # Safety
    ///
    /// As for [`Stores::settle`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "passes on the contract of its caller")]
    pub(super) unsafe fn doubt(&mut self, n_doubts: u8, stores: &Stores) {
        match n_doubts {
            0 => {}
            // SAFETY: the stores are borrowed exclusively, and no event runs: the contract of this function.
            u8::MAX => self.n_doubts = unsafe { stores.n_doubts() },
            n => self.n_doubts += u32::from(n),
        }
    }

    /// All that arrived was told, and stores are settled.
    pub(super) fn rest(&mut self) {
        if self.n_doubts >= MOST_DOUBTS {
            self.n_doubts = 0;
        }
        if self.reporter_wants_rest() {
            self.ends.rest();
        }
    }

    /// Whether an event might come that was not there when `next` was called.
    pub(super) fn has_more(&self) -> bool {
        self.ends.has_more()
    }

    /// Puts the next event there. It is over unless something follows from those of which the outcome was not told.
    #[inline]
    pub(super) fn next(&mut self, to: &mut Option<E>) -> Incoming {
        if self.is_following_due() {
            return self.follows(to);
        }
        self.ends.next(to);
        self.arrive(to.is_some(), to)
    }

    /// Whether something that follows from another event is the next one, whatever the input has.
    #[inline(always)]
    fn is_following_due(&self) -> bool {
        let is_due = |(due, _): &(u64, E)| *due <= *self.n_arrived;
        self.following.front().is_some_and(is_due)
    }

    /// Counts the event that the input has put there. If the input had none, or was not asked, an event may follow from another one.
    #[inline(always)]
    fn arrive(&mut self, is_there: bool, to: &mut Option<E>) -> Incoming {
        if !is_there {
            return self.follows(to);
        }
        *self.n_arrived += 1;
        Incoming::Event
    }

    /// Puts an event there that follows from another one, if that is the next one now.
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

    /// Tells what became of an event, which it takes. To be called in the order of arrival.
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

    /// The same, and then puts the next event there, as [`next`](Self::next). The reporter must not want a rest in between.
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

    /// Reports an event, and keeps the events that follow from it. If one of these is due, the input is not asked for the next event.
    /// Returns whether the input gave one.
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

    /// The call is over: drops what did not arrive any more.
    pub(super) fn close(self, panics: &mut FirstPanic) {
        panics.drop_each(self.following);
    }
}
