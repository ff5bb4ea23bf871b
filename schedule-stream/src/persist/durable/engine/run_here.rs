//! The run of a batch in this process, under a mark.

use super::super::DurableEvent;
use super::super::dead_letters::DeadLetter;
use super::super::digest::Digest;
use super::super::error::DurableError;
use super::super::mark::Marking;
use super::Engine;
use super::collecting::Collecting;
use crate::base::position::{BatchTime, Position};
use crate::engine::ends::CallEnds;
use crate::engine::stream::CallSettings;
use crate::persist::journal::{Journal, JournalRecord};
use schedule::FailurePolicy;

impl<E: DurableEvent> Engine<E> {
    /// Opens the mark of a journal.
    pub(in super::super) fn open_mark(
        &mut self,
        journal: &mut dyn Journal,
    ) -> Result<(), DurableError> {
        self.marking = Marking::open(journal, self.remote.is_some())?;
        Ok(())
    }

    /// The mark, if there is one.
    pub(in super::super) fn marking(&mut self) -> Option<&mut Marking> {
        self.marking.as_mut()
    }

    /// Prepares the mark for the next batch, which is new.
    pub(super) fn expect_new(&mut self, record: &JournalRecord) {
        if let Some(marking) = &mut self.marking {
            marking.expect_new(record);
        }
    }

    /// Runs the next batch. A batch without events is only counted, and so are all batches of a stopped stream.
    ///
    /// A batch in which a process has ended before runs one by one. So does one with a dead letter. The result is the same in all modes.
    pub(super) fn run_here(&mut self, time: BatchTime, events: Vec<E>) -> Result<(), DurableError> {
        let next = self.next();
        let mut outcomes = Vec::with_capacity(events.len());
        let n_events = events.len() + self.stream.n_due_follow_ups();
        if self.check_runs().is_err() || n_events == 0 {
            self.done = Some(outcomes);
            return Ok(());
        }
        let dead = self.dead_letters_among(next, &events);
        let mut is_one_by_one = !dead.is_empty();
        self.stream.set_dead_letters(dead);
        if let Some(marking) = &mut self.marking {
            if marking.is_next_suspect() {
                marking.begin_event(0)?;
                is_one_by_one = true;
            } else {
                marking.begin(n_events)?
            }
        }
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.begin(next, is_one_by_one);
        }
        let digest = self.new_digest(next, events.len());
        let mut ends = CallEnds {
            input: events.into_iter().fuse(),
            reporter: Collecting {
                stops: self.stream.failure_policy() == FailurePolicy::Stop,
                skipped: self.stream.skipped().to_vec(),
                passed: &mut self.passed,
                outcomes: &mut outcomes,
                digest,
                stopped: None,
                is_one_by_one,
                marking: self.marking.take(),
                watchdog: self.watchdog.as_ref(),
                n_left: n_events,
                unmarked: None,
            },
        };
        let settings = CallSettings {
            channel: self.scope,
            is_exact: true,
            is_one_by_one,
            ..CallSettings::BATCH
        };
        let processed = self
            .stream
            .run_call_at(time, &self.resources, &mut ends, settings);
        self.stopped = ends.reporter.stopped;
        let no_digest = Digest::new(None);
        let digest = core::mem::replace(&mut ends.reporter.digest, no_digest);
        let unmarked = ends.reporter.unmarked.take();
        self.marking = ends.reporter.marking.take();
        if let Some(watchdog) = &self.watchdog {
            watchdog.end();
        }
        // Also after an error or a panic, because the process continues.
        let unmarked = unmarked.or(self.marking.as_mut().and_then(|mark| mark.end().err()));
        ends.close(processed)?;
        if let Some(error) = unmarked {
            return Err(error);
        }
        self.add_digest(next, digest);
        if let (Some(each), Some(_)) = (&mut self.outcome_digests, self.stopped) {
            each.set_stopped();
        }
        self.done = Some(outcomes);
        Ok(())
    }

    /// Returns the positions of the dead letters in the next batch, whose events of the input are these.
    fn dead_letters_among(&self, next: u64, events: &[E]) -> Vec<Position> {
        let letters = self.dead_letters.in_batch(next);
        let is_dead = |position: &Position| {
            let event = self.event_at(position.index, events);
            event
                .is_some_and(|(event, is_follow_up)| letters.refuse(*position, event, is_follow_up))
        };
        let n_events = events.len() + self.stream.n_due_follow_ups();
        let in_batch = |position: &Position| (position.index as usize) < n_events;
        letters
            .positions()
            .filter(in_batch)
            .filter(is_dead)
            .collect()
    }

    /// Returns the event with this index in the next batch, whose events of the input are these, and whether it is a follow-up event.
    /// `None` if no event has this index.
    pub(in super::super) fn event_at<'e>(
        &'e self,
        index: u32,
        events: &'e [E],
    ) -> Option<(&'e E, bool)> {
        let index = index as usize;
        if let Some(event) = events.get(index) {
            return Some((event, false));
        }
        let of = self.stream.pending().get(index - events.len())?;
        Some((&of.event, true))
    }

    /// Waits for the oldest batch that has begun, if batches run in other processes.
    pub(super) fn wait_elsewhere(&mut self) -> Result<(), DurableError> {
        let Some(remote) = &mut self.remote else {
            return Ok(());
        };
        let Some(deadly) = remote.wait()? else {
            return Ok(());
        };
        Err(DurableError::EndsProcess {
            letter: DeadLetter::new::<E>(
                Position::new(self.last + 1, deadly.index),
                deadly.handler,
                deadly.n_deaths,
                deadly.digest,
            ),
            may_be_released: false,
        })
    }

    /// Takes a dead letter out of its batch, if batches run in other processes and it has begun.
    pub(in super::super) fn refuse_elsewhere(
        &mut self,
        batch: u64,
        index: u32,
    ) -> Result<(), DurableError> {
        match &mut self.remote {
            Some(remote) if remote.n_begun() > 0 && batch == self.last + 1 => {
                remote.refuse(batch, index)
            }
            _ => Ok(()),
        }
    }
}
