//! A resource of a `for_each` system has an attribute.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Resource)]
struct Map(u32);

#[system(for_each)]
fn grow(height: &mut Height, map: Ref<Map>) {
    height.0 += map.0;
}

fn main() {}

//~ remedy
//~ - fn grow(height: &mut Height, map: Ref<Map>) {
//~ + fn grow(height: &mut Height, #[resource] map: Ref<Map>) {
