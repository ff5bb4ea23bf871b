//! Few keys often, many seldom.

use benches::random_graph::Dice;

/// Numbers below `n`, of which the one of rank r comes about 1/(r + 1)^theta as often as the first. Gray et al. 1994
/// ("Quickly generating billion-record synthetic databases"), as YCSB does it; O(1) a number. Scrambled: a permutation by
/// chance says which number has which rank, so that frequent ones are no neighbours in memory.
pub(crate) struct Zipf {
    /// By rank.
    numbers: Vec<u32>,
    theta: f64,
    zeta_n: f64,
    alpha: f64,
    eta: f64,
}

impl Zipf {
    pub(crate) fn new(n: usize, theta: f64, dice: &mut Dice) -> Self {
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

    pub(crate) fn draw(&self, dice: &mut Dice) -> u32 {
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
