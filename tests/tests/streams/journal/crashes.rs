//! After a crash, all durable records and snapshots are there, and nothing else.
//!
//! Random programs run on a simulated disk. They are stopped at a random call, with or without a loss of power. A model has the data
//! that must be stored. The same programs find an error if one kind of sync has no effect.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use schedule_stream::journal::{
    EntryKind, FileSnapshots, Journal, JournalError, JournalRecord, Snapshots, keep_two, open_on,
};
use schedule_tests::n_cases;

use super::disk::{Fault, Random, SYNC_KINDS, SimulatedDisk, SyncKind};
use super::head;

/// The number of starts of a program.
const N_STARTS: u64 = 5;

/// The data that must be stored, and the data that may be stored.
#[derive(Debug, Default)]
struct Model {
    /// All entries that were appended, with their generations. Those after a recovered journal are removed.
    records: BTreeMap<Place, (JournalRecord, u64)>,
    /// The newest batch that is durable.
    durable: u64,
    /// The newest entry that is durable.
    durable_place: Place,
    /// Number of entries that are not batches.
    n_notes: u64,
    /// The journal may have no batches below this one.
    kept_from: u64,
    /// The highest generation that a start returned.
    generation: u64,
    /// The version in the head of each generation.
    versions: BTreeMap<u64, u32>,
    /// The contents that each snapshot may have, by batch.
    snapshots: BTreeMap<u64, Vec<Vec<u8>>>,
    /// The snapshots that must be there.
    durable_snapshots: Vec<u64>,
}

/// The order of an entry: its batch, and the number of a note before the batch, or `u64::MAX`.
type Place = (u64, u64);

/// The end of a program.
#[derive(Debug)]
enum End {
    /// It did all that it had to do, or a call failed.
    Done,
    /// The journal violates its rules.
    Violation(String),
}

fn violation<T>(text: impl Into<String>) -> Result<T, End> {
    Err(End::Violation(text.into()))
}

impl Model {
    /// Compares a journal that was opened with the model. All records that it has are durable from now on.
    fn check_opened(&mut self, journal: &mut dyn Journal) -> Result<(), End> {
        let last = self.check_records(journal)?;
        self.records.retain(|place, _| *place <= last);
        (self.durable, self.durable_place) = (journal.next_batch() - 1, last);
        Ok(())
    }

    /// Returns the place of the last entry.
    fn check_records(&self, journal: &mut dyn Journal) -> Result<Place, End> {
        let mut found = Vec::new();
        let read = journal.read(0, &mut |stored| {
            found.push((
                stored.record.clone(),
                stored.head.clone(),
                stored.generation,
            ));
            ControlFlow::Continue(())
        });
        if let Err(error) = read {
            return violation(format!("cannot read: {error}"));
        }
        let next = journal.next_batch();
        if next <= self.durable {
            return violation(format!("batch {} is durable, next is {next}", self.durable));
        }
        let kept_from = self.kept_from.max(1);
        let mut expected = self.records.iter().map(|(place, (record, generation))| {
            let head = head(self.versions[generation]);
            (*place, (record.clone(), head, *generation))
        });
        let mut last = (next - 1, u64::MAX);
        let mut is_first = true;
        for one in &found {
            let next = if is_first {
                // Those before it were removed.
                expected.find(|(place, other)| other == one || place.0 >= kept_from)
            } else {
                expected.next()
            };
            match next {
                Some((place, other)) if other == *one => last = place,
                _ => return violation("other records than those that were appended"),
            }
            is_first = false;
        }
        if let Some((place, _)) = expected.find(|(place, _)| place.0 >= kept_from)
            && place <= self.durable_place
        {
            return violation(format!("{place:?} is durable, and missing"));
        }
        let first = found
            .iter()
            .find(|(record, ..)| record.kind == EntryKind::BATCH)
            .map_or(next, |(record, ..)| record.batch);
        if journal.last_batch() != (first < next).then_some(next - 1)
            || journal.first_batch() != (first < next).then_some(first)
        {
            return violation("wrong numbers of the first or last batch");
        }
        Ok(last)
    }

    /// Compares snapshots with the model. All that are there are durable from now on.
    fn check_snapshots(&mut self, snapshots: &dyn Snapshots) -> Result<(), End> {
        let listed = match snapshots.list() {
            Ok(listed) => listed,
            Err(error) => return violation(format!("cannot list snapshots: {error}")),
        };
        for batch in &self.durable_snapshots {
            if !listed.contains(batch) {
                return violation(format!("the snapshot of batch {batch} is lost"));
            }
        }
        for batch in &listed {
            let Ok(bytes) = snapshots.read(*batch) else {
                return violation(format!("the snapshot of batch {batch} is not whole"));
            };
            let allowed = self.snapshots.get_mut(batch);
            let Some(allowed) = allowed.filter(|allowed| allowed.contains(&bytes)) else {
                return violation(format!("the snapshot of batch {batch} has another content"));
            };
            *allowed = vec![bytes];
        }
        self.durable_snapshots = listed;
        Ok(())
    }
}

