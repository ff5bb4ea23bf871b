//! A `for_each` system cannot write a resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Resource)]
struct Map(u32);

#[system(for_each)]
fn dig(height: &Height, #[resource] mut map: Mut<Map>) {
    map.0 += height.0;
}

fn main() {}

//~ remedy
//~ - fn dig(height: &Height, #[resource] mut map: Mut<Map>) {
//~ -     map.0 += height.0;
//~ + fn dig(height: &mut Height, #[resource] map: Ref<Map>) {
//~ +     height.0 += map.0;
