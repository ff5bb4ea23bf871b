//! The check for tests: it finds handlers that are not deterministic, without a journal.

use schedule_stream::Position;
use schedule_stream::testing::{NotDeterministic, check_deterministic};

use super::{Add, Cascade, Change, Count, Tick, program, resources, set_outside};
use crate::durable::program as bank;
use crate::journal::disk::Random;
use crate::stream::By;

fn add(n: u64) -> Change {
    Add(n as u32 % 3, n).into()
}

#[test]
fn deterministic_handlers_are_accepted() {
    set_outside(25, 2);
    let batches = [
        vec![add(1), Cascade(25, 7).into(), add(2)],
        Vec::new(),
        (0..200).map(add).collect(),
    ];
    check_deterministic(program, resources, batches).unwrap();
    let mut random = Random::new(3);
    let batches: Vec<_> = (0..8).map(|_| bank::entries(&mut random, 40, 6)).collect();
    let small = || bank::small_bank(By::ALL[0]);
    check_deterministic(small, bank::resources, batches).unwrap();
}

#[test]
fn outcome_that_differs_between_streams_is_named() {
    let batches = [
        vec![add(1)],
        vec![add(2), Count(26).into(), Count(26).into()],
    ];
    let error = check_deterministic(program, resources, batches).unwrap_err();
    let NotDeterministic::Outcome { outcome, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(
        (outcome.position, outcome.handler),
        (Position::new(2, 1), Some("count"))
    );
    // The first stream has counted 0 and 1, the second one goes on.
    assert_eq!(
        error.to_string(),
        "the outcome of `count` at position 2:1 is now `Total { key: 0, sum: Some(2) }`, and was `Total { key: 0, sum: Some(0) }`: \
         the stream again on one thread differs from the one on one thread; a handler must depend only on its event, its position, \
         the batch time and declared resources"
    );
}

#[test]
fn state_that_differs_between_streams_is_named() {
    let batches = [vec![add(1)], vec![Tick(27, 5).into()]];
    let error = check_deterministic(program, resources, batches).unwrap_err();
    let NotDeterministic::State {
        batch, sections, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(
        (*batch, &sections[..]),
        (2, &["records<sum>".to_string()][..])
    );
}

#[test]
fn error_of_a_stream_is_returned() {
    let small = || program().max_event_bytes(1);
    let error = check_deterministic(small, resources, [vec![add(1)]]).unwrap_err();
    assert!(matches!(error, NotDeterministic::Failed(_)));
    assert!(
        error.to_string().contains("raise `max_event_bytes`"),
        "{error}"
    );
}