/// One start of a program, until its end, or until a call fails.
struct Run<'a> {
    disk: &'a SimulatedDisk,
    model: &'a mut Model,
    random: &'a mut Random,
}

impl Run<'_> {
    /// Returns the error of a call, if it is not one that the disk caused.
    fn failed<T>(&self, error: &JournalError) -> Result<T, End> {
        if !self.disk.is_running() || self.disk.has_failed() {
            Err(End::Done)
        } else {
            violation(format!("unexpected error: {error}"))
        }
    }

    /// The end after a call of the journal failed: all later calls must fail.
    fn closed<T>(&self, journal: &mut dyn Journal, error: &JournalError) -> Result<T, End> {
        let next = journal.next_batch();
        let again = journal.append(&[super::record(next, 1)]);
        let is_closed = matches!(again, Err(JournalError::Closed { .. }))
            && matches!(journal.sync(), Err(JournalError::Closed { .. }));
        if is_closed {
            self.failed(error)
        } else {
            violation("the journal is open after an error")
        }
    }

    fn run(&mut self, n_steps: u64) -> Result<(), End> {
        let mut opened = match open_on(self.disk.clone()) {
            Ok(opened) => opened,
            Err(error) => return self.failed(&error),
        };
        let journal = &mut opened.journal;
        let snapshots = &mut opened.snapshots;
        journal.set_max_segment_bytes(1_500);
        self.model.check_opened(journal)?;
        self.model.check_snapshots(snapshots)?;
        if self.random.one_in(5) {
            return Ok(());
        }
        self.start(journal)?;
        for _ in 0..n_steps {
            match self.random.below(13) {
                0..5 => self.append(journal)?,
                5..8 => self.sync(journal)?,
                8..10 => self.snapshot(snapshots)?,
                10 => self.retain(journal, snapshots)?,
                11 => self.start(journal)?,
                _ => drop(self.model.check_records(journal)?),
            }
        }
        Ok(())
    }

    fn start(&mut self, journal: &mut dyn Journal) -> Result<(), End> {
        let version = self.random.next() as u32;
        match journal.start(&head(version)) {
            Ok(generation) if generation > self.model.generation => {
                self.model.generation = generation;
                self.model.versions.insert(generation, version);
                self.model.durable = journal.next_batch() - 1;
                if let Some((last, _)) = self.model.records.last_key_value() {
                    self.model.durable_place = *last;
                }
                Ok(())
            }
            Ok(generation) => violation(format!("generation {generation} was used before")),
            Err(error) => self.closed(journal, &error),
        }
    }

    fn append(&mut self, journal: &mut dyn Journal) -> Result<(), End> {
        let next = journal.next_batch();
        let n_records = 1 + self.random.below(4);
        let mut records: Vec<JournalRecord> = (next..next + n_records)
            .map(|batch| JournalRecord {
                batch,
                kind: EntryKind::BATCH,
                time: self.random.next(),
                body: {
                    let n_bytes = if self.random.one_in(2) {
                        self.random.below(40)
                    } else {
                        self.random.below(1_300)
                    };
                    let first = self.random.next();
                    (0..n_bytes).map(|at| (first + at * at) as u8).collect()
                },
            })
            .collect();
        // Before a batch, or after all of them.
        if self.random.one_in(3) {
            let at = self.random.below(n_records + 1);
            let note = JournalRecord {
                batch: next + at,
                kind: EntryKind::MAX_PENDING,
                time: 0,
                body: self.random.next().to_le_bytes().to_vec(),
            };
            records.insert(at as usize, note);
        }
        // A group may have no batch.
        if self.random.one_in(6) {
            records.retain(|record| record.kind != EntryKind::BATCH && record.batch == next);
        }
        for record in &records {
            let number = match record.kind {
                EntryKind::BATCH => u64::MAX,
                _ => self.model.n_notes,
            };
            self.model.n_notes += 1;
            let value = (record.clone(), self.model.generation);
            self.model.records.insert((record.batch, number), value);
        }
        match journal.append(&records) {
            Ok(()) => Ok(()),
            Err(error) => self.closed(journal, &error),
        }
    }

    fn sync(&mut self, journal: &mut dyn Journal) -> Result<(), End> {
        match journal.sync() {
            Ok(()) => {
                self.model.durable = journal.next_batch() - 1;
                if let Some((last, _)) = self.model.records.last_key_value() {
                    self.model.durable_place = *last;
                }
                Ok(())
            }
            Err(error) => self.closed(journal, &error),
        }
    }

    fn snapshot(&mut self, snapshots: &mut FileSnapshots<SimulatedDisk>) -> Result<(), End> {
        let batch = self.model.durable;
        let n_bytes = self.random.below(1_500);
        let first = self.random.next();
        let bytes: Vec<u8> = (0..n_bytes).map(|at| (first ^ (at * 7)) as u8).collect();
        let allowed = self.model.snapshots.entry(batch).or_default();
        allowed.push(bytes.clone());
        match snapshots.write(batch, &bytes) {
            Ok(()) => {
                *allowed = vec![bytes];
                self.model.durable_snapshots.push(batch);
                self.model.check_snapshots(snapshots)
            }
            Err(error) => self.failed(&error),
        }
    }

    fn retain(
        &mut self,
        journal: &mut dyn Journal,
        snapshots: &mut FileSnapshots<SimulatedDisk>,
    ) -> Result<(), End> {
        let mut kept = self.model.durable_snapshots.clone();
        kept.sort_unstable();
        kept.dedup();
        let kept = kept.split_off(kept.len().saturating_sub(2));
        self.model.durable_snapshots = kept.clone();
        let before = match keep_two(snapshots) {
            Ok(before) => before,
            Err(error) => return self.failed(&error),
        };
        if kept.len() == 2 && before != Some(kept[0] + 1) {
            return violation(format!("{before:?} is not after snapshot {}", kept[0]));
        }
        let Some(before) = before else { return Ok(()) };
        self.model.kept_from = self.model.kept_from.max(before);
        match journal.truncate(before) {
            Ok(()) => Ok(()),
            Err(error) => self.failed(&error),
        }
    }
}

