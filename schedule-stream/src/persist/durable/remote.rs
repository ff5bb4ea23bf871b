//! Batches that run in other processes. This side numbers their events, and derives the follow-up events.

use core::fmt;
use std::collections::VecDeque;

use super::DurableEvent;
use super::dead_letters::{BatchLetters, DeadLetterList, digest_of};
use super::error::DurableError;
use super::executor::{AddedEvent, BatchExecutor, FinishError};
use super::keys::EventResult;
use crate::base::position::{BatchTime, EventInfo, Position};
use crate::engine::batches::{Batches, PendingEvent};
use crate::engine::single::EventEnd;
use crate::program::event::{CaseOf, Cases, Event};
use crate::program::handler::have_follow_ups;
use crate::program::outcome::{EventError, Outcome};
use crate::store::limits::EventLimits;
use crate::store::reason::{ExceededLimit, Reason};
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// An event that ends each process that runs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadlyEvent {
    /// The index in the oldest batch.
    pub(super) index: u32,
    pub(super) n_deaths: u32,
    /// The name of its handler.
    pub(super) handler: &'static str,
    /// The digest of the encoded event, if it is a follow-up event.
    pub(super) digest: Option<[u8; 16]>,
}

/// The batches that have begun and are not finished.
pub(super) struct Remote<E: DurableEvent> {
    executor: Box<dyn BatchExecutor<E>>,
    /// Those of the stream.
    dead_letters: DeadLetterList,
    /// The oldest first.
    begun: VecDeque<BegunBatch<E>>,
}

struct BegunBatch<E: Event> {
    time: BatchTime,
    /// Its events, by index.
    events: Vec<BegunEvent<E>>,
    /// Number of events of the input. Those after them are follow-up events.
    n_input: usize,
    /// Maximum number of follow-up events that they cause.
    max_new: usize,
    /// Whether its follow-up events have arrived.
    is_complete: bool,
    /// The ends of its events, by index, if it has ended. `None` for those that run nowhere.
    ends: Option<Vec<Option<EventEnd<E>>>>,
}

impl<E: Event> BegunBatch<E> {
    fn new(time: BatchTime) -> Self {
        Self {
            time,
            events: Vec::new(),
            n_input: 0,
            max_new: 0,
            is_complete: false,
            ends: None,
        }
    }
}

impl<E: DurableEvent> BegunBatch<E> {
    /// Adds the event that has arrived last.
    fn push(
        &mut self,
        event: E,
        exceeded: Option<ExceededLimit>,
        batches: &Batches<E>,
        limits: &EventLimits,
        letters: &BatchLetters<'_>,
    ) {
        let EventInfo {
            position,
            max_follow_ups,
            ..
        } = batches.last_info(limits);
        let refusal = match exceeded {
            Some(limit) => Some(Refusal::Exceeds(limit)),
            None if letters.refuse(position, &event, batches.is_input_over()) => {
                Some(Refusal::DeadLetter)
            }
            None => None,
        };
        if E::HANDLERS[E::cases().visit(&event, CaseOf)].may_follow() {
            self.max_new = self.max_new.saturating_add(max_follow_ups as usize);
        }
        self.events.push(BegunEvent {
            event,
            max_follow_ups,
            refusal,
        });
    }
}

struct BegunEvent<E> {
    event: E,
    /// Maximum number of follow-up events that it may cause.
    max_follow_ups: u32,
    /// Why it runs nowhere.
    refusal: Option<Refusal>,
}

/// Why an event runs nowhere.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    Exceeds(ExceededLimit),
    DeadLetter,
}

impl Refusal {
    fn into_reason(self) -> Reason {
        match self {
            Self::Exceeds(limit) => Reason::Exceeds(limit),
            Self::DeadLetter => Reason::DeadLetter,
        }
    }
}

impl<E> BegunEvent<E> {
    /// The event with this index, to be added to the batch.
    fn added(&self, index: u32) -> AddedEvent<'_, E> {
        AddedEvent {
            index,
            max_follow_ups: self.max_follow_ups,
            event: &self.event,
        }
    }
}

