//! Crashes at any call of the disk: every released outcome is recovered, nothing is applied twice, and the state is that of
//! the batches in the journal.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use schedule_stream::Position;
use schedule_stream::durable::DurableError;
use schedule_stream::journal::{EntryKind, Journal, JournalRecord, Snapshots, open_on};
use schedule_tests::n_cases;

use super::program::{
    Entry, MAX_FOLLOW_UPS, Reference, Told, content, entries, resources, set_clock, small_bank,
    told,
};
use crate::journal::disk::{Fault, Random, SYNC_KINDS, SimulatedDisk, SyncKind};
use crate::stream::By;

/// A batch that was offered: its events, and its outcomes if they were released.
struct Offered {
    events: Vec<Entry>,
    released: Option<Vec<Told>>,
}

/// Returns the first batch whose outcomes can be reported again: the one after the oldest whole snapshot.
fn first_again(snapshots: &dyn Snapshots) -> u64 {
    let all = snapshots.list().unwrap_or_default();
    let oldest = all
        .into_iter()
        .rev()
        .find(|batch| snapshots.check(*batch).is_ok());
    oldest.map_or(1, |batch| batch + 1)
}

/// Runs the program until it has done `n_steps` steps or a call of the disk fails. `offered[i]` is batch `i + 1`. Adds the number
/// of released outcomes that were reported again to `n_again`.
fn run(
    disk: &SimulatedDisk,
    random: &mut Random,
    offered: &mut Vec<Offered>,
    n_steps: u64,
    n_again: &mut usize,
) -> Result<(), String> {
    let Ok(opened) = open_on(disk.clone()) else {
        return Ok(());
    };
    // Otherwise from the newest snapshot.
    let first = random.one_in(2).then(|| first_again(&opened.snapshots));
    let again: Rc<RefCell<Vec<Told>>> = Rc::default();
    let mut durable = small_bank(By::ALL[0]);
    if let Some(first) = first {
        let to = Rc::clone(&again);
        durable = durable.outcomes_from(Position::new(first, 0), move |outcome| {
            to.borrow_mut().push(told(outcome));
        });
    }
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let mut stream = match durable.recover_from(journal, snapshots, resources()) {
        Ok(stream) => stream,
        Err(DurableError::Journal(_)) if !disk.is_running() || disk.has_failed() => return Ok(()),
        Err(error) => return Err(format!("recovery failed: {error}")),
    };
    // A sequential run of the batches that were recovered.
    let n_recovered = stream.next_batch() as usize - 1;
    if n_recovered > offered.len() {
        return Err(format!(
            "{n_recovered} batches of {} came back",
            offered.len()
        ));
    }
    let lost = &offered[n_recovered..];
    if lost.iter().any(|batch| batch.released.is_some()) {
        return Err("a released batch is lost".to_string());
    }
    offered.truncate(n_recovered);
    let mut reference = Reference::small();
    let again = again.take();
    let mut n_compared = 0;
    for (batch, number) in offered.iter_mut().zip(1..) {
        let outcomes = reference.process(&batch.events);
        let released = batch.released.as_ref();
        if released.is_some_and(|released| *released != outcomes) {
            return Err("an outcome differs from the released one".to_string());
        }
        if first.is_some_and(|first| number >= first) {
            let is_of_batch = |outcome: &&Told| outcome.0.batch == number;
            let found = again.iter().filter(is_of_batch);
            let expected = released.unwrap_or(&outcomes);
            if !found.eq(expected) {
                return Err(format!(
                    "other outcomes of batch {number} are reported again"
                ));
            }
            n_compared += outcomes.len();
            *n_again += released.map_or(0, Vec::len);
            // From now on, it must survive, too.
            batch.released.get_or_insert(outcomes);
        }
    }
    if again.len() != n_compared {
        return Err("an outcome of no batch is reported again".to_string());
    }
    if content(stream.resources()) != content(&reference.resources)
        || stream.n_pending() != reference.n_pending()
    {
        return Err(format!("the state after {n_recovered} batches differs"));
    }
    set_clock(&mut stream);
    for _ in 0..n_steps {
        if random.one_in(4) {
            if stream.snapshot().is_err() && !disk.is_running() {
                return Ok(());
            }
            continue;
        }
        let n = random.below(4);
        let events = entries(random, n, 6);
        if events.is_empty() && stream.n_pending() == 0 {
            continue;
        }
        let (n_before, n_pending_before) = (offered.len(), reference.n_pending());
        let mut offer = |events: &[Entry]| {
            reference.process(events);
            offered.push(Offered {
                events: events.to_vec(),
                released: None,
            });
            reference.n_pending()
        };
        // More follow-up events than fit into a batch come first.
        let mut n_waiting = n_pending_before;
        while n_waiting > MAX_FOLLOW_UPS {
            n_waiting = offer(&[]);
        }
        let mut n_pending = offer(&events);
        let is_one_batch = random.one_in(2);
        while n_pending > 0 && !is_one_batch {
            n_pending = offer(&[]);
        }
        let mut outcomes = Vec::new();
        let report = |outcome| outcomes.push(told(outcome));
        let processed = if is_one_batch {
            stream.process_batch(events, report)
        } else {
            stream.process(events, report)
        };
        for outcome in outcomes {
            let nth = outcome.0.batch as usize - 1;
            let released = offered[n_before..]
                .get_mut(nth - n_before)
                .ok_or(format!("an outcome of batch {}", nth + 1))?;
            released.released.get_or_insert_default().push(outcome);
        }
        match processed {
            Ok(())
                if offered[n_before..]
                    .iter()
                    .all(|batch| batch.released.is_some()) => {}
            Ok(()) => return Err("an outcome is missing".to_string()),
            // The stream is closed: recovery decides.
            Err(DurableError::Journal(_)) if !disk.is_running() || disk.has_failed() => {
                return Ok(());
            }
            Err(error) => return Err(format!("a batch was refused: {error}")),
        }
    }
    Ok(())
}

