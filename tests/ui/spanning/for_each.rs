//! A spanning system does not run for each entity.

use schedule::prelude::*;

#[system(spanning, for_each)]
fn plan(place: &mut u32) {
    *place += 1;
}

fn main() {}

//~ remedy
//~ - #[system(spanning, for_each)]
//~ - fn plan(place: &mut u32) {
//~ -     *place += 1;
//~ + #[derive(Resource, Clone)]
//~ + struct Place(u32);
//~ + #[system(spanning)]
//~ + fn plan(place: &mut Place) {
//~ +     place.0 += 1;
