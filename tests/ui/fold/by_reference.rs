//! A fold is taken by value.

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
fn tally(total: &mut Fold<Total>) {
    **total += 1;
}

fn main() {}

//~ remedy
//~ - fn tally(total: &mut Fold<Total>) {
//~ -     **total += 1;
//~ + fn tally(mut total: Fold<Total>) {
//~ +     *total += 1;
