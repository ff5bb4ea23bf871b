//! A system is a free function: an `impl` cannot hold its hidden type.

use schedule::prelude::*;

struct Health(i32);

impl Health {
    #[system]
    fn poison(n_runs: Local<u32>) {
        let _ = n_runs;
    }
}

fn main() {
    let _ = Health(3).0;
}
