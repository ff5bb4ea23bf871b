//! Where the systems live makes no difference.

use schedule::prelude::*;

mod health {
    use schedule::prelude::*;
    #[derive(Resource)]
    pub(super) struct Health;
}

mod combat {
    use super::health::Health;
    use schedule::prelude::*;
    #[system]
    pub(super) fn poison(_: &mut Health) {}
}

mod care {
    use super::health::Health;
    use schedule::prelude::*;
    #[system]
    pub(super) fn heal(_: &mut Health) {}
}

schedule! {
    Frame {
        combat::poison,
        care::heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - care::heal,
//~ + care::heal: after combat::poison,
