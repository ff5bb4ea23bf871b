//! What comes in, and what goes out.

use core::iter::Fuse;
use std::collections::VecDeque;

use super::event::{Event, Handled};
use super::outcome::{Outcome, Refusal};
use super::reason::Reason;
use super::stores::{MOST_DOUBTS, Stores};
use crate::span::Around;

/// Where events come from.
pub(super) trait Input<E> {
    /// The next one.
    fn next(&mut self) -> Incoming<E>;

    /// An event that follows from another one; given back by an input that has no place for it.
    fn follow(&mut self, event: E) -> Option<E> {
        Some(event)
    }

    /// Whether there might be a next one.
    fn has_more(&self) -> bool {
        false
    }
}

/// What an input has to say.
pub(super) enum Incoming<E> {
    Event(E),
    /// None at the moment.
    NotYet,
    Over,
}

impl<I: Iterator> Input<I::Item> for Fuse<I> {
    #[inline(always)]
    fn next(&mut self) -> Incoming<I::Item> {
        match Iterator::next(self) {
            Some(event) => Incoming::Event(event),
            None => Incoming::Over,
        }
    }
}

/// Who is told of what happens.
pub(super) trait Sink<E: Event> {
    /// An event has arrived.
    fn arrived(&mut self, event: &E) {
        let _ = event;
    }

    /// What became of an event. In the order of arrival.
    fn tell(&mut self, outcome: Outcome<E>);

    /// Whether it wants to look at the resources before another event arrives.
    fn wants_rest(&self) -> bool {
        false
    }

    /// All that arrived before was told, and nothing is on its way.
    fn rest(&mut self) {}

    /// Whether it has to be told the same whenever the same events are processed, also of what runs beside an event that fails.
    fn is_exact(&self) -> bool {
        false
    }
}

impl<E: Event, S: Sink<E>> Sink<E> for &mut S {
    fn arrived(&mut self, event: &E) {
        (**self).arrived(event);
    }

    fn tell(&mut self, outcome: Outcome<E>) {
        (**self).tell(outcome);
    }

    fn wants_rest(&self) -> bool {
        (**self).wants_rest()
    }

    fn rest(&mut self) {
        (**self).rest();
    }

    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }
}

/// Tells a closure.
pub(super) struct Plain<F>(pub(super) F);

impl<E: Event, F: FnMut(Outcome<E>)> Sink<E> for Plain<F> {
    #[inline(always)]
    fn tell(&mut self, outcome: Outcome<E>) {
        (self.0)(outcome);
    }
}

/// The events of one call, and those that follow from them, in one order; and who is told of outcomes.
///
/// What follows from an event takes its place after `delay` more events, or when the input ends: not sooner when the outcome
/// is known sooner, so that the order does not depend on how fast anything goes. An input that has places for what follows
/// gives them as soon as the outcome is told.
pub(super) struct Traffic<'t, E, I, S> {
    input: I,
    sink: S,
    /// Each with the position before which it takes its place.
    following: VecDeque<(u64, E)>,
    delay: u64,
    n_arrived: &'t mut u64,
    /// What follows is not to happen: it is in the input already.
    drops_following: bool,
    /// How often events named a place to which an entity may come, in earlier calls as well, since places became free.
    pub(super) n_doubts: u32,
    /// No handler is called any more.
    pub(super) is_stopped: bool,
    /// What the spans of handlers are in.
    pub(super) around: Around,
}

impl<'t, E, I, S> Traffic<'t, E, I, S>
where
    E: Event,
    I: Input<E>,
    S: Sink<E>,
{
    pub(super) fn new(
        input: I,
        sink: S,
        delay: usize,
        n_arrived: &'t mut u64,
        n_doubts: u32,
        drops_following: bool,
        around: Around,
    ) -> Self {
        Self {
            input,
            sink,
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

    /// See [`Sink::is_exact`].
    pub(super) fn is_exact(&self) -> bool {
        self.sink.is_exact()
    }

    /// Whether nothing should arrive before there was a rest: after the same events, however they are processed and cut into
    /// calls, since places become free by that.
    #[inline(always)]
    pub(super) fn wants_rest(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS || self.sink.wants_rest()
    }

    /// Whether nothing may want a rest before so many events are over that have arrived and not named anything yet: the next
    /// one may arrive before that.
    #[inline(always)]
    pub(super) fn may_come_ahead(&self, n_events: usize) -> bool {
        let most = u32::from(u8::MAX) * n_events as u32;
        self.n_doubts + most < MOST_DOUBTS && !self.sink.wants_rest()
    }

    /// An event is over that let entities come or go at so many places; at any, if it is the most: then it is counted anew, as an
    /// event that takes all of a store may put another in its place.
    ///
    /// # Safety
    ///
    /// As for [`Stores::settle`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "hands on what the caller says")]
    pub(super) unsafe fn doubt(&mut self, n_doubts: u8, stores: &Stores) {
        match n_doubts {
            0 => {}
            // SAFETY: said by the caller.
            u8::MAX => self.n_doubts = unsafe { stores.n_doubts() },
            n => self.n_doubts += u32::from(n),
        }
    }

    /// All that arrived was told, and stores are settled.
    pub(super) fn rest(&mut self) {
        if self.n_doubts >= MOST_DOUBTS {
            self.n_doubts = 0;
        }
        if self.sink.wants_rest() {
            self.sink.rest();
        }
    }

    /// Whether an event might come that was not there when `next` was called.
    pub(super) fn has_more(&self) -> bool {
        self.input.has_more()
    }

    /// Puts the next event there. It is over unless something follows from those of which the outcome was not told.
    #[inline]
    pub(super) fn next<'e>(&mut self, to: &'e mut Option<E>) -> Incoming<&'e mut E> {
        let is_due = |(due, _): &(u64, E)| *due <= *self.n_arrived;
        let incoming = match self.following.front().is_some_and(is_due) {
            true => Incoming::Over,
            false => self.input.next(),
        };
        // What panics here does so before the event is there.
        let event = match incoming {
            Incoming::Event(event) => {
                self.sink.arrived(&event);
                to.insert(event)
            }
            Incoming::NotYet => return Incoming::NotYet,
            Incoming::Over => match self.following.pop_front() {
                Some((_, event)) => {
                    self.sink.arrived(&event);
                    to.insert(event)
                }
                None => return Incoming::Over,
            },
        };
        *self.n_arrived += 1;
        Incoming::Event(event)
    }

    /// Tells what became of an event. To be called in the order of arrival.
    #[inline(always)]
    pub(super) fn tell(
        &mut self,
        position: u64,
        event: E,
        case: u16,
        result: Result<Handled<E>, Reason>,
    ) {
        let result = match result {
            Ok(Handled { result, next }) => {
                if let Some(next) = next
                    && !self.drops_following
                {
                    self.follow(position + self.delay, next);
                }
                result.map_err(Refusal::Failed)
            }
            Err(reason) => Err(Refusal::new::<E>(reason, case)),
        };
        self.sink.tell(Outcome {
            position,
            event,
            handler: E::HANDLERS[usize::from(case)].name.base(),
            result,
        });
    }

    #[cold]
    fn follow(&mut self, due: u64, events: Box<[E]>) {
        for event in events {
            if let Some(event) = self.input.follow(event) {
                self.following.push_back((due, event));
            }
        }
    }
}
