//! A resource of a `for_each` system that can be missing has an attribute.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Resource)]
struct Map(u32);

#[system(for_each)]
fn grow(height: &mut Height, map: Option<Ref<Map>>) {
    height.0 += map.map_or(0, |map| map.0);
}

fn main() {}

//~ remedy
//~ - fn grow(height: &mut Height, map: Option<Ref<Map>>) {
//~ + fn grow(height: &mut Height, #[resource] map: Option<Ref<Map>>) {
