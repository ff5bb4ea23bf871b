use schedule::prelude::*;

#[system(spanning, for_each)]
fn plan(place: &mut u32) {
    *place += 1;
}

fn main() {
    plan(&mut 0);
}

//~ remedy
//~ - #[system(spanning, for_each)]
//~ - fn plan(place: &mut u32) {
//~ -     *place += 1;
//~ - }
//~ + #[system(spanning)]
//~ + fn plan() {}
//~ - plan(&mut 0);
//~ + plan();
