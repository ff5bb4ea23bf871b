use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

trait Body {
    type Life;
}

struct Villager;

impl Body for Villager {
    type Life = Health;
}

#[system]
fn poison(life: &<Villager as Body>::Life, health: &mut Health) {
    health.0 = life.0;
}

fn main() {}
