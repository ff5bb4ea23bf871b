//! A fold and a system that reads everything need an order.

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
fn save(all: &Resources) {
    assert!(all.contains::<Total>());
}

schedule! {
    Frame {
        save,
        tally,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ -     tally,
//~ +     tally: after save,
