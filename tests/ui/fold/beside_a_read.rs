//! A system cannot fold into a resource that it reads.

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
fn tally(mut total: Fold<Total>, known: &Total) {
    *total += known.0;
}

fn main() {}

//~ remedy
//~ - fn tally(mut total: Fold<Total>, known: &Total) {
//~ -     *total += known.0;
//~ + fn tally(total: &mut Total) {
//~ +     total.0 += total.0;
