//! The order in which events are handed out.

use core::ptr::without_provenance_mut;

use super::*;

/// Returns write entries for these records.
fn writes(records: &[usize]) -> Vec<(NonNull<()>, Use)> {
    let address = |nth: &usize| NonNull::new(without_provenance_mut(16 + 16 * nth)).unwrap();
    let footprint = records.iter().map(|nth| (address(nth), Use::Write));
    footprint.collect()
}

#[test]
fn free_event_is_handled_immediately_if_helpers_have_enough() {
    let queues = Queues::new(64, 2);
    let mut dispatcher = queues.dispatcher();
    assert!(queues.wanted(&mut dispatcher, 1) > 0);
    assert!(
        !queues.arrive(&mut dispatcher, 0, &writes(&[0])),
        "it goes to the helper"
    );
    assert!(queues.arrive(&mut dispatcher, 1, &writes(&[1])));
    assert!(
        queues.is_done(&mut dispatcher, 1),
        "the dispatcher handled it"
    );
    assert!(
        !queues.arrive(&mut dispatcher, 2, &writes(&[1, 0])),
        "it waits for the first"
    );
    let held = queues.take(1, false).expect("the first");
    assert_eq!(held.slot(), 0);
    assert!(queues.take(1, false).is_none());
    let next = queues.complete(1, held, true).next.expect("the last");
    assert_eq!(next.slot(), 2);
}

#[test]
fn one_thread_handles_each_event_immediately() {
    let queues = Queues::new(64, 1);
    let mut dispatcher = queues.dispatcher();
    for slot in 0..64 {
        assert!(queues.wanted(&mut dispatcher, 1) > 0);
        assert!(queues.arrive(&mut dispatcher, slot, &writes(&[slot % 3, 7])));
    }
}

#[test]
fn oldest_waiting_event_comes_next() {
    let queues = Queues::new(64, 2);
    let mut dispatcher = queues.dispatcher();
    queues.wanted(&mut dispatcher, 3);
    for (nth, records) in [&[0, 1, 2][..], &[2], &[1], &[0]].iter().enumerate() {
        // Across the end of the ring.
        let slot = (62 + nth) % 64;
        queues.set_oldest(62);
        assert!(!queues.arrive(&mut dispatcher, slot, &writes(records)));
    }
    queues.publish(&mut dispatcher);
    let held = queues.take(1, false).expect("the first");
    let freed = queues.complete(1, held, true);
    assert_eq!(freed.next.expect("an event waited for it").slot(), 63);
    assert!(freed.has_more);
    let rest = core::iter::from_fn(|| queues.take(1, false));
    assert_eq!(rest.map(Held::slot).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn each_helper_gets_its_share() {
    let queues = Queues::new(64, 4);
    let mut dispatcher = queues.dispatcher();
    queues.wanted(&mut dispatcher, 5);
    let mut is_at_once = |slot: usize| queues.arrive(&mut dispatcher, slot, &writes(&[slot]));
    let n_at_once = (0..20).filter(|slot| is_at_once(*slot)).count();
    assert_eq!(n_at_once, 5);
    queues.publish(&mut dispatcher);
    assert_eq!([1, 2, 3].map(|set| queues.ready.len(set)), [5, 5, 5]);
}
