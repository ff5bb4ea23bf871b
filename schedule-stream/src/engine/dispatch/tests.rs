//! Tests of all orderings with random events: an event is handed out only after all events that it waits for are
//! completed. The test simulates several threads that take events in any order.

use core::ptr::without_provenance_mut;

use proptest::prelude::*;

use super::*;
use crate::engine::lanes::Lanes;
use crate::engine::queues::Queues;
use crate::engine::tickets::Tickets;

/// Number of records. Some of their addresses have the same hash.
const N_RECORDS: usize = 12;
const N_SLOTS: usize = 8;
/// More than one lane.
const N_THREADS: usize = 3;

fn address(record: usize) -> NonNull<()> {
    NonNull::new(without_provenance_mut(16 + 16 * 21 * record)).unwrap()
}

/// The records that an event names, each once.
type EventUses = Vec<(usize, Use)>;

fn named() -> impl Strategy<Value = EventUses> {
    let how = prop_oneof![Just(Use::Read), Just(Use::Write)];
    let records: Vec<usize> = (0..N_RECORDS).collect();
    let records = prop::sample::subsequence(records, 0..=N_RECORDS).prop_shuffle();
    (records, prop::collection::vec(how, N_RECORDS))
        .prop_map(|(records, how)| records.into_iter().zip(how).collect())
}

fn conflict(a: &EventUses, b: &EventUses) -> bool {
    let clash = |(record, how): &(usize, Use)| {
        let other = b.iter().find(|(other, _)| other == record);
        other.is_some_and(|(_, other)| *how == Use::Write || *other == Use::Write)
    };
    a.iter().any(clash)
}

/// The events that were handled so far.
struct HandledSoFar<'e> {
    events: &'e [EventUses],
    is_handled: Vec<bool>,
}

impl HandledSoFar<'_> {
    /// Handles an event. Fails if it was handled before, or must wait for an event that is not handled.
    fn add(&mut self, event: usize) -> Result<(), TestCaseError> {
        for before in 0..event {
            let must_wait = conflict(&self.events[before], &self.events[event]);
            let is_handled = self.is_handled[before];
            prop_assert!(is_handled || !must_wait, "{event} before {before}");
        }
        prop_assert!(!self.is_handled[event], "{event} twice");
        self.is_handled[event] = true;
        Ok(())
    }
}

/// Lets these events arrive, be handled and be released. `choices` determines the next step.
fn process<O: Dispatch>(
    events: &[EventUses],
    mut choices: impl Iterator<Item = prop::sample::Index>,
) -> Result<(), TestCaseError> {
    let mut choose = |n: usize| choices.next().map_or(0, |choice| choice.index(n));
    let order = O::new(N_SLOTS, N_THREADS);
    let mut dispatcher = order.dispatcher();
    let mut handled = HandledSoFar {
        events,
        is_handled: vec![false; events.len()],
    };
    // Held events, each with its thread.
    let mut in_hand: Vec<(Held, usize)> = Vec::new();
    let (mut n_come, mut n_gone) = (0, 0);
    while n_gone < events.len() {
        // The event in flight that has this slot.
        let event_in = |slot: usize| {
            let mut events = n_gone..n_come;
            let event = events.find(|event| event % N_SLOTS == slot);
            event.expect("an event in flight has the slot")
        };
        // The dispatcher looks at the progress of lanes in some steps.
        let looks = choose(2) == 0;
        if looks {
            order.wanted(&mut dispatcher, 1);
        }
        let can_arrive = n_come < events.len()
            && n_come - n_gone < N_SLOTS
            && order.has_room(&dispatcher, events[n_come].len());
        if can_arrive && choose(3) < 2 {
            let footprint = events[n_come].iter();
            let footprint: Vec<_> = footprint
                .map(|&(record, how)| (address(record), how))
                .collect();
            let slot = n_come % N_SLOTS;
            let is_handed_out = order.arrive(&mut dispatcher, slot, &footprint);
            if is_handed_out {
                handled.add(n_come)?;
            }
            if choose(2) == 0 {
                order.publish(&mut dispatcher);
            }
            n_come += 1;
        } else if n_gone < n_come && order.is_done(&mut dispatcher, n_gone % N_SLOTS) {
            prop_assert!(handled.is_handled[n_gone], "{n_gone} is not done");
            order.release(&mut dispatcher, n_gone % N_SLOTS);
            n_gone += 1;
            order.set_oldest(n_gone % N_SLOTS);
        } else if !in_hand.is_empty() && choose(2) == 0 {
            let (held, thread) = in_hand.swap_remove(choose(in_hand.len()));
            handled.add(event_in(held.slot()))?;
            let goes_on = choose(2) == 0;
            let next = order.complete(thread, held, goes_on).next;
            prop_assert!(goes_on || next.is_none());
            in_hand.extend(next.map(|next| (next, thread)));
        } else {
            order.publish(&mut dispatcher);
            let thread = choose(N_THREADS + 1);
            if let Some(held) = order.take(thread, looks || in_hand.is_empty()) {
                in_hand.push((held, thread));
                continue;
            }
            let is_stuck = in_hand.is_empty() && !can_arrive;
            prop_assert!(!is_stuck, "{n_gone} of {n_come} waits for ever");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Events have as many links as a slot, and more.
    #[test]
    fn event_waits_for_conflicting_earlier_events(
        events in prop::collection::vec(named(), 1..40),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 400),
    ) {
        process::<Queues>(&events, choices.iter().copied())?;
        process::<Lanes>(&events, choices.iter().copied())?;
        process::<Tickets>(&events, choices.iter().copied())?;
    }
}
