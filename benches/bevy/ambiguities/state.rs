//! The state of a game, to compare two runs.
//!
//! Ids of entities and the order of entities are left out, so two different states are different games.

use bevy_ecs::prelude::*;

use crate::game::*;

/// All values that a player can see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    money: i64,
    lives: i32,
    score: i64,
    combo: (i64, i32),
    research: (i64, i32),
    /// Number, enemies that wait, and difficulty.
    wave: (i32, i32, i32),
    /// Position, health, shield, effects, and whether it is stunned. Sorted.
    enemies: Vec<(Position, i32, i32, [i32; 3], bool)>,
    /// Kind, position, level, cooldown and heat. Sorted.
    towers: Vec<(Tower, Position, i32, i32, i32)>,
    /// Damage and fuse. Sorted.
    projectiles: Vec<(i32, i32)>,
}

type Enemies = (
    &'static Position,
    &'static Health,
    &'static Shield,
    &'static Effects,
    Has<Stunned>,
);
type Towers = (
    &'static Tower,
    &'static Position,
    &'static Weapon,
    &'static Cooldown,
    &'static Heat,
);

impl State {
    pub(crate) fn of(world: &mut World) -> Self {
        let mut enemies = world.query_filtered::<Enemies, With<Enemy>>();
        let enemies = enemies
            .iter(world)
            .map(|(position, health, shield, effects, is_stunned)| {
                let effects = [effects.poison, effects.fire, effects.frost];
                (*position, health.now, shield.0, effects, is_stunned)
            });
        let enemies = sorted(enemies);
        let mut towers = world.query::<Towers>();
        let towers = towers
            .iter(world)
            .map(|(tower, position, weapon, cooldown, heat)| {
                (*tower, *position, weapon.level, cooldown.0, heat.0)
            });
        let towers = sorted(towers);
        let mut projectiles = world.query::<&Projectile>();
        let projectiles = projectiles.iter(world).map(|one| (one.damage, one.fuse));
        let projectiles = sorted(projectiles);
        let (combo, research) = (world.resource::<Combo>(), world.resource::<Research>());
        let wave = world.resource::<Wave>();
        Self {
            money: world.resource::<Money>().0,
            lives: world.resource::<Lives>().0,
            score: world.resource::<Score>().0,
            combo: (combo.n, combo.ticks),
            research: (research.points, research.level),
            wave: (
                wave.number,
                wave.n_waiting,
                world.resource::<Difficulty>().0,
            ),
            enemies,
            towers,
            projectiles,
        }
    }

    /// The main figures, for a person.
    pub(crate) fn summary(&self) -> String {
        let (money, lives, score) = (self.money, self.lives, self.score);
        let (n_enemies, n_towers) = (self.enemies.len(), self.towers.len());
        format!(
            "money {money}, lives {lives}, score {score}, {n_enemies} enemies, {n_towers} towers"
        )
    }
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all
}
