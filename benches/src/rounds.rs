//! Contenders that take turns.

use std::time::Instant;

use crate::effort::Effort;
use crate::neighbours::Neighbours;

/// What was measured under one set of conditions.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// `names[c]`: who contender c is.
    pub names: Vec<&'static str>,
    /// `samples[c]`: the figures of contender c, as many for every round that was kept as a sample has.
    pub samples: Vec<Vec<f64>>,
    /// Those that were kept.
    pub n_rounds: usize,
    /// Rounds in which others took too much, and which are not there any more.
    pub n_discarded: usize,
    /// The same, but kept: too many would have been discarded.
    pub n_noisy: usize,
}

/// Processors that others may take.
const TOLERATED: f64 = 0.1;

impl Rounds {
    /// A sample of each contender in every round, another one first each time.
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

/// Some rounds, with what others did meanwhile.
struct Stretch {
    samples: Vec<Vec<f64>>,
    n_rounds: usize,
    /// Processors that others took.
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
