//! The results of all contenders.

use core::fmt;

use benches::best::Best;
use benches::quantile::{median, p90};
use benches::rounds::Rounds;
use benches::temperature::Temperature;
use benches::workload::Workload;

/// The name of [`Best`] in results.
pub(crate) const BEST: &str = "best possible";

/// The times of all contenders for one workload, under one set of conditions.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) n_systems: usize,
    pub(crate) cost_ns: u64,
    pub(crate) temperature: Temperature,
    pub(crate) is_pinned: bool,
    /// The maximum speed-up of two workers.
    pub(crate) best: Best,
    /// The figures of the contenders. The serial loop comes first.
    pub(crate) figures: Vec<Figure>,
    /// See [`Rounds`].
    pub(crate) n_rounds: usize,
    pub(crate) n_discarded: usize,
    pub(crate) n_noisy: usize,
}

/// The time per run of one contender.
pub(crate) struct Figure {
    pub(crate) contender: &'static str,
    pub(crate) median_ns: f64,
    pub(crate) p90_ns: f64,
    /// The mean of all samples.
    pub(crate) mean_ns: f64,
}

impl Row {
    pub(crate) fn new(
        workload: &Workload,
        cost_ns: u64,
        temperature: Temperature,
        is_pinned: bool,
        rounds: Rounds,
    ) -> Self {
        let contenders = rounds.names.iter().zip(&rounds.samples);
        let figures = contenders.map(|(contender, samples)| Figure {
            contender,
            median_ns: median(samples.iter().copied()),
            p90_ns: p90(samples.iter().copied()),
            mean_ns: samples.iter().sum::<f64>() / samples.len() as f64,
        });
        let weights: Vec<u64> = workload
            .weights
            .iter()
            .map(|weight| weight[temperature.scene()])
            .collect();
        Self {
            workload: workload.name.clone(),
            n_systems: workload.orders.n_systems(),
            cost_ns,
            temperature,
            is_pinned,
            best: Best::of_two(&workload.orders, &weights),
            figures: figures.collect(),
            n_rounds: rounds.n_rounds,
            n_discarded: rounds.n_discarded,
            n_noisy: rounds.n_noisy,
        }
    }

    /// The speed-up of the median over the serial loop.
    pub(crate) fn speedup(&self, figure: &Figure) -> f64 {
        self.figures[0].median_ns / figure.median_ns
    }

    /// The speed-up of the mean over the serial loop.
    fn speedup_in_all(&self, figure: &Figure) -> f64 {
        self.figures[0].mean_ns / figure.mean_ns
    }

    /// The additional cost of a system, compared with the serial loop.
    fn overhead_ns(&self, figure: &Figure) -> f64 {
        (figure.median_ns - self.figures[0].median_ns) / self.n_systems as f64
    }

    /// In the format of `benches/results`: the time of each contender, absolute and relative to the serial loop.
    pub(crate) fn results(&self) -> Vec<bench_report::Row> {
        let row = |contender: &str| {
            bench_report::Row::new("executor", contender)
                .with("workload", self.workload.as_str())
                .with("temperature", self.temperature.to_string())
                .with("pinned", self.is_pinned)
                .with("systems", self.n_systems)
                .with("cost_ns", self.cost_ns)
        };
        let serial = &self.figures[0];
        let times = self.figures.iter().map(|figure| {
            let row = row(figure.contender)
                .unit("ns per run")
                .median_of(figure.median_ns);
            row.p90_and_mean(figure.p90_ns, figure.mean_ns)
        });
        let others = &self.figures[1..];
        if self.is_empty() {
            let above = others.iter().map(|figure| {
                let row = row(figure.contender).unit("ns per system above the loop");
                row.median_of(self.overhead_ns(figure))
            });
            return times.chain(above).collect();
        }
        let speedups = others.iter().map(|figure| {
            let row = row(figure.contender).median_of(self.speedup(figure));
            let p90 = serial.p90_ns / figure.p90_ns;
            row.p90_and_mean(p90, self.speedup_in_all(figure))
        });
        let best = row(BEST).range_of(self.best.found, self.best.at_most);
        times.chain(speedups).chain([best]).collect()
    }

    /// Whether other processes used too much time in some of the kept rounds.
    pub(crate) fn is_noisy(&self) -> bool {
        self.n_noisy > 0
    }

    /// Whether the systems do nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.cost_ns == 0
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pinned = if self.is_pinned { "yes" } else { "no" };
        let serial = &self.figures[0];
        write!(f, "| {} ", self.workload)?;
        if self.is_empty() {
            let each = serial.median_ns / self.n_systems as f64;
            write!(f, "| {} | {pinned} | {each:.1} |", self.temperature)?;
        } else {
            let (cost, all) = (self.cost_ns as f64 / 1e3, serial.median_ns / 1e3);
            let (temperature, best) = (self.temperature, self.best);
            write!(
                f,
                "| {cost} | {temperature} | {pinned} | {all:.1} | {best} |"
            )?;
        }
        for figure in &self.figures[1..] {
            if self.is_empty() {
                write!(f, " {:.1} |", self.overhead_ns(figure))?;
            } else {
                write!(f, " {:.2}", self.speedup(figure))?;
                if let Temperature::Jump { .. } = self.temperature {
                    write!(f, ", {:.2} in all", self.speedup_in_all(figure))?;
                }
                write!(f, " |")?;
            }
        }
        match self.n_noisy {
            0 => write!(f, " {} |", self.n_rounds),
            n_noisy => write!(f, " {}, {n_noisy} noisy |", self.n_rounds),
        }
    }
}
