//! `Ref` reads the resource, so the same system cannot write it.

use schedule::prelude::*;

#[derive(Resource)]
struct Map(u32);

#[system]
fn dig(old: Ref<Map>, new: &mut Map) {
    new.0 += old.0;
}

fn main() {}

//~ remedy
//~ - fn dig(old: Ref<Map>, new: &mut Map) {
//~ -     new.0 += old.0;
//~ + fn dig(new: &mut Map) {
//~ +     new.0 += new.0;
