//! What a system costs, compared with others of its workload.

use crate::random_graph::Dice;
use crate::scene::N_SCENES;

/// `weight[s]`: how many times the base cost, in scene s; at least 1.
pub type Weight = [u64; N_SCENES];

/// What a heavy system weighs.
const HEAVY: u64 = 20;
/// One system in so many is heavy.
const FEW: usize = 10;

/// All systems alike.
pub fn equal(n_systems: usize) -> Vec<Weight> {
    vec![[1; N_SCENES]; n_systems]
}

/// A tenth of the systems, by chance, costs twenty times as much.
pub fn skewed(n_systems: usize) -> Vec<Weight> {
    let mut weights = equal(n_systems);
    for system in some(n_systems, &mut Dice::new(20)) {
        weights[system] = [HEAVY; N_SCENES];
    }
    weights
}

/// The same, but another tenth in each scene: all that was learned of who is heavy is wrong.
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

/// A tenth of the systems, each once.
fn some(n_systems: usize, dice: &mut Dice) -> Vec<usize> {
    let mut systems: Vec<usize> = (0..n_systems).collect();
    let draw = |_| systems.swap_remove(dice.below(systems.len()));
    (0..n_systems / FEW).map(draw).collect()
}
