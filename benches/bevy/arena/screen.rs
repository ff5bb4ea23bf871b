//! The arena as text.

use core::fmt::Write;

use bevy_ecs::prelude::*;

use crate::fighter::{Position, SIDE, Team};
use crate::score::{Census, Score};
use crate::tick::Tick;

/// Characters per line, and lines per picture.
const WIDTH: usize = 48;
const HEIGHT: usize = 12;

/// The last picture.
#[derive(Resource, Default)]
pub(crate) struct Screen(pub(crate) String);

/// Draws the team that is stronger in each field: `r` or `b`, or a capital letter where it has twice as many fighters.
pub(crate) fn draw(
    all: Query<(&Position, &Team)>,
    tick: Res<Tick>,
    score: Res<Score>,
    census: Res<Census>,
    mut screen: ResMut<Screen>,
) {
    let mut fields = [[0_u32; 2]; WIDTH * HEIGHT];
    for (position, team) in &all {
        let column = position.x as usize * WIDTH / SIDE as usize;
        let line = position.y as usize * HEIGHT / SIDE as usize;
        fields[line * WIDTH + column][*team as usize] += 1;
    }
    let text = &mut screen.0;
    text.clear();
    for line in fields.chunks(WIDTH) {
        text.extend(line.iter().map(|&[red, blue]| match (red, blue) {
            (0, 0) => '.',
            (red, blue) if red >= 2 * blue => 'R',
            (red, blue) if blue >= 2 * red => 'B',
            (red, blue) if red > blue => 'r',
            _ => 'b',
        }));
        text.push('\n');
    }
    let Census {
        n_fighters,
        n_resting,
        mean_health,
    } = &*census;
    let status = writeln!(
        text,
        "tick {}: {}; {n_fighters} fighters, {n_resting} rest, mean health {mean_health}",
        tick.0, *score
    );
    status.expect("a string takes all text");
}
