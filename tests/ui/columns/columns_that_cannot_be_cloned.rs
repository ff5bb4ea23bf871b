//! Columns can be cloned if each component can.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component, Clone)]
struct Position(f32);

#[derive(Component)]
struct Texture(u32);

#[derive(Columns)]
struct Bird {
    position: Position,
    texture: Texture,
}

fn copy<T: Clone>(value: &T) -> T {
    value.clone()
}

fn main() {
    let birds: Columns<Bird> = Columns::new();
    copy(&birds);
}

//~ remedy
//~ + #[derive(Clone)]
//~   struct Texture(u32);
