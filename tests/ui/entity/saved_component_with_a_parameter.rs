//! Each type of a generic component is declared to be saved.

use schedule::entity::Component;
use schedule_hecs::prelude::*;

#[derive(Component, SavedComponent, Clone)]
struct Timer<T>(T);

fn main() {}

//~ remedy
//~ - #[derive(Component, SavedComponent, Clone)]
//~ + #[derive(Component, Clone)]
//~
//~ - fn main() {}
//~ + schedule_hecs::saved_component!(Timer<u32>);
//~ + fn main() {}
