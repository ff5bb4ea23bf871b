//! What `schedule!` and the derives expand to brings no name of its own: it compiles without any prelude.

#![no_implicit_prelude]

use ::schedule::{Branch, Checkpoint, Group, Resource, Resources, schedule, system};

mod core {}
mod std {}
#[allow(dead_code)]
struct Ok;
#[allow(dead_code)]
struct Some;
#[allow(dead_code)]
struct None;
#[allow(dead_code)]
struct Option;
#[allow(dead_code)]
struct Result;

#[derive(Resource)]
struct Health(i32);

#[derive(Group)]
#[allow(dead_code)]
struct Physics;

#[derive(Checkpoint)]
#[allow(dead_code)]
struct Ready;

#[derive(Branch, Clone, Copy)]
#[allow(dead_code)]
enum Gait {
    Walk,
    Run,
}

#[system(schedule = Collected)]
fn poison(health: &mut Health) {
    health.0 -= 3;
}

#[system(after = poison)]
fn heal(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn visible() -> bool {
    true
}

#[system]
fn pending() -> bool {
    false
}

#[system(if = visible)]
fn gait() -> Gait {
    Gait::Run
}

#[system(if = is(gait, Gait::Run))]
fn run() {}

#[system]
fn walk() {}

schedule! {
    Part {
        poison,
    }
}

schedule! {
    open Collected {
        on failure stop,
    }
}

schedule! {
    /// All that there is.
    pub Frame {
        include Part,
        heal: after Part if not(or(pending, is(gait, Gait::Walk))),
        checkpoint Ready: after heal,
        apply_commands Applied,
        #[cfg(all())]
        group Physics { run },
        #[cfg(any())]
        missing,
        repeat while pending at most 3 { walk as walk_on },
        policy insertion order,
        policy writers first for Health,
        policy accepted "they commute" for (heal, poison),
    }
}

#[derive(Checkpoint)]
#[allow(dead_code)]
pub struct Applied;

fn main() {
    let mut resources = Resources::new();
    resources.insert(Health(10));
    Frame::new().run(&mut resources).unwrap();
    Collected::new().unwrap().run(&mut resources).unwrap();
    ::core::assert_eq!(resources.get::<Health>().unwrap().0, 5);
}
