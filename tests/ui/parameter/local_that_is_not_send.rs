use std::rc::Rc;

use schedule::prelude::*;

#[system]
fn count(kept: Local<Option<Rc<u32>>>) {
    let _ = kept;
}

fn main() {}