/// Whether a batch that has begun can wait for follow-up events of an earlier one.
const fn may_follow<E: Event>() -> bool {
    have_follow_ups(E::HANDLERS)
}

impl<E: DurableEvent> Remote<E> {
    /// `dead_letters`: those of the stream.
    pub(super) fn new(executor: Box<dyn BatchExecutor<E>>, dead_letters: DeadLetterList) -> Self {
        Self {
            executor,
            dead_letters,
            begun: VecDeque::new(),
        }
    }

    pub(super) fn executor(&mut self) -> &mut dyn BatchExecutor<E> {
        &mut *self.executor
    }

    /// Number of batches that have begun and are not finished.
    pub(super) fn n_begun(&self) -> usize {
        self.begun.len()
    }

    /// Number of their events, and maximum number of follow-up events that these cause.
    pub(super) fn running(&self) -> (usize, usize) {
        let n_events = self.begun.iter().map(|batch| batch.events.len());
        let max_new = self.begun.iter().map(|batch| batch.max_new);
        (n_events.sum(), max_new.fold(0, usize::saturating_add))
    }

    /// Returns whether another batch may begin.
    pub(super) fn may_begin(&self) -> bool {
        // The positions of follow-up events are known only when the batch before is finished.
        let max = if may_follow::<E>() { 2 } else { usize::MAX };
        self.begun.len() < max.min(self.executor.max_begun())
    }

    /// Begins a batch with these events of the input.
    pub(super) fn begin(
        &mut self,
        batches: &mut Batches<E>,
        limits: &EventLimits,
        batch: u64,
        time: BatchTime,
        events: Vec<E>,
    ) -> Result<(), DurableError> {
        if self.begun.is_empty() {
            batches.begin(Position::new(batch, 0), u64::MAX);
        }
        let letters = self.dead_letters.in_batch(batch);
        let mut begun = BegunBatch::new(time);
        for event in events {
            batches.arrive();
            begun.push(event, None, batches, limits, &letters);
        }
        begun.n_input = begun.events.len();
        batches.end_input();
        self.begun.push_back(begun);
        if !may_follow::<E>() || self.begun.len() == 1 {
            return self.complete(batches, limits, batch, 0);
        }
        // Its follow-up events come when the batch before is finished.
        let events = self.begun.back().map_or(&[][..], |last| &last.events);
        let mut events = (0..)
            .zip(events)
            .filter(|(_, one)| one.refusal.is_none())
            .map(|(index, one)| one.added(index));
        let added = self.executor.add(batch, time, &mut events, false);
        added.map_err(DurableError::Executor)
    }

    /// Lets the follow-up events of the last batch arrive. Its events before `first_new` were added.
    fn complete(
        &mut self,
        batches: &mut Batches<E>,
        limits: &EventLimits,
        batch: u64,
        first_new: usize,
    ) -> Result<(), DurableError> {
        let letters = self.dead_letters.in_batch(batch);
        let Some(last) = self.begun.back_mut() else {
            return Ok(());
        };
        while let Some((event, exceeded)) = batches.next_follow_up(limits) {
            batches.arrive();
            last.push(event, exceeded, batches, limits, &letters);
        }
        batches.close();
        last.is_complete = true;
        let mut new = (0..).zip(&last.events).skip(first_new);
        let mut running = new
            .by_ref()
            .filter(|(_, one)| one.refusal.is_none())
            .map(|(index, one)| one.added(index));
        let added = self.executor.add(batch, last.time, &mut running, true);
        added.map_err(DurableError::Executor)
    }

