use schedule::prelude::*;

#[derive(Resource)]
struct Name<'a>(&'a str);

fn main() {}
