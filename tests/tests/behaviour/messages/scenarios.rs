//! Programs that use messages in a typical way, and unusual message types.

use std::sync::{Arc, Mutex};

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::{Condition, FailurePolicy};

use super::*;

/// The messages that each named reader saw, one list for each execution.
type SeenBy = Arc<Mutex<Vec<(&'static str, Vec<u32>)>>>;

fn reader(name: &'static str, seen: &SeenBy) -> DynamicSystem {
    let seen = Arc::clone(seen);
    let read = DynamicSystem::new(name, move |view| {
        let messages = numbers(view.messages::<Note>()?);
        seen.lock().unwrap().push((name, messages));
        Ok::<_, BoxError>(())
    });
    read.reads_messages::<Note>()
}

fn writer(
    name: &'static str,
    numbers: impl IntoIterator<Item = u32> + Clone + Send + 'static,
) -> DynamicSystem {
    let write = DynamicSystem::new(name, move |view| {
        let notes = numbers.clone().into_iter().map(Note);
        view.message_writer::<Note>()?.extend(notes);
        Ok::<_, BoxError>(())
    });
    write.writes_messages::<Note>()
}

fn take(seen: &SeenBy) -> Vec<(&'static str, Vec<u32>)> {
    let mut seen = core::mem::take(&mut *seen.lock().unwrap());
    seen.sort_by_key(|one| one.0);
    seen
}

#[derive(Message)]
struct Order(u32);

#[derive(Message)]
struct Parcel {
    order: u32,
    weight: u32,
}

/// The weights of delivered parcels, and the total of all orders.
#[derive(Resource, Default)]
struct Books {
    delivered: Vec<(u32, u32)>,
    n_ordered: u32,
}

#[system]
fn order_by_web(mut orders: MessageWriter<Order>) {
    orders.extend([Order(1), Order(2)]);
}

#[system]
fn order_by_phone(mut orders: MessageWriter<Order>) {
    orders.write(Order(3));
}

#[system(after = (order_by_web, order_by_phone))]
fn pack_small(orders: MessageReader<Order>, mut parcels: MessageWriter<Parcel>) {
    for order in orders.iter().filter(|order| order.0 < 3) {
        let order = order.0;
        parcels.write(Parcel { order, weight: 1 });
    }
}

#[system(after = (order_by_web, order_by_phone))]
fn pack_large(orders: MessageReader<Order>, mut parcels: MessageWriter<Parcel>) {
    for order in orders.iter().filter(|order| order.0 >= 3) {
        let order = order.0;
        parcels.write(Parcel { order, weight: 50 });
    }
}

#[system(after = (pack_small, pack_large))]
fn deliver(parcels: MessageReader<Parcel>, books: &mut Books) {
    let parcels = parcels.iter().map(|parcel| (parcel.order, parcel.weight));
    books.delivered.extend(parcels);
}

#[system(after = (order_by_web, order_by_phone, deliver))]
fn count_orders(orders: MessageReader<Order>, books: &mut Books) {
    books.n_ordered += orders.len() as u32;
}

#[test]
fn orders_are_routed_to_parcels() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<pack_large>().add::<pack_small>();
        builder.add::<order_by_phone>().add::<order_by_web>();
        builder.add::<count_orders>().add::<deliver>()
    }) {
        let mut resources = Resources::new();
        resources.insert(Messages::<Order>::new());
        resources.insert(Messages::<Parcel>::new());
        resources.insert_default::<Books>();
        for n_runs in 1..4 {
            schedule.run(&mut resources).unwrap();
            let books = resources.get_mut::<Books>().unwrap();
            // `pack_large` was added first.
            let delivered = core::mem::take(&mut books.delivered);
            assert_eq!(delivered, [(3, 50), (1, 1), (2, 1)], "{on:?}");
            assert_eq!(books.n_ordered, 3 * n_runs, "{on:?}");
        }
    }
}

