use schedule::prelude::*;

fn main() {
    let amount = 3;
    Schedule::builder().add_closure("heal", || {
        let _ = &amount;
    });
}
