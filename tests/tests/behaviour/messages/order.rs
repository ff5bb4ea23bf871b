//! Which orders of readers and writers are accepted, and the texts about the others.

use schedule::error::Problem;
use schedule::report::Warning;
use schedule::{Condition, Policy};

use super::*;

#[system]
fn late(mut notes: MessageWriter<Note>) {
    notes.write(Note(9));
}

fn rejected(builder: &mut Builder) -> String {
    let text = builder.build().unwrap_err().to_string();
    // Without the paths and lines of systems.
    let mut short = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once(" (tests/") {
        short.push_str(before);
        rest = after.split_once(')').unwrap().1;
    }
    short + rest
}

#[test]
fn a_reader_between_writers_is_refused_with_both_groups() {
    let mut builder = Schedule::builder();
    builder.add::<one>().add::<two_and_three>();
    builder
        .add::<read>()
        .after::<one>()
        .after::<two_and_three>();
    builder.add::<late>().after::<read>();
    assert_eq!(
        rejected(&mut builder),
        "1 problem in schedule `schedule`\n  \
         `read` reads `Messages<Note>` after some of its writers and before others: after `one`, `two_and_three`, but before `late`\n      \
         help: a reader runs after all writers, or before all of them: let `read` run after `late` instead"
    );

    let mut builder = Schedule::builder();
    builder.add::<one>().add::<read>().after::<one>();
    builder.add::<two_and_three>().after::<read>();
    builder.add::<late>().after::<read>();
    let text = rejected(&mut builder);
    assert!(
        text.ends_with("let `read` run before `one` instead"),
        "the smaller group is the repair: {text}"
    );
    let error = builder.build().unwrap_err();
    let [Problem::ReaderBetweenWriters(between)] = error.problems() else {
        panic!("one problem")
    };
    assert_eq!((between.before.len(), between.after.len()), (1, 2));
}

#[test]
fn a_writer_and_a_reader_without_an_order_race() {
    let mut builder = Schedule::builder();
    builder.add::<one>().add::<read>();
    assert_eq!(
        rejected(&mut builder),
        "1 problem in schedule `schedule`\n  race on `Messages<Note>`\n      \
         `one` writes `Messages<Note>`, `read` reads it\n  \
         help: this order ends the race\n      `#[system(after = one)]` on `read`"
    );
}

#[test]
fn writers_do_not_race_with_each_other_and_readers_neither() {
    #[system]
    fn read_too(notes: MessageReader<Note>) {
        assert_eq!(notes.len(), 3);
    }
    let mut builder = Schedule::builder();
    builder
        .add::<one>()
        .add::<two_and_three>()
        .add::<read>()
        .add::<read_too>();
    builder.policy(Policy::WritersFirst);
    builder.build().unwrap().run(&mut resources()).unwrap();
}

#[test]
fn policies_apply_before_the_check() {
    let declare = |policy, is_last: bool| {
        let mut builder = Schedule::builder();
        builder.policy(policy).add::<one>();
        if is_last {
            builder.add::<late>().add::<read>();
        } else {
            builder.add::<read>().add::<late>();
        }
        builder
    };
    let runs = |builder: &mut Builder| {
        let mut resources = resources();
        let mut schedule = builder.build().unwrap();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1, 9]]);
    };
    runs(&mut declare(Policy::WritersFirst, false));
    // Messages are read and written in insertion order, also under `optimize`.
    for policy in [Policy::InsertionOrder, Policy::Optimize] {
        runs(&mut declare(policy, true));
        let text = rejected(&mut declare(policy, false));
        assert!(text.contains("after `one`, but before `late`"), "{text}");
    }
}

#[test]
fn optimize_still_orders_exclusive_systems_and_writers_freely() {
    #[system]
    fn exclusive(_: &mut Resources) {}
    let mut builder = Schedule::builder();
    builder.policy(Policy::Optimize);
    builder
        .add::<one>()
        .add::<exclusive>()
        .add::<late>()
        .add::<read>();
    let mut resources = resources();
    builder.build().unwrap().run(&mut resources).unwrap();
    assert_eq!(seen(&mut resources), [[1, 9]]);
}

