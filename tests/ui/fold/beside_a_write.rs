//! A system cannot fold into a resource that it writes.

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
fn tally(total: &mut Total, mut more: Fold<Total>) {
    total.0 = 0;
    *more += 1;
}

fn main() {}

//~ remedy
//~ - fn tally(total: &mut Total, mut more: Fold<Total>) {
//~ -     total.0 = 0;
//~ -     *more += 1;
//~ + fn tally(total: &mut Total) {
//~ +     total.0 = 1;
