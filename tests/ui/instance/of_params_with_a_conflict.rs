use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Exchange<'r, T: Resource> {
    from: &'r T,
    to: &'r mut Health,
}

#[system]
fn heal<T: Resource>(exchange: Exchange<'_, T>) {
    let _ = (exchange.from, exchange.to);
}

fn main() {
    Schedule::builder().add::<heal<Health>>();
}