#[test]
fn one_reader_reads_this_run_and_another_the_last_run() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        let run = Arc::new(Mutex::new(0));
        let number = DynamicSystem::new("number", move |view| {
            let mut run = run.lock().unwrap();
            *run += 1;
            view.message_writer::<Note>()?.write(Note(*run));
            Ok::<_, BoxError>(())
        });
        builder.add_dynamic(number.writes_messages::<Note>());
        builder
            .add_dynamic(reader("now", &seen))
            .add_dynamic(reader("last", &seen));
        builder.order("last", "number").order("number", "now")
    }) {
        let mut resources = resources();
        for run in 1..4 {
            schedule.run(&mut resources).unwrap();
            let last = if run == 1 { vec![] } else { vec![run - 1] };
            assert_eq!(take(&seen), [("last", last), ("now", vec![run])], "{on:?}");
        }
    }
}

#[system]
fn clean(notes: &mut Messages<Note>) {
    notes.clear();
}

#[test]
fn a_schedule_that_cleans_between_runs_drops_what_nobody_read() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        builder.add_dynamic(writer("write", [1, 2]));
        builder
            .add_dynamic(reader("read", &seen))
            .order("write", "read");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut cleaning = Schedule::builder().add::<clean>().build().unwrap();
        on.set(&mut cleaning);
        let mut resources = resources();
        resources.insert(IsOpen(false));
        schedule.run(&mut resources).unwrap();
        assert_eq!(notes(&mut resources).len(), 2);
        cleaning.run(&mut resources).unwrap();
        assert!(notes(&mut resources).is_empty());
        resources.insert(IsOpen(true));
        schedule.run(&mut resources).unwrap();
        assert_eq!(take(&seen), [("read", vec![1, 2])], "{on:?}");
    }
}

#[test]
fn a_cleaner_at_the_start_of_a_run_counts_as_a_writer_and_a_reader() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<clean>();
        builder.add::<one>().after::<clean>();
        builder.add::<read>().after::<one>().after::<clean>()
    }) {
        let mut resources = resources();
        notes(&mut resources).send(Note(7)).unwrap();
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1], [1]], "{on:?}");
    }
    let mut builder = Schedule::builder();
    builder.add::<one>();
    builder.add::<read>().after::<one>();
    builder.add::<clean>().after::<read>();
    let text = builder.build().unwrap_err().to_string();
    assert!(text.contains("but before `clean`"), "{text}");
}

#[test]
fn a_consumer_between_producers_is_refused_and_the_help_repairs_it() {
    let declare = |is_repaired: bool| {
        let mut builder = Schedule::builder();
        builder
            .add_dynamic(writer("first", [1]))
            .add_dynamic(writer("second", [2]));
        builder.add_dynamic(reader("between", &SeenBy::default()));
        builder.order("first", "between");
        if is_repaired {
            builder.order("second", "between");
        } else {
            builder.order("between", "second");
        }
        builder.build().map(|_| ())
    };
    let text = declare(false).unwrap_err().to_string();
    assert!(
        text.contains("let `between` run after `second` instead"),
        "{text}"
    );
    declare(true).unwrap();
}

#[test]
fn two_readers_of_one_type_do_not_depend_on_each_other() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        builder.add_dynamic(writer("write", [1]));
        builder
            .add_dynamic(reader("always", &seen))
            .order("write", "always");
        builder
            .add_dynamic(reader("sometimes", &seen))
            .order("write", "sometimes");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        for run in 0..6 {
            resources.insert(IsOpen(run % 3 == 2));
            schedule.run(&mut resources).unwrap();
            let mut expected = vec![("always", vec![1])];
            if run % 3 == 2 {
                expected.push(("sometimes", vec![1; 3]));
            }
            assert_eq!(take(&seen), expected, "{on:?}");
        }
    }
}

