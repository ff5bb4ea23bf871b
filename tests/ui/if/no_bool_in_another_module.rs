use schedule::prelude::*;

mod combat {
    use schedule::prelude::*;

    #[system]
    pub fn bite() {}
}

#[system(if = combat::bite)]
fn poison() {}

fn main() {}
