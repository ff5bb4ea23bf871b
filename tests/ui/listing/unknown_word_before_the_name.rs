//! Only `open` may stand before the name.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { pub closed Frame { poison } }

fn main() {
    let _ = Frame::builder();
}
