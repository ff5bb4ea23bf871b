//! Settings that keep systems out of sweeps, and declarations that the decision takes into account.

use core::time::Duration;
use std::sync::Mutex;

use schedule::error::Problem;
use schedule::prelude::*;
use schedule::{Builder, Executor, FailurePolicy};
use schedule_hecs::prelude::*;

use super::{Frozen, Position, Velocity, accelerate, bounce, integrate, sweeps};

#[derive(Group)]
struct Physics;

fn moving() -> Builder {
    let mut builder = Schedule::builder();
    builder.chain::<(accelerate, integrate, bounce)>();
    builder
}

fn built(builder: &mut Builder) -> Vec<Vec<String>> {
    sweeps(&builder.build().unwrap())
}

const ALL: [&str; 3] = ["accelerate", "integrate", "bounce"];

#[test]
fn systems_that_conflict_only_on_components_share_a_sweep() {
    assert_eq!(built(&mut moving()), [ALL]);
}

#[test]
fn a_system_with_sweep_false_shares_no_sweep() {
    #[system(for_each, sweep = false, before = accelerate)]
    fn starve(velocity: &mut Velocity) {
        velocity.0 -= 1;
    }

    assert_eq!(built(moving().add::<starve>()), [ALL]);
    // Without the option, it does.
    #[system(for_each, before = accelerate)]
    fn feed(velocity: &mut Velocity) {
        velocity.0 += 1;
    }

    let all = ["feed", "accelerate", "integrate", "bounce"];
    assert_eq!(built(moving().add::<feed>()), [all]);
}

#[test]
fn a_builder_keeps_its_last_item_out_of_sweeps() {
    let mut builder = Schedule::builder();
    builder.add::<accelerate>().add::<integrate>();
    builder.add::<bounce>().without_sweeps();
    assert_eq!(built(&mut builder), [["accelerate", "integrate"]]);
    let mut builder = moving();
    builder.at("integrate").without_sweeps();
    assert!(built(&mut builder).is_empty());
}

#[test]
fn only_a_for_each_system_can_be_kept_out_of_sweeps() {
    fn refused(builder: &mut Builder) -> String {
        let error = builder.build().unwrap_err();
        let [Problem::NotApplicable { named, .. }] = error.problems() else {
            panic!("{error}");
        };
        let text = error.to_string();
        assert!(text.contains(" cannot have `without_sweeps` at "), "{text}");
        assert!(
            text.ends_with(
                ": it applies only to `for_each` systems\n      \
                 help: call `.without_sweeps()` right after the call that adds or selects the item that must have it"
            ),
            "{text}"
        );
        named.clone()
    }

    let mut builder = Schedule::builder();
    builder.add_closure("draw", || ()).without_sweeps();
    assert_eq!(refused(&mut builder), "draw");
    let mut builder = moving();
    builder.group::<Physics>().without_sweeps();
    assert_eq!(refused(&mut builder), "Physics");
    let error = Schedule::builder().without_sweeps().build().unwrap_err();
    assert!(matches!(error.problems(), [Problem::NothingAdded { .. }]));
}

#[test]
fn the_last_setting_of_a_schedule_counts() {
    assert!(built(moving().sweep(false)).is_empty());
    assert_eq!(built(moving().sweep(false).sweep(true)), [ALL]);
}

#[test]
fn a_setting_of_a_plugin_applies_to_its_systems() {
    fn without(builder: &mut Builder) {
        builder.sweep(false).add::<bounce>();
    }
    fn with(builder: &mut Builder) {
        builder.sweep(true).add::<bounce>();
    }

    let mut builder = Schedule::builder();
    builder
        .add::<accelerate>()
        .add::<integrate>()
        .include(without);
    assert_eq!(built(&mut builder), [["accelerate", "integrate"]]);
    let mut builder = Schedule::builder();
    builder.add::<accelerate>().add::<integrate>().include(with);
    assert_eq!(built(&mut builder), [ALL]);
    // A plugin cannot turn on what the schedule turns off.
    let mut builder = Schedule::builder();
    builder.sweep(false).chain::<(accelerate, integrate)>();
    builder.include(with);
    assert!(built(&mut builder).is_empty());
    // Nor what a plugin around it turns off.
    let mut builder = Schedule::builder();
    builder.chain::<(accelerate, integrate)>();
    builder.include(|outer: &mut Builder| {
        outer.sweep(false).include(with);
    });
    assert_eq!(built(&mut builder), [["accelerate", "integrate"]]);
    // A builder as a plugin keeps its setting.
    let mut part = Schedule::builder();
    part.sweep(false).add::<bounce>();
    let mut builder = Schedule::builder();
    builder.add::<accelerate>().add::<integrate>().include(part);
    assert_eq!(built(&mut builder), [["accelerate", "integrate"]]);
}

