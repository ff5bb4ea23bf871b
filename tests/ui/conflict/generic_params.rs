use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Exchange<'r, T: Resource> {
    from: &'r mut T,
    to: &'r mut Health,
}

#[system]
fn heal(exchange: Exchange<'_, Health>) {
    exchange.to.0 += exchange.from.0;
}

fn main() {}
