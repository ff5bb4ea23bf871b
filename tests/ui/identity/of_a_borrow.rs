use schedule::Identity;

fn id<T: Identity>(_: T) -> u128 {
    T::ID
}

fn main() {
    let name = 3;
    id(&name);
}
