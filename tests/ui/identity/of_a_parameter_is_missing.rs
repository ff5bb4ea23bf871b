use schedule::Identity;

struct Mesh;

#[derive(Identity)]
struct Handle<T>(Vec<T>);

const _: u128 = Handle::<Mesh>::ID;

fn main() {}
