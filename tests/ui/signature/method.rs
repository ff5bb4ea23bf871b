use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

impl Health {
    #[system]
    fn poison(&self) {
        let _ = self.0;
    }
}

fn main() {}
