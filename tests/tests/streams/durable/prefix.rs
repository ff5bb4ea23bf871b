//! A journal that was cut short is replayed as far as it goes, and is never reported as different.

use schedule_stream::journal::open_on;

use super::program::{Reference, bank, content, entries, resources, set_clock, time};
use crate::journal::disk::{Random, SimulatedDisk};
use crate::stream::By;

#[test]
fn each_prefix_of_a_journal_is_replayed() {
    let disk = SimulatedDisk::new(0);
    let recover = |disk: &SimulatedDisk| {
        let opened = open_on(disk.clone()).unwrap();
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        let recovered = bank(By::ALL[0]).recover_from(journal, snapshots, resources());
        (recovered.unwrap(), opened.recovered)
    };
    let (mut stream, _) = recover(&disk);
    set_clock(&mut stream);
    let mut random = Random::new(5);
    let mut reference = Reference::new();
    let mut states = vec![content(&reference.resources)];
    for batch in 1..=4 {
        let events = entries(&mut random, 6, 5);
        reference.process_at(time(batch).as_nanos(), &events);
        states.push(content(&reference.resources));
        stream.process_batch(events, drop).unwrap();
    }
    drop(stream);
    let files = disk.files();
    let is_journal = |name: &str| name.starts_with("journal");
    let journal = files.iter().find(|(name, _)| is_journal(name));
    let journal = &journal.unwrap().1;
    let n_whole = journal.len();
    // The size of the program head is at byte 20, and the program head at byte 44.
    let n_head = u32::from_le_bytes(journal[20..24].try_into().unwrap()) as usize + 44;
    let step = if cfg!(miri) { 100 } else { 1 };
    let (mut n_before, mut n_cut) = (4, 0);
    for n_bytes in (n_head..=n_whole).rev().step_by(step) {
        let cut = SimulatedDisk::new(0);
        for (name, content) in &files {
            let n_kept = if is_journal(name) {
                n_bytes
            } else {
                content.len()
            };
            cut.set_content(name, content[..n_kept].to_vec());
        }
        let (stream, recovered) = recover(&cut);
        let n = stream.recovery().n_replayed as usize;
        assert!(n <= n_before && stream.next_batch() as usize == n + 1);
        assert_eq!(content(stream.resources()), states[n], "{n_bytes} bytes");
        n_cut += usize::from(recovered.cut.is_some());
        n_before = n;
    }
    assert!(n_cut > 0 && n_before == 0);
}
