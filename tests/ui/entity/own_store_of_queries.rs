//! The terms and the filter of a query determine its access, so a safe implementation cannot name others.

use schedule::prelude::*;
use schedule_hecs::prelude::*;
use schedule_hecs::Stores;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

struct Hidden;

impl Stores<&'static mut Position, Hidden> for World<Ships> {
    type Terms = ();
    type Filter = ();
}

fn main() {}

//~ remedy
//~ - impl Stores<&'static mut Position, Hidden> for World<Ships> {
//~ -     type Terms = ();
//~ -     type Filter = ();
//~ - }
