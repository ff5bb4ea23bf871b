use std::fmt;
use std::sync::MutexGuard;

use schedule::prelude::*;

#[derive(Debug)]
struct Overdose(MutexGuard<'static, ()>);

impl fmt::Display for Overdose {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Overdose {}

#[system]
fn poison() -> Result<(), Overdose> {
    Ok(())
}

fn main() {}
