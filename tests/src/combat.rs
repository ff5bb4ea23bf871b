//! Health, and what becomes of it.

use schedule::prelude::*;

/// What [`poison`] takes and [`heal`] gives.
#[derive(Debug, PartialEq, Resource)]
pub struct Health(pub i32);

/// Takes 3. [`heal`] comes after it.
#[system]
pub fn poison(health: &mut Health) {
    health.0 -= 3;
}

/// Gives 1, after [`poison`].
#[system(after = poison)]
pub fn heal(health: &mut Health) {
    health.0 += 1;
}

/// Gives as often as the parameters say.
#[system]
pub fn cure<const N: i32>(health: &mut Health) {
    health.0 += N;
}
