//! The parts of an assembled parameter are accesses of one system.

use schedule::param::{Assemble, Assembled, Param, Part, Seed};
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

type Moving<'r> = Query<'r, &'static mut Position>;

type Fixed<'r> = Query<'r, &'static Position, With<Frozen>>;

struct AssembleBoth;

impl Assemble for AssembleBoth {
    type Parts = (Moving<'static>, Fixed<'static>);
    type Item<'r> = Both<'r>;

    fn assemble<'r>((moving, fixed): Part<'r, Self::Parts>) -> Self::Item<'r> {
        Both(moving, fixed)
    }
}

struct Both<'r>(Moving<'r>, Fixed<'r>);

impl Param for Both<'_> {
    type State = Assembled<AssembleBoth>;
    const SEED: Seed<Self::State> = Assembled::SEED;
}

#[system]
fn collide(mut both: Both) {
    both.0.iter_mut().for_each(drop);
    both.1.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - type Moving<'r> = Query<'r, &'static mut Position>;
//~ + type Moving<'r> = Query<'r, &'static mut Position, Without<Frozen>>;
