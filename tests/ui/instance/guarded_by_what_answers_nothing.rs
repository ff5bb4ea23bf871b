use schedule::prelude::*;
use schedule::System;

#[derive(Resource)]
struct Water(i32);

#[system]
fn drain<T: Resource>(_: &mut T) {}

#[system(if = drain::<T>)]
fn pour<T: Resource>(_: &mut T) {}

fn main() {
    println!("{:?}", pour::<Water>::GUARDS);
}
