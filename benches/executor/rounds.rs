//! Contenders that take turns.

use std::time::Instant;

use benches::temperature::Temperature;

use crate::contender::Contender;
use crate::effort::Effort;
use crate::neighbours::Neighbours;

/// What was measured under one set of conditions.
pub(crate) struct Rounds {
    /// `names[c]`: who contender c is.
    pub(crate) names: Vec<&'static str>,
    /// `samples[c]`: nanoseconds per run of contender c, as many figures for every round that was kept as
    /// [`Temperature::sample`] returns.
    pub(crate) samples: Vec<Vec<f64>>,
    /// Those that were kept.
    pub(crate) n_rounds: usize,
    /// Rounds in which others took too much, and which are not there any more.
    pub(crate) n_discarded: usize,
    /// The same, but kept: too many would have been discarded.
    pub(crate) n_noisy: usize,
}

/// Processors that others may take.
const TOLERATED: f64 = 0.1;
/// Nanoseconds: what is measured at once is at least so long, for a clock that takes some 20 ns to read.
const LEAST_SAMPLE_NS: f64 = 20e3;

impl Rounds {
    /// Each contender once in every round, another one first each time.
    pub(crate) fn measure(
        contenders: &mut [Box<dyn Contender>],
        temperature: Temperature,
        effort: Effort,
    ) -> Self {
        let n_runs: Vec<u32> = match temperature {
            Temperature::Hot => contenders
                .iter_mut()
                .map(|one| n_runs(&mut **one))
                .collect(),
            Temperature::Cold { .. } | Temperature::Jump { .. } => vec![1; contenders.len()],
        };
        let mut stretches: Vec<Stretch> = Vec::new();
        let n_quiet = |stretches: &[Stretch]| stretches.iter().filter(|one| one.is_quiet()).count();
        while n_quiet(&stretches) < effort.n_stretches
            && stretches.len() < effort.n_stretches + effort.n_retries
        {
            stretches.push(Stretch::measure(contenders, &n_runs, temperature, effort));
        }
        stretches.sort_by(|a, b| a.others.total_cmp(&b.others));
        let discarded = stretches.split_off(effort.n_stretches);
        let noisy = stretches.iter().filter(|one| !one.is_quiet());
        let n_rounds = |stretches: &[Stretch]| stretches.iter().map(|one| one.n_rounds).sum();
        Self {
            n_rounds: n_rounds(&stretches),
            names: contenders.iter().map(|one| one.name()).collect(),
            n_discarded: n_rounds(&discarded),
            n_noisy: noisy.map(|one| one.n_rounds).sum(),
            samples: (0..contenders.len())
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

/// How many runs it takes to make a sample long enough.
fn n_runs(contender: &mut dyn Contender) -> u32 {
    let mut n_runs = 1;
    loop {
        // The least: one that was interrupted would end this too early.
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let each_ns: f64 = contender.sample(Temperature::Hot, n_runs).iter().sum();
            let sample_ns = f64::from(n_runs) * each_ns;
            least = least.min(sample_ns);
            // No interruption takes so long.
            if least > 50.0 * LEAST_SAMPLE_NS {
                break;
            }
        }
        if least >= LEAST_SAMPLE_NS {
            return n_runs;
        }
        n_runs *= 2;
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
        contenders: &mut [Box<dyn Contender>],
        n_runs: &[u32],
        temperature: Temperature,
        effort: Effort,
    ) -> Self {
        let mut samples = vec![Vec::new(); contenders.len()];
        let neighbours = Neighbours::watch();
        let start = Instant::now();
        let mut round = 0;
        while round < effort.n_rounds || start.elapsed() < effort.stretch {
            for turn in 0..contenders.len() {
                let idx = (round + turn) % contenders.len();
                samples[idx].extend(contenders[idx].sample(temperature, n_runs[idx]));
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
