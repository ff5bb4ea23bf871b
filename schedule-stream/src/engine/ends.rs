//! The two ends of a call of `process`: the input, which yields events, and the reporter, which receives outcomes.
//!
//! Each call of `process` has an input and an outcome callback of different types. The engine uses both through `dyn`
//! [`Ends`], so it is compiled once per event type and not once per call. The code that is compiled for each call is in
//! this file: [`CallEnds`].

use core::iter::Fuse;

use crate::StreamError;
use crate::base::position::Position;
use crate::observe::meter::SubmitTime;
use crate::program::event::Event;
use crate::program::outcome::{EventError, Outcome};
use schedule::internal::FirstPanic;

/// A source of events.
pub(crate) trait Input<E> {
    /// Returns the next event, if one is available.
    fn next(&mut self) -> Option<E>;

    /// Returns whether the input will yield no more events. Called after `next` has returned `None`.
    fn is_over(&self) -> bool {
        true
    }

    /// Ends the current batch, unless an event has become available. Called if `next` has returned `None`, or if the
    /// batch has the maximum number of events. Returns whether the batch has ended.
    fn end_batch(&mut self) -> bool {
        true
    }

    /// Called when all events of all batches before this one are reported. `n_pending` follow-up events have not arrived.
    /// `is_behind`: they are more than the budget of a batch.
    fn reported(&mut self, batch: u64, n_pending: usize, is_behind: bool) {
        let _ = (batch, n_pending, is_behind);
    }

    /// Returns whether an event may be available.
    fn has_more(&self) -> bool {
        false
    }

    /// Returns the number of events that wait in a queue, if there is one.
    fn n_waiting(&self) -> Option<usize> {
        None
    }

    /// Calls `note` with the batch and the time of some submissions of events in batches before this one, each once.
    fn submissions(&mut self, before: u64, note: &mut dyn FnMut(u64, SubmitTime)) {
        let _ = (before, note);
    }
}

impl<I: Iterator> Input<I::Item> for Fuse<I> {
    #[inline(always)]
    fn next(&mut self) -> Option<I::Item> {
        Iterator::next(self)
    }
}

/// The receiver of outcomes.
pub(crate) trait Reporter<E: Event> {
    /// Receives the outcome of an event. Called in order of arrival.
    fn report(&mut self, outcome: Outcome<E>);
}

/// A reporter that calls a closure.
pub(crate) struct OutcomeCallback<F>(pub(crate) F);

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
pub(crate) trait Ends<E: Event> {
    /// Puts the next event of the input into `to`, which is empty. It remains empty if the input has none, or if the
    /// input or the reporter panics.
    fn next(&mut self, to: &mut Option<E>);

    /// See [`Input::is_over`].
    fn is_over(&self) -> bool;

    /// Reports the outcome of an event: see [`Reporter::report`]. Takes the event first. `answer` is the answer, or
    /// `apart` has the error.
    ///
    /// Then puts the next event into `event`, like [`next`](Self::next), if `of.asks_for_next` is set. Returns whether
    /// there is one.
    ///
    /// An answer is often small enough for a register. An [`Outcome`] is not, so it is built on this side of the dynamic call. This is
    /// the only place that calls the reporter with an outcome, so that the compiler inlines the outcome callback here.
    fn report(
        &mut self,
        event: &mut Option<E>,
        of: Reported,
        answer: Option<E::Answer>,
        apart: Option<&mut Apart<E>>,
    ) -> bool;

    /// See [`Input::end_batch`].
    fn end_batch(&mut self) -> bool;

    /// See [`Input::reported`].
    fn reported(&mut self, batch: u64, n_pending: usize, is_behind: bool);

    /// See [`Input::has_more`].
    fn has_more(&self) -> bool;

    /// See [`Input::n_waiting`].
    fn n_waiting(&self) -> Option<usize>;

    /// See [`Input::submissions`].
    fn submissions(&mut self, before: u64, note: &mut dyn FnMut(u64, SubmitTime));
}

/// The reason why an event has no answer.
pub(crate) type EventErrorOf<E> = EventError<<E as Event>::Error>;

/// The parts of an outcome that most events do not have.
pub(crate) struct Apart<E: Event> {
    pub(crate) cause: Option<Position>,
    pub(crate) error: Option<EventErrorOf<E>>,
}

/// An event whose outcome is reported. Fits in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported {
    /// Its position.
    pub(crate) batch: u64,
    pub(crate) index: u32,
    /// The index of its variant in [`Event::HANDLERS`].
    pub(crate) case: u16,
    /// Whether to ask the input for the next event after the report.
    pub(crate) asks_for_next: bool,
}

/// The input and the reporter of one call.
pub(crate) struct CallEnds<I, S> {
    pub(crate) input: I,
    pub(crate) reporter: S,
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
    pub(crate) fn close(
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
    }

    fn is_over(&self) -> bool {
        self.input.is_over()
    }

    fn report(
        &mut self,
        to: &mut Option<E>,
        of: Reported,
        answer: Option<E::Answer>,
        apart: Option<&mut Apart<E>>,
    ) -> bool {
        if let Some(event) = to.take() {
            let handler = E::HANDLERS[usize::from(of.case)].name.base();
            let (cause, error) = match apart {
                None => (None, None),
                Some(Apart { cause, error }) => (*cause, error.take()),
            };
            let result = match answer {
                Some(answer) => Ok(answer),
                None => Err(error.expect("an event has an answer or an error")),
            };
            self.reporter.report(Outcome {
                position: Position::new(of.batch, of.index),
                cause,
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

    fn end_batch(&mut self) -> bool {
        self.input.end_batch()
    }

    fn reported(&mut self, batch: u64, n_pending: usize, is_behind: bool) {
        self.input.reported(batch, n_pending, is_behind);
    }

    fn has_more(&self) -> bool {
        self.input.has_more()
    }

    fn n_waiting(&self) -> Option<usize> {
        self.input.n_waiting()
    }

    fn submissions(&mut self, before: u64, note: &mut dyn FnMut(u64, SubmitTime)) {
        self.input.submissions(before, note);
    }
}