/// Runs a program several times, with crashes. `ignored`: a sync that has no effect.
fn crash(seed: u64, ignored: Option<SyncKind>, n_again: &mut usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    let disk = SimulatedDisk::new(seed);
    disk.ignore(ignored);
    let mut offered = Vec::new();
    for _ in 0..4 {
        match random.below(4) {
            0 => {}
            1 => {
                let fault = [Fault::Device, Fault::Full, Fault::Short][random.below(3) as usize];
                disk.fail_once(random.below(40), fault);
            }
            _ => disk.stop_after(random.below(60)),
        }
        run(&disk, &mut random, &mut offered, 8, n_again)?;
        if random.one_in(3) {
            disk.end_program()
        } else {
            disk.lose_power()
        }
    }
    run(&disk, &mut random, &mut offered, 0, n_again)
}

#[test]
fn released_outcomes_survive_any_crash() {
    let n_programs = n_cases(1_000);
    let mut n_again = 0;
    for seed in 0..n_programs.into() {
        if let Err(fault) = crash(seed, None, &mut n_again) {
            panic!("seed {seed}: {fault}");
        }
    }
    assert!(
        cfg!(miri) || n_again > 10 * n_programs as usize,
        "{n_again}"
    );
}

#[test]
#[cfg_attr(miri, ignore = "needs many crashes")]
fn sync_of_records_is_necessary() {
    assert!(SYNC_KINDS.contains(&SyncKind::Records));
    let has_fault = |seed| crash(seed, Some(SyncKind::Records), &mut 0).is_err();
    assert!(
        (0..1_000).any(has_fault),
        "no crash has lost a batch that was not synced"
    );
}

/// Each batch has one record, without gaps.
#[test]
fn journal_has_one_record_for_each_batch() {
    let disk = SimulatedDisk::new(1);
    let mut offered = Vec::new();
    run(&disk, &mut Random::new(1), &mut offered, 20, &mut 0).unwrap();
    disk.end_program();
    let mut opened = open_on(disk).unwrap();
    let mut records: Vec<JournalRecord> = Vec::new();
    let first = opened.journal.first_batch().unwrap();
    let read = opened.journal.read(first, &mut |stored| {
        if stored.record.kind != EntryKind::BATCH {
            return ControlFlow::Continue(());
        }
        records.push(stored.record.clone());
        ControlFlow::Continue(())
    });
    read.unwrap();
    let batches = records.iter().map(|record| record.batch);
    assert!(batches.eq(first..=offered.len() as u64));
}
