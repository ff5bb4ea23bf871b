//! The systems of money, score and research.

use bevy_ecs::prelude::*;

use crate::game::*;

pub(crate) fn pay_bounties(
    mut died: MessageReader<Died>,
    combo: Res<Combo>,
    mut money: ResMut<Money>,
) {
    for died in died.read() {
        money.0 += died.bounty + combo.n / 4;
    }
}

pub(crate) fn pay_interest(tick: Res<Tick>, mut money: ResMut<Money>) {
    if tick.0.is_multiple_of(20) {
        money.0 += money.0 / 25;
    }
}

/// Bosses near the end take money.
pub(crate) fn steal(bosses: Query<&Position, With<Boss>>, mut money: ResMut<Money>) {
    for position in &bosses {
        if position.0 > PATH * 3 / 4 {
            money.0 -= money.0.min(1);
        }
    }
}

pub(crate) fn extend_combo(mut died: MessageReader<Died>, mut combo: ResMut<Combo>) {
    for _ in died.read() {
        combo.n += 1;
        combo.ticks = 15;
    }
}

pub(crate) fn end_combo(mut combo: ResMut<Combo>) {
    combo.ticks -= 1;
    if combo.ticks < 0 {
        combo.n = 0;
    }
}

pub(crate) fn add_score(
    mut died: MessageReader<Died>,
    combo: Res<Combo>,
    wave: Res<Wave>,
    mut score: ResMut<Score>,
) {
    for died in died.read() {
        score.0 += died.bounty * (1 + combo.n / 5) + i64::from(wave.number);
    }
}

pub(crate) fn build(
    towers: Query<&Tower>,
    mut money: ResMut<Money>,
    mut random: ResMut<Random>,
    mut commands: Commands,
) {
    let n_towers = towers.iter().len();
    let price = 30 + 10 * n_towers as i64;
    if n_towers == 24 || money.0 < price {
        return;
    }
    money.0 -= price;
    let (tower, range, damage) = match n_towers % 3 {
        0 => (Tower::Cannon, 30, 9),
        1 => (Tower::Frost, 25, 0),
        _ => (Tower::Sniper, 70, 12),
    };
    commands.spawn((
        tower,
        Weapon {
            range,
            damage,
            level: 1,
        },
        Position(20 + random.below(PATH - 60)),
        Cooldown(0),
        Heat(0),
        Target::default(),
    ));
}

pub(crate) fn upgrade(mut towers: Query<&mut Weapon>, mut money: ResMut<Money>) {
    let weakest = towers.iter_mut().min_by_key(|weapon| weapon.level);
    if let Some(mut weapon) = weakest {
        let price = 25 * i64::from(weapon.level);
        if money.0 >= price + 40 {
            money.0 -= price;
            weapon.level += 1;
            weapon.damage += 2;
            weapon.range += 1;
        }
    }
}

pub(crate) fn repair(mut money: ResMut<Money>, mut lives: ResMut<Lives>) {
    if lives.0 < 20 && money.0 >= 60 {
        money.0 -= 60;
        lives.0 += 1;
    }
}

pub(crate) fn study(
    score: Res<Score>,
    tick: Res<Tick>,
    mut research: ResMut<Research>,
    mut money: ResMut<Money>,
) {
    if tick.0.is_multiple_of(10) && money.0 >= 50 {
        money.0 -= 10;
        research.points += 1 + score.0 / 100;
        if research.points >= 40 {
            research.points = 0;
            research.level += 1;
        }
    }
}
