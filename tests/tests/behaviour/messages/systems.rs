//! What readers see: in runs, loops, `for_each` systems, dynamic systems, closures, and after failures.

use schedule::columns::Columns;
use schedule::dynamic::DynamicSystem;
use schedule::entity::Component;
use schedule::message::KeepLatest;
use schedule::{Condition, FailurePolicy, SavedResources, Target};

use super::*;

#[test]
fn a_reader_after_the_writers_sees_their_messages_in_serial_order() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>().add::<two_and_three>();
        builder
            .add::<read>()
            .after::<one>()
            .after::<two_and_three>()
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1, 2, 3], [1, 2, 3]], "{on:?}");
        assert!(
            notes(&mut resources).len() <= 3,
            "seen messages are dropped"
        );
    }
}

#[test]
fn a_reader_before_the_writers_sees_the_messages_of_the_last_run() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<read>().add::<one>().after::<read>();
        builder.add::<two_and_three>().after::<read>()
    }) {
        let mut resources = resources();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(
            seen(&mut resources),
            [vec![], vec![1, 2, 3], vec![1, 2, 3]],
            "{on:?}"
        );
    }
}

#[system]
fn echo(notes: MessageReader<Note>, mut replies: MessageWriter<Note>, seen: &mut Seen) {
    for note in &notes {
        if note.0 < 100 {
            replies.write(Note(note.0 + 100));
        }
    }
    seen.0.push(numbers(notes));
}

#[test]
fn a_system_that_reads_and_writes_sees_its_own_messages_in_its_next_execution() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>().add::<echo>().after::<one>();
        builder.add::<read>().after::<one>().after::<echo>()
    }) {
        let mut resources = resources();
        for _ in 0..3 {
            schedule.run(&mut resources).unwrap();
        }
        let expected = [
            vec![1],
            vec![1, 101],
            vec![101, 1],
            vec![1, 101],
            vec![101, 1],
            vec![1, 101],
        ];
        assert_eq!(seen(&mut resources), expected, "{on:?}");
    }
}

#[test]
fn messages_of_a_failed_writer_are_dropped() {
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add::<one>().add::<fail>();
        builder.add::<read>().after::<one>().after::<fail>()
    }) {
        let mut resources = resources();
        assert_eq!(failed(schedule.run(&mut resources)), ["failed"], "{on:?}");
        assert_eq!(seen(&mut resources), [[1]], "{on:?}");
    }
}

#[system]
fn read_and_fail(notes: MessageReader<Note>, seen: &mut Seen) -> Result<(), BoxError> {
    seen.0.push(numbers(notes));
    Err("failed".into())
}

#[test]
fn a_failed_reader_has_seen_its_messages() {
    for (on, mut schedule) in
        schedules(|builder| builder.add::<one>().add::<read_and_fail>().after::<one>())
    {
        let mut resources = resources();
        for _ in 0..2 {
            assert_eq!(failed(schedule.run(&mut resources)), ["failed"], "{on:?}");
        }
        assert_eq!(seen(&mut resources), [[1], [1]], "{on:?}");
    }
}

#[derive(Resource, Default)]
struct Passes(u32);

#[system]
fn three_times(passes: &mut Passes) -> bool {
    passes.0 += 1;
    !passes.0.is_multiple_of(4)
}

#[system]
fn number_of_pass(passes: &Passes, mut notes: MessageWriter<Note>) {
    notes.write(Note(passes.0));
}

#[test]
fn messages_of_a_loop_are_in_the_order_of_iterations() {
    for (on, mut schedule) in schedules(|builder| {
        builder.repeat_while::<three_times>(|body| body.add::<number_of_pass>().add::<one>());
        let repeat = builder.last().unwrap();
        builder.add::<two_and_three>();
        builder.add::<read>().after::<two_and_three>();
        let reader = builder.last().unwrap();
        builder.order(repeat, reader)
    }) {
        let mut resources = resources();
        resources.insert_default::<Passes>();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1, 1, 2, 1, 3, 1, 2, 3]], "{on:?}");
    }
}

