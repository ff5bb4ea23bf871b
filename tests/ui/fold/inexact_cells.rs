//! A floating-point sum is not exact, also not in cells.

use schedule::fold::{Accumulators, Cells, Sum};
use schedule::prelude::*;

#[derive(Resource)]
struct Heat(Vec<f32>);

impl Foldable for Heat {
    type Partial = Cells<Sum<f32>>;
    const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_thread();

    fn join(&mut self, _: Self::Partial) {}
}

fn main() {}

//~ remedy
//~ - type Partial = Cells<Sum<f32>>;
//~ + type Partial = Cells<Sum<i64>>;
