//! The relative costs of the systems of a workload.

use crate::random_graph::Dice;
use crate::scene::N_SCENES;

/// `weight[s]`: the cost in scene s, as a multiple of the base cost; at least 1.
pub type Weight = [u64; N_SCENES];

/// The weight of a heavy system.
const HEAVY: u64 = 20;
/// One of this number of systems is heavy.
const FEW: usize = 10;

/// All systems have the same weight.
pub fn equal(n_systems: usize) -> Vec<Weight> {
    vec![[1; N_SCENES]; n_systems]
}

/// A random tenth of the systems costs twenty times as much.
pub fn skewed(n_systems: usize) -> Vec<Weight> {
    let mut weights = equal(n_systems);
    for system in some(n_systems, &mut Dice::new(20)) {
        weights[system] = [HEAVY; N_SCENES];
    }
    weights
}

/// The same, but another tenth in each scene. So measured costs are wrong after a jump.
pub fn swapped(n_systems: usize) -> Vec<Weight> {
    let mut weights = equal(n_systems);
    let mut dice = Dice::new(20);
    let tenths: [Vec<usize>; N_SCENES] = core::array::from_fn(|_| some(n_systems, &mut dice));
    for (scene, tenth) in tenths.into_iter().enumerate() {
        for system in tenth {
            weights[system][scene] = HEAVY;
        }
    }
    weights
}

/// All systems have the same weight, and all are heavy in the second scene. There a run with helpers is faster, unlike in the first.
pub fn surging(n_systems: usize) -> Vec<Weight> {
    vec![[1, HEAVY]; n_systems]
}

/// A random tenth of the systems, without repetition.
fn some(n_systems: usize, dice: &mut Dice) -> Vec<usize> {
    let mut systems: Vec<usize> = (0..n_systems).collect();
    let draw = |_| systems.swap_remove(dice.below(systems.len()));
    (0..n_systems / FEW).map(draw).collect()
}
