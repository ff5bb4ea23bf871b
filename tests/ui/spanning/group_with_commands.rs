//! No system of a spanning group takes commands.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(mut commands: Commands) {
    commands.insert(Map(Vec::new()));
    commands.insert(Path(Vec::new()));
}

schedule! {
    Planning { search }
}

#[system(spanning = Planning)]
fn plan(path: &mut Path);

fn main() {}

//~ remedy
//~ - fn search(mut commands: Commands) {
//~ -     commands.insert(Map(Vec::new()));
//~ -     commands.insert(Path(Vec::new()));
//~ - }
//~ + fn search(path: &mut Path) {
//~ +     *path = Path(Vec::new());
//~ + }
