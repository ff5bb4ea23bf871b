//! Schedules that `schedule!` lists: each element of the grammar has the same effect as the builder method of that name.

use schedule::prelude::*;

use crate::{Log, failures, take_log, with_log};

macro_rules! log {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        $(#[$meta])*
        #[system]
        fn $name(log: &mut Log) {
            log.push(stringify!($name));
        }
    )*};
}

log!(heal, poison, bury, walk, mourn);

#[derive(Debug, Resource)]
struct Alive(bool);

#[derive(Debug, Resource)]
struct Steps(u32);

#[derive(Debug, Resource)]
struct Score(u32);

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[derive(Group)]
struct Life;

#[derive(Group)]
struct Outer;

#[derive(Checkpoint)]
struct Read;

#[derive(Checkpoint)]
struct Loaded;

#[system]
fn is_alive(alive: &Alive) -> bool {
    alive.0
}

#[system]
fn gait(alive: &Alive) -> Gait {
    if alive.0 { Gait::Run } else { Gait::Walk }
}

#[system]
fn step_pending(steps: &mut Steps) -> bool {
    steps.0 = steps.0.wrapping_sub(1);
    steps.0 < 100
}

#[system]
fn fail(log: &mut Log) -> Result<(), String> {
    log.push("fail");
    Err("it fails".to_string())
}

#[system]
fn spawn<const N: u32>(log: &mut Log) {
    log.push(if N == 1 { "spawn one" } else { "spawn two" });
}

#[system]
fn load(mut commands: Commands<Inserts<Score>>) {
    commands.insert(Score(7));
}

#[system]
fn play(score: &Score, log: &mut Log) {
    log.push(if score.0 == 7 { "loaded" } else { "not loaded" });
}

fn resources(is_alive: bool) -> Resources {
    let mut resources = with_log();
    resources.insert(Alive(is_alive));
    resources.insert(Steps(0));
    resources
}

/// Returns the log of a run. `is_alive`: the value of the condition.
fn run(mut schedule: Schedule, is_alive: bool) -> Vec<&'static str> {
    let mut resources = resources(is_alive);
    schedule.run(&mut resources).unwrap();
    take_log(&mut resources)
}

fn systems(schedule: &Schedule) -> Vec<&str> {
    schedule.systems().collect()
}

schedule! {
    Orders {
        bury: after poison before mourn,
        poison: after_if_present heal before_if_present play,
        mourn: after_if_conflicting (poison, bury),
        walk: before_if_conflicting poison,
    }
}

#[test]
fn clauses_order_their_entries() {
    assert_eq!(
        run(Orders::new(), true),
        ["walk", "poison", "bury", "mourn"]
    );
}

#[test]
fn a_listed_schedule_has_the_name_of_its_type() {
    let text = Orders::builder()
        .add::<heal>()
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.contains("schedule `Orders`"), "{text}");
}

schedule! {
    Chained {
        walk: before Read,
        heal -> (poison, mourn as second, bury) -> walk as last,
        mourn as between: after poison before second,
        bury as other: after second before last,
        checkpoint Read: before heal,
        policy insertion order,
    }
}

#[test]
fn chain_orders_each_link_before_the_next() {
    let schedule = Chained::new();
    let systems = systems(&schedule);
    assert_eq!(
        systems,
        [
            "walk", "heal", "poison", "bury", "between", "second", "other", "last"
        ]
    );
}

schedule! {
    Renamed {
        spawn<1>: after later,
        spawn<2> as later: if not(first),
        is_alive as first,
    }
}

#[test]
fn name_refers_to_the_entry_that_has_it() {
    let schedule = Renamed::new();
    assert_eq!(systems(&schedule), ["first", "later", "spawn<1>"]);
    assert_eq!(run(schedule, false), ["spawn two", "spawn one"]);
    assert_eq!(run(Renamed::new(), true), ["spawn one"]);
}

schedule! {
    Guarded {
        heal: if (is_alive, not(is(gait, Gait::Walk))),
        poison: after heal if not(is_alive),
        bury: if or(is(gait, Gait::Walk), and(is_alive, not(is_alive))) after poison,
        walk: if is(crate::listing::gait, Gait::Run) if is_alive after bury,
    }
}

#[test]
fn listed_guards_equal_those_of_the_attribute() {
    assert_eq!(run(Guarded::new(), true), ["heal", "walk"]);
    assert_eq!(run(Guarded::new(), false), ["poison", "bury"]);
}

schedule! {
    Grouped {
        mourn: after Life,
        group Outer: before mourn,
        group Life: if is_alive in Outer {
            heal: before poison,
            poison -> walk,
        }
        bury: in Life after walk,
    }
}

#[test]
fn entries_in_a_group_block_are_members() {
    assert_eq!(
        run(Grouped::new(), true),
        ["heal", "poison", "walk", "bury", "mourn"]
    );
    assert_eq!(run(Grouped::new(), false), ["mourn"]);
}

schedule! {
    Repeated {
        walk: after again,
        repeat while step_pending as again at most 3: after poison if is_alive {
            bury: after heal,
            heal,
            group Life: after heal { repeat while is_never: after bury { spawn<2> } }
        }
        poison,
    }
}

#[system]
fn is_never() -> bool {
    false
}

