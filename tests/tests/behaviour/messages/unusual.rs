//! Unusual messages: with type parameters, without a size, of entities, and with a drop that panics.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::{Condition, FailurePolicy, Target};
use schedule_tests::bomb::{Bomb, Drops, panic_of};
use schedule_tests::child::Child;

use super::scenarios::{IsOpen, is_open};
use super::*;

#[derive(Message, Debug, PartialEq)]
struct Changed<T>(T);

#[system]
fn change_both(
    mut numbers: MessageWriter<Changed<u32>>,
    mut texts: MessageWriter<Changed<&'static str>>,
) {
    numbers.write(Changed(5));
    texts.write(Changed("five"));
}

#[test]
fn messages_with_different_type_parameters_have_queues_of_their_own() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<change_both>();
        builder.add_closure(
            "read",
            |numbers: MessageReader<Changed<u32>>, texts: MessageReader<Changed<&'static str>>| {
                assert!(numbers.iter().eq(&[Changed(5)]));
                assert!(texts.iter().eq(&[Changed("five")]));
            },
        );
        builder.order(Target::of::<change_both>(), "read")
    }) {
        let mut resources = Resources::new();
        resources.insert(Messages::<Changed<u32>>::new());
        resources.insert(Messages::<Changed<&'static str>>::new());
        for _ in 0..3 {
            schedule
                .run(&mut resources)
                .unwrap_or_else(|error| panic!("{on:?}: {error}"));
        }
    }
}

#[derive(Message)]
struct Tick;

#[test]
fn messages_without_a_size_are_counted() {
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add_closure("tick", |mut ticks: MessageWriter<Tick>| {
            ticks.extend((0..500).map(|_| Tick));
        });
        builder.add_closure("read", |ticks: MessageReader<Tick>, seen: &mut Seen| {
            assert_eq!(ticks.iter().count(), ticks.len());
            seen.0.push(vec![ticks.len() as u32]);
        });
        builder.order("tick", "read");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert(Messages::<Tick>::with_bound(1200));
        resources.insert(IsOpen(false));
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        assert!(
            failed(schedule.run(&mut resources))[0].contains("1000 messages that `read`"),
            "{on:?}"
        );
        resources.insert(IsOpen(true));
        let _ = schedule.run(&mut resources);
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1000], [500]], "{on:?}");
    }
}

#[derive(Message)]
struct Fragile(#[expect(dead_code, reason = "only dropped")] Bomb);

/// The number of messages of a run. It is above the limit for a batch of their own, which is dropped as soon as it is read.
const N_FRAGILE: usize = 300;

/// A schedule that writes messages that panic when they are dropped, and reads them. If `fails`, the writer panics, too.
fn fragile(drops: &Drops, fails: bool) -> Schedule {
    let drops = drops.clone();
    let mut builder = Schedule::builder();
    builder.failure_policy(FailurePolicy::CarryOn);
    builder.add_closure("write", move |mut all: MessageWriter<Fragile>| {
        all.extend((0..N_FRAGILE).map(|_| Fragile(drops.bomb())));
        if fails {
            std::panic::resume_unwind(Box::new("the writer"));
        }
    });
    builder.add_closure("read", |_: MessageReader<Fragile>| {});
    builder.order("write", "read").build().unwrap()
}

#[test]
fn messages_that_panic_when_they_are_dropped_do_not_abort() {
    Child::new(|| {
        for &on in On::ALL {
            let drops = Drops::default();
            let mut schedule = fragile(&drops, false);
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert(Messages::<Fragile>::new());
            schedule.run(&mut resources).unwrap();
            // The start of a run drops the messages of the last one, which all have seen. No system is to blame.
            for _ in 0..2 {
                schedule.run(&mut resources).unwrap();
                assert_eq!(drops.take(), N_FRAGILE, "{on:?}");
            }
            let messages = resources.get_mut::<Messages<Fragile>>().unwrap();
            assert!(messages.is_empty(), "{on:?}");
            assert_eq!(panic_of(|| messages.clear()), Some("bomb"), "{on:?}");
            assert_eq!(drops.take(), N_FRAGILE, "{on:?}");
            assert!(messages.is_empty(), "{on:?}");
        }
    })
    .run();
}

#[test]
fn dropped_messages_of_a_writer_that_panics_do_not_abort() {
    Child::new(|| {
        for &on in On::ALL {
            let drops = Drops::default();
            let mut schedule = fragile(&drops, true);
            on.set(&mut schedule);
            let mut resources = Resources::new();
            resources.insert(Messages::<Fragile>::new());
            for _ in 0..2 {
                assert_eq!(
                    failed(schedule.run(&mut resources)),
                    ["panicked: the writer"],
                    "{on:?}"
                );
                assert_eq!(drops.take(), N_FRAGILE, "{on:?}");
            }
        }
    })
    .run();
}

#[derive(Component)]
struct Weight(u32);

#[derive(Columns)]
struct Stone {
    weight: Weight,
}

#[system(for_each = Columns<Stone>)]
fn report_stone(weight: &Weight, mut notes: MessageWriter<Note>) -> Result<(), BoxError> {
    notes.write(Note(weight.0));
    if weight.0 == 3000 {
        Err("too heavy".into())
    } else {
        Ok(())
    }
}

#[test]
fn a_failure_at_one_entity_drops_the_messages_of_all() {
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add::<report_stone>().add::<one>();
        builder.add::<read>().after::<report_stone>().after::<one>()
    }) {
        let mut resources = resources();
        for n_stones in [3000, 3001] {
            let stones: Columns<Stone> =
                (0..n_stones).map(|n| Stone { weight: Weight(n) }).collect();
            resources.insert(stones);
            let result = schedule.run(&mut resources);
            assert_eq!(result.is_err(), n_stones == 3001, "{on:?}");
        }
        let expected: Vec<u32> = (0..3000).chain([1]).collect();
        assert_eq!(seen(&mut resources), [expected, vec![1]], "{on:?}");
    }
}