/// Runs a random program with crashes. Returns a violation of the rules, if it finds one.
fn run_program(seed: u64, ignored: Option<SyncKind>) -> Result<(), String> {
    let disk = SimulatedDisk::new(seed);
    disk.ignore(ignored);
    let mut random = Random::new(!seed);
    let mut model = Model::default();
    for start in 0..N_STARTS {
        if random.one_in(4) {
            let fault = [Fault::Device, Fault::Full, Fault::Short][random.below(3) as usize];
            disk.fail_once(1 + random.below(60), fault);
        }
        if !random.one_in(4) {
            let end = [12, 80][random.below(2) as usize];
            disk.stop_after(1 + random.below(end));
        }
        let mut run = Run {
            disk: &disk,
            model: &mut model,
            random: &mut random,
        };
        if let Err(End::Violation(text)) = run.run(25) {
            return Err(format!("seed {seed}, start {start}: {text}"));
        }
        if random.one_in(3) {
            disk.end_program()
        } else {
            disk.lose_power()
        }
    }
    recovers(&disk, &mut model, &mut random).map_err(|text| format!("seed {seed}: {text}"))
}

/// Opens the journal on a disk without faults, and compares it with the model.
fn recovers(disk: &SimulatedDisk, model: &mut Model, random: &mut Random) -> Result<(), String> {
    match (Run {
        disk,
        model,
        random,
    })
    .run(0)
    {
        Ok(()) | Err(End::Done) => Ok(()),
        Err(End::Violation(text)) => Err(format!("last recovery: {text}")),
    }
}

/// Random programs, each with several crashes.
#[test]
fn each_durable_record_survives_any_crash() {
    for seed in 0..n_cases(1_500).into() {
        run_program(seed, None).unwrap();
    }
}

/// A program that stops at each of its calls, with several outcomes of each crash, and a second crash during the recovery.
#[test]
fn crash_at_every_call_is_recovered() {
    let mut n_crashes = 0;
    for seed in 0..8 {
        let mut n_calls = 1;
        let mut is_complete = false;
        while !is_complete {
            for outcome in 0..4 {
                let disk = SimulatedDisk::new(seed * 1_000 + outcome);
                let mut random = Random::new(seed);
                let mut model = Model::default();
                disk.stop_after(n_calls);
                for n_steps in [40, 5] {
                    let mut run = Run {
                        disk: &disk,
                        model: &mut model,
                        random: &mut random,
                    };
                    if let Err(End::Violation(text)) = run.run(n_steps) {
                        panic!("seed {seed}, call {n_calls}, outcome {outcome}: {text}");
                    }
                    if n_steps == 40 {
                        is_complete = disk.is_running();
                    }
                    disk.lose_power();
                    n_crashes += 1;
                    disk.stop_after(1 + outcome);
                }
                disk.end_program();
                if let Err(text) = recovers(&disk, &mut model, &mut random) {
                    panic!("seed {seed}, call {n_calls}, outcome {outcome}: {text}");
                }
            }
            n_calls += 1;
        }
    }
    assert!(n_crashes > 2_000, "{n_crashes}");
}

#[test]
fn each_kind_of_sync_is_necessary() {
    for kind in SYNC_KINDS {
        let found = (0..1_500).find_map(|seed| run_program(seed, Some(kind)).err());
        assert!(found.is_some(), "no crash shows that {kind:?} is missing");
    }
}
