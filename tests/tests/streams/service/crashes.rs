//! The disk fails, or the power, while clients submit events: each answered event is recovered, once. Each recovery reports all
//! outcomes again that were released before.

use std::sync::{Arc, Mutex};
use std::thread;

use schedule_stream::service::{ServiceError, ServiceSettings};
use schedule_tests::n_cases;

use super::{journaled, recover_all};
use crate::durable::program::{Reference, Told, content, entries, told, told_copy};
use crate::journal::disk::{Fault, Random, SimulatedDisk};

/// Each of these outcomes must be there once, and no other one with its position.
fn check_same(released: &[Told], found: &[Told], seed: u64) {
    for one in released {
        let same: Vec<_> = found.iter().filter(|other| other.0 == one.0).collect();
        assert_eq!(same, [one], "seed {seed}");
    }
}

#[test]
fn answered_events_survive_any_crash() {
    let (mut n_answered, mut n_released) = (0, 0);
    let n_runs = n_cases(150);
    for seed in 0..n_runs.into() {
        let mut random = Random::new(seed);
        let disk = SimulatedDisk::new(seed);
        let answered: Mutex<Vec<Told>> = Mutex::default();
        // All outcomes that a service has released, also of follow-up events.
        let released: Arc<Mutex<Vec<Told>>> = Arc::default();
        for _ in 0..3 {
            match random.below(3) {
                0 => disk.fail_once(random.below(60), Fault::Device),
                _ => disk.stop_after(random.below(80)),
            }
            if let Some((stream, again)) = recover_all(&disk) {
                check_same(&released.lock().unwrap(), &again, seed);
                let to = Arc::clone(&released);
                let settings = ServiceSettings::new()
                    .capacity(3)
                    .outcomes(move |outcome| to.lock().unwrap().push(told_copy(outcome)));
                let service = stream.serve_with(settings);
                thread::scope(|scope| {
                    for client in 0..3 {
                        let (handle, answered) = (service.handle(), &answered);
                        let events = entries(&mut Random::new(seed * 10 + client), 12, 6);
                        scope.spawn(move || {
                            for event in events {
                                match handle.submit_blocking(event) {
                                    Ok(outcome) => answered.lock().unwrap().push(told(outcome)),
                                    Err(ServiceError::Closed | ServiceError::Unknown) => break,
                                    Err(error) => panic!("{error}"),
                                }
                            }
                        });
                    }
                });
                drop(service);
            }
            if random.one_in(3) {
                disk.end_program()
            } else {
                disk.lose_power()
            }
        }
        let (stream, again) = recover_all(&disk).unwrap();
        let found = content(stream.resources());
        drop(stream);
        let (answered, released) = (answered.lock().unwrap(), released.lock().unwrap());
        n_answered += answered.len();
        n_released += released.len();
        check_same(&answered, &released, seed);
        check_same(&released, &again, seed);
        let mut reference = Reference::new();
        let mut expected = Vec::new();
        for (time, events) in journaled(&disk) {
            expected.extend(reference.process_at(time, &events));
        }
        assert_eq!(found, content(&reference.resources), "seed {seed}");
        assert_eq!(again, expected, "seed {seed}");
    }
    assert!(n_answered > 5 * n_runs as usize, "{n_answered}");
    assert!(n_released > n_answered, "no follow-up event was released");
}
