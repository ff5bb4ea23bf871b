use schedule::prelude::*;

mod combat {
    pub fn poison() {}
}

fn main() {
    Schedule::builder().add::<combat::poison>();
}
