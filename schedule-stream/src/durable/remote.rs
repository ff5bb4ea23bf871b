//! Batches that run in other processes. This side numbers their events, and derives the follow-up events.

use core::fmt;
use std::collections::VecDeque;

use super::DurableEvent;
use super::error::DurableError;
use super::executor::BatchExecutor;
use super::keys::EventResult;
use crate::batches::{Batches, PendingEvent};
use crate::event::{CaseOf, Cases, Event};
use crate::handler::have_follow_ups;
use crate::limits::Limits;
use crate::outcome::{EventError, Outcome};
use crate::position::{BatchTime, Position};
use crate::reason::{ExceededLimit, Reason};
use crate::single::EventEnd;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// The batches that have begun and are not finished.
pub(super) struct Remote<E: DurableEvent> {
    executor: Box<dyn BatchExecutor<E>>,
    /// The oldest first.
    begun: VecDeque<BegunBatch<E>>,
}

struct BegunBatch<E> {
    time: BatchTime,
    /// Its events, by index.
    events: Vec<BegunEvent<E>>,
    /// Whether its follow-up events have arrived.
    is_whole: bool,
}

struct BegunEvent<E> {
    event: E,
    /// The limit that it exceeds. It runs nowhere then.
    exceeded: Option<ExceededLimit>,
}

/// Whether a batch that has begun can wait for follow-up events of an earlier one.
const fn may_follow<E: Event>() -> bool {
    have_follow_ups(E::HANDLERS)
}

impl<E: DurableEvent> Remote<E> {
    pub(super) fn new(executor: Box<dyn BatchExecutor<E>>) -> Self {
        Self {
            executor,
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
        limits: &Limits,
        batch: u64,
        time: BatchTime,
        events: Vec<E>,
    ) -> Result<(), DurableError> {
        if self.begun.is_empty() {
            batches.begin(Position::new(batch, 0), u64::MAX);
        }
        events.iter().for_each(|_| batches.arrive());
        batches.end_input();
        let begun = |event| BegunEvent {
            event,
            exceeded: None,
        };
        self.begun.push_back(BegunBatch {
            time,
            events: events.into_iter().map(begun).collect(),
            is_whole: false,
        });
        if !may_follow::<E>() || self.begun.len() == 1 {
            return self.complete(batches, limits, batch, 0);
        }
        // Its follow-up events come when the batch before is finished.
        let events = self.begun.back().map_or(&[][..], |last| &last.events);
        let mut events = (0..).zip(events.iter().map(|one| &one.event));
        let added = self.executor.add(batch, time, &mut events, false);
        added.map_err(DurableError::Executor)
    }

    /// Lets the follow-up events of the last batch arrive. Its events before `first_new` were added.
    fn complete(
        &mut self,
        batches: &mut Batches<E>,
        limits: &Limits,
        batch: u64,
        first_new: usize,
    ) -> Result<(), DurableError> {
        let Some(last) = self.begun.back_mut() else {
            return Ok(());
        };
        while let Some((event, exceeded)) = batches.next_follow_up(limits) {
            batches.arrive();
            last.events.push(BegunEvent { event, exceeded });
        }
        batches.close();
        last.is_whole = true;
        let mut new = (0..).zip(&last.events).skip(first_new);
        let mut running = new
            .by_ref()
            .filter(|(_, one)| one.exceeded.is_none())
            .map(|(index, one)| (index, &one.event));
        let added = self.executor.add(batch, last.time, &mut running, true);
        added.map_err(DurableError::Executor)
    }

    /// Waits for the oldest batch, and calls `report` with its outcomes, in order.
    pub(super) fn finish(
        &mut self,
        batches: &mut Batches<E>,
        limits: &Limits,
        report: &mut dyn FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        let Some(oldest) = self.begun.pop_front() else {
            return Ok(());
        };
        debug_assert!(oldest.is_whole, "only the last batch waits for events");
        let mut ends: Vec<Option<EventEnd<E>>> = Vec::new();
        ends.resize_with(oldest.events.len(), || None);
        let finished = self
            .executor
            .finish(&mut |index, end| ends[index as usize] = Some(end));
        finished.map_err(DurableError::Executor)?;
        for (BegunEvent { event, exceeded }, end) in oldest.events.into_iter().zip(ends) {
            let case = E::cases().visit(&event, CaseOf);
            let end = match exceeded {
                Some(limit) => EventEnd {
                    result: Err(EventError::new::<E>(
                        Reason::Exceeds(limit),
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
            Some(next) if !next.is_whole => {
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
}

impl<E: DurableEvent> fmt::Debug for Remote<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({} batches)", self.begun.len())
    }
}
