//! A fold and a write of the same resource need an order, also under `writers first`.

use schedule::prelude::*;

#[derive(Resource)]
struct Total(u32);

impl Foldable for Total {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

#[system]
fn tally(mut total: Fold<Total>) {
    *total += 1;
}

#[system]
fn reset(total: &mut Total) {
    total.0 = 0;
}

schedule! {
    Frame {
        tally,
        reset,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ -     reset,
//~ +     reset: before tally,
