//! Dead letters: events that have ended the process each time that they were applied.
//!
//! Two processes must have ended under a mark that names only the event. The decision is an entry of the journal. It is synced before the
//! batch of the event is applied, and read before replay, so that every start has the same outcome.

mod list;

use core::fmt;
use core::ops::ControlFlow;

pub(crate) use self::list::DeadLetterList;
pub(super) use self::list::{BatchLetters, digest_of};
use super::engine::Engine;
use super::error::DurableError;
use super::recovery::Recovery;
use super::{DurableEvent, batch};
use crate::base::notices;
use crate::base::position::Position;
use crate::persist::journal::{DeadLetterEntry, EntryKind, Journal, JournalRecord, StoredRecord};
use crate::program::outcome::Outcome;
use schedule::snapshot::{Decoder, Snapshot};

/// An event that is not handled, because processes have ended while they handled it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadLetter {
    /// The position of the event.
    pub position: Position,
    /// The name of the type of events in snapshots.
    pub event: String,
    /// The name of the handler.
    pub handler: String,
    /// The number of processes that have ended while they applied only this event.
    pub n_deaths: u32,
    /// The digest of the encoded event, if it is a follow-up event. `None` if the position is enough, or if the digest cannot be compared.
    digest: Option<[u8; 16]>,
}

impl DeadLetter {
    pub(super) fn new<E: DurableEvent>(
        position: Position,
        handler: &str,
        n_deaths: u32,
        digest: Option<[u8; 16]>,
    ) -> Self {
        Self {
            position,
            event: <E as Snapshot>::NAME.to_string(),
            handler: handler.to_string(),
            n_deaths,
            digest,
        }
    }

    fn of_entry(entry: DeadLetterEntry) -> Self {
        Self {
            position: Position::new(entry.batch, entry.index),
            event: entry.event,
            handler: entry.handler,
            n_deaths: entry.n_deaths,
            digest: entry.digest,
        }
    }

    pub(super) fn to_entry(&self) -> DeadLetterEntry {
        DeadLetterEntry {
            batch: self.position.batch,
            index: self.position.index,
            n_deaths: self.n_deaths,
            event: self.event.clone(),
            handler: self.handler.clone(),
            digest: self.digest,
        }
    }
}

impl fmt::Display for DeadLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_entry().fmt(f)
    }
}

/// The decisions of an engine.
#[derive(Debug)]
pub(super) struct DeadLetterDecisions {
    /// Maximum number of new dead letters in a row.
    max: u32,
    /// The last ones, and the number of the next batch when they were decided. They are in a row as long as it is the next one.
    in_a_row: (u64, Vec<DeadLetter>),
}

impl DeadLetterDecisions {
    pub(super) fn new(max: u32) -> Self {
        Self {
            max,
            in_a_row: (0, Vec::new()),
        }
    }

    /// The dead letters without a batch after them, if `next` is the next batch.
    fn in_a_row(&mut self, next: u64) -> &mut Vec<DeadLetter> {
        let (of, all) = &mut self.in_a_row;
        if core::mem::replace(of, next) != next {
            all.clear();
        }
        all
    }

    /// Fails if an event must not become a dead letter.
    fn check(&mut self, next: u64, letter: &DeadLetter) -> Result<(), DurableError> {
        let max = self.max;
        let in_a_row = self.in_a_row(next);
        if in_a_row.len() < max as usize {
            return Ok(());
        }
        let letter = letter.clone();
        if in_a_row.is_empty() {
            return Err(DurableError::EndsProcess {
                letter,
                may_be_released: false,
            });
        }
        let all = in_a_row.iter().cloned().chain([letter]).collect();
        Err(DurableError::DeadLetters { all, max })
    }

    /// Adds a dead letter. Fails if it is the last one that is allowed in a row.
    fn add(&mut self, next: u64, letter: DeadLetter) -> Result<(), DurableError> {
        let max = self.max;
        let in_a_row = self.in_a_row(next);
        in_a_row.push(letter);
        if in_a_row.len() < max as usize {
            Ok(())
        } else {
            Err(DurableError::DeadLetters {
                all: in_a_row.clone(),
                max,
            })
        }
    }
}

