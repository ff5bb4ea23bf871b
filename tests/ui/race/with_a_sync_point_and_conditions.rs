//! A sync point that nothing orders against the transition of a state: the conditions of that need no orders of their own.

use schedule::prelude::*;
use schedule::NextState;
use schedule::state::{Transition, transition};

#[derive(Branch, Identity, Clone, Copy, Debug, PartialEq)]
enum Phase {
    Day,
    Night,
}

#[derive(Checkpoint)]
struct Applied;

#[system(before = Transition::<Phase>)]
fn ask(next: &mut NextState<Phase>) {
    next.set(Phase::Night);
}

#[system]
fn sleep() {}

schedule! {
    Frame {
        ask,
        transition<Phase>,
        apply_commands Applied: after ask,
        sleep: after Applied on enter Phase::Night,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - apply_commands Applied: after ask,
//~ + apply_commands Applied: after ask after transition<Phase>,
