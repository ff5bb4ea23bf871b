//! A parameter cannot be assembled from the query of another world.

use schedule::param::{Assemble, Assembled, Param, Part, Seed};
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

struct Positions<'r>(Query<'r, &'static mut Position>);

struct AssemblePositions;

impl Assemble for AssemblePositions {
    type Parts = Query<'static, &'static mut Position, (), Ships>;
    type Item<'r> = Positions<'r>;

    fn assemble<'r>(ships: Part<'r, Self::Parts>) -> Self::Item<'r> {
        Positions(ships)
    }
}

impl Param for Positions<'_> {
    type State = Assembled<AssemblePositions>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}

#[system]
fn clear(mut positions: Positions) {
    positions.0.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - type Parts = Query<'static, &'static mut Position, (), Ships>;
//~ + type Parts = Query<'static, &'static mut Position>;
