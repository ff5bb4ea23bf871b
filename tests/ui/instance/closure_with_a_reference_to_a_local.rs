use schedule::prelude::*;

fn main() {
    Schedule::builder().add_closure("count", |n_runs: &mut Local<u32>| {
        **n_runs += 1;
    });
}