#[test]
fn a_reader_in_the_loop_sees_each_iteration() {
    for (on, mut schedule) in schedules(|builder| {
        builder.repeat_while::<three_times>(|body| {
            body.add::<number_of_pass>();
            body.add::<read>().after::<number_of_pass>()
        })
    }) {
        let mut resources = resources();
        resources.insert_default::<Passes>();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1], [2], [3]], "{on:?}");
    }
}

#[system]
fn is_unread(notes: MessageReader<Note>) -> bool {
    !notes.is_empty()
}

#[system]
fn count_down(notes: MessageReader<Note>, mut next: MessageWriter<Note>, seen: &mut Seen) {
    seen.0.push(numbers(notes));
    for note in notes.iter().filter(|note| note.0 > 0) {
        next.write(Note(note.0 - 1));
    }
}

#[test]
fn a_loop_runs_as_long_as_its_condition_reads_messages() {
    for (on, mut schedule) in
        schedules(|builder| builder.repeat_while::<is_unread>(|body| body.add::<count_down>()))
    {
        let mut resources = resources();
        notes(&mut resources).send(Note(3)).unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[3], [2], [1], [0]], "{on:?}");
    }
}

#[derive(Component)]
struct Size(u32);

#[derive(Columns)]
struct Tree {
    size: Size,
}

#[system(for_each = Columns<Tree>)]
fn announce(size: &Size, mut notes: MessageWriter<Note>) {
    if size.0.is_multiple_of(7) {
        notes.write(Note(size.0));
    }
}

#[system(for_each = Columns<Tree>)]
fn grow(size: &mut Size, notes: MessageReader<Note>) {
    size.0 += notes.len() as u32 * 1000;
}

#[test]
fn messages_of_a_for_each_system_are_in_the_order_of_entities() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<announce>().add::<grow>().after::<announce>();
        builder.add::<read>().after::<announce>()
    }) {
        let mut resources = resources();
        let trees: Columns<Tree> = (0..5000).map(|size| Tree { size: Size(size) }).collect();
        resources.insert(trees);
        schedule.run(&mut resources).unwrap();
        let expected: Vec<u32> = (0..5000).filter(|size| size % 7 == 0).collect();
        assert_eq!(seen(&mut resources), [&expected[..]], "{on:?}");
        let trees = resources.get_mut::<Columns<Tree>>().unwrap();
        let sizes = trees.columns_mut::<&Size>();
        let grown = (0..5000).map(|size| size + expected.len() as u32 * 1000);
        assert!(sizes.iter().map(|size| size.0).eq(grown), "{on:?}");
    }
}

