//! A condition about changes reads the resource, so it has an order against each writer.

use schedule::condition::changed;
use schedule::prelude::*;

#[derive(Resource)]
struct Map(u32);

#[system]
fn dig(map: &mut Map) {
    map.0 += 1;
}

#[system(if = changed<Map>)]
fn draw() {}

schedule! {
    Frame { dig, draw }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system]
//~ - fn dig(map: &mut Map) {
//~ + #[system(before = changed<Map>)]
//~ + fn dig(map: &mut Map) {
