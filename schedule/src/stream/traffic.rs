//! What comes in, and what goes out.

use core::iter::Fuse;
use std::collections::VecDeque;

use super::event::{Event, Handled};
use super::outcome::{Outcome, Refusal};

/// After entities may have come or gone at so many places, it is looked where.
const MOST_DOUBTS: u32 = 4096;

/// The events of one call, and those that follow from them, in one order; and who is told of outcomes.
///
/// What follows from an event takes its place after `delay` more events, or when the input ends: not sooner when the outcome
/// is known sooner, so that the order does not depend on how fast anything goes.
pub(super) struct Traffic<E, I, S> {
    input: Fuse<I>,
    /// Each with the position before which it takes its place.
    following: VecDeque<(u64, E)>,
    delay: u64,
    n_arrived: u64,
    /// At how many places entities may have come or gone, since that was looked at.
    pub(super) n_doubts: u32,
    /// No handler is called any more.
    pub(super) is_stopped: bool,
    outcomes: S,
}

impl<E, I, S> Traffic<E, I, S>
where
    E: Event,
    I: Iterator<Item = E>,
    S: FnMut(Outcome<E>),
{
    pub(super) fn new(input: I, outcomes: S, delay: usize, n_arrived: u64) -> Self {
        Self {
            input: input.fuse(),
            following: VecDeque::new(),
            delay: delay as u64,
            n_arrived,
            n_doubts: 0,
            is_stopped: false,
            outcomes,
        }
    }

    /// How many events have arrived, in earlier calls as well.
    #[inline]
    pub(super) fn n_arrived(&self) -> u64 {
        self.n_arrived
    }

    /// Whether it should be looked which entities have come and gone. The same for all ways of processing, since places
    /// become free by that.
    #[inline]
    pub(super) fn has_doubts(&self) -> bool {
        self.n_doubts >= MOST_DOUBTS
    }

    /// The next event; `None` if there is none, unless one follows from those of which the outcome was not told.
    #[inline]
    pub(super) fn next(&mut self) -> Option<E> {
        let event = match self.following.front() {
            Some((due, _)) if *due <= self.n_arrived => self.following.pop_front()?.1,
            _ => match self.input.next() {
                Some(event) => event,
                None => self.following.pop_front()?.1,
            },
        };
        self.n_arrived += 1;
        Some(event)
    }

    /// Tells what became of an event. To be called in the order of arrival.
    #[inline]
    pub(super) fn tell(
        &mut self,
        position: u64,
        event: E,
        case: usize,
        result: Result<Handled<E>, Refusal<E::Error>>,
    ) {
        let result = match result {
            Ok(handled) => {
                if !handled.next.is_empty() {
                    let due = position + self.delay;
                    let next = handled.next.into_iter();
                    self.following.extend(next.map(|event| (due, event)));
                }
                handled.result.map_err(Refusal::Failed)
            }
            Err(refusal) => Err(refusal),
        };
        (self.outcomes)(Outcome {
            position,
            event,
            handler: E::HANDLERS[case].name.base(),
            result,
        });
    }
}