#[test]
fn a_system_that_reads_and_writes_is_checked_against_the_others_only() {
    #[system]
    fn relay(notes: MessageReader<Note>, mut more: MessageWriter<Note>) {
        more.extend(notes.iter().map(|note| Note(note.0 + 100)));
    }
    let mut builder = Schedule::builder();
    builder.add::<one>().add::<relay>().after::<one>();
    builder.build().unwrap();
    builder.add::<one>().add::<relay>().after::<one>();
    builder.add::<late>().after::<relay>();
    let text = rejected(&mut builder);
    assert!(
        text.contains(
            "`relay` reads `Messages<Note>` after some of its writers and before others: after `one`, but before `late`"
        ),
        "{text}"
    );
}

#[test]
fn a_system_that_runs_alone_between_writers_is_no_reader() {
    #[system]
    fn alone(resources: &mut Resources) {
        resources
            .get_mut::<Messages<Note>>()
            .unwrap()
            .send(Note(5))
            .unwrap();
    }
    for (on, mut schedule) in schedules(|builder| {
        builder
            .add::<one>()
            .add::<alone>()
            .after::<one>()
            .add::<late>()
            .after::<alone>();
        builder.add::<read>().after::<late>().after::<one>()
    }) {
        let mut resources = resources();
        schedule.run(&mut resources).unwrap();
        assert_eq!(seen(&mut resources), [[1, 5, 9]], "{on:?}");
    }
}

#[test]
fn a_reader_that_excludes_a_writer_needs_no_order_with_it() {
    #[derive(Resource)]
    struct IsNight(bool);
    #[system]
    fn is_night(night: &IsNight) -> bool {
        night.0
    }
    for (on, mut schedule) in schedules(|builder| {
        builder
            .add::<one>()
            .add::<read>()
            .after::<one>()
            .run_if(Condition::of::<is_night>());
        builder.add::<late>().run_if(!Condition::of::<is_night>())
    }) {
        let mut resources = resources();
        for run in 0..4 {
            resources.insert(IsNight(run % 2 == 1));
            schedule.run(&mut resources).unwrap();
        }
        let seen = seen(&mut resources);
        assert_eq!(
            seen.iter().map(Vec::len).collect::<Vec<_>>(),
            [3, 3],
            "{on:?}"
        );
    }
}

#[test]
fn disabled_and_skipped_systems_count_as_present() {
    #[system]
    fn never() -> bool {
        false
    }
    let mut builder = Schedule::builder();
    builder.add::<one>().add::<read>().after::<one>();
    builder
        .add::<late>()
        .after::<read>()
        .run_if(Condition::of::<never>());
    assert!(rejected(&mut builder).contains("before others"));
}

#[test]
fn levels_are_compared_through_their_loops() {
    #[system]
    fn never() -> bool {
        false
    }
    let build = |is_before: bool| {
        let mut builder = Schedule::builder();
        builder.add::<one>();
        let writer = builder.last().unwrap();
        builder.repeat_while::<never>(|body| {
            body.add::<read>().add::<late>();
            if is_before {
                body.after::<read>()
            } else {
                body.before::<read>()
            }
        });
        let repeat = builder.last().unwrap();
        builder.order(writer, repeat).build().map(|_| ())
    };
    assert!(
        build(true)
            .unwrap_err()
            .to_string()
            .contains("before others")
    );
    assert!(build(false).is_ok());
}

#[test]
fn messages_with_only_one_side_are_a_warning() {
    let warnings = |builder: &mut Builder| builder.build().unwrap().warnings();
    let [Warning::MessagesWithoutReader { writers, .. }] =
        &warnings(Schedule::builder().add::<one>().add::<late>())[..]
    else {
        panic!("a warning")
    };
    assert_eq!(writers.len(), 2);
    let alone = warnings(Schedule::builder().add::<read>());
    assert!(matches!(alone[..], [Warning::MessagesWithoutWriter { .. }]));
    let text = alone[0].to_string();
    assert!(
        text.starts_with("no system of this schedule writes `Messages<Note>`, but `read` (tests/")
            && text.ends_with(
                ") reads it; add a writer, unless another schedule or the program sends messages"
            ),
        "{text}"
    );
    assert!(
        warnings(
            Schedule::builder()
                .add::<one>()
                .add::<read>()
                .after::<one>()
        )
        .is_empty()
    );
}
