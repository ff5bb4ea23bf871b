//! A `for_each` system has at most one reader of a message type.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Weight(u32);

#[derive(Message)]
struct Meal(u32);

#[system(for_each)]
fn eat(weight: &mut Weight, meals: MessageReader<Meal>, others: MessageReader<Meal>) {
    weight.0 += (meals.len() + others.len()) as u32;
}

fn main() {}

//~ remedy
//~ - fn eat(weight: &mut Weight, meals: MessageReader<Meal>, others: MessageReader<Meal>) {
//~ -     weight.0 += (meals.len() + others.len()) as u32;
//~ + fn eat(weight: &mut Weight, meals: MessageReader<Meal>) {
//~ +     weight.0 += 2 * meals.len() as u32;
