use schedule::prelude::*;

#[system]
async fn is_near() -> bool {
    true
}

#[system(if = is_near)]
fn poison() {}

fn main() {}