#[test]
fn dynamic_systems_and_closures_write_and_read() {
    for (on, mut schedule) in schedules(|builder| {
        let write = DynamicSystem::new("write", |view| {
            view.message_writer::<Note>()?.write(Note(7));
            Ok::<_, BoxError>(())
        });
        let echo = DynamicSystem::new("echo", |view| {
            let notes: Vec<u32> = numbers(view.messages::<Note>()?);
            let again = numbers(view.messages::<Note>()?);
            assert_eq!(notes, again, "each call returns the same messages");
            for note in notes.iter().filter(|&&note| note < 10) {
                view.message_writer::<Note>()?.write(Note(note + 10));
            }
            view.get_mut::<Seen>()?.0.push(notes);
            Ok::<_, BoxError>(())
        });
        builder.add_dynamic(write.writes_messages::<Note>());
        let echo = echo.reads_messages::<Note>().writes_messages::<Note>();
        builder.add_dynamic(echo.writes(schedule::access::ResourceId::of::<Seen>()));
        builder.add_closure("closure", |notes: MessageReader<Note>, seen: &mut Seen| {
            seen.0.push(numbers(notes))
        });
        builder
            .order("write", "echo")
            .order("write", "closure")
            .order("echo", "closure")
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        schedule.run(&mut resources).unwrap();
        let expected = [vec![7], vec![7, 17], vec![17, 7], vec![7, 17]];
        assert_eq!(seen(&mut resources), expected, "{on:?}");
    }
}

#[test]
fn a_dynamic_system_uses_only_the_messages_that_it_declares() {
    let cases: [(DynamicSystem, &str); 3] = [
        (
            DynamicSystem::new("a", |view| {
                view.messages::<Note>().map(|_| ()).map_err(BoxError::from)
            }),
            "`a` reads `Messages<Note>`, but does not declare it; add `.reads_messages::<…>()`",
        ),
        (
            DynamicSystem::new("a", |view| {
                view.message_writer::<Note>()
                    .map(|_| ())
                    .map_err(BoxError::from)
            }),
            "`a` writes `Messages<Note>`, but does not declare it; add `.writes_messages::<…>()`",
        ),
        (
            DynamicSystem::new("a", |view| {
                view.get::<Messages<Note>>()
                    .map(|_| ())
                    .map_err(BoxError::from)
            })
            .writes_messages::<Note>(),
            "`a` reads `Messages<Note>`, but declares only that it writes it; add `.reads_messages::<…>()`",
        ),
    ];
    for (system, expected) in cases {
        let mut schedule = Schedule::builder().add_dynamic(system).build().unwrap();
        assert_eq!(failed(schedule.run(&mut resources())), [expected]);
    }
}

#[derive(Resource, Default)]
struct IsOpen(bool);

#[system]
fn is_open(open: &IsOpen) -> bool {
    open.0
}

#[test]
fn a_skipped_reader_sees_all_messages_later() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>();
        builder
            .add::<read>()
            .after::<one>()
            .run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert_default::<IsOpen>();
        for run in 0..9 {
            resources.get_mut::<IsOpen>().unwrap().0 = run % 4 == 3;
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(seen(&mut resources), [vec![1; 4], vec![1; 4]], "{on:?}");
    }
}

#[test]
fn schedules_with_different_rates_see_each_message_once() {
    for &on in On::ALL {
        let mut fast = Schedule::builder().add::<one>().build().unwrap();
        let mut slow = Schedule::builder().add::<read>().build().unwrap();
        on.set(&mut fast);
        on.set(&mut slow);
        let mut resources = resources();
        for run in 0..10 {
            if run % 5 == 0 {
                slow.run(&mut resources).unwrap();
            }
            fast.run(&mut resources).unwrap();
        }
        assert_eq!(seen(&mut resources), [vec![], vec![1; 5]], "{on:?}");
        assert_eq!(notes(&mut resources).len(), 5);
        // The reader is gone with its schedule, so nothing is kept for it.
        drop(slow);
        fast.run(&mut resources).unwrap();
        let mut other = Schedule::builder().add::<read>().build().unwrap();
        other.run(&mut resources).unwrap();
        fast.run(&mut resources).unwrap();
        other.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [vec![1; 6], vec![1]], "{on:?}");
    }
}

#[test]
fn a_full_queue_fails_the_writer_and_names_the_reader() {
    for (on, mut schedule) in schedules(|builder| {
        builder.failure_policy(FailurePolicy::CarryOn);
        builder.add::<one>().add::<two_and_three>();
        builder
            .add::<read>()
            .after::<one>()
            .after::<two_and_three>();
        builder.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert_default::<IsOpen>();
        notes(&mut resources).set_bound(4);
        schedule.run(&mut resources).unwrap();
        let causes = failed(schedule.run(&mut resources));
        let [cause] = &causes[..] else {
            panic!("{on:?}: one writer fails, but {causes:?}")
        };
        assert!(
            cause.starts_with("`Messages<Note>` is full: 4 messages that `read` (tests/")
                && cause.ends_with(") has not read and 2 new ones exceed the bound of 4; run the reader more often, raise the bound, or read with `KeepLatest`"),
            "{cause}"
        );
        resources.get_mut::<IsOpen>().unwrap().0 = true;
        // The two messages of the failed writer were dropped as a whole.
        let _ = schedule.run(&mut resources);
        assert_eq!(seen(&mut resources), [[1, 2, 3, 1]], "{on:?}");
    }
}

#[system]
fn read_latest(notes: MessageReader<Note, KeepLatest<2>>, seen: &mut Seen) {
    let mut numbers = numbers(notes);
    numbers.push(1000 + notes.n_missed() as u32);
    seen.0.push(numbers);
}

#[test]
fn a_reader_of_the_latest_messages_counts_the_missed_ones() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>().add::<two_and_three>();
        let latest = builder
            .add::<read_latest>()
            .after::<one>()
            .after::<two_and_three>();
        latest.run_if(Condition::of::<is_open>())
    }) {
        let mut resources = resources();
        resources.insert_default::<IsOpen>();
        notes(&mut resources).set_bound(3);
        for run in 0..4 {
            resources.get_mut::<IsOpen>().unwrap().0 = run == 2 || run == 3;
            schedule.run(&mut resources).unwrap();
        }
        assert_eq!(seen(&mut resources), [[2, 3, 1007], [2, 3, 1001]], "{on:?}");
    }
}