#[test]
fn a_listed_schedule_has_the_same_settings() {
    schedule! {
        Swept {
            accelerate -> integrate -> bounce,
        }
    }
    schedule! {
        Unswept {
            sweep false,
            accelerate -> integrate -> bounce,
        }
    }
    schedule! {
        Partly {
            accelerate -> integrate -> bounce: sweep false if is_awake,
        }
    }
    schedule! {
        Including {
            include Unswept,
            |_: &World| {} as draw: after bounce,
        }
    }

    #[system]
    fn is_awake() -> bool {
        true
    }

    assert_eq!(sweeps(&Swept::new()), [ALL]);
    assert!(sweeps(&Unswept::new()).is_empty());
    assert_eq!(sweeps(&Partly::new()), [["accelerate", "integrate"]]);
    assert!(sweeps(&Including::new()).is_empty());
    // A builder replaces the listed setting of the schedule.
    assert_eq!(built(Unswept::builder().sweep(true)), [ALL]);
    assert!(built(Swept::builder().sweep(false)).is_empty());
}

/// A system of this name is not a setting.
#[test]
fn a_system_can_have_the_name_of_the_setting() {
    #[system(for_each)]
    fn sweep(position: &mut Position) {
        position.0 = 0;
    }

    schedule! {
        Named {
            sweep: after accelerate sweep false,
            accelerate: if is_dirty,
        }
    }
    schedule! {
        Chained {
            sweep -> integrate,
        }
    }

    #[system]
    fn is_dirty() -> bool {
        true
    }

    assert!(sweeps(&Named::new()).is_empty());
    assert_eq!(sweeps(&Chained::new()), [["sweep", "integrate"]]);
}

#[test]
fn a_change_can_turn_sweeps_off_and_on() {
    let mut schedule = moving().build().unwrap();
    schedule.change(|builder| builder.sweep(false)).unwrap();
    assert!(sweeps(&schedule).is_empty());
    schedule.change(|builder| builder.sweep(true)).unwrap();
    assert_eq!(sweeps(&schedule), [ALL]);
}

/// The first and the second system that were called, in the order of the calls.
static CALLS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[test]
fn without_sweeps_a_system_begins_when_the_one_before_it_is_done() {
    #[system(for_each)]
    fn first(_: &mut Position) {
        CALLS.lock().unwrap().push(1);
    }

    #[system(for_each, after = first, sweep = false)]
    fn second(_: &mut Position) {
        CALLS.lock().unwrap().push(2);
    }

    let n_entities = if cfg!(miri) { 1_100 } else { 20_000 };
    let mut world = World::new();
    for n in 0..n_entities {
        world.spawn((Position(n),));
    }
    let mut resources = Resources::new();
    resources.insert(world);
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let mut schedule = Schedule::builder()
            .add::<first>()
            .add::<second>()
            .build()
            .unwrap();
        schedule.set_executor(executor);
        for _ in 0..3 {
            CALLS.lock().unwrap().clear();
            schedule.run(&mut resources).unwrap();
            let calls = CALLS.lock().unwrap();
            assert_eq!(calls.len(), 2 * n_entities as usize);
            assert!(calls.is_sorted(), "{executor:?}");
        }
    }
}

mod failing {
    use super::*;

    #[system(for_each)]
    fn load(velocity: &mut Velocity) -> Result<(), &'static str> {
        velocity.0 += 1;
        Ok(())
    }

    #[system(for_each, after = load)]
    fn go(position: &mut Position, velocity: &Velocity) {
        position.0 += velocity.0;
    }

    fn under(policy: FailurePolicy) -> Vec<Vec<String>> {
        let mut builder = Schedule::builder();
        builder.add::<load>().add::<go>().failure_policy(policy);
        built(&mut builder)
    }

    #[test]
    fn a_failure_that_skips_nothing_keeps_no_systems_apart() {
        assert!(under(FailurePolicy::SkipDependents).is_empty());
        assert_eq!(under(FailurePolicy::CarryOn), [["load", "go"]]);
        assert!(under(FailurePolicy::Stop).is_empty());
    }
}

mod costs {
    use super::*;

    #[derive(Resource, Default)]
    struct Picture;

    #[system(for_each)]
    fn decay(_: &mut Frozen) {}

    #[system(after = accelerate)]
    fn render(_: &mut Picture) {}

