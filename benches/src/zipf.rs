//! Zipf-distributed keys: a few are frequent, many are rare.

use crate::random_graph::Dice;

/// Random numbers below `n`. The number of rank r is 1/(r + 1)^theta times as frequent as the first one. The method is that
/// of YCSB (Gray et al. 1994, "Quickly generating billion-record synthetic databases"); O(1) per number. A random permutation
/// assigns ranks to numbers, so that frequent ones are not adjacent in memory.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// The numbers, by rank.
    numbers: Vec<u32>,
    theta: f64,
    zeta_n: f64,
    alpha: f64,
    eta: f64,
}

impl Zipf {
    /// The random numbers determine the permutation. O(n).
    pub fn new(n: usize, theta: f64, dice: &mut Dice) -> Self {
        let zeta = |n: usize| (1..=n).map(|i| (i as f64).powf(-theta)).sum::<f64>();
        let zeta_n = zeta(n);
        let mut numbers: Vec<u32> = (0..n as u32).collect();
        // Fisher, Yates 1938; Durstenfeld 1964.
        for i in (1..n).rev() {
            numbers.swap(i, dice.below(i + 1));
        }
        Self {
            numbers,
            theta,
            zeta_n,
            alpha: 1.0 / (1.0 - theta),
            eta: (1.0 - (2.0 / n as f64).powf(1.0 - theta)) / (1.0 - zeta(2) / zeta_n),
        }
    }

    /// Returns a number.
    pub fn draw(&self, dice: &mut Dice) -> u32 {
        const RESOLUTION: usize = 1 << 52;
        let u = dice.below(RESOLUTION) as f64 / RESOLUTION as f64;
        let n = self.numbers.len();
        let rank = if u * self.zeta_n < 1.0 {
            0
        } else if u * self.zeta_n < 1.0 + 0.5_f64.powf(self.theta) {
            1
        } else {
            (n as f64 * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as usize
        };
        self.numbers[rank.min(n - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequency_of_a_number_follows_its_rank() {
        const N: usize = 1_000;
        const N_DRAWN: usize = 200_000;
        let mut dice = Dice::new(1);
        let zipf = Zipf::new(N, 0.99, &mut dice);
        let mut n_times = [0; N];
        for _ in 0..N_DRAWN {
            n_times[zipf.draw(&mut dice) as usize] += 1;
        }
        n_times.sort_unstable_by(|a, b| b.cmp(a));
        // The first two ranks are exact, the others are approximate.
        for (rank, tolerance) in [(0, 0.03), (1, 0.05), (9, 0.2), (99, 0.2)] {
            let wanted = N_DRAWN as f64 / zipf.zeta_n / ((rank + 1) as f64).powf(0.99);
            let off = f64::from(n_times[rank]) / wanted - 1.0;
            assert!(off.abs() < tolerance, "rank {rank} is off by {off:.3}");
        }
        assert!(n_times[N - 1] > 0);
    }

    #[test]
    fn frequent_numbers_are_not_adjacent() {
        let zipf = Zipf::new(1_000, 0.99, &mut Dice::new(1));
        let mut numbers = zipf.numbers.clone();
        assert!(numbers[0].abs_diff(numbers[1]) > 8);
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..1_000));
    }
}
