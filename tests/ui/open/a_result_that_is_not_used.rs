#![deny(unused_must_use)]

use schedule::prelude::*;

schedule! { open Frame {} }

fn main() {
    Frame::new();
}
