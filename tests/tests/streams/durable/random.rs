//! Random batches, snapshots and recoveries: outcomes and state equal those of a run without any.

use std::cell::RefCell;
use std::rc::Rc;

use schedule_stream::Position;
use schedule_stream::journal::open_on;
use schedule_tests::n_cases;

use super::program::{
    Reference, Told, bank, content, entries, resources, set_clock, small_bank, told,
};
use crate::journal::disk::{Random, SimulatedDisk};
use crate::stream::By;

#[test]
fn recovered_streams_continue_like_uninterrupted_ones() {
    for seed in 0..n_cases(60).into() {
        let mut random = Random::new(seed);
        let n_accounts = [4, 12, 200][random.below(3) as usize];
        let mut reference = Reference::small();
        let disk = SimulatedDisk::new(seed);
        for _ in 0..3 {
            let by = By::ALL[random.below(By::ALL.len() as u64) as usize];
            let opened = open_on(disk.clone()).unwrap();
            let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
            let recovered = small_bank(by).recover_from(journal, snapshots, resources());
            let mut stream = recovered.unwrap();
            set_clock(&mut stream);
            assert_eq!(
                content(stream.resources()),
                content(&reference.resources),
                "{seed} {by:?}"
            );
            assert_eq!(stream.n_pending(), reference.n_pending());
            for _ in 0..random.below(6) {
                let n = [0, 1, 5, 80][random.below(4) as usize];
                let events = entries(&mut random, n, n_accounts);
                if events.is_empty() && stream.n_pending() == 0 {
                    continue;
                }
                let expected = reference.process_call(&events);
                let mut found: Vec<Told> = Vec::new();
                stream
                    .process_batch(events, |outcome| found.push(told(outcome)))
                    .unwrap();
                assert_eq!(found, expected, "{seed} {by:?}");
                if random.one_in(4) {
                    assert_eq!(stream.snapshot().unwrap(), stream.next_batch() - 1);
                }
            }
            assert_eq!(
                content(stream.resources()),
                content(&reference.resources),
                "{seed} {by:?}"
            );
            drop(stream);
            disk.end_program();
        }
    }
}

#[test]
fn outcomes_are_reported_again_from_any_position() {
    let mut random = Random::new(7);
    let mut reference = Reference::new();
    let disk = SimulatedDisk::new(7);
    let mut all: Vec<Told> = Vec::new();
    {
        let opened = open_on(disk.clone()).unwrap();
        let stores = (Box::new(opened.journal), Box::new(opened.snapshots));
        let mut stream = bank(By::ALL[0])
            .recover_from(stores.0, stores.1, resources())
            .unwrap();
        set_clock(&mut stream);
        for nth in 0..9 {
            let events = entries(&mut random, 20, 10);
            all.extend(reference.process(&events));
            stream.process_batch(events, drop).unwrap();
            if nth == 3 || nth == 6 {
                stream.snapshot().unwrap();
            }
        }
    }
    disk.end_program();
    let again = |first: Position| {
        let opened = open_on(disk.clone()).unwrap();
        let found = Rc::new(RefCell::new(Vec::new()));
        let to = Rc::clone(&found);
        let recovered = bank(By::ALL[0])
            .outcomes_from(first, move |outcome| to.borrow_mut().push(told(outcome)))
            .recover_from(
                Box::new(opened.journal),
                Box::new(opened.snapshots),
                resources(),
            );
        let result = recovered.map(drop);
        disk.end_program();
        result.map(|()| Rc::try_unwrap(found).unwrap().into_inner())
    };
    let last = all.last().unwrap().0;
    for nth in (0..all.len()).rev() {
        let first = all[nth].0;
        match again(first) {
            Ok(found) => assert_eq!(found, all[nth..], "{first}"),
            Err(error) => {
                // The journal is kept back to the older snapshot, after the fourth batch.
                assert!(first.batch <= 4, "{first}: {error}");
                let expected = format!(
                    "the outcome of position {first} cannot be reported again: the journal goes back to position 5:0; "
                );
                assert!(error.to_string().starts_with(&expected), "{error}");
            }
        }
    }
    assert_eq!(again(last).unwrap().len(), 1);
}
