//! Unit tests of the division into batches.

use super::*;

fn begun<E>() -> Batches<E> {
    let mut batches = Batches::new();
    batches.begin(Position::default(), u64::MAX);
    batches
}

#[test]
fn positions_are_counted_at_arrival_and_again_at_reports() {
    let mut batches = begun::<()>();
    for n in [2, 1] {
        (0..n).for_each(|_| batches.arrive());
        batches.close();
    }
    batches.arrive();
    assert_eq!(
        batches.last_info(&EventLimits::new()).position,
        Position::new(2, 0)
    );
    assert!(!batches.is_previous_reported());
    let expected = [(0, 0, false), (0, 1, true), (1, 0, true), (2, 0, false)];
    for (batch, index, is_last) in expected {
        let position = Position::new(batch, index);
        assert_eq!(batches.report(), (position, is_last));
    }
    assert!(batches.is_previous_reported());
    batches.close();
    assert_eq!(batches.reported(), Position::new(3, 0));
}

#[test]
fn follow_up_event_names_its_cause_and_comes_in_the_next_batch() {
    let mut batches = begun();
    let limits = EventLimits::new();
    batches.arrive();
    let (cause, _) = batches.report();
    let depth = batches.depth_after(cause);
    let event = "b";
    batches.pending.push_back(PendingEvent {
        cause,
        depth,
        event,
    });
    assert_eq!(batches.next_follow_up(&limits), None);
    batches.close();
    batches.arrive();
    batches.end_input();
    assert_eq!(batches.next_follow_up(&limits), Some(("b", None)));
    assert_eq!(batches.depth_after(Position::new(1, 0)), 1);
    assert_eq!(batches.depth_after(Position::new(1, 1)), 2);
    batches.arrive();
    let first = batches.report().0;
    assert_eq!(batches.take_cause(first), None);
    let second = batches.report().0;
    assert_eq!(second, Position::new(1, 1));
    assert_eq!(batches.take_cause(second), Some(cause));
    assert!(!batches.has_causes());
}

fn pending(batches: &mut Batches<u32>, depths: impl IntoIterator<Item = u32>) {
    let cause = Position::default();
    batches.pending.extend(depths.into_iter().map(|depth| {
        let event = depth;
        PendingEvent {
            cause,
            depth,
            event,
        }
    }));
}

#[cfg(feature = "durable")]
#[test]
fn follow_up_event_above_a_limit_is_refused_under_the_first_rules() {
    let limits = EventLimits::new().max_depth(3).max_follow_ups(2);
    let mut batches = begun();
    batches.rules = FollowUpRules::Refuse;
    pending(&mut batches, [4, 3, 1, 4]);
    batches.arrive();
    batches.close();
    (0..7).for_each(|_| batches.arrive());
    batches.end_input();
    let expected = [
        (4, Some(ExceededLimit::Depth)),
        (3, None),
        (1, Some(ExceededLimit::FollowUps)),
        (4, Some(ExceededLimit::Depth)),
    ];
    for one in expected {
        assert_eq!(batches.next_follow_up(&limits), Some(one));
        batches.arrive();
        assert_eq!(batches.last_info(&limits).max_follow_ups, u32::MAX);
    }
    assert_eq!(batches.next_follow_up(&limits), None);
}

#[test]
fn follow_up_events_above_the_budget_wait_for_the_next_batch() {
    let limits = EventLimits::new()
        .max_follow_ups(2)
        .max_depth(3)
        .max_per_event(9);
    let mut batches = begun();
    pending(&mut batches, [1, 2, 3]);
    batches.arrive();
    batches.close();
    batches.end_input();
    for (depth, max) in [(1, 9), (2, 9)] {
        assert_eq!(batches.next_follow_up(&limits), Some((depth, None)));
        batches.arrive();
        assert_eq!(batches.last_info(&limits).max_follow_ups, max);
    }
    assert_eq!(batches.next_follow_up(&limits), None);
    batches.close();
    batches.end_input();
    assert_eq!(batches.next_follow_up(&limits), Some((3, None)));
    batches.arrive();
    // At the greatest depth.
    assert_eq!(batches.last_info(&limits).max_follow_ups, 0);
    assert_eq!(batches.next_follow_up(&limits), None);
}

#[test]
fn batch_has_no_input_while_more_than_a_budget_waits() {
    let limits = EventLimits::new()
        .max_follow_ups(3)
        .max_per_event(2)
        .max_pending(5);
    let mut batches = begun();
    let input = |batches: &Batches<u32>, gate, n_running| {
        batches.input_of_next(gate, n_running, 2 * n_running, &limits)
    };
    use BatchInput::{Backlog, None, Some, Unknown};
    use InputGate::{Cut, Numbered, Open};
    for (n_pending, of_cut, of_numbered) in [
        (0, [Some, Some, Unknown], [Some, Some, Some]),
        (3, [Some, Unknown, Unknown], [Some, Some, Unknown]),
        (4, [None, Unknown, Unknown], [Some, Unknown, Unknown]),
        (5, [None, Unknown, Unknown], [Some, Unknown, Unknown]),
        (6, [Backlog, Unknown, Unknown], [Backlog, Unknown, Unknown]),
    ] {
        batches.pending.clear();
        pending(&mut batches, core::iter::repeat_n(1, n_pending));
        for n_running in 0..3 {
            assert_eq!(input(&batches, Cut, n_running), of_cut[n_running]);
            assert_eq!(input(&batches, Numbered, n_running), of_numbered[n_running]);
            assert_eq!(input(&batches, Open, n_running), Some);
        }
        assert_eq!(batches.is_behind(&limits), n_pending > 3);
    }
}

#[test]
fn events_in_flight_are_counted_across_batches() {
    let mut batches = begun::<()>();
    for (n_arrive, closes, n_reported, expected) in [
        (3, false, 1, 2),
        (0, true, 0, 2),
        (4, true, 0, 6),
        (1, false, 3, 4),
        (0, false, 4, 0),
    ] {
        (0..n_arrive).for_each(|_| batches.arrive());
        if closes {
            batches.close();
        }
        for _ in 0..n_reported {
            batches.report();
        }
        assert_eq!(batches.n_in_flight(), expected);
    }
}

#[test]
fn number_of_batches_is_limited() {
    let mut batches = Batches::<()>::new();
    batches.begin(Position::default(), 1);
    assert!(batches.takes_input() && !batches.is_at_limit());
    batches.arrive();
    batches.close();
    assert!(!batches.takes_input() && batches.is_at_limit());
}