#[test]
fn a_reader_that_a_change_adds_sees_the_kept_messages_and_all_later_ones() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        builder.add_dynamic(writer("write", [1]));
        builder
            .add_dynamic(reader("old", &seen))
            .order("write", "old");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert(IsOpen(false));
        schedule.run(&mut resources).unwrap();
        schedule
            .change(|builder| {
                builder
                    .add_dynamic(reader("new", &seen))
                    .order("write", "new")
            })
            .unwrap();
        for run in 0..3 {
            resources.insert(IsOpen(run == 1));
            schedule.run(&mut resources).unwrap();
        }
        // The old reader did not begin again.
        let expected = [
            ("new", vec![1, 1]),
            ("new", vec![1]),
            ("new", vec![1]),
            ("old", vec![1; 3]),
        ];
        assert_eq!(take(&seen), expected, "{on:?}");
    }
}

#[test]
fn a_reader_that_a_change_removes_holds_no_messages() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add_dynamic(writer("write", [1]));
        builder
            .add_dynamic(reader("quick", &seen))
            .order("write", "quick");
        builder
            .add_dynamic(reader("slow", &seen))
            .order("write", "slow");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert(IsOpen(false));
        notes(&mut resources).set_bound(2);
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        let [cause] = &failed(schedule.run(&mut resources))[..] else {
            panic!("{on:?}: one failure")
        };
        assert!(cause.contains("`slow`"), "{on:?}: {cause}");
        schedule.change(|builder| builder.remove("slow")).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(notes(&mut resources).len(), 0, "{on:?}");
        take(&seen);
    }
}

#[derive(Resource)]
pub(super) struct IsOpen(pub(super) bool);

#[system]
pub(super) fn is_open(open: &IsOpen) -> bool {
    open.0
}

#[test]
fn a_reader_waits_for_writers_that_exclude_it() {
    // `one` and `excluded` are joined together. If the reader runs, `excluded` is skipped, but only after `slow` has run.
    for (on, mut schedule) in schedules(|builder| {
        builder.add_closure("slow", || {
            for _ in 0..100 {
                std::thread::yield_now();
            }
        });
        builder.add::<one>().add_dynamic(writer("excluded", [2]));
        builder.run_if(!Condition::of::<is_open>());
        builder.order("slow", "excluded");
        builder.add::<read>().after::<one>();
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert(IsOpen(true));
        for run in 0..3 {
            schedule.run(&mut resources).unwrap();
            assert_eq!(seen(&mut resources), [[1]], "run {run}, {on:?}");
        }
    }
}

#[test]
fn a_writer_in_a_loop_that_finds_the_queue_full_does_not_stop_the_reader_after_the_loop() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        let mut n_asked = 0;
        let condition = DynamicSystem::new("loop", move |_| {
            n_asked += 1;
            Ok::<_, BoxError>(n_asked % 2 == 1)
        });
        builder.repeat_while_dynamic(condition, |body| {
            body.add_dynamic(writer("write", [1, 2]));
            body.add_dynamic(reader("inside", &seen))
                .order("write", "inside")
        });
        builder.add_dynamic(reader("after", &seen));
        builder.run_if(Condition::of::<is_open>());
        builder.order("loop", "after")
    }) {
        let mut resources = resources();
        notes(&mut resources).set_bound(3);
        resources.insert(IsOpen(false));
        schedule.run(&mut resources).unwrap();
        take(&seen);
        resources.insert(IsOpen(true));
        // The reader makes room, so only the first run fails.
        assert_eq!(failed(schedule.run(&mut resources)).len(), 1, "{on:?}");
        assert_eq!(
            take(&seen),
            [("after", vec![1, 2]), ("inside", vec![])],
            "{on:?}"
        );
    }
}

