//! A module and the hidden type of a system share a namespace.

use schedule::prelude::*;

mod render {}

#[system]
fn render() {}

fn main() {
    render();
}
