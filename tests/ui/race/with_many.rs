//! What one system races with is told at once, also if it is much; the order that ends all of it is named.

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
