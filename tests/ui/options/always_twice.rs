use schedule::prelude::*;

#[system(always, always)]
fn watch() {}

fn main() {
    watch();
}
