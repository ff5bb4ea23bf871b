//! A kind of entity cannot be generic.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Identity)]
struct Oak;

#[derive(Component)]
struct Height<T>(f32, core::marker::PhantomData<T>);

#[derive(Columns)]
struct Tree<T> {
    height: Height<T>,
}

fn main() {}

//~ remedy
//~ - struct Tree<T> {
//~ -     height: Height<T>,
//~ + struct Tree {
//~ +     height: Height<Oak>,
