//! A correct schedule causes no warning of any lint.
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub, missing_debug_implementations)]
#![deny(unused, nonstandard_style, rust_2018_idioms, future_incompatible)]

use schedule::prelude::*;

#[derive(Debug, Resource)]
struct Score(u32);

#[system]
fn gain(score: &mut Score) {
    score.0 += 1;
}

schedule! {
    /// Twice.
    pub Frame { gain as first -> gain }
}

schedule! {
    #[deprecated]
    open Old {}
}

schedule! {
    open Collected {}
}

#[system(schedule = Collected)]
fn double(score: &mut Score) {
    score.0 *= 2;
}

fn main() {
    let mut resources = Resources::new();
    resources.insert(Score(3));
    Frame::new().run(&mut resources).unwrap();
    Collected::new().unwrap().run(&mut resources).unwrap();
    assert_eq!(resources.get::<Score>().unwrap().0, 10);
}