    /// A sweep of both delays `render`, which needs only the first.
    fn with_costs(render: Duration) -> Vec<Vec<String>> {
        let mut builder = Schedule::builder();
        builder
            .add::<accelerate>()
            .add::<decay>()
            .add::<self::render>();
        builder.costs(move |system| {
            Some(match &*system.name {
                "render" => render,
                _ => Duration::from_millis(2),
            })
        });
        built(&mut builder)
    }

    #[test]
    fn known_costs_decide_whether_a_delay_is_worth_it() {
        let both = [["accelerate", "decay"]];
        assert_eq!(with_costs(Duration::from_micros(1)), both);
        assert!(with_costs(Duration::from_millis(20)).is_empty());
    }

    #[derive(Checkpoint)]
    struct Moved;

    #[test]
    fn a_checkpoint_costs_nothing() {
        let mut builder = Schedule::builder();
        builder.add::<accelerate>().add::<decay>();
        builder.checkpoint::<Moved>().after::<accelerate>();
        assert_eq!(built(&mut builder), [["accelerate", "decay"]]);
    }
}

mod filters {
    use super::*;

    #[system(for_each, with = Frozen)]
    fn thaw(position: &mut Position) {
        position.0 += 1;
    }

    /// Reads the positions of other entities than those of `thaw`.
    #[system(for_each, after = thaw)]
    fn follow(velocity: &mut Velocity, others: Query<&Position, Without<Frozen>>) {
        velocity.0 = others.iter().map(|position| position.0).sum();
    }

    #[system(for_each, after = thaw)]
    fn follow_all(velocity: &mut Velocity, others: Query<&Position>) {
        velocity.0 = others.iter().map(|position| position.0).sum();
    }

    #[test]
    fn a_query_of_disjoint_entities_keeps_no_systems_apart() {
        let with = |builder: &mut Builder| built(builder.add::<thaw>());
        let disjoint = with(Schedule::builder().add::<follow>());
        assert_eq!(disjoint, [["thaw", "follow"]]);
        assert!(with(Schedule::builder().add::<follow_all>()).is_empty());
    }

    #[test]
    fn a_sweep_with_a_query_of_disjoint_entities_runs() {
        let mut world = World::new();
        for n in 0..if cfg!(miri) { 20 } else { 1_000 } {
            world.spawn((Position(n), Frozen, Velocity(0)));
        }
        world.spawn((Position(7),));
        let mut resources = Resources::new();
        resources.insert(world);
        for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
            let mut schedule = Schedule::builder()
                .add::<thaw>()
                .add::<follow>()
                .build()
                .unwrap();
            schedule.set_executor(executor);
            schedule.run(&mut resources).unwrap();
            let world = resources.get_mut::<World>().unwrap();
            let entities: Vec<Entity> = world.entities().collect();
            for entity in entities {
                if let Some(velocity) = world.get_mut::<Velocity>(entity) {
                    assert_eq!(velocity.0, 7);
                }
            }
        }
    }
}

#[derive(Group)]
struct Moves;

#[derive(Group)]
struct Bounces;

#[derive(Checkpoint)]
struct Moved;

#[test]
fn orders_of_groups_and_checkpoints_do_not_prevent_sweeps() {
    let schedule = Schedule::builder()
        .add::<accelerate>()
        .in_group::<Moves>()
        .add::<integrate>()
        .in_group::<Moves>()
        .before::<Moved>()
        .checkpoint::<Moved>()
        .add::<bounce>()
        .in_group::<Bounces>()
        .after::<Moved>()
        .group::<Bounces>()
        .after::<Moves>()
        .build()
        .unwrap();
    assert_eq!(sweeps(&schedule), [ALL]);
}

/// The failure of the first system skips the second one, through the checkpoint.
#[test]
fn a_failure_that_skips_through_a_checkpoint_prevents_a_sweep() {
    #[system(for_each, before = Moved)]
    fn check(position: &Position) -> Result<(), BoxError> {
        match position.0 {
            0 => Err("at the start".into()),
            _ => Ok(()),
        }
    }

    #[system(for_each, after = Moved)]
    fn reset(velocity: &mut Velocity) {
        velocity.0 = 0;
    }

    let mut schedule = Schedule::builder()
        .add::<check>()
        .checkpoint::<Moved>()
        .add::<reset>()
        .build()
        .unwrap();
    assert_eq!(sweeps(&schedule), Vec::<Vec<String>>::new());
    let mut world = World::new();
    world.spawn((Position(0), Velocity(3)));
    let mut resources = Resources::new();
    resources.insert(world);
    let error = schedule.run(&mut resources).unwrap_err();
    let skipped: Vec<&str> = error.skipped().iter().map(|one| &*one.name).collect();
    assert_eq!(skipped, ["reset"]);
}
