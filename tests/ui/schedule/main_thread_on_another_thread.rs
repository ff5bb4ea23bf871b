use schedule::prelude::*;

fn main() {
    let mut resources = Resources::new();
    let mut main_thread = resources.main_thread();
    std::thread::scope(|scope| {
        scope.spawn(move || main_thread.insert(3));
    });
}
