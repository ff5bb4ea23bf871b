//! `Mut` is taken by value.

use schedule::prelude::*;

#[derive(Resource)]
struct Map(u32);

#[system]
fn dig(map: &mut Mut<Map>) {
    map.0 += 1;
}

fn main() {}

//~ remedy
//~ - fn dig(map: &mut Mut<Map>) {
//~ + fn dig(mut map: Mut<Map>) {
