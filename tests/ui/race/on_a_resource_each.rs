//! If there are several errors at one place, the first ones are shown, and the others are counted.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Resource)]
struct Hunger(i32);

#[derive(Resource)]
struct Cold(i32);

#[derive(Resource)]
struct Mood(i32);

#[derive(Resource)]
struct Sleep(i32);

#[derive(Resource)]
struct Thirst(i32);

#[system]
fn fight(_health: &mut Health) {}

#[system]
fn starve(_hunger: &mut Hunger) {}

#[system]
fn freeze(_cold: &mut Cold) {}

#[system]
fn sulk(_mood: &mut Mood) {}

#[system]
fn rest(_sleep: &mut Sleep) {}

#[system]
fn drink(_thirst: &mut Thirst) {}

#[system]
fn show(_: &Health, _: &Hunger, _: &Cold, _: &Mood, _: &Sleep, _: &Thirst) {}

schedule! {
    Frame {
        fight, starve, freeze, sulk, rest, drink,
        show,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - show,
//~ + show: after (fight, starve, freeze, sulk, rest, drink),
