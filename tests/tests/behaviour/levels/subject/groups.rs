//! The groups of random graphs, by number.

use schedule::prelude::*;
use schedule::{Builder, Target};

#[derive(Group)]
struct G0;

#[derive(Group)]
struct G1;

#[derive(Group)]
struct G2;

#[derive(Group)]
struct G3;

pub(super) fn group_target(group: usize) -> Target {
    match group {
        0 => Target::of::<G0>(),
        1 => Target::of::<G1>(),
        2 => Target::of::<G2>(),
        _ => Target::of::<G3>(),
    }
}

pub(super) fn speak_of(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.group::<G0>(),
        1 => builder.group::<G1>(),
        2 => builder.group::<G2>(),
        _ => builder.group::<G3>(),
    };
}

pub(super) fn join(builder: &mut Builder, group: usize) {
    match group {
        0 => builder.in_group::<G0>(),
        1 => builder.in_group::<G1>(),
        2 => builder.in_group::<G2>(),
        _ => builder.in_group::<G3>(),
    };
}
