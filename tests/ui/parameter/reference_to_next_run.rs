//! Requests for the next run are taken by value.

use schedule::param::NextRun;
use schedule::prelude::*;

#[system]
fn spin(next_run: &mut NextRun) {
    next_run.disable::<spin>();
}

fn main() {}

//~ remedy
//~ - fn spin(next_run: &mut NextRun) {
//~ + fn spin(mut next_run: NextRun) {
