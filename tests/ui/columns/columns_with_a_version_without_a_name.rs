// The options of a saved kind are those of `#[derive(Snapshot)]`.
use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Position(f32);

#[derive(Columns)]
#[columns(version = 2)]
struct Bird {
    position: Position,
}

fn main() {}
