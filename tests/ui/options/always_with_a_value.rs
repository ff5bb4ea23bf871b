use schedule::prelude::*;

#[system(always = true)]
fn watch() {}

fn main() {
    watch();
}
