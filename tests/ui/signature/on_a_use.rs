use schedule::prelude::*;

#[system]
#[allow(unused_imports)]
use std::fmt;

fn main() {}