#[test]
fn messages_are_not_kept_for_a_disabled_reader() {
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>().add::<read>().after::<one>();
        builder.add::<read_latest>().after::<one>().after::<read>()
    }) {
        let mut resources = resources();
        notes(&mut resources).set_bound(2);
        schedule.set_enabled(Target::of::<read>(), false).unwrap();
        for _ in 0..5 {
            schedule.run(&mut resources).unwrap();
        }
        schedule.set_enabled(Target::of::<read>(), true).unwrap();
        schedule.run(&mut resources).unwrap();
        let last = seen(&mut resources).split_off(5);
        // It continues with the oldest message that is still kept, which is that of the last run.
        assert_eq!(last, [vec![1, 1], vec![1, 1000]], "{on:?}");
    }
}

#[test]
fn a_million_unread_messages_keep_the_bound() {
    #[system]
    fn many(mut notes: MessageWriter<Note>) {
        notes.extend((0..100_000).map(Note));
    }

    let mut builder = Schedule::builder();
    builder.add::<many>().add::<read>().after::<many>();
    builder.run_if(Condition::of::<is_open>());
    let mut schedule = builder.build().unwrap();
    let mut resources = resources();
    resources.insert_default::<IsOpen>();
    notes(&mut resources).set_bound(1_000_000);
    for _ in 0..10 {
        schedule.run(&mut resources).unwrap();
    }
    assert_eq!(notes(&mut resources).len(), 1_000_000);
    assert!(schedule.run(&mut resources).is_err());
    assert_eq!(notes(&mut resources).len(), 1_000_000);
    resources.get_mut::<IsOpen>().unwrap().0 = true;
    let _ = schedule.run(&mut resources);
    let seen = seen(&mut resources);
    assert_eq!(seen[0].len(), 1_000_000);
    assert!(
        seen[0]
            .chunks(100_000)
            .all(|chunk| chunk.iter().copied().eq(0..100_000))
    );
}

#[test]
fn a_restored_schedule_sees_the_same_messages() {
    for &on in On::ALL {
        let declare = || {
            let mut builder = Schedule::builder();
            builder.add::<one>().add::<two_and_three>();
            builder
                .add::<read>()
                .after::<one>()
                .after::<two_and_three>();
            builder.run_if(Condition::of::<is_open>());
            let mut schedule = builder.build().unwrap();
            on.set(&mut schedule);
            schedule
        };
        let step = |schedule: &mut Schedule, resources: &mut Resources, run: u32| {
            resources.insert(IsOpen(run % 3 == 2));
            schedule.run(resources).unwrap();
        };
        let saved_resources = SavedResources::new()
            .with::<Messages<Note>>()
            .with::<Seen>();
        let mut resources = resources();
        let mut schedule = declare();
        for run in 0..4 {
            step(&mut schedule, &mut resources, run);
        }
        let state = schedule.save_state().unwrap();
        let bytes = saved_resources.save(&resources).unwrap();
        for run in 4..9 {
            step(&mut schedule, &mut resources, run);
        }
        let expected = seen(&mut resources);

        // Into the same program, and into a new one.
        saved_resources.restore(&bytes, &mut resources).unwrap();
        schedule.restore_state(&state).unwrap();
        for run in 4..9 {
            step(&mut schedule, &mut resources, run);
        }
        assert_eq!(seen(&mut resources), expected, "{on:?}");
        let mut resources = Resources::new();
        let mut schedule = declare();
        schedule.restore_state(&state).unwrap();
        saved_resources.restore(&bytes, &mut resources).unwrap();
        for run in 4..9 {
            step(&mut schedule, &mut resources, run);
        }
        assert_eq!(seen(&mut resources), expected, "{on:?}");
    }
}

