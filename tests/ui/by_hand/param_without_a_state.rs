use schedule::Param;

struct Body(u32);

impl Param for Body {}

fn main() {}
