use schedule::prelude::*;

#[system]
fn bite() -> Result<(), String> {
    Ok(())
}

#[system(if = bite)]
fn poison() {}

fn main() {}
