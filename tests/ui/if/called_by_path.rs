use schedule::prelude::*;

mod sight {
    use schedule::prelude::*;

    #[system]
    pub fn is_near() -> bool {
        true
    }
}

#[system(if = sight::is_near())]
fn poison() {}

fn main() {}
