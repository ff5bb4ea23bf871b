use schedule::access::AccessSet;
use schedule::param::{Fetch, FetchFrom, Lookup};

struct Nothing;

impl Fetch for Nothing {
    type Item<'r> = ();

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) {}
}

fn main() {}
