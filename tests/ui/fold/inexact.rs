//! An accumulator of a thread has an exact and commutative join.

use schedule::fold::Accumulators;
use schedule::prelude::*;

#[derive(Resource)]
struct Heat(f32);

impl Foldable for Heat {
    type Partial = f32;
    const ACCUMULATORS: Accumulators<f32> = Accumulators::per_thread();

    fn join(&mut self, partial: f32) {
        self.0 += partial;
    }
}

fn main() {}

//~ remedy
//~ - use schedule::fold::Accumulators;
//~
//~ -     const ACCUMULATORS: Accumulators<f32> = Accumulators::per_thread();
