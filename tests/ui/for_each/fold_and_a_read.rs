//! A `for_each` system cannot read a resource that it folds into.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Weight(u32);

#[derive(Resource)]
struct Total(u32);

impl Foldable for Total {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

#[system(for_each)]
fn weigh(weight: &Weight, mut total: Fold<Total>, #[resource] so_far: &Total) {
    *total += weight.0.min(so_far.0);
}

fn main() {}

//~ remedy
//~ - fn weigh(weight: &Weight, mut total: Fold<Total>, #[resource] so_far: &Total) {
//~ -     *total += weight.0.min(so_far.0);
//~ + fn weigh(weight: &Weight, mut total: Fold<Total>) {
//~ +     *total += weight.0;
