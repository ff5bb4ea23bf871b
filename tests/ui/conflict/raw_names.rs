use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn r#match(r#in: &Health, r#out: &mut Health) {
    r#out.0 = r#in.0;
}

fn main() {}