#[test]
fn a_full_queue_counts_only_messages_that_are_kept() {
    let seen = SeenBy::default();
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add_dynamic(writer("write", [1]));
        builder
            .add_dynamic(reader("read", &seen))
            .order("write", "read");
        builder
            .add_dynamic(reader("skipped", &seen))
            .order("write", "skipped");
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert(IsOpen(false));
        notes(&mut resources).set_bound(2);
        schedule.run(&mut resources).unwrap();
        schedule.set_enabled("skipped", false).unwrap();
        for _ in 0..9 {
            schedule.run(&mut resources).unwrap();
        }
        schedule.set_enabled("skipped", true).unwrap();
        schedule.run(&mut resources).unwrap();
        let causes = failed(schedule.run(&mut resources));
        assert!(
            causes[0].contains("2 messages that `skipped`"),
            "{on:?}: {causes:?}"
        );
        take(&seen);
    }
}

#[test]
fn a_schedule_that_never_ran_has_missed_nothing_after_a_restore() {
    let saved_resources = schedule::SavedResources::new().with::<Messages<Note>>();
    let missed = Arc::new(Mutex::new(Vec::new()));
    let build = || {
        let missed = Arc::clone(&missed);
        let late = DynamicSystem::new("late", move |view| {
            missed
                .lock()
                .unwrap()
                .push(view.messages::<Note>()?.n_missed());
            Ok::<_, BoxError>(())
        });
        Schedule::builder()
            .add_dynamic(late.reads_messages::<Note>())
            .build()
            .unwrap()
    };
    let mut resources = resources();
    let mut first = Schedule::builder()
        .add::<one>()
        .add::<read>()
        .after::<one>()
        .build()
        .unwrap();
    for _ in 0..5 {
        first.run(&mut resources).unwrap();
    }
    let state = build().save_state().unwrap();
    let bytes = saved_resources.save(&resources).unwrap();
    let mut late = build();
    late.restore_state(&state).unwrap();
    saved_resources.restore(&bytes, &mut resources).unwrap();
    late.run(&mut resources).unwrap();
    assert_eq!(*missed.lock().unwrap(), [0]);
}

#[test]
fn a_dynamic_system_can_clean() {
    let clean = DynamicSystem::new("clean", |view| {
        view.get_mut::<Messages<Note>>()?.clear();
        Ok::<_, BoxError>(())
    });
    let clean = clean.writes(ResourceId::of::<Messages<Note>>());
    let mut schedule = Schedule::builder().add_dynamic(clean).build().unwrap();
    let mut resources = resources();
    notes(&mut resources).send(Note(1)).unwrap();
    schedule.run(&mut resources).unwrap();
    assert!(notes(&mut resources).is_empty());
}
#[test]
fn a_restored_program_keeps_messages_for_schedules_that_have_not_run_yet() {
    let saved_resources = schedule::SavedResources::new().with::<Messages<Note>>();
    for &on in On::ALL {
        let seen = SeenBy::default();
        let build = || {
            let mut fast = Schedule::builder();
            fast.add_dynamic(writer("write", [1]));
            fast.add_dynamic(reader("fast", &seen))
                .order("write", "fast");
            let mut slow = Schedule::builder();
            slow.add_dynamic(reader("slow", &seen));
            [fast, slow].map(|mut builder| {
                let mut schedule = builder.build().unwrap();
                on.set(&mut schedule);
                schedule
            })
        };
        let [mut fast, mut slow] = build();
        let mut resources = resources();
        slow.run(&mut resources).unwrap();
        fast.run(&mut resources).unwrap();
        let states = [fast.save_state().unwrap(), slow.save_state().unwrap()];
        let bytes = saved_resources.save(&resources).unwrap();

        let [mut fast, mut slow] = build();
        let mut resources = Resources::new();
        fast.restore_state(&states[0]).unwrap();
        slow.restore_state(&states[1]).unwrap();
        saved_resources.restore(&bytes, &mut resources).unwrap();
        take(&seen);
        fast.run(&mut resources).unwrap();
        fast.run(&mut resources).unwrap();
        slow.run(&mut resources).unwrap();
        let expected = [("fast", vec![1]), ("fast", vec![1]), ("slow", vec![1; 3])];
        assert_eq!(take(&seen), expected, "{on:?}");
    }
}
