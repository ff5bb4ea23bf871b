use schedule::Identity;

#[derive(Identity)]
#[identity(name = "health")]
struct Health(i32);

fn main() {}
