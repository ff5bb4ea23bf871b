//! The remedy has the path of the condition, as it is written.

use schedule::prelude::*;

mod combat {
    use schedule::prelude::*;
    #[derive(Resource)]
    pub(super) struct Health;
    #[system]
    pub(super) fn poison(_: &mut Health) {}
    #[system]
    pub(super) fn is_hurt(_: &Health) -> bool {
        true
    }
}

#[system]
fn flee() {}

schedule! {
    Frame {
        combat::poison,
        flee: if combat::is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   combat::poison,
//~ + combat::is_hurt: after combat::poison,
