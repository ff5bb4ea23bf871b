use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn collide<C: Component>(mut some: Query<&mut Position>, others: Query<&C>) {
    some.iter_mut().for_each(drop);
    others.iter().for_each(drop);
}

fn main() {
    Schedule::builder().add::<collide<Position>>();
}
