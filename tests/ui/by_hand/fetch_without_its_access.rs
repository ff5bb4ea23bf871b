use schedule::Resource;
use schedule::param::FetchFrom;

struct Peek<'r>(FetchFrom<'r>);

impl Peek<'_> {
    fn look<T: Resource>(&self) -> &T {
        self.0.get().get::<T>().unwrap()
    }
}

fn main() {}
