use schedule::prelude::*;

struct Health(i32);

fn main() {
    Resources::new().insert(Health(10));
}
