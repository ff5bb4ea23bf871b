//! `Ref` is taken by value.

use schedule::prelude::*;

#[derive(Resource)]
struct Map(u32);

#[system]
fn draw(map: &Ref<Map>) {
    let _ = map.0;
}

fn main() {}

//~ remedy
//~ - fn draw(map: &Ref<Map>) {
//~ + fn draw(map: Ref<Map>) {
