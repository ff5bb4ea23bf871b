//! A system is a free function: an `impl` cannot hold its hidden type.

use schedule::prelude::*;

trait Poison {
    fn poison(n_runs: Local<u32>);
}

struct Health;

impl Poison for Health {
    #[system(after = heal)]
    fn poison(n_runs: Local<u32>) {
        let _ = n_runs;
    }
}

#[system]
fn heal() {}

fn main() {
    let _: fn(Local<'_, u32>) = Health::poison;
}
