//! The disk fails, or the power, while clients submit events: each answered event is recovered, once.

use std::sync::Mutex;
use std::thread;

use schedule_stream::service::{ServiceError, ServiceSettings};

use super::{journaled, recover};
use crate::durable::program::{Reference, Told, content, entries, told};
use crate::journal::disk::{Fault, Random, SimulatedDisk};

const N_RUNS: u64 = if cfg!(miri) { 1 } else { 150 };

#[test]
fn answered_events_survive_any_crash() {
    let mut n_answered = 0;
    for seed in 0..N_RUNS {
        let mut random = Random::new(seed);
        let disk = SimulatedDisk::new(seed);
        let answered: Mutex<Vec<Told>> = Mutex::default();
        for _ in 0..3 {
            match random.below(3) {
                0 => disk.fail_once(random.below(60), Fault::Device),
                _ => disk.stop_after(random.below(80)),
            }
            if let Some(stream) = recover(&disk) {
                let service = stream.serve_with(ServiceSettings::new().capacity(3));
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
            match random.one_in(3) {
                true => disk.end_program(),
                false => disk.lose_power(),
            }
        }
        let stream = recover(&disk).unwrap();
        let found = content(stream.resources());
        drop(stream);
        n_answered += answered.lock().unwrap().len();
        let mut reference = Reference::new();
        let mut expected = Vec::new();
        for (time, events) in journaled(&disk) {
            expected.extend(reference.process_at(time, &events));
        }
        assert_eq!(found, content(&reference.resources), "seed {seed}");
        for one in answered.lock().unwrap().iter() {
            let same = expected
                .iter()
                .filter(|other| other.0 == one.0)
                .collect::<Vec<_>>();
            assert_eq!(same, [one], "seed {seed}");
        }
    }
    assert!(n_answered as u64 > 5 * N_RUNS, "{n_answered}");
}
