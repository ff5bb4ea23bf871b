//! Whoever is handed an event finds all that it waits for completed, on one thread that takes events in any order.

use core::ptr::without_provenance_mut;

use proptest::prelude::*;

use super::*;

/// Of so many entities, at addresses of which some have the same hash.
const N_ENTITIES: usize = 12;
const N_SLOTS: usize = 2;

fn address(entity: usize) -> NonNull<()> {
    NonNull::new(without_provenance_mut(8 + 8 * 27 * entity)).unwrap()
}

/// What one event names: each entity once.
type Named = Vec<(usize, Use)>;

fn named() -> impl Strategy<Value = Named> {
    let how = prop_oneof![Just(Use::Read), Just(Use::Write)];
    let entities: Vec<usize> = (0..N_ENTITIES).collect();
    let entities = prop::sample::subsequence(entities, 0..=N_ENTITIES).prop_shuffle();
    (entities, prop::collection::vec(how, N_ENTITIES))
        .prop_map(|(entities, how)| entities.into_iter().zip(how).collect())
}

fn conflict(a: &Named, b: &Named) -> bool {
    let clash = |(entity, how): &(usize, Use)| {
        let other = b.iter().find(|(other, _)| other == entity);
        other.is_some_and(|(_, other)| *how == Use::Write || *other == Use::Write)
    };
    a.iter().any(clash)
}

#[test]
fn some_entities_have_one_queue() {
    let lines = (0..N_ENTITIES).map(|entity| line_of(address(entity), LINES * N_SLOTS));
    let mut lines: Vec<usize> = lines.collect();
    lines.sort_unstable();
    lines.dedup();
    assert!((2..N_ENTITIES).contains(&lines.len()), "{lines:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// With as many links apart as there are, and more.
    #[test]
    fn every_event_waits_for_those_before_it(
        events in prop::collection::vec(named(), 1..40),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let queues = Queues::new(N_SLOTS, 1);
        let mut front = queues.front();
        let mut choices = choices.into_iter();
        let mut is_completed = vec![false; events.len()];
        // Of events that were handed out.
        let mut ready: Vec<usize> = Vec::new();
        let (mut n_come, mut n_gone) = (0, 0);
        while n_gone < events.len() {
            let has_slot = n_come < events.len() && n_come - n_gone < N_SLOTS;
            if has_slot && queues.has_room(&front, events[n_come].len()) {
                prop_assert!(events[n_come].len() <= 4 + N_ENTITIES);
                let claims = events[n_come].iter().map(|&(entity, how)| (address(entity), how));
                if queues.arrive(&mut front, n_come % N_SLOTS, claims) {
                    ready.push(n_come);
                }
                n_come += 1;
                continue;
            }
            if n_gone < n_come && queues.is_done(n_gone % N_SLOTS) {
                prop_assert!(is_completed[n_gone]);
                queues.release(&mut front, n_gone % N_SLOTS);
                n_gone += 1;
                continue;
            }
            prop_assert!(!ready.is_empty(), "{n_gone} of {n_come} waits for ever");
            let choice = choices.next().map_or(0, |choice| choice.index(ready.len()));
            let event = ready.swap_remove(choice);
            for before in 0..event {
                let must_wait = conflict(&events[before], &events[event]);
                prop_assert!(is_completed[before] || !must_wait, "{event} before {before}");
            }
            prop_assert!(!is_completed[event]);
            is_completed[event] = true;
            // Slots are those of the events on their way.
            let event_in = |slot: usize| (n_gone..n_come).find(|event| event % N_SLOTS == slot);
            queues.complete(event % N_SLOTS, |slot| ready.extend(event_in(slot)));
        }
    }
}
