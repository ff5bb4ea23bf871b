use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
impl Health {
    fn poison(&mut self) {
        self.0 -= 1;
    }
}

fn main() {}
