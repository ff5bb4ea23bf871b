//! The game: two ships in a field of rocks, which is a torus.
//!
//! All numbers are integers, so the result is the same on each platform.

use schedule::param::SavedLocal;
use schedule::prelude::*;
use schedule::random::Philox;
use schedule::snapshot::Snapshot;
use schedule::{BoxError, Executor, SavedProgram};
use schedule_hecs::prelude::*;
use serde::{Deserialize, Serialize};

/// What a player does in a frame: bits of [`Controls::LEFT`] and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Controls(pub(crate) u8);

impl Controls {
    pub(crate) const LEFT: u8 = 1;
    pub(crate) const RIGHT: u8 = 2;
    pub(crate) const THRUST: u8 = 4;
    pub(crate) const FIRE: u8 = 8;

    fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The inputs of both players. Not a part of the state: each frame begins with new ones.
#[derive(Resource, Default)]
pub(crate) struct Inputs(pub(crate) [Controls; 2]);

/// Side of the field, in units.
const SIDE: i32 = 1 << 16;
const N_ROCKS: usize = 64;
const SEED: u64 = 7;
/// Units within which a shot or a rock hits a ship.
const REACH: i32 = 1_500;

#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug)]
#[snapshot(name = "position")]
struct Position {
    x: i32,
    y: i32,
}

impl Position {
    /// Whether the other position is near, also across the border.
    fn is_near(self, other: Self) -> bool {
        let distance = |one: i32, other: i32| {
            let distance = (one - other).rem_euclid(SIDE);
            distance.min(SIDE - distance)
        };
        distance(self.x, other.x).max(distance(self.y, other.y)) < REACH
    }
}

/// Units per frame.
#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug)]
#[snapshot(name = "velocity")]
struct Velocity {
    x: i32,
    y: i32,
}

#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug)]
#[snapshot(name = "ship")]
struct Ship {
    player: usize,
    /// An index of [`DIRECTIONS`].
    direction: usize,
    /// Frames until it can fire.
    reload: u32,
    health: u32,
}

/// A rock, which breaks into two halves.
#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug)]
#[snapshot(name = "rock")]
struct Rock {
    size: u32,
}

/// A shot of a player, which ends by itself.
#[derive(Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug)]
#[snapshot(name = "shot")]
struct Shot {
    player: usize,
    /// Frames until it ends.
    fuel: u32,
}

#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Debug, Default)]
#[snapshot(name = "score")]
pub(crate) struct Score {
    pub(crate) points: [u32; 2],
    pub(crate) n_spawned: u64,
    pub(crate) n_despawned: u64,
}

/// The number of frames that a system has seen.
#[derive(Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "age")]
struct Age(u64);

/// The unit vectors, times 64.
const DIRECTIONS: [(i32, i32); 8] = [
    (64, 0),
    (45, 45),
    (0, 64),
    (-45, 45),
    (-64, 0),
    (-45, -45),
    (0, -64),
    (45, -45),
];

#[system(for_each)]
fn steer(ship: &mut Ship, velocity: &mut Velocity, #[resource] inputs: &Inputs) {
    let controls = inputs.0[ship.player];
    if controls.has(Controls::LEFT) {
        ship.direction = (ship.direction + 1) % DIRECTIONS.len();
    }
    if controls.has(Controls::RIGHT) {
        ship.direction = (ship.direction + DIRECTIONS.len() - 1) % DIRECTIONS.len();
    }
    if controls.has(Controls::THRUST) {
        let (x, y) = DIRECTIONS[ship.direction];
        velocity.x = (velocity.x + x).clamp(-900, 900);
        velocity.y = (velocity.y + y).clamp(-900, 900);
    }
    ship.reload = ship.reload.saturating_sub(1);
}

#[system]
fn fire(
    mut ships: Query<(&mut Ship, &Position, &Velocity)>,
    inputs: &Inputs,
    score: &mut Score,
    mut commands: Commands,
) {
    for (ship, position, velocity) in &mut ships {
        if ship.reload == 0 && inputs.0[ship.player].has(Controls::FIRE) {
            ship.reload = 6;
            let (x, y) = DIRECTIONS[ship.direction];
            let shot = Shot {
                player: ship.player,
                fuel: 40,
            };
            let velocity = Velocity {
                x: velocity.x + 16 * x,
                y: velocity.y + 16 * y,
            };
            commands.spawn((*position, velocity, shot));
            score.n_spawned += 1;
        }
    }
}

#[system(for_each)]
fn fly(position: &mut Position, velocity: &Velocity) {
    position.x = (position.x + velocity.x).rem_euclid(SIDE);
    position.y = (position.y + velocity.y).rem_euclid(SIDE);
}

#[system]
fn burn(mut shots: Query<(Entity, &mut Shot)>, score: &mut Score, mut commands: Commands) {
    for (entity, shot) in &mut shots {
        shot.fuel -= 1;
        if shot.fuel == 0 {
            commands.entity(entity).despawn();
            score.n_despawned += 1;
        }
    }
}

/// Shots hit rocks. The first shot counts.
#[system]
fn break_rocks(
    rocks: Query<(Entity, &Rock, &Position, &Velocity)>,
    shots: Query<(Entity, &Shot, &Position)>,
    score: &mut Score,
    mut commands: Commands,
) {
    let mut spent = Vec::new();
    for (rock, Rock { size }, place, velocity) in &rocks {
        let hit = shots
            .iter()
            .find(|(shot, _, at)| at.is_near(*place) && !spent.contains(shot));
        let Some((shot, Shot { player, .. }, _)) = hit else {
            continue;
        };
        spent.push(shot);
        commands.entity(rock).despawn();
        commands.entity(shot).despawn();
        score.points[*player] += 1;
        score.n_despawned += 2;
        if *size > 1 {
            let halves = [1, -1].map(|sign| {
                let velocity = Velocity {
                    x: velocity.y * sign,
                    y: velocity.x * sign,
                };
                (*place, velocity, Rock { size: size / 2 })
            });
            commands.spawn_batch(halves);
            score.n_spawned += 2;
        }
    }
}

/// Rocks and shots of the other player hit ships. A ship without health begins again.
#[system]
fn damage(
    mut ships: Query<(&mut Ship, &mut Position), (Without<Rock>, Without<Shot>)>,
    rocks: Query<&Position, With<Rock>>,
    shots: Query<(&Shot, &Position)>,
    score: &mut Score,
) {
    for (ship, place) in &mut ships {
        let n_rocks = rocks.iter().filter(|at| at.is_near(*place)).count();
        let hits = shots
            .iter()
            .filter(|(shot, at)| shot.player != ship.player && at.is_near(*place));
        let n_hits = (n_rocks + hits.count()) as u32;
        ship.health = ship.health.saturating_sub(n_hits);
        if ship.health == 0 {
            score.points[1 - ship.player] += 10;
            ship.health = 100;
            *place = home(ship.player);
        }
    }
}

/// Keeps the number of rocks.
#[system]
fn drift(rocks: Query<&Rock>, mut age: SavedLocal<Age>, score: &mut Score, mut commands: Commands) {
    age.0 += 1;
    for nth in rocks.len()..N_ROCKS {
        let mut random = Philox::new(SEED, [0, age.0, nth as u64]);
        let mut below = |bound: i32| random.next_below(bound as u64) as i32;
        let position = Position {
            x: below(SIDE),
            y: 0,
        };
        let velocity = Velocity {
            x: below(601) - 300,
            y: below(601) - 300,
        };
        commands.spawn((position, velocity, Rock { size: 4 }));
        score.n_spawned += 1;
    }
}

fn home(player: usize) -> Position {
    Position {
        x: SIDE / 4 + SIDE / 2 * player as i32,
        y: SIDE / 2,
    }
}

schedule! {
    /// One frame of the game.
    Frame {
        steer -> fire -> drift -> fly -> burn -> break_rocks -> damage,
    }
}

/// A game that can go back to an earlier frame.
pub(crate) struct Duel {
    frame: Schedule,
    resources: Resources,
    /// The states of the last frames: `states[frame % states.len()]`.
    states: Vec<SavedProgram>,
}

impl Duel {
    /// Begins a game that goes back by at most `n_back` frames.
    ///
    /// # Errors
    ///
    /// Fails if a system uses state that is not saved.
    pub(crate) fn new(n_back: usize) -> Result<Self, BoxError> {
        let mut frame = Frame::new();
        frame.set_executor(Executor::Parallel);
        let mut world = World::new();
        for player in 0..2 {
            let ship = Ship {
                player,
                direction: 0,
                reload: 0,
                health: 100,
            };
            world.spawn((home(player), Velocity { x: 0, y: 0 }, ship));
        }
        let mut resources = Resources::new();
        resources.insert(world);
        resources.insert_default::<Score>();
        resources.insert_default::<Inputs>();
        let saved = SavedProgram::new()
            .with::<World>()
            .with::<Score>()
            .without::<Inputs>();
        saved.check(&mut [&mut frame], &resources)?;
        Ok(Self {
            frame,
            resources,
            states: vec![saved; n_back + 2],
        })
    }

