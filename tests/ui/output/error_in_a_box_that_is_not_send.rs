use std::error::Error;

use schedule::prelude::*;

#[system]
fn poison() -> Result<(), Box<dyn Error>> {
    Ok(())
}

fn main() {}
