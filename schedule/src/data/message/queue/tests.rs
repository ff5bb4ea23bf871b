use std::sync::Arc;

use super::*;
use crate::base::identity::declared_at;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Number(u64);

impl Identity for Number {
    const ID: u128 = declared_at("tests", "Number", 1, 1);
    const NAME: Name = Name::new("Number");
}

impl Message for Number {}

fn append(messages: &mut Messages<Number>, numbers: core::ops::Range<u64>) {
    let mut list: Vec<Number> = numbers.map(Number).collect();
    messages.append(&mut list).unwrap();
    assert!(list.is_empty());
}

fn read(cursor: &mut MessageCursor<Number>, messages: &Messages<Number>) -> Vec<u64> {
    let reader = cursor.read(messages);
    let numbers: Vec<u64> = reader.iter().map(|number| number.0).collect();
    assert_eq!(numbers.len(), reader.len());
    let mut by_steps = Vec::new();
    let mut iter = reader.iter();
    while let Some(number) = iter.next() {
        by_steps.push(number.0);
        assert_eq!(iter.len(), reader.len() - by_steps.len());
    }
    assert_eq!(by_steps, numbers, "`fold` and `next` agree");
    numbers
}

#[test]
fn readers_see_each_message_once_across_batches() {
    let mut messages = Messages::new();
    let mut often = messages.cursor();
    let mut seldom = messages.cursor();
    let mut expected = 0;
    let mut since = 0;
    for (nth, n_more) in [1, 5, 300, 4000, 200, 256, 257, 9000, 0, 3]
        .into_iter()
        .enumerate()
    {
        append(&mut messages, expected..expected + n_more);
        let seen = read(&mut often, &messages);
        assert!(seen.into_iter().eq(expected..expected + n_more));
        expected += n_more;
        if nth % 3 == 2 {
            assert!(read(&mut seldom, &messages).into_iter().eq(since..expected));
            since = expected;
        }
    }
}

#[test]
fn messages_that_all_have_seen_are_dropped() {
    let counted = Arc::new(());
    struct Counted(#[expect(dead_code, reason = "only counted")] Arc<()>);
    impl Identity for Counted {
        const ID: u128 = declared_at("tests", "Counted", 1, 1);
        const NAME: Name = Name::new("Counted");
    }
    impl Message for Counted {}
    let mut messages = Messages::new();
    let mut cursor = messages.cursor();
    for _ in 0..10 {
        for _ in 0..5000 {
            messages.send(Counted(Arc::clone(&counted))).unwrap();
        }
        assert_eq!(cursor.read(&messages).len(), 5000);
        assert!(messages.len() <= 5000);
    }
    // Those of the last round are dropped when more come.
    assert!(Arc::strong_count(&counted) <= 5001);
    drop(messages);
    assert_eq!(Arc::strong_count(&counted), 1);
}

#[test]
fn a_full_queue_takes_a_list_as_a_whole_or_not_at_all() {
    let mut messages = Messages::with_bound(10);
    let mut cursor = messages.cursor();
    append(&mut messages, 0..8);
    let mut list: Vec<Number> = (8..11).map(Number).collect();
    let full = messages.append(&mut list).unwrap_err();
    assert_eq!((full.bound, full.n_unread, list.len()), (10, 8, 3));
    assert_eq!(full.reader.unwrap().name, "a cursor");
    append(&mut messages, 8..10);
    let error = messages.send(Number(10)).unwrap_err();
    assert_eq!(error.message, Number(10));
    assert!(read(&mut cursor, &messages).into_iter().eq(0..10));
    messages.send(Number(10)).unwrap();
    drop(cursor);
    // Without a reader, the latest 10 are kept.
    append(&mut messages, 11..21);
    assert_eq!((messages.len(), messages.n_dropped()), (10, 1));
}

#[test]
fn a_list_above_the_bound_is_refused_without_a_reader() {
    let mut messages = Messages::with_bound(2);
    let mut list: Vec<Number> = (0..3).map(Number).collect();
    let full = messages.append(&mut list).unwrap_err();
    assert_eq!(
        full.to_string(),
        "`Messages<Number>` is full: 3 new messages exceed the bound of 2; raise the bound"
    );
}

#[test]
fn a_cursor_of_the_latest_counts_what_it_misses() {
    let mut messages = Messages::with_bound(100);
    let mut latest = messages.cursor_of_latest(3);
    append(&mut messages, 0..90);
    append(&mut messages, 90..180);
    let reader = latest.read(&messages);
    assert!(reader.iter().map(|number| number.0).eq(177..180));
    assert_eq!(reader.n_missed(), 177);
    assert_eq!(latest.read(&messages).n_missed(), 0);
}

#[test]
fn cleared_messages_count_as_missed() {
    let mut messages = Messages::new();
    let mut cursor = messages.cursor();
    append(&mut messages, 0..5);
    messages.clear();
    append(&mut messages, 5..6);
    let reader = cursor.read(&messages);
    assert_eq!((reader.len(), reader.n_missed()), (1, 5));
}

#[test]
fn other_threads_send_up_to_the_bound_and_keep_the_rest() {
    let mut messages = Messages::with_bound(4);
    let mut cursor = messages.cursor();
    let sender = messages.sender();
    std::thread::scope(|scope| {
        scope.spawn(|| (0..4).for_each(|number| sender.try_send(Number(number)).unwrap()));
    });
    assert!(sender.try_send(Number(9)).is_err());
    append(&mut messages, 10..13);
    // There is room for one.
    messages.take_sent();
    assert_eq!(read(&mut cursor, &messages), [10, 11, 12, 0]);
    messages.take_sent();
    assert_eq!(read(&mut cursor, &messages), [1, 2, 3]);
    drop(messages);
    let error = sender.clone().send(Number(1)).unwrap_err();
    assert_eq!(error.reason, SendFailure::Closed);
}

#[test]
fn a_receiver_counts_as_a_reader_and_ends_with_the_messages() {
    let mut messages = Messages::with_bound(3);
    let mut receiver = messages.receiver();
    append(&mut messages, 0..2);
    let full = messages
        .append(&mut vec![Number(2), Number(3)])
        .unwrap_err();
    assert_eq!(full.reader.unwrap().name, "a receiver");
    let thread = std::thread::spawn(move || {
        let mut all = Vec::new();
        while let Some(Number(number)) = receiver.receive() {
            all.push(number);
        }
        all
    });
    drop(messages);
    assert_eq!(thread.join().unwrap(), [0, 1]);
}
