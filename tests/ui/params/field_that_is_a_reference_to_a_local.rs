//! A field that is a value of its own is held by value.

use schedule::prelude::*;

#[derive(Params)]
struct Body<'r> {
    n_runs: &'r mut Local<'r, u32>,
}

fn main() {}
