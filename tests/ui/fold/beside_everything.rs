//! A system cannot fold into a resource if it reads all resources.

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
fn tally(mut total: Fold<Total>, all: &Resources) {
    *total += u32::from(all.contains::<Total>());
}

fn main() {}

//~ remedy
//~ - fn tally(mut total: Fold<Total>, all: &Resources) {
//~ -     *total += u32::from(all.contains::<Total>());
//~ + fn tally(mut total: Fold<Total>) {
//~ +     *total += 1;
