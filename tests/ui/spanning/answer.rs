//! A spanning system has no answer.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[system(spanning)]
fn is_large(map: &Map) -> bool {
    map.0.len() > 10
}

fn main() {
    is_large(&Map(Vec::new()));
}

//~ remedy
//~ - fn is_large(map: &Map) -> bool {
//~ -     map.0.len() > 10
//~ + fn is_large(map: &Map) {
//~ +     let _ = map.0.len() > 10;
