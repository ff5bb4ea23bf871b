//! What comes in, and what goes out.

use core::iter::Fuse;
use std::collections::VecDeque;

use super::event::{Event, Handled};
use super::outcome::{Outcome, Refusal};

/// After entities may have come or gone at so many places, it is looked where.
const MOST_DOUBTS: u32 = 4096;

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
    /// At how many places entities may have come or gone, since that was looked at.
    pub(super) n_doubts: u32,
    /// No handler is called any more.
    pub(super) is_stopped: bool,
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
        drops_following: bool,
    ) -> Self {
        Self {
            input,
            sink,
            following: VecDeque::new(),
            delay: delay as u64,
            n_arrived,
            drops_following,
            n_doubts: 0,
            is_stopped: false,
        }
    }

    /// How many events have arrived, in earlier calls as well.
    #[inline]
    pub(super) fn n_arrived(&self) -> u64 {
        *self.n_arrived
    }

    /// Whether nothing should arrive before there was a rest: the same for all ways of processing, since places become free
    /// by that.
    #[inline(always)]
    pub(super) fn wants_rest(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS || self.sink.wants_rest()
    }

    /// All that arrived was told, and stores are settled.
    pub(super) fn rest(&mut self) {
        self.n_doubts = 0;
        if self.sink.wants_rest() {
            self.sink.rest();
        }
    }

    /// Whether an event might come that was not there when `next` was called.
    pub(super) fn has_more(&self) -> bool {
        self.input.has_more()
    }

    /// The next event. It is over unless something follows from those of which the outcome was not told.
    #[inline]
    pub(super) fn next(&mut self) -> Incoming<E> {
        let is_due = |(due, _): &(u64, E)| *due <= *self.n_arrived;
        let incoming = match self.following.front().is_some_and(is_due) {
            true => Incoming::Over,
            false => self.input.next(),
        };
        let event = match incoming {
            Incoming::Event(event) => event,
            Incoming::NotYet => return Incoming::NotYet,
            Incoming::Over => match self.following.pop_front() {
                Some((_, event)) => event,
                None => return Incoming::Over,
            },
        };
        *self.n_arrived += 1;
        self.sink.arrived(&event);
        Incoming::Event(event)
    }

    /// Tells what became of an event, which is taken out of `result`. To be called in the order of arrival.
    ///
    /// Taken out by parts: to move all of it would be to wait for what was written just now.
    #[inline(always)]
    pub(super) fn tell(
        &mut self,
        position: u64,
        event: E,
        case: usize,
        result: &mut Result<Handled<E>, Refusal<E::Error>>,
    ) {
        let result = match result {
            Ok(handled) => {
                if !handled.next.is_empty() && !self.drops_following {
                    let next = core::mem::take(&mut handled.next);
                    self.follow(position + self.delay, next);
                }
                match handled.result.take() {
                    Some(Ok(answer)) => Ok(answer),
                    Some(Err(error)) => Err(Refusal::Failed(error)),
                    None => unreachable!("each outcome is told once"),
                }
            }
            Err(refusal) => Err(core::mem::replace(refusal, Refusal::Skipped)),
        };
        self.sink.tell(Outcome {
            position,
            event,
            handler: E::HANDLERS[case].name.base(),
            result,
        });
    }

    #[cold]
    fn follow(&mut self, due: u64, events: Vec<E>) {
        for event in events {
            if let Some(event) = self.input.follow(event) {
                self.following.push_back((due, event));
            }
        }
    }
}
