//! Samples of contenders that are long enough for the clock.

use benches::effort::Effort;
use benches::rounds::Rounds;
use benches::temperature::Temperature;

use crate::contender::Contender;

/// The minimum length of a sample, in nanoseconds. Reading the clock takes about 20 ns.
const LEAST_SAMPLE_NS: f64 = 20e3;

/// Nanoseconds per run. Each round has as many figures as [`Temperature::sample`] returns.
pub(crate) fn measure(
    contenders: &mut [Box<dyn Contender>],
    temperature: Temperature,
    effort: Effort,
) -> Rounds {
    let n_runs: Vec<u32> = match temperature {
        Temperature::Hot => contenders
            .iter_mut()
            .map(|one| n_runs(&mut **one))
            .collect(),
        Temperature::Cold { .. } | Temperature::Jump { .. } => vec![1; contenders.len()],
    };
    let names = contenders.iter().map(|one| one.name()).collect();
    Rounds::measure(names, effort, |idx| {
        contenders[idx].sample(temperature, n_runs[idx])
    })
}

/// The number of runs in a sample.
fn n_runs(contender: &mut dyn Contender) -> u32 {
    let mut n_runs = 1;
    loop {
        // The minimum, because an interruption would end the search too early.
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let each_ns: f64 = contender.sample(Temperature::Hot, n_runs).iter().sum();
            let sample_ns = f64::from(n_runs) * each_ns;
            least = least.min(sample_ns);
            // No interruption takes this long.
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
