//! A tower defence: its components and resources, and the orders that its author gave.
//!
//! Enemies walk along a path, towers shoot at them, and the player's script builds and upgrades towers. All numbers are
//! integers. Positions are distances from the start of the path.

use bevy_ecs::message::{MessageRegistry, message_update_system};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{ApplyDeferred, ScheduleBuildSettings, SingleThreadedExecutor};

use crate::economy::*;
use crate::enemies::*;
use crate::towers::*;

/// Length of the path.
pub(crate) const PATH: i32 = 400;

#[derive(Component)]
pub(crate) struct Enemy {
    pub(crate) bounty: i64,
}

#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Position(pub(crate) i32);

/// The current speed, and the speed of its kind.
#[derive(Component)]
pub(crate) struct Speed {
    pub(crate) now: i32,
    pub(crate) usual: i32,
}

#[derive(Component)]
pub(crate) struct Health {
    pub(crate) now: i32,
    pub(crate) full: i32,
}

#[derive(Component)]
pub(crate) struct Shield(pub(crate) i32);

/// Effects on an enemy, in ticks.
#[derive(Component, Default)]
pub(crate) struct Effects {
    pub(crate) poison: i32,
    pub(crate) fire: i32,
    pub(crate) frost: i32,
}

#[derive(Component)]
pub(crate) struct Stunned {
    pub(crate) ticks: i32,
}

#[derive(Component)]
pub(crate) struct Flying;

#[derive(Component)]
pub(crate) struct Boss;

/// Falls apart into smaller enemies.
#[derive(Component)]
pub(crate) struct Splitter;

#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Tower {
    Cannon,
    Sniper,
    Frost,
}

#[derive(Component)]
pub(crate) struct Weapon {
    pub(crate) range: i32,
    pub(crate) damage: i32,
    pub(crate) level: i32,
}

#[derive(Component)]
pub(crate) struct Cooldown(pub(crate) i32);

#[derive(Component)]
pub(crate) struct Heat(pub(crate) i32);

#[derive(Component, Default)]
pub(crate) struct Target(pub(crate) Option<Entity>);

#[derive(Component)]
pub(crate) struct Projectile {
    pub(crate) target: Entity,
    pub(crate) damage: i32,
    /// Ticks until it hits.
    pub(crate) fuse: i32,
}

#[derive(Resource, Default)]
pub(crate) struct Tick(pub(crate) u32);

#[derive(Resource, Default)]
pub(crate) struct Wave {
    pub(crate) number: i32,
    pub(crate) n_waiting: i32,
    pub(crate) has_boss: bool,
}

#[derive(Resource)]
pub(crate) struct Difficulty(pub(crate) i32);

#[derive(Resource)]
pub(crate) struct Money(pub(crate) i64);

#[derive(Resource)]
pub(crate) struct Lives(pub(crate) i32);

#[derive(Resource, Default)]
pub(crate) struct Score(pub(crate) i64);

/// Enemies killed in a row.
#[derive(Resource, Default)]
pub(crate) struct Combo {
    pub(crate) n: i64,
    pub(crate) ticks: i32,
}

#[derive(Resource, Default)]
pub(crate) struct Research {
    pub(crate) points: i64,
    pub(crate) level: i32,
}

/// The random numbers of the game, by a linear congruential generator (Knuth).
#[derive(Resource)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn below(&mut self, end: i32) -> i32 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as i32
    }
}

/// The message that a projectile hits an enemy.
#[derive(Message)]
pub(crate) struct Hit {
    pub(crate) target: Entity,
    pub(crate) damage: i32,
}

/// The message that an enemy died.
#[derive(Message)]
pub(crate) struct Died {
    pub(crate) bounty: i64,
}

/// The parts of a tick, in their order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Begin,
    Waves,
    ApplyWaves,
    Effects,
    Movement,
    ApplyMovement,
    Targets,
    Fire,
    ApplyFire,
    Damage,
    Death,
    ApplyDeath,
    Economy,
}

/// The schedule of a tick, as its author wrote it.
///
/// Commands are applied at four explicit points and at the end. Automatic points depend on all other orders, and `bevy_ecs`
/// does not shuffle systems across them.
pub(crate) fn schedule(shuffle_seed: Option<u64>) -> Schedule {
    let mut tick = Schedule::default();
    tick.set_executor(SingleThreadedExecutor::new());
    tick.set_build_settings(ScheduleBuildSettings {
        auto_insert_apply_deferred: false,
        shuffle_seed,
        ..ScheduleBuildSettings::default()
    });
    let first_half = (
        Phase::Begin,
        Phase::Waves,
        Phase::ApplyWaves,
        Phase::Effects,
        Phase::Movement,
        Phase::ApplyMovement,
    );
    let second_half = (
        Phase::Targets,
        Phase::Fire,
        Phase::ApplyFire,
        Phase::Damage,
        Phase::Death,
        Phase::ApplyDeath,
        Phase::Economy,
    );
    tick.configure_sets((first_half.chain(), second_half.chain()).chain());

    tick.add_systems(
        (message_update_system, advance)
            .chain()
            .in_set(Phase::Begin),
    );
    let plan = (plan_wave, (spawn_enemies, spawn_boss)).chain();
    tick.add_systems((raise_difficulty, plan).in_set(Phase::Waves));
    tick.add_systems(ApplyDeferred.in_set(Phase::ApplyWaves));
    let effects = (poison, burn, regenerate, recharge_shields, chill, end_stuns);
    tick.add_systems(effects.in_set(Phase::Effects));
    tick.add_systems(set_speed.after(chill).in_set(Phase::Effects));
    tick.add_systems(roar.in_set(Phase::Effects));
    tick.add_systems(((walk, fly), leak).chain().in_set(Phase::Movement));
    tick.add_systems(ApplyDeferred.in_set(Phase::ApplyMovement));

    let aim = (aim_cannons, aim_snipers, aim_frost);
    tick.add_systems((cool_down, overheat, aim).in_set(Phase::Targets));
    let fire = (fire_cannons, fire_snipers, fire_frost);
    tick.add_systems((fly_projectiles, fire).in_set(Phase::Fire));
    tick.add_systems(explode.after(fly_projectiles).in_set(Phase::Fire));
    tick.add_systems(ApplyDeferred.in_set(Phase::ApplyFire));
    let damage = (take_hits, splash, ignite, infect, stun, execute);
    tick.add_systems(damage.in_set(Phase::Damage));
    tick.add_systems((bury, split).in_set(Phase::Death));
    tick.add_systems(ApplyDeferred.in_set(Phase::ApplyDeath));
    let income = (pay_bounties, pay_interest, steal, extend_combo);
    let outlay = (build, upgrade, repair, study);
    tick.add_systems((income, outlay).in_set(Phase::Economy));
    tick.add_systems((end_combo, add_score.after(extend_combo)).in_set(Phase::Economy));
    tick
}

/// A world at the start of the game.
pub(crate) fn new_world() -> World {
    let mut world = World::new();
    MessageRegistry::register_message::<Hit>(&mut world);
    MessageRegistry::register_message::<Died>(&mut world);
    world.init_resource::<Tick>();
    world.init_resource::<Wave>();
    world.init_resource::<Score>();
    world.init_resource::<Combo>();
    world.init_resource::<Research>();
    world.insert_resource(Difficulty(10));
    world.insert_resource(Money(300));
    world.insert_resource(Lives(20));
    world.insert_resource(Random(7));
    world
}
