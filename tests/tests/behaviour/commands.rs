//! Commands are recorded while systems run, and applied at the end.

use std::sync::Arc;

use schedule::error::Cause;
use schedule::param::{CommandBuffer, CommandQueue};
use schedule::prelude::*;

use crate::{Log, failures, insertion_order, schedule_of, take_log, with_log};

#[derive(Debug, PartialEq, Resource)]
struct Level(u32);

#[derive(Resource)]
struct Music;

#[system]
fn first(mut commands: Commands) {
    commands.insert(Level(1)).push(log("first"));
}

#[system]
fn second(mut commands: Commands, mut more: Commands) {
    more.push(log("more of second"));
    commands.insert(Level(2)).push(log("second"));
}

#[system]
fn unload(mut commands: Commands) {
    commands.remove::<Level>().remove::<Music>();
}

#[system]
fn see_nothing(resources: &Resources) {
    assert!(!resources.contains::<Level>());
}

#[system]
fn fail(mut commands: Commands) -> Result<(), String> {
    commands.push(log("of one that failed"));
    Err("no".into())
}

#[system]
fn panic(mut commands: Commands) {
    commands.push(log("of one that panicked"));
    panic!("no");
}

#[system]
fn record_a_panic(mut commands: Commands, mut other: Commands) {
    commands.push(log("before the panic"));
    commands.push(|_| panic!("late"));
    commands.push(log("after the panic"));
    other.push(log("of the other queue"));
}

#[system]
fn load(mut commands: Commands<(Inserts<Level>, Inserts<Music>)>) {
    commands.insert(Level(7)).insert(Music);
}

#[system]
fn break_the_promise(_: Commands<Inserts<Level>>) {}

#[system]
fn use_level(level: &Level, log: &mut Log) {
    assert_eq!(level.0, 7);
    log.push("use_level");
}

#[system]
fn play(_: &mut Music, log: &mut Log) {
    log.push("play");
}

#[derive(Default, Resource)]
struct Shared(Arc<()>);

#[system]
fn hold(shared: &Shared, mut commands: Commands) -> Result<(), &'static str> {
    let held = shared.0.clone();
    commands.push(move |_| drop(held));
    Err("dropped with what it holds")
}

fn log(text: &'static str) -> impl FnOnce(&mut Resources) + Send + 'static {
    move |resources| resources.get_mut::<Log>().unwrap().push(text)
}

#[test]
fn commands_are_applied_at_the_end_in_system_order() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<first>().add::<see_nothing>().add::<second>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Level(2)));
    let log = take_log(&mut resources);
    assert_eq!(log[0], "first");
    assert_eq!(log.len(), 3, "each queue once: {log:?}");

    let mut schedule = schedule_of(|all| all.add::<second>().add::<first>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Level(1)));
    schedule_of(|all| all.add::<unload>())
        .run(&mut resources)
        .unwrap();
    assert!(!resources.contains::<Level>());
}

#[test]
fn commands_are_applied_once() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<first>());
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["first"]);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["first"]);
}

#[test]
fn a_failed_system_drops_its_commands() {
    let mut resources = with_log();
    resources.insert(Shared::default());
    let mut schedule = schedule_of(|all| {
        all.add::<fail>()
            .add::<panic>()
            .add::<hold>()
            .add::<first>()
    });
    for _ in 0..2 {
        let found = failures(schedule.run(&mut resources));
        assert_eq!(
            found,
            [
                "fail: no",
                "panic: panicked: no",
                "hold: dropped with what it holds"
            ]
        );
        assert_eq!(take_log(&mut resources), ["first"]);
    }
    let shared = &resources.get::<Shared>().unwrap().0;
    assert_eq!(Arc::strong_count(shared), 1);
}

#[test]
fn panic_of_a_command_is_reported_and_later_commands_are_applied() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| {
        all.add::<fail>()
            .add::<record_a_panic>()
            .add::<first>()
            .add::<record_a_panic>()
    });
    let error = schedule.run(&mut resources).unwrap_err();
    let causes = error.failures().iter().map(|failure| &failure.cause);
    let is_command: Vec<_> = causes
        .map(|cause| matches!(cause, Cause::CommandPanic(_)))
        .collect();
    assert_eq!(is_command, [false, true, true]);
    assert_eq!(
        failures(Err(error)),
        [
            "fail: no",
            "record_a_panic: a command panicked: late",
            "record_a_panic: a command panicked: late"
        ]
    );
    let log = take_log(&mut resources);
    assert_eq!(log.iter().filter(|text| **text == "first").count(), 1);
    assert_eq!(
        log.iter()
            .filter(|text| **text == "before the panic")
            .count(),
        2
    );
    assert!(!log.contains(&"after the panic"));
}

#[test]
fn commands_left_by_a_panic_are_not_applied_in_the_next_run() {
    #[system]
    fn record_once(mut is_over: Local<bool>, mut commands: Commands) {
        if !*is_over {
            commands.push(|_| panic!("late"));
            commands.push(log("left over"));
        }
        *is_over = true;
    }
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<record_once>());
    assert_eq!(failures(schedule.run(&mut resources)).len(), 1);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), [""; 0]);
}

