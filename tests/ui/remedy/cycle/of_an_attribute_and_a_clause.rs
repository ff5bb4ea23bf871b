//! Of an attribute and a clause, the clause is blamed.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
