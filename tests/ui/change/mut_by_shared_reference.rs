//! `Mut` that is not written is a `Ref`.

use schedule::prelude::*;

#[derive(Resource)]
struct Map(u32);

#[system]
fn draw(map: &Mut<Map>) {
    let _ = map.0;
}

fn main() {}

//~ remedy
//~ - fn draw(map: &Mut<Map>) {
//~ + fn draw(map: Ref<Map>) {
