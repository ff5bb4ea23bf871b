//! Entities: queries, and systems that run for each entity, in a `World` of the crate `schedule-hecs`.
//!
//! `cargo run -p examples --example entities`
//!
//! Hares graze on a ring of 101 fields, and foxes hunt them.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component, Clone, Copy)]
struct Field(usize);

#[derive(Component)]
struct Energy(u32);

#[derive(Component)]
struct Fox;

/// Runs once for each animal. The parameters are components of that animal.
#[system(for_each)]
fn move_on(field: &mut Field, energy: &mut Energy, fox: Option<&Fox>) {
    field.0 = (field.0 + if fox.is_some() { 7 } else { 1 }) % 101;
    energy.0 = energy.0.saturating_sub(1);
}

/// Each query selects the entities with its components. The hares share the grass of the meadow.
#[system]
fn graze(mut hares: Query<&mut Energy, Without<Fox>>) {
    let share = 180 / hares.len().max(1) as u32;
    hares.par_for_each(|energy| energy.0 += share.min(4));
}

/// Needs no order with `graze`: it writes the energy of foxes only.
#[system]
fn hunt(
    mut foxes: Query<(&Field, &mut Energy), With<Fox>>,
    hares: Query<(Entity, &Field), Without<Fox>>,
    mut commands: Commands,
) {
    for (field, energy) in &mut foxes {
        if let Some((hare, _)) = hares.iter().find(|(_, place)| place.0 == field.0) {
            commands.entity(hare).despawn();
            energy.0 += 4;
        }
    }
}

#[system(for_each)]
fn starve(animal: Entity, energy: &Energy, mut commands: Commands) {
    if energy.0 == 0 {
        commands.entity(animal).despawn();
    }
}

#[system(for_each, without = Fox)]
fn breed(field: &Field, energy: &mut Energy, mut commands: Commands) {
    if energy.0 > 12 {
        energy.0 -= 10;
        commands.spawn_batch([(*field, Energy(5)), (*field, Energy(5))]);
    }
}

schedule! { Week { move_on -> (graze, hunt) -> starve -> breed } }

fn main() -> Result<(), BoxError> {
    let mut world = World::new();
    world.spawn_batch((0..30).map(|n| (Field(n * n % 101), Energy(6))));
    world.spawn_batch((0..12).map(|n| (Field(9 * n), Energy(10), Fox)));
    let (mut week, mut meadow) = (Week::new(), Resources::new());
    meadow.insert(world);
    for n_weeks in (0..=60).step_by(10) {
        let world = meadow.get_mut::<World>().unwrap();
        let n_hares = world.query_filtered::<Entity, Without<Fox>>().len();
        let n_foxes = world.query::<&Fox>().len();
        println!("after {n_weeks:2} weeks: {n_hares} hares, {n_foxes:2} foxes");
        (0..10).try_for_each(|_| week.run(&mut meadow))?;
    }
    Ok(())
}
