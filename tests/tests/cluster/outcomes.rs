//! Random events have the outcomes of one process.

use schedule_tests::cluster::Values;
use schedule_tests::cluster::random::Random;

use super::support::{Folder, Reported, in_memory, serial};

#[test]
fn random_events_have_the_outcomes_of_one_process() {
    for n in 1..=4 {
        let folder = Folder::new();
        let mut random = Random::new(n as u64);
        let (mut cluster, mut serial) = (in_memory(n, &folder), serial());
        for n_events in [3, 300, 5_000] {
            let events = random.events(n_events);
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            cluster
                .process(events.clone(), |outcome| found.push(Reported::new(outcome)))
                .unwrap();
            serial
                .process(events, |outcome| expected.push(Reported::new(outcome)))
                .unwrap();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{n} processes");
            }
            let collected = cluster.control().collect().unwrap();
            Values::of(&collected).assert_same(&Values::of(serial.resources()));
        }
        assert_eq!(
            cluster.control().n_generations(),
            1,
            "{:?}",
            cluster.control().failures()
        );
    }
}
