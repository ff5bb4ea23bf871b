//! All races of one system are reported at once, with the order that ends them.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(_health: &mut Health) {}

#[system]
fn starve(_health: &mut Health) {}

#[system]
fn freeze(_health: &mut Health) {}

#[system]
fn fight(_health: &mut Health) {}

#[system]
fn heal(_health: &mut Health) {}

#[system]
fn rest(_health: &mut Health) {}

#[system]
fn show(_health: &Health) {}

schedule! {
    Frame {
        poison -> starve -> freeze -> fight -> heal -> rest,
        show,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - show,
//~ + show: after (poison, starve, freeze, fight, heal, rest),
