//! Random events have the outcomes of one process.

use schedule_tests::cluster::random::Random;

use super::support::{Folder, assert_same_state, in_memory, process, serial};

#[test]
fn random_events_have_the_outcomes_of_one_process() {
    for n in 1..=4 {
        let folder = Folder::new();
        let mut random = Random::new(n as u64);
        let (mut cluster, mut serial) = (in_memory(n, &folder), serial());
        for n_events in [3, 300, 5_000] {
            process(&mut cluster, &mut serial, random.events(n_events));
            assert_same_state(&cluster, &serial);
        }
        let control = cluster.control();
        assert_eq!(control.n_generations(), 1, "{:?}", control.failures());
    }
}
