//! Four systems and `writers first`: the orders that the accesses imply, and the one they cannot.

use schedule::error::Problem;
use schedule::prelude::*;

use crate::Log;
use crate::{schedule_of, take_log, with_log};

#[derive(Debug, PartialEq, Resource)]
struct Health(i32);

#[derive(Resource)]
struct Position(f32);

#[derive(Debug, Default, PartialEq, Resource)]
struct Bar(i32);

#[derive(Debug, Default, PartialEq, Resource)]
struct IsOver(bool);

#[system]
fn movement(position: &mut Position) {
    position.0 += 1.0;
}

#[system]
fn health_bar(health: &Health, bar: &mut Bar) {
    bar.0 = health.0;
}

#[system]
fn game_over(health: &Health, is_over: &mut IsOver) {
    is_over.0 = health.0 <= 0;
}

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

#[system]
fn bullet(health: &mut Health) {
    health.0 -= 5;
}

#[system(after = poison)]
fn late_bullet(health: &mut Health) {
    health.0 -= 5;
}

#[test]
fn writer_runs_before_all_readers_and_an_independent_system_has_no_order() {
    let mut resources = Resources::new();
    resources.insert(Health(1));
    resources.insert(Position(0.0));
    resources.insert(Bar::default());
    resources.insert(IsOver::default());
    let mut schedule = schedule_of(|all| {
        all.policy(Policy::WritersFirst)
            .add::<health_bar>()
            .add::<movement>()
            .add::<game_over>()
            .add::<poison>()
    });
    assert_eq!(
        schedule.systems().collect::<Vec<_>>(),
        ["movement", "poison", "health_bar", "game_over"]
    );
    assert_eq!(
        schedule.n_policy_orders(),
        2,
        "poison before each reader, and nothing about movement"
    );
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Bar(0)));
    assert_eq!(resources.get(), Some(&IsOver(true)));
}

#[test]
fn second_writer_without_an_order_is_an_error() {
    let mut builder = Schedule::builder();
    builder
        .policy(Policy::WritersFirst)
        .add::<poison>()
        .add::<game_over>()
        .add::<health_bar>()
        .add::<movement>()
        .add::<bullet>();
    let error = builder.build().unwrap_err();
    let [Problem::WritersFirst(cycle)] = error.problems() else {
        panic!("{error}");
    };
    let names: Vec<_> = cycle.steps.iter().map(|step| &step.from.name).collect();
    assert_eq!(names, ["poison", "bullet"]);
    let text = error.to_string();
    for line in [
        "policy `writers first` causes a cycle: `poison` -> `bullet` -> `poison`",
        "`poison` -> `bullet`   because `poison` writes `Health`",
        "`bullet` -> `poison`   because `bullet` writes `Health`",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn second_writer_with_an_order_is_accepted() {
    #[system(after = late_bullet)]
    fn say(log: &mut Log) {
        log.push("hit");
    }
    let mut resources = with_log();
    resources.insert(Health(10));
    resources.insert(Bar::default());
    let mut schedule = schedule_of(|all| {
        all.policy(Policy::WritersFirst)
            .add::<health_bar>()
            .add::<late_bullet>()
            .add::<poison>()
            .add::<say>()
    });
    schedule.run(&mut resources).unwrap();
    assert_eq!(resources.get(), Some(&Bar(4)));
    assert_eq!(take_log(&mut resources), ["hit"]);
}
