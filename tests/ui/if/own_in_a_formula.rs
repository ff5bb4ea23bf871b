use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system(if = or(is_near, not(own)))]
fn own() -> bool {
    is_near()
}

fn main() {
    Schedule::builder().add::<own>();
}
