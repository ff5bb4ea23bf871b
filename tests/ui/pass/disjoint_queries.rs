//! Filters that exclude each other allow queries that conflict otherwise, in one system and in systems without an order.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(u32);

#[derive(Component)]
struct Velocity(u32);

#[derive(Component)]
struct Frozen;

#[derive(Component)]
struct Burning;

#[derive(Identity)]
struct Ships;

/// `Frozen` is required by one query, and excluded by the other.
#[system]
fn by_filters(
    mut frozen: Query<&mut Position, With<Frozen>>,
    mut others: Query<&mut Position, Without<Frozen>>,
) {
    frozen.iter_mut().for_each(|position| position.0 += 1);
    others.iter_mut().for_each(|position| position.0 += 10);
}

/// A term that is not optional requires its component, too.
#[system]
fn by_a_term(
    mut moving: Query<(&mut Position, (Entity, &Velocity))>,
    mut fixed: Query<&mut Position, (Without<Velocity>, With<Burning>)>,
) {
    moving.iter_mut().for_each(|(position, _)| position.0 += 100);
    fixed.iter_mut().for_each(|position| position.0 += 1000);
}

/// Each alternative of one filter excludes the other filter.
#[system]
fn by_alternatives(
    mut either: Query<&mut Position, Or<(With<Frozen>, With<Burning>)>>,
    mut neither: Query<&mut Position, (Without<Frozen>, Without<Burning>)>,
) {
    either.iter_mut().for_each(|position| position.0 += 1);
    neither.iter_mut().for_each(|position| position.0 += 10);
}

/// `&World` gives no access to components, and worlds with different tags have different components.
#[system]
fn by_worlds(world: &World, mut all: Query<&mut Position>, ships: Query<&Position, (), Ships>) {
    let n_others = world.len() - all.len() + ships.len();
    all.iter_mut().for_each(|position| position.0 += n_others as u32);
}

#[derive(Params)]
struct Bodies<'r> {
    frozen: Query<'r, &'static mut Position, With<Frozen>>,
    others: Query<'r, &'static Position, Without<Frozen>>,
}

#[system]
fn in_a_struct(mut bodies: Bodies) {
    let sum: u32 = bodies.others.iter().map(|position| position.0).sum();
    bodies.frozen.iter_mut().for_each(|position| position.0 += sum);
}

#[system]
fn generic<C: Component>(mut all: Query<(&mut Position, Option<&C>)>) {
    all.iter_mut().for_each(|(position, other)| position.0 += u32::from(other.is_some()));
}

#[system]
fn melt(mut frozen: Query<&mut Position, With<Frozen>>) {
    frozen.iter_mut().for_each(|position| position.0 = 0);
}

#[system]
fn integrate(mut moving: Query<(&mut Position, &Velocity), Without<Frozen>>) {
    moving.iter_mut().for_each(|(position, velocity)| position.0 += velocity.0);
}

schedule! {
    Frame {
        by_filters -> by_a_term -> by_alternatives -> by_worlds -> in_a_struct -> generic::<Burning>
            -> (melt, integrate),
    }
}

fn main() {
    let mut world = World::new();
    let entities = [world.spawn((Position(0), Velocity(1))), world.spawn((Position(0), Frozen))];
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(World::<Ships>::with_tag());
    Frame::new().run(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    let positions = entities.map(|entity| world.get_mut::<Position>(entity).unwrap().0);
    assert_eq!(positions, [10 + 100 + 10 + 1, 0]);
}
