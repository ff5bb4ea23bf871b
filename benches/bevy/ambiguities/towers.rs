//! The systems of towers: targets, fire and damage.

use bevy_ecs::prelude::*;

use crate::game::*;

pub(crate) fn cool_down(mut all: Query<(&mut Cooldown, &mut Heat)>) {
    for (mut cooldown, mut heat) in &mut all {
        cooldown.0 = (cooldown.0 - 1).max(0);
        heat.0 = (heat.0 - 1).max(0);
    }
}

pub(crate) fn overheat(mut all: Query<(&mut Cooldown, &mut Heat)>) {
    for (mut cooldown, mut heat) in &mut all {
        if heat.0 >= 12 {
            heat.0 = 4;
            cooldown.0 += 6;
        }
    }
}

/// Enemies within range of a tower.
fn in_range(weapon: &Weapon, tower: Position, enemy: Position) -> bool {
    (enemy.0 - tower.0).abs() <= weapon.range
}

type Towers<'w, 's> = Query<
    'w,
    's,
    (
        &'static mut Target,
        &'static Tower,
        &'static Weapon,
        &'static Position,
    ),
>;

/// Cannons aim at the first enemy.
pub(crate) fn aim_cannons(mut towers: Towers, enemies: Query<(Entity, &Position), With<Enemy>>) {
    for (mut target, tower, weapon, place) in &mut towers {
        if *tower == Tower::Cannon {
            let near = enemies
                .iter()
                .filter(|one| in_range(weapon, *place, *one.1));
            target.0 = near.max_by_key(|one| one.1).map(|one| one.0);
        }
    }
}

/// Snipers aim at the strongest enemy.
pub(crate) fn aim_snipers(
    mut towers: Towers,
    enemies: Query<(Entity, &Position, &Health), With<Enemy>>,
) {
    for (mut target, tower, weapon, place) in &mut towers {
        if *tower == Tower::Sniper {
            let near = enemies
                .iter()
                .filter(|one| in_range(weapon, *place, *one.1));
            target.0 = near.max_by_key(|one| one.2.now).map(|one| one.0);
        }
    }
}

/// Frost towers aim at the fastest enemy.
pub(crate) fn aim_frost(
    mut towers: Towers,
    enemies: Query<(Entity, &Position, &Speed), With<Enemy>>,
) {
    for (mut target, tower, weapon, place) in &mut towers {
        if *tower == Tower::Frost {
            let near = enemies
                .iter()
                .filter(|one| in_range(weapon, *place, *one.1));
            target.0 = near.max_by_key(|one| one.2.now).map(|one| one.0);
        }
    }
}

type Shooters<'w, 's> = Query<
    'w,
    's,
    (
        &'static Tower,
        &'static Weapon,
        &'static Target,
        &'static mut Cooldown,
        &'static mut Heat,
    ),
>;

pub(crate) fn fire_cannons(
    mut towers: Shooters,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    for (tower, weapon, target, mut cooldown, mut heat) in &mut towers {
        if let (Tower::Cannon, 0, Some(target)) = (tower, cooldown.0, target.0) {
            cooldown.0 = 5;
            heat.0 += 4;
            commands.spawn(Projectile {
                target,
                damage: weapon.damage + random.below(4),
                fuse: 3,
            });
        }
    }
}

pub(crate) fn fire_snipers(
    mut towers: Shooters,
    mut enemies: Query<(&mut Health, &Shield)>,
    mut random: ResMut<Random>,
) {
    for (tower, weapon, target, mut cooldown, mut heat) in &mut towers {
        if let (Tower::Sniper, 0, Some(target)) = (tower, cooldown.0, target.0)
            && let Ok((mut health, shield)) = enemies.get_mut(target)
        {
            cooldown.0 = 9;
            heat.0 += 6;
            let is_critical = random.below(4) == 0;
            let damage = if is_critical {
                2 * weapon.damage
            } else {
                weapon.damage
            };
            health.now -= (damage - shield.0 / 2).max(1);
        }
    }
}

pub(crate) fn fire_frost(mut towers: Shooters, mut enemies: Query<&mut Effects>) {
    for (tower, weapon, target, mut cooldown, mut heat) in &mut towers {
        if let (Tower::Frost, 0, Some(target)) = (tower, cooldown.0, target.0)
            && let Ok(mut effects) = enemies.get_mut(target)
        {
            cooldown.0 = 4;
            heat.0 += 3;
            effects.frost += 4 + weapon.level;
        }
    }
}

pub(crate) fn fly_projectiles(mut all: Query<&mut Projectile>) {
    for mut projectile in &mut all {
        projectile.fuse -= 1;
    }
}

pub(crate) fn explode(
    all: Query<(Entity, &Projectile)>,
    mut hits: MessageWriter<Hit>,
    mut commands: Commands,
) {
    for (entity, projectile) in &all {
        if projectile.fuse <= 0 {
            hits.write(Hit {
                target: projectile.target,
                damage: projectile.damage,
            });
            commands.entity(entity).despawn();
        }
    }
}

pub(crate) fn take_hits(mut hits: MessageReader<Hit>, mut all: Query<(&mut Health, &mut Shield)>) {
    for hit in hits.read() {
        if let Ok((mut health, mut shield)) = all.get_mut(hit.target) {
            let on_shield = shield.0.min(hit.damage / 2);
            shield.0 -= on_shield;
            health.now -= hit.damage - on_shield;
        }
    }
}

/// Hits the neighbours of a target, if their shields are down.
pub(crate) fn splash(
    mut hits: MessageReader<Hit>,
    positions: Query<&Position>,
    mut all: Query<(Entity, &mut Health, &Position, &Shield)>,
) {
    for hit in hits.read() {
        let Ok(middle) = positions.get(hit.target) else {
            continue;
        };
        for (entity, mut health, position, shield) in &mut all {
            let distance = (position.0 - middle.0).abs();
            if entity != hit.target && distance < 10 && shield.0 == 0 {
                health.now -= hit.damage / 3;
            }
        }
    }
}

pub(crate) fn ignite(mut hits: MessageReader<Hit>, mut all: Query<(&mut Effects, &Shield)>) {
    for hit in hits.read() {
        if let Ok((mut effects, shield)) = all.get_mut(hit.target)
            && shield.0 == 0
        {
            effects.fire = if effects.frost > 0 { 1 } else { 6 };
        }
    }
}

/// Burning enemies cannot be poisoned.
pub(crate) fn infect(mut hits: MessageReader<Hit>, mut all: Query<&mut Effects>) {
    for hit in hits.read() {
        if let Ok(mut effects) = all.get_mut(hit.target)
            && effects.fire == 0
        {
            effects.poison += 5;
        }
    }
}

/// A strong hit stuns, if the enemy survives it.
pub(crate) fn stun(
    mut hits: MessageReader<Hit>,
    all: Query<&Health, Without<Boss>>,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    for hit in hits.read() {
        if let Ok(health) = all.get(hit.target)
            && health.now > 0
            && random.below(3) == 0
        {
            commands.entity(hit.target).insert(Stunned { ticks: 4 });
        }
    }
}

/// Research finishes off weak enemies.
pub(crate) fn execute(research: Res<Research>, mut all: Query<&mut Health, With<Enemy>>) {
    for mut health in &mut all {
        if health.now < 2 * research.level {
            health.now = 0;
        }
    }
}
