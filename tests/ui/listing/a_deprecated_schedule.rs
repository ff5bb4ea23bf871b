//! A schedule has attributes like any type.

#![deny(deprecated)]

use schedule::prelude::*;

schedule! {
    #[deprecated = "use another"]
    Frame {}
}

fn main() {
    Frame::new();
}