#[test]
fn a_schedule_that_reads_two_queues_in_turn_sees_each_message_once() {
    for (on, mut schedule) in schedules(|builder| builder.add::<one>().add::<read>().after::<one>())
    {
        let (mut one, mut other) = (resources(), resources());
        notes(&mut one).send(Note(5)).unwrap();
        for _ in 0..2 {
            schedule.run(&mut one).unwrap();
            schedule.run(&mut other).unwrap();
        }
        assert_eq!(seen(&mut one), [vec![5, 1], vec![1]], "{on:?}");
        assert_eq!(seen(&mut other), [vec![1], vec![1]], "{on:?}");
        // A writer that runs on one queue keeps nothing for the reader that last read the other one.
        let mut writer = Schedule::builder().add::<two_and_three>().build().unwrap();
        on.set(&mut writer);
        writer.run(&mut one).unwrap();
        schedule.run(&mut one).unwrap();
        assert_eq!(seen(&mut one), [[2, 3, 1]], "{on:?}");
    }
}

#[test]
fn a_full_queue_in_a_loop_skips_no_reader() {
    for policy in [FailurePolicy::SkipDependents, FailurePolicy::Stop] {
        for (on, mut schedule) in schedules(|builder| {
            builder.failure_policy(policy);
            builder.repeat_while::<three_times>(|body| {
                body.add::<two_and_three>().add::<number_of_pass>();
                body.add::<read>()
                    .after::<two_and_three>()
                    .after::<number_of_pass>()
            });
            let repeat = builder.last().unwrap();
            builder
                .add::<read_latest>()
                .run_if(Condition::of::<is_open>());
            let reader = builder.last().unwrap();
            builder.add_closure("all", |_: MessageReader<Note>| ());
            let all = builder.last().unwrap();
            builder.run_if(Condition::of::<is_open>());
            builder.order(repeat, reader).order(repeat, all)
        }) {
            let mut resources = resources();
            resources.insert_default::<Passes>();
            resources.insert_default::<IsOpen>();
            notes(&mut resources).set_bound(9);
            schedule.run(&mut resources).unwrap();
            assert_eq!(failed(schedule.run(&mut resources)).len(), 2, "{on:?}");
            resources.get_mut::<IsOpen>().unwrap().0 = true;
            assert_eq!(failed(schedule.run(&mut resources)).len(), 2, "{on:?}");
            schedule.run(&mut resources).expect("the readers made room");
        }
    }
}

#[test]
fn written_messages_count_as_a_change_of_their_queue() {
    #[system]
    fn react(seen: &mut Seen) {
        seen.0.push(Vec::new());
    }
    for (on, mut schedule) in schedules(|builder| {
        builder.add::<one>().run_if(Condition::of::<is_open>());
        builder.before::<schedule::condition::changed<Messages<Note>>>();
        let condition = Condition::changed::<Messages<Note>>();
        builder.add::<react>().run_if(condition)
    }) {
        let mut resources = resources();
        resources.insert_default::<IsOpen>();
        for run in 0..5 {
            resources.get_mut::<IsOpen>().unwrap().0 = run == 3;
            schedule.run(&mut resources).unwrap();
        }
        // The first look, and the message.
        assert_eq!(seen(&mut resources).len(), 2, "{on:?}");
    }
}
