use schedule::Identity;

#[derive(Identity)]
struct Name<'a>(&'a str);

fn main() {}
