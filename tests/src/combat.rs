//! Health, and systems that change it.

use schedule::prelude::*;

/// Decreased by [`poison`] and increased by [`heal`].
#[derive(Debug, PartialEq, Resource)]
pub struct Health(pub i32);

/// Subtracts 3. [`heal`] runs after it.
#[system]
pub fn poison(health: &mut Health) {
    health.0 -= 3;
}

/// Adds 1, after [`poison`].
#[system(after = poison)]
pub fn heal(health: &mut Health) {
    health.0 += 1;
}

/// Adds `N`.
#[system]
pub fn cure<const N: i32>(health: &mut Health) {
    health.0 += N;
}