    pub(crate) fn schedule(&mut self) -> &mut Schedule {
        &mut self.frame
    }

    /// Saves the state before a frame, and returns its digest.
    pub(crate) fn save(&mut self, frame: usize) -> Result<u64, BoxError> {
        let nth = frame % self.states.len();
        let state = &mut self.states[nth];
        state.save(&mut [&mut self.frame], &self.resources)?;
        Ok(state.digest()?)
    }

    /// Goes back to the state before a frame.
    pub(crate) fn load(&mut self, frame: usize) -> Result<(), BoxError> {
        let state = &self.states[frame % self.states.len()];
        state.restore(&mut [&mut self.frame], &mut self.resources)?;
        Ok(())
    }

    pub(crate) fn advance(&mut self, inputs: [Controls; 2]) -> Result<(), BoxError> {
        self.resources.insert(Inputs(inputs));
        self.frame.run(&mut self.resources)?;
        Ok(())
    }

    pub(crate) fn score(&self) -> &Score {
        self.resources.get().expect("it was inserted")
    }
}

/// The controls of a player who does not look: they depend on the frame only.
pub(crate) fn played(player: usize, frame: usize) -> Controls {
    // A player holds a key for some frames.
    let mut random = Philox::new(SEED, [1 + player as u64, frame as u64 / 5, 0]);
    Controls(random.next_below(16) as u8)
}
