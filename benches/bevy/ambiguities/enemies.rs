//! The systems of enemies: waves, effects, movement and death.

use bevy_ecs::prelude::*;

use crate::game::*;

/// Ticks between two waves.
const WAVE: u32 = 80;

pub(crate) fn advance(mut tick: ResMut<Tick>) {
    tick.0 += 1;
}

pub(crate) fn raise_difficulty(score: Res<Score>, mut difficulty: ResMut<Difficulty>) {
    difficulty.0 = 10 + (score.0 / 200) as i32;
}

pub(crate) fn plan_wave(tick: Res<Tick>, difficulty: Res<Difficulty>, mut wave: ResMut<Wave>) {
    if tick.0 % WAVE == 1 {
        wave.number += 1;
        wave.n_waiting += 3 + difficulty.0 / 4;
        wave.has_boss = wave.number % 3 == 0;
    }
}

fn enemy(health: i32, speed: i32, bounty: i64) -> impl Bundle {
    (
        Enemy { bounty },
        Position(0),
        Speed {
            now: speed,
            usual: speed,
        },
        Health {
            now: health,
            full: health,
        },
        Shield(health / 4),
        Effects::default(),
        Target::default(),
    )
}

pub(crate) fn spawn_enemies(
    difficulty: Res<Difficulty>,
    mut wave: ResMut<Wave>,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    if wave.n_waiting == 0 || random.below(3) == 0 {
        return;
    }
    wave.n_waiting -= 1;
    let health = 20 + difficulty.0 + random.below(10);
    let mut enemy = commands.spawn(enemy(health, 2 + random.below(3), 8));
    match random.below(5) {
        0 => enemy.insert(Flying),
        1 => enemy.insert(Splitter),
        _ => &mut enemy,
    };
}

pub(crate) fn spawn_boss(
    difficulty: Res<Difficulty>,
    mut wave: ResMut<Wave>,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    if wave.has_boss {
        wave.has_boss = false;
        let health = 100 + 4 * difficulty.0 + random.below(50);
        commands.spawn((enemy(health, 2, 40), Boss));
    }
}

pub(crate) fn poison(mut all: Query<(&mut Health, &mut Effects)>) {
    for (mut health, mut effects) in &mut all {
        if effects.poison > 0 {
            effects.poison -= 1;
            health.now -= 1 + health.now / 32;
        }
    }
}

pub(crate) fn burn(mut all: Query<(&mut Health, &mut Shield, &mut Effects)>) {
    for (mut health, mut shield, mut effects) in &mut all {
        if effects.fire > 0 {
            effects.fire -= 1;
            let on_shield = shield.0.min(2);
            shield.0 -= on_shield;
            health.now -= 2 - on_shield;
        }
    }
}

pub(crate) fn regenerate(tick: Res<Tick>, mut all: Query<&mut Health>) {
    if tick.0.is_multiple_of(4) {
        for mut health in &mut all {
            health.now = health.full.min(health.now + 1 + health.now / 64);
        }
    }
}

pub(crate) fn recharge_shields(tick: Res<Tick>, mut all: Query<(&mut Shield, &Health)>) {
    if tick.0.is_multiple_of(8) {
        for (mut shield, health) in &mut all {
            shield.0 = (health.now / 4).min(shield.0 + 1);
        }
    }
}

pub(crate) fn chill(mut all: Query<&mut Effects>) {
    for mut effects in &mut all {
        effects.frost = (effects.frost - 1).max(0);
        if effects.frost > 0 {
            effects.fire = 0;
        }
    }
}

pub(crate) fn end_stuns(mut all: Query<(Entity, &mut Stunned)>, mut commands: Commands) {
    for (entity, mut stunned) in &mut all {
        stunned.ticks -= 1;
        if stunned.ticks == 0 {
            commands.entity(entity).remove::<Stunned>();
        }
    }
}

pub(crate) fn set_speed(mut all: Query<(&mut Speed, &Effects)>) {
    for (mut speed, effects) in &mut all {
        let is_slow = effects.frost > 0;
        speed.now = if is_slow { 1 } else { speed.usual };
    }
}

/// A boss makes the enemies near it faster.
pub(crate) fn roar(
    bosses: Query<&Position, With<Boss>>,
    mut others: Query<(&mut Speed, &Position), Without<Boss>>,
) {
    for boss in &bosses {
        for (mut speed, position) in &mut others {
            if (position.0 - boss.0).abs() < 40 {
                speed.now += 1;
            }
        }
    }
}

type OnFoot = (Without<Flying>, Without<Stunned>);

pub(crate) fn walk(mut all: Query<(&mut Position, &Speed), OnFoot>) {
    for (mut position, speed) in &mut all {
        position.0 += speed.now;
    }
}

/// Flying enemies are faster near the end.
pub(crate) fn fly(mut all: Query<(&mut Position, &Speed), With<Flying>>) {
    for (mut position, speed) in &mut all {
        position.0 += speed.now + position.0 / 200;
    }
}

pub(crate) fn leak(
    all: Query<(Entity, &Position), With<Enemy>>,
    mut lives: ResMut<Lives>,
    mut commands: Commands,
) {
    for (entity, position) in &all {
        if position.0 >= PATH {
            lives.0 -= 1;
            commands.entity(entity).despawn();
        }
    }
}

pub(crate) fn bury(
    dying: Query<(Entity, &Health, &Enemy)>,
    mut died: MessageWriter<Died>,
    mut commands: Commands,
) {
    for (entity, health, enemy) in &dying {
        if health.now <= 0 {
            let bounty = enemy.bounty;
            died.write(Died { bounty });
            commands.entity(entity).despawn();
        }
    }
}

pub(crate) fn split(
    dying: Query<(&Health, &Position), With<Splitter>>,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    for (health, position) in &dying {
        if health.now <= 0 {
            for _ in 0..2 {
                let mut child = commands.spawn(enemy(health.full / 3, 3, 2));
                child.insert(Position((position.0 - random.below(8)).max(0)));
            }
        }
    }
}
