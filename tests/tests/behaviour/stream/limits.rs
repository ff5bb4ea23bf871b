//! Limits of streams: an event above a limit is reported, and its handler does not run.

use std::iter::repeat_n;

use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule_stream::{EventError, Limits, Position};

use super::By;

#[derive(Debug, Record)]
#[record(id = u32)]
struct Counter(u64);

/// Names no record, a number of keys, or keys without end.
#[derive(Clone, Debug)]
struct Names {
    n_keys: usize,
}

#[handler]
fn name_many(
    event: &Names,
    #[keys(repeat_n(1_u32, event.n_keys))] mut all: RecordSetMut<Counter>,
    #[keys([0_u32, 1].into_iter().filter(|_| event.n_keys == 0))] read: RecordSet<Counter>,
) -> usize {
    all.iter_mut().for_each(|(_, counter)| counter.0 += 1);
    all.len() + read.len()
}

/// Returns two more of the same.
#[derive(Clone, Debug)]
struct Explode;

#[handler]
fn explode(_: &Explode, #[key(0_u32)] counter: &mut Counter) -> FollowUps<Entry, usize> {
    counter.0 += 1;
    FollowUps::events([Explode, Explode].map(Entry::from)).answering(2)
}

#[derive(Clone, Debug, Event)]
#[event(answer = usize)]
enum Entry {
    #[event(name_many)]
    Names(Names),
    #[event(explode)]
    Explode(Explode),
}

type Reported = (Position, Option<Position>, Result<usize, String>);

/// Processes events. Returns the outcomes, and the values of both counters.
fn process(by: By, limits: Limits, events: Vec<Entry>) -> (Vec<Reported>, [u64; 2]) {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(0, Counter(0)), (1, Counter(0))]));
    let mut stream = by.stream();
    stream.set_limits(limits);
    let mut reported = Vec::new();
    let report = |outcome: Outcome<Entry>| {
        let result = outcome.result.map_err(|error| {
            assert!(!error.has_run());
            format!("{error:?}")
        });
        reported.push((outcome.position, outcome.cause, result));
    };
    stream.process(&mut resources, events, report).unwrap();
    let counters = resources.get::<Records<Counter>>().unwrap();
    (reported, [0, 1].map(|id| counters.get(id).unwrap().0))
}

#[test]
fn event_with_too_many_keys_is_refused_without_reading_them_all() {
    for &by in By::ALL {
        let limits = Limits::new().max_set_keys(3);
        let events = [3, 4, usize::MAX, 0].map(|n_keys| Names { n_keys }.into());
        let (reported, counters) = process(by, limits, events.to_vec());
        let results: Vec<_> = reported.into_iter().map(|(_, _, result)| result).collect();
        let refused = || Err("SetTooLarge(\"all\", `Counter`, 3)".to_string());
        assert_eq!(results, [Ok(1), refused(), refused(), Ok(2)], "{by:?}");
        assert_eq!(counters, [0, 1], "{by:?}");
    }
}

#[test]
fn default_limit_of_keys_is_65536() {
    for &by in By::ALL {
        let events = [1 << 16, (1 << 16) + 1].map(|n_keys| Names { n_keys }.into());
        let (reported, counters) = process(by, Limits::default(), events.to_vec());
        assert_eq!(reported[0].2, Ok(1), "{by:?}");
        assert!(reported[1].2.is_err(), "{by:?}");
        assert_eq!(counters, [0, 1], "{by:?}");
    }
}

#[test]
fn chain_of_follow_ups_ends_at_the_maximum_depth() {
    for &by in By::ALL {
        let limits = Limits::new().max_depth(2);
        let (reported, counters) = process(by, limits, vec![Explode.into()]);
        let position = Position::new;
        let cause = |batch, index| Some(position(batch, index));
        let deep = || Err("TooDeep(2)".to_string());
        let expected = [
            (position(0, 0), None, Ok(2)),
            (position(1, 0), cause(0, 0), Ok(2)),
            (position(1, 1), cause(0, 0), Ok(2)),
        ];
        assert_eq!(reported[..3], expected, "{by:?}");
        assert!(reported[3..7].iter().all(|one| one.2 == Ok(2)), "{by:?}");
        assert_eq!(reported.len(), 15, "{by:?}");
        assert!(reported[7..].iter().all(|one| one.2 == deep()), "{by:?}");
        assert_eq!(reported[14].1, cause(2, 3), "{by:?}");
        assert_eq!(counters, [7, 0], "{by:?}");
    }
}

#[test]
fn depth_counts_from_the_input_also_across_calls() {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(0, Counter(0))]));
    let mut stream = Stream::<Entry>::new();
    stream.set_limits(Limits::new().max_depth(1));
    let mut n_deep = Vec::new();
    for _ in 0..4 {
        let mut n = 0;
        let report = |outcome: Outcome<Entry>| {
            let is_deep = matches!(outcome.result, Err(EventError::TooDeep { max: 1 }));
            n += usize::from(is_deep);
        };
        stream
            .process_batch(&mut resources, [Explode.into()], report)
            .unwrap();
        n_deep.push(n);
    }
    // Batches 2 and 3 have the follow-up events of two follow-up events each.
    assert_eq!(n_deep, [0, 0, 4, 4]);
}

#[test]
fn explosion_of_follow_ups_is_cut_to_the_budget_of_each_batch() {
    let depth = if cfg!(miri) { 4 } else { 50 };
    for &by in By::ALL {
        let limits = Limits::new().max_follow_ups(5).max_depth(depth);
        let events = vec![Entry::from(Explode); 3];
        let (reported, counters) = process(by, limits, events);
        let batches: Vec<Vec<_>> = (0..u64::from(depth) + 2)
            .map(|batch| {
                let of_batch = reported.iter().filter(|one| one.0.batch == batch);
                of_batch.map(|one| one.2.clone()).collect()
            })
            .collect();
        assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), reported.len());
        assert_eq!(batches[0], [Ok(2), Ok(2), Ok(2)], "{by:?}");
        let over = Err("OverBudget(5)".to_string());
        let first = [vec![Ok(2); 5], vec![over.clone(); 1]].concat();
        let later = [vec![Ok(2); 5], vec![over; 5]].concat();
        assert_eq!(batches[1], first, "{by:?}");
        let n_later = depth as usize - 1;
        assert!(batches[2..][..n_later].iter().all(|batch| *batch == later));
        let deep = vec![Err(format!("TooDeep({depth})")); 10];
        assert_eq!(batches[depth as usize + 1], deep, "{by:?}");
        assert_eq!(counters, [3 + 5 * u64::from(depth), 0], "{by:?}");
    }
}

#[test]
fn messages_name_the_limit_and_its_setting() {
    let errors = [
        EventError::<String>::TooDeep { max: 2 },
        EventError::OverBudget { max: 9 },
    ];
    assert_eq!(
        errors.map(|error| error.to_string()),
        [
            "the depth of the follow-up event is above 2: end the chain of follow-up events, or raise the limit with \
             `Limits::max_depth`",
            "the batch has more than 9 follow-up events: return fewer of them, or raise the limit with \
             `Limits::max_follow_ups`",
        ]
    );
}
