//! Views of schedules: as data and as pictures.

mod picture;
mod random;
mod reader;
mod schedule_graph;

use schedule::Condition;
use schedule::condition::exists;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Mood {
    is_good: bool,
}

#[derive(Group)]
struct Physics;

#[derive(Group)]
struct World;

#[derive(Group)]
struct Other;

#[derive(Checkpoint)]
struct Ready;

#[derive(Checkpoint)]
struct Applied;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Walk,
    Run,
}

#[system]
fn gait(mood: &Mood) -> Gait {
    if mood.is_good { Gait::Run } else { Gait::Walk }
}

#[system]
fn is_alive(_: &Health) -> bool {
    true
}

#[system]
fn is_due(_: &Mood) -> bool {
    false
}

#[system]
fn is_near(_: &Mood) -> bool {
    false
}

#[system(after = Ready)]
fn run(_: &mut Mood) {}

#[system]
fn integrate(_: &mut Health) {}

#[system(after = integrate)]
fn collide(_: &mut Health, _: Commands<Inserts<Mood>>) {}

#[system]
fn render(_: &Health) {}

#[system(after = Physics)]
fn save(_: &Resources) {}

/// A schedule with one declaration of every kind.
fn all_kinds() -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .name("all kinds")
        .checkpoint::<Ready>()
        .add::<run>()
        .run_if(Condition::chosen::<gait, _>(Gait::Run) & !exists_mood())
        .after_if_conflicting::<render>()
        .repeat_while::<is_due>(|step| step.add::<integrate>().add::<collide>())
        .at_most(3)
        .in_group::<Physics>()
        .group::<Physics>()
        .in_group::<World>()
        .add::<render>()
        .run_if(Condition::of::<is_alive>())
        .add::<save>()
        .apply_commands::<Applied>()
        .add_dynamic(DynamicSystem::new("a \"<quoted>\" name & more\n|{ü}|", |_| ()).writes("grid"))
        .policy(Policy::InsertionOrder)
        .policy_for::<Health>(Policy::WritersFirst)
        .accept("run", "save", "one frame late is early enough");
    builder.build().unwrap()
}

fn exists_mood() -> Condition {
    Condition::of::<exists<Mood>>()
}

#[test]
fn names_are_found_by_any_string_type() {
    let mut builder = Schedule::builder();
    builder.add_closure("play", || {});
    let schedule = builder.build().unwrap();
    let graph = schedule.graph();
    let name = String::from("play");
    assert_eq!(graph.named("play").collect::<Vec<_>>(), [0]);
    assert_eq!(graph.named(&name).collect::<Vec<_>>(), [0]);
    assert_eq!(graph.named(name).collect::<Vec<_>>(), [0]);
    assert_eq!(graph.named(String::new()).count(), 0);
}
