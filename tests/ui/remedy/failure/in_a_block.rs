//! A failure policy without a system is about the whole schedule.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        on failure stop,
        group Combat {
            heal,
        }
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