impl<E: DurableEvent> Engine<E> {
    /// Reads the dead letters of a journal, before its batches are replayed.
    pub(super) fn read_dead_letters(
        &mut self,
        journal: &mut dyn Journal,
    ) -> Result<(), DurableError> {
        if !journal.may_contain(EntryKind::DEAD_LETTER) {
            return Ok(());
        }
        let mut read = Ok(());
        journal.read(0, &mut |stored| {
            if stored.record.kind == EntryKind::DEAD_LETTER {
                read = self.read_dead_letter(stored);
            }
            match read {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        read
    }

    /// Reads the entry of a dead letter.
    pub(super) fn read_dead_letter(
        &mut self,
        stored: StoredRecord<'_>,
    ) -> Result<(), DurableError> {
        let StoredRecord { record, head, .. } = stored;
        let Some(entry) = DeadLetterEntry::of_record(record) else {
            let error = Decoder::new(&record.body).error(format_args!(
                "the dead letter before batch {} cannot be read",
                record.batch
            ));
            return Err(error.into());
        };
        let mut letter = DeadLetter::of_entry(entry);
        // Another type of events has other bytes for the same event.
        let is_same_type = head.events == self.head().events
            && batch::event_version::<E>(head) == <E as Snapshot>::VERSION;
        if !is_same_type {
            letter.digest = None;
        }
        let in_a_row = self.decisions.in_a_row(record.batch);
        in_a_row.push(letter.clone());
        self.dead_letters.push(letter);
        Ok(())
    }

    /// Returns the entry with which an event of the last batch becomes a dead letter. `next`: the next batch of the journal.
    ///
    /// # Errors
    ///
    /// Fails if it must not become one.
    pub(crate) fn admit_dead_letter(
        &mut self,
        next: u64,
        letter: &DeadLetter,
    ) -> Result<JournalRecord, DurableError> {
        self.decisions.check(next, letter)?;
        let time = self.stream.time().as_nanos();
        Ok(letter.to_entry().to_record(next, time))
    }

    /// Makes an event a dead letter. Its entry is synced.
    ///
    /// # Errors
    ///
    /// Fails if no further one is allowed in a row.
    pub(crate) fn accept_dead_letter(
        &mut self,
        next: u64,
        letter: DeadLetter,
    ) -> Result<(), DurableError> {
        let Position { batch, index } = letter.position;
        notices::dead_letter(&self.head().program, &letter);
        self.dead_letters.push(letter.clone());
        if let Some(marking) = self.marking() {
            marking.forget_deaths()?;
        }
        self.refuse_elsewhere(batch, index)?;
        self.decisions.add(next, letter)
    }

    /// Makes an event a dead letter, with an entry of this journal.
    ///
    /// # Errors
    ///
    /// As for [`admit_dead_letter`](Self::admit_dead_letter) and [`accept_dead_letter`](Self::accept_dead_letter), and if the journal
    /// cannot be written.
    pub(super) fn decide_dead_letter(
        &mut self,
        journal: &mut dyn Journal,
        letter: DeadLetter,
    ) -> Result<(), DurableError> {
        let next = journal.next_batch();
        let record = self.admit_dead_letter(next, &letter)?;
        journal.append(&[record])?;
        journal.sync()?;
        self.accept_dead_letter(next, letter)
    }
}

/// An event that needs a decision.
pub(super) struct DueEvent {
    letter: DeadLetter,
    /// Whether a program may have released its outcome.
    may_be_released: bool,
}

impl DueEvent {
    /// Makes the event a dead letter, or fails. The journal was started. In both cases the deaths are forgotten: the next start tries
    /// the other events again.
    pub(super) fn decide<E: DurableEvent>(
        self,
        engine: &mut Engine<E>,
        journal: &mut dyn Journal,
        recovery: &mut Recovery,
    ) -> Result<(), DurableError> {
        let Self {
            letter,
            may_be_released,
        } = self;
        let decided = if may_be_released {
            Err(DurableError::EndsProcess {
                letter: letter.clone(),
                may_be_released,
            })
        } else {
            engine.decide_dead_letter(journal, letter.clone())
        };
        if let Some(marking) = engine.marking() {
            marking.forget_deaths()?;
        }
        decided?;
        recovery.new_dead_letters.push(letter);
        Ok(())
    }
}

/// Prepares the mark for a batch that is replayed next. `is_last`: whether it is the last one of the journal. Returns the first event of
/// the batch that needs a decision before.
pub(super) fn expect_replay<E: DurableEvent>(
    engine: &mut Engine<E>,
    stored: StoredRecord<'_>,
    is_last: bool,
) -> Result<Option<DueEvent>, DurableError> {
    let batch = stored.record.batch;
    let Some(marking) = engine.marking() else {
        return Ok(None);
    };
    marking.expect_replay(stored.record, is_last);
    let may_be_released = marking.may_be_released();
    let due: Vec<(u32, u32)> = marking.due().collect();
    if due.is_empty() {
        return Ok(None);
    }
    let events = batch::decode::<E>(stored, &engine.changes)?.events;
    let letters = engine.dead_letters.in_batch(batch);
    for (index, n_deaths) in due {
        let position = Position::new(batch, index);
        // Otherwise the mark is not one of this batch.
        let Some((event, is_follow_up)) = engine.event_at(index, &events) else {
            continue;
        };
        if letters.contains(position, event, is_follow_up) {
            continue;
        }
        let digest = digest_of(event, is_follow_up);
        let handler = engine.stream.handler_of(event);
        return Ok(Some(DueEvent {
            letter: DeadLetter::new::<E>(position, handler, n_deaths, digest),
            may_be_released,
        }));
    }
    Ok(None)
}

/// The error of a batch that was replayed in other processes. Without a mark, nothing proves that no program has released the outcome of
/// its event.
pub(super) fn in_replay<E: DurableEvent>(
    error: DurableError,
    engine: &mut Engine<E>,
) -> DurableError {
    match error {
        DurableError::EndsProcess { letter, .. } => DurableError::EndsProcess {
            letter,
            may_be_released: engine.marking().is_none_or(|mark| mark.may_be_released()),
        },
        error => error,
    }
}

/// Finishes a batch that was replayed in other processes, without this event, which ends them. Returns its outcomes.
pub(super) fn finish_without<E: DurableEvent>(
    letter: DeadLetter,
    engine: &mut Engine<E>,
    journal: &mut dyn Journal,
    recovery: &mut Recovery,
) -> Result<Vec<Outcome<E>>, DurableError> {
    let (mut next, mut outcomes) = (letter, Vec::new());
    loop {
        engine.decide_dead_letter(journal, next.clone())?;
        recovery.new_dead_letters.push(next);
        match engine.finish(&mut outcomes) {
            Ok(()) => return Ok(outcomes),
            Err(DurableError::EndsProcess { letter, .. }) => next = letter,
            Err(error) => return Err(error),
        }
    }
}
