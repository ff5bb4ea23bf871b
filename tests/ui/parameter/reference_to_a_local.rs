use schedule::prelude::*;

#[system]
fn count(n_runs: &mut Local<u32>) {
    **n_runs += 1;
}

fn main() {}
