use schedule::Identity;

#[derive(Identity)]
#[identity(crate = schedule, crate = schedule)]
struct Health(i32);

fn main() {}
