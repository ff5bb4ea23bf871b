use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
#[branch(crate = timetable)]
enum Gait {
    Walk,
    Run,
}

fn main() {}
