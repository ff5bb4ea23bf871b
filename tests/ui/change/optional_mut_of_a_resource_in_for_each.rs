//! A `for_each` system cannot write a resource that can be missing.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Resource)]
struct Map(u32);

#[system(for_each)]
fn dig(height: &Height, #[resource] map: Option<Mut<Map>>) {
    if let Some(mut map) = map {
        map.0 += height.0;
    }
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn dig(height: &Height, #[resource] map: Option<Mut<Map>>) {
//~ -     if let Some(mut map) = map {
//~ -         map.0 += height.0;
//~ + #[system]
//~ + fn dig(heights: Query<&Height>, map: Option<Mut<Map>>) {
//~ +     if let Some(mut map) = map {
//~ +         map.0 += heights.iter().map(|height| height.0).sum::<u32>();
