//! The conflict is found inside a tuple, too.

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
fn tally((mut total, known): (Fold<Total>, Option<&Total>)) {
    *total += known.map_or(1, |known| known.0);
}

fn main() {}

//~ remedy
//~ - fn tally((mut total, known): (Fold<Total>, Option<&Total>)) {
//~ -     *total += known.map_or(1, |known| known.0);
//~ + fn tally(mut total: Fold<Total>) {
//~ +     *total += 1;
