//! Measurement of contenders in rounds.

use std::time::Instant;

use crate::effort::Effort;
use crate::neighbours::Neighbours;

/// The results under one set of conditions.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// `names[c]`: the name of contender c.
    pub names: Vec<&'static str>,
    /// `samples[c]`: the figures of contender c, those of a sample for each kept round.
    pub samples: Vec<Vec<f64>>,
    /// The number of rounds that were kept.
    pub n_rounds: usize,
    /// The number of rounds that were discarded, because other processes used too much time.
    pub n_discarded: usize,
    /// The number of such rounds that were kept, because too many would have been discarded.
    pub n_noisy: usize,
}

/// The number of processors that other processes may use.
const TOLERATED: f64 = 0.1;

impl Rounds {
    /// Takes a sample of each contender in every round. Another contender is first in each round.
    pub fn measure(
        names: Vec<&'static str>,
        effort: Effort,
        mut sample: impl FnMut(usize) -> Vec<f64>,
    ) -> Self {
        let n_contenders = names.len();
        let mut stretches: Vec<Stretch> = Vec::new();
        let n_quiet = |stretches: &[Stretch]| stretches.iter().filter(|one| one.is_quiet()).count();
        while n_quiet(&stretches) < effort.n_stretches
            && stretches.len() < effort.n_stretches + effort.n_retries
        {
            stretches.push(Stretch::measure(n_contenders, effort, &mut sample));
        }
        stretches.sort_by(|a, b| a.others.total_cmp(&b.others));
        let discarded = stretches.split_off(effort.n_stretches);
        let noisy = stretches.iter().filter(|one| !one.is_quiet());
        let n_rounds = |stretches: &[Stretch]| stretches.iter().map(|one| one.n_rounds).sum();
        Self {
            n_rounds: n_rounds(&stretches),
            names,
            n_discarded: n_rounds(&discarded),
            n_noisy: noisy.map(|one| one.n_rounds).sum(),
            samples: (0..n_contenders)
                .map(|idx| {
                    stretches
                        .iter()
                        .flat_map(|one| one.samples[idx].iter().copied())
                        .collect()
                })
                .collect(),
        }
    }
}

/// Some rounds, with the time of other processes meanwhile.
struct Stretch {
    samples: Vec<Vec<f64>>,
    n_rounds: usize,
    /// The number of processors that other processes used.
    others: f64,
}

impl Stretch {
    fn measure(
        n_contenders: usize,
        effort: Effort,
        sample: &mut impl FnMut(usize) -> Vec<f64>,
    ) -> Self {
        let mut samples = vec![Vec::new(); n_contenders];
        let neighbours = Neighbours::watch();
        let start = Instant::now();
        let mut round = 0;
        while round < effort.n_rounds || start.elapsed() < effort.stretch {
            for turn in 0..n_contenders {
                let idx = (round + turn) % n_contenders;
                samples[idx].extend(sample(idx));
            }
            round += 1;
        }
        Self {
            samples,
            n_rounds: round,
            others: neighbours.share().unwrap_or(0.0),
        }
    }

    fn is_quiet(&self) -> bool {
        self.others <= TOLERATED
    }
}
