//! A fold and a read of the same resource need an order.

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
fn show(total: &Total) {
    assert!(total.0 > 0);
}

schedule! {
    Frame {
        tally,
        show,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ -     show,
//~ +     show: after tally,