#[test]
fn entries_in_a_loop_block_are_repeated() {
    let mut resources = resources(true);
    resources.insert(Steps(3));
    let mut schedule = Repeated::new();
    schedule.run(&mut resources).unwrap();
    let log = take_log(&mut resources);
    assert_eq!(
        log,
        [
            "poison", "heal", "bury", "heal", "bury", "heal", "bury", "walk"
        ]
    );
    resources.insert(Steps(4));
    let failures = failures(schedule.run(&mut resources));
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("again: "), "{failures:?}");
    resources.insert(Alive(false));
    take_log(&mut resources);
    schedule.run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["poison", "walk"]);
}

schedule! {
    Anchored {
        poison: after Read,
        checkpoint Read: after heal if is_alive in Outer,
        heal,
        load: before Loaded,
        apply_commands Loaded: after poison,
        play: after Loaded,
        policy insertion order for Log,
    }
}

#[test]
fn listed_sync_point_applies_recorded_commands() {
    assert_eq!(run(Anchored::new(), true), ["heal", "poison", "loaded"]);
}

schedule! { open Strict { heal, poison, policy reject } }
schedule! { Mixed { play, poison, policy reject for Log, policy writers first for Score, policy accepted "both" for (play, poison) } }
schedule! { Accepted { heal, poison as venom, bury: after (heal, venom), policy accepted "any" for (venom, heal) } }
schedule! { Added { policy insertion order, heal, poison } }
schedule! { Fitting { policy insertion order, policy optimize for Log, heal, poison } }

#[test]
fn listed_policies_equal_those_of_the_builder() {
    let error = Strict::builder().build().unwrap_err().to_string();
    assert!(error.contains("race on `Log`"), "{error}");
    assert_eq!(systems(&Mixed::new()), ["play", "poison"]);
    assert_eq!(run(Accepted::new(), true), ["heal", "poison", "bury"]);
    assert_eq!(run(Added::new(), true), ["heal", "poison"]);
    assert_eq!(Fitting::new().choices().len(), 1);
    assert_eq!(Added::new().choices().len(), 0);
}

#[test]
fn reason_of_an_accepted_race_is_reported() {
    let mut builder = Accepted::builder();
    let schedule = builder.build().unwrap();
    let reasons = schedule.accepted().iter().map(|one| one.reason.as_deref());
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("any")]);
}

schedule! { Carrying { on failure carry on, fail -> heal } }
schedule! { Skipping { on failure carry on, fail: on failure skip dependents, heal: after fail } }
schedule! { Stopping { on failure carry on, fail: on failure stop, heal: after fail } }

#[test]
fn listed_failure_policies_equal_those_of_the_builder() {
    for (mut schedule, expected) in [
        (Carrying::new(), ["fail", "heal"].as_slice()),
        (Skipping::new(), ["fail"].as_slice()),
        (Stopping::new(), ["fail"].as_slice()),
    ] {
        let mut resources = resources(true);
        assert_eq!(failures(schedule.run(&mut resources)), ["fail: it fails"]);
        assert_eq!(take_log(&mut resources), expected);
    }
}

/// Words of the grammar as names of systems. Only `policy insertion order` means the policy.
mod words {
    use super::*;

    log!(
        after,
        group,
        repeat,
        policy,
        on,
        open,
        checkpoint,
        apply_commands
    );

    schedule! {
        pub(super) open Words {
            after,
            group: after after,
            repeat: after group before policy,
            policy: before on,
            on,
            open: after on,
            checkpoint: after open,
            apply_commands as last: after self::checkpoint,
        }
    }
}

#[test]
fn words_of_the_grammar_may_be_names() {
    assert_eq!(
        run(words::Words::new().unwrap(), true),
        [
            "after",
            "group",
            "repeat",
            "policy",
            "on",
            "open",
            "checkpoint",
            "apply_commands"
        ]
    );
}

schedule! {
    /// The attributes apply to the type.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[schedule(crate = ::schedule)]
    pub(crate) Empty {}
}

#[test]
fn a_schedule_may_be_empty_and_local() {
    schedule! { Local { self::heal, } }
    assert_eq!(run(Local::new(), true), ["heal"]);
    assert!(systems(&Empty::new()).is_empty());
    let none: Option<Empty> = None;
    assert_eq!(none, None);
}

/// All elements of a list, as fragments of a macro.
macro_rules! fragments {
    ($vis:vis $name:ident, $system:path, $other:ty, $group:ident, $condition:path, $n:literal, $more:tt) => {
        schedule! {
            $vis $name {
                $system as first: if not($condition),
                group $group: after first { $other: in $group, }
                repeat while step_pending as again at most $n: after $group $more,
            }
        }
    };
}

fragments!(pub(crate) Fragments, self::heal, crate::listing::poison, Life, is_alive, 2, { bury });

#[test]
fn a_list_may_be_made_of_fragments() {
    let mut resources = resources(false);
    resources.insert(Steps(2));
    Fragments::new().run(&mut resources).unwrap();
    assert_eq!(take_log(&mut resources), ["heal", "poison", "bury", "bury"]);
}

#[test]
fn error_locations_point_at_the_tokens() {
    schedule! {
        open Places {
            walk: after first,
            heal as first,
            checkpoint Read: before walk after
                walk,
        }
    }
    let error = Places::builder().build().unwrap_err().to_string();
    let line = line!() - 4;
    assert!(
        error.contains(&format!("tests/tests/behaviour/listing.rs:{line}")),
        "{error}"
    );
}
