//! Instances of a generic resource are resources of their own: here both systems take the same.

use schedule::{Identity, prelude::*};

#[derive(Identity)]
struct Sheep;

#[derive(Resource)]
struct Herd<T: Send + Sync>(Vec<T>);

#[system]
fn breed(_: &mut Herd<Sheep>) {}

#[system]
fn shear(_: &Herd<Sheep>) {}

schedule! {
    Frame {
        breed,
        shear,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - shear,
//~ + shear: after breed,