    /// Waits for the oldest batch. Returns the event that ends each process that runs it, if there is one.
    pub(super) fn wait(&mut self) -> Result<Option<DeadlyEvent>, DurableError> {
        let Some(oldest) = self.begun.front_mut() else {
            return Ok(None);
        };
        if oldest.ends.is_some() {
            return Ok(None);
        }
        debug_assert!(oldest.is_complete, "only the last batch waits for events");
        let mut ends: Vec<Option<EventEnd<E>>> = Vec::new();
        ends.resize_with(oldest.events.len(), || None);
        match self
            .executor
            .finish(&mut |index, end| ends[index as usize] = Some(end))
        {
            Ok(()) => {
                oldest.ends = Some(ends);
                Ok(None)
            }
            Err(FinishError::Failed(error)) => Err(DurableError::Executor(error)),
            Err(FinishError::EndsProcess { index, n_deaths }) => {
                let is_follow_up = index as usize >= oldest.n_input;
                let of = oldest
                    .events
                    .get(index as usize)
                    .ok_or("the executor has named an event that does not exist");
                let event = &of
                    .map_err(|error| DurableError::Executor(error.into()))?
                    .event;
                Ok(Some(DeadlyEvent {
                    index,
                    n_deaths,
                    handler: E::HANDLERS[E::cases().visit(event, CaseOf)].name.base(),
                    digest: digest_of(event, is_follow_up),
                }))
            }
        }
    }

    /// Lets an event of the oldest batch fail, which has the number `batch`.
    pub(super) fn refuse(&mut self, batch: u64, index: u32) -> Result<(), DurableError> {
        let oldest = self.begun.front_mut();
        if let Some(event) = oldest.and_then(|batch| batch.events.get_mut(index as usize)) {
            event.refusal = Some(Refusal::DeadLetter);
        }
        let refused = self.executor.refuse(batch, index);
        refused.map_err(DurableError::Executor)
    }

    /// Finishes the oldest batch, for which [`wait`](Self::wait) has waited, and calls `report` with its outcomes, in order.
    pub(super) fn finish(
        &mut self,
        batches: &mut Batches<E>,
        limits: &EventLimits,
        report: &mut dyn FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        let Some(oldest) = self.begun.pop_front() else {
            return Ok(());
        };
        let ends = oldest.ends.expect("the caller has waited for the batch");
        for (of, end) in oldest.events.into_iter().zip(ends) {
            let BegunEvent { event, refusal, .. } = of;
            let case = E::cases().visit(&event, CaseOf);
            let end = match refusal {
                Some(refusal) => EventEnd {
                    result: Err(EventError::new::<E>(
                        refusal.into_reason(),
                        case as u16,
                        limits,
                    )),
                    follow_ups: Vec::new(),
                },
                None => end.expect("each event of a finished batch has ended"),
            };
            let (position, _) = batches.report();
            let depth = batches.depth_after(position);
            let cause = batches.take_cause(position);
            let follow_ups = end.follow_ups.into_iter();
            batches.pending.extend(follow_ups.map(|event| PendingEvent {
                cause: position,
                depth,
                event,
            }));
            report(Outcome {
                position,
                cause,
                handler: E::HANDLERS[case].name.base(),
                event,
                result: end.result,
            });
        }
        match self.begun.front() {
            Some(next) if !next.is_complete => {
                let first_new = next.events.len();
                let batch = batches.next().batch;
                self.complete(batches, limits, batch, first_new)
            }
            _ => Ok(()),
        }
    }

    /// Runs the handler of an event that writes nothing.
    pub(super) fn query(
        &mut self,
        time: BatchTime,
        event: &E,
    ) -> Result<EventResult<E>, DurableError> {
        let answer = self.executor.query(time, event);
        answer.map_err(DurableError::Executor)
    }
}

/// The saved state of the other processes, in a snapshot.
#[derive(Debug)]
pub(crate) struct ElsewhereSection(pub(crate) Vec<u8>);

impl Snapshot for ElsewhereSection {
    const NAME: &'static str = "schedule-stream.elsewhere";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.0)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        from.read().map(Self)
    }

    fn schema() -> Schema {
        Schema::unknown()
    }
}

impl<E: DurableEvent> fmt::Debug for Remote<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({} batches)", self.begun.len())
    }
}
