use schedule::prelude::*;

#[system]
unsafe extern "C" {
    safe fn poison();
}

fn main() {}