#[test]
fn resources_declared_by_commands_exist_from_the_next_run() {
    let mut resources = with_log();
    let mut schedule = insertion_order(|all| {
        all.add::<load>()
            .add::<use_level>()
            .add::<play>()
            .add::<first>()
    });
    assert_eq!(
        failures(schedule.run(&mut resources)),
        [
            "use_level: resource `Level` is missing: it was removed during the run, or the system that should insert it did not",
            "play: resource `Music` is missing: it was removed during the run, or the system that should insert it did not"
        ]
    );
    assert_eq!(take_log(&mut resources), ["first"]);
    resources.insert(Level(7));
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["use_level", "play", "first"]);
}

#[test]
fn declared_resource_that_is_not_inserted_fails_its_users() {
    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<break_the_promise>().add::<use_level>());
    for _ in 0..2 {
        assert_eq!(
            failures(schedule.run(&mut resources)),
            [
                "use_level: resource `Level` is missing: it was removed during the run, or the system that should insert it did not"
            ]
        );
    }
}

#[test]
fn a_command_may_run_a_schedule() {
    #[system]
    fn start(mut commands: Commands) {
        commands.push(|resources| {
            schedule_of(|all| all.add::<load>()).run(resources).unwrap();
        });
    }
    let mut resources = Resources::new();
    schedule_of(|all| all.add::<start>())
        .run(&mut resources)
        .unwrap();
    assert_eq!(resources.get(), Some(&Level(7)));
}

#[test]
fn a_system_with_commands_can_be_called() {
    let mut queue = CommandQueue::new();
    first(queue.commands());
    load(queue.commands());
    assert_eq!(format!("{queue:?}"), "CommandQueue(4 recorded)");
    let mut resources = with_log();
    queue.apply(&mut resources);
    assert_eq!(resources.get(), Some(&Level(7)));
    assert_eq!(format!("{queue:?}"), "CommandQueue(0 recorded)");
}

#[test]
fn a_panicking_command_drops_those_of_all_parameters() {
    #[derive(Resource)]
    struct Made;

    #[system]
    fn make(mut first: Commands, mut second: Commands, mut n_runs: Local<u32>) {
        *n_runs += 1;
        if *n_runs == 1 {
            first.push(|_| panic!("broken"));
            second.insert(Made);
        }
    }

    let mut schedule = Schedule::builder().add::<make>().build().unwrap();
    let mut resources = Resources::new();
    schedule.run(&mut resources).unwrap_err();
    schedule.run(&mut resources).unwrap();
    assert!(!resources.contains::<Made>());
}

/// Texts for the log. A text that is empty panics.
#[derive(Default)]
struct Texts<const N: usize>(Vec<&'static str>);

impl<const N: usize> CommandBuffer for Texts<N> {
    fn apply(self, resources: &mut Resources) {
        let log = resources.get_mut::<Log>().unwrap();
        for text in &self.0 {
            assert!(!text.is_empty(), "an empty text");
            log.push(text);
        }
        log.push("end of buffer");
    }
}

#[test]
fn buffered_commands_keep_their_order_among_all_commands() {
    #[system]
    fn record(mut commands: Commands) {
        commands.buffer::<Texts<0>>().0.push("a");
        commands.buffer::<Texts<0>>().0.push("b");
        commands.push(log("c"));
        commands.buffer::<Texts<0>>().0.push("d");
        commands.buffer::<Texts<1>>().0.push("e");
        commands.buffer::<Texts<0>>().0.push("f");
    }

    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<record>().add::<first>());
    let end = "end of buffer";
    for _ in 0..2 {
        schedule.run(&mut resources).unwrap();
        let log = take_log(&mut resources);
        assert_eq!(
            log,
            ["a", "b", end, "c", "d", end, "e", end, "f", end, "first"]
        );
    }
}

#[test]
fn a_panicking_buffer_drops_the_commands_that_remain() {
    #[system]
    fn record(mut commands: Commands) {
        commands.push(log("before"));
        commands.buffer::<Texts<0>>().0.extend(["a", "", "b"]);
        commands.buffer::<Texts<1>>().0.push("c");
        commands.push(log("after"));
    }

    let mut resources = with_log();
    let mut schedule = schedule_of(|all| all.add::<record>().add::<first>());
    assert_eq!(
        failures(schedule.run(&mut resources)),
        ["record: a command panicked: an empty text"]
    );
    assert_eq!(take_log(&mut resources), ["before", "a", "first"]);
}

#[test]
fn a_failed_system_drops_its_buffers() {
    #[derive(Default)]
    struct Held(Vec<Arc<()>>);

    impl CommandBuffer for Held {
        fn apply(self, _: &mut Resources) {
            unreachable!("the system failed");
        }
    }

    #[system]
    fn hold_in_buffer(shared: &Shared, mut commands: Commands) -> Result<(), String> {
        commands.buffer::<Held>().0.push(shared.0.clone());
        Err("no".into())
    }

    let mut resources = Resources::new();
    resources.insert(Shared::default());
    let mut schedule = schedule_of(|all| all.add::<hold_in_buffer>());
    assert_eq!(
        failures(schedule.run(&mut resources)),
        ["hold_in_buffer: no"]
    );
    let shared = &resources.get::<Shared>().unwrap().0;
    assert_eq!(Arc::strong_count(shared), 1);
}
