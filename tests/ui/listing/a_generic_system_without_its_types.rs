//! Of a generic system an instance is listed.

use schedule::{Identity, prelude::*};

#[system]
fn spawn<T: Identity + 'static>(_: Local<u32>) {}

schedule! { Frame { spawn } }

fn main() {
    Frame::new();
}
