//! Only a resource that implements `Foldable` can be folded into.

use schedule::prelude::*;

#[derive(Resource)]
struct Total(u32);

#[system]
fn tally(total: Fold<Total>) {
    let _ = total;
}

fn main() {}

//~ remedy
//~ - #[system]
//~ + impl Foldable for Total { type Partial = u32; fn join(&mut self, more: u32) { self.0 += more; } }
//~ + #[system]
