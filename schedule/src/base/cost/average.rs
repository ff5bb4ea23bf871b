//! The average cost of a node in a run of its schedule, and how often it runs.

/// After this number of timed runs, earlier measurements count half.
const MEMORY: f64 = 256.0;

/// An execution is far from the average if it takes more than this factor longer or shorter. After `N_FAR` such
/// executions in a row in the same direction, earlier measurements are discarded.
const FAR: f64 = 2.0;
const N_FAR: i32 = 3;

/// The average over the timed runs in which the node was enabled. A node that runs in some of them only, or several
/// times in each, counts as often as it ran.
///
/// The longest measurement is ignored if there are others, because the thread may have been interrupted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Average {
    /// The number of timed runs of the schedule.
    n_runs: f64,
    /// The number of executions of the node in these runs.
    n_executions: f64,
    /// The measurements without the longest one.
    measured: Measured,
    /// The run with the longest time per execution.
    longest: Measured,
    /// The number of consecutive measurements far above the average (positive) or far below it (negative).
    n_far: i32,
}

/// The sum of the measurements of some runs.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    ns: f64,
    n_executions: f64,
}

impl Measured {
    /// Nanoseconds per execution, or 0 without executions.
    fn ns_each(self) -> f64 {
        if self.n_executions > 0.0 {
            self.ns / self.n_executions
        } else {
            0.0
        }
    }

    fn add(&mut self, other: Self) {
        self.ns += other.ns;
        self.n_executions += other.n_executions;
    }
}

impl Average {
    /// An average as if measured in one run: nanoseconds in it, and executions in 1,000 runs.
    pub(super) fn known(ns: u32, runs_per_1000: u32) -> Self {
        // A node that never runs costs nothing.
        let n_executions = match (ns, runs_per_1000) {
            (1.., 0) => 1.0,
            _ => f64::from(runs_per_1000) / 1e3,
        };
        Self {
            n_runs: 1.0,
            n_executions,
            measured: Measured {
                ns: ns.into(),
                n_executions,
            },
            longest: Measured::default(),
            n_far: 0,
        }
    }

    /// Adds a timed run with this number of executions, which took `ns` nanoseconds in total.
    pub(super) fn learn(&mut self, ns: u32, n_executions: u32) {
        self.n_runs += 1.0;
        self.n_executions += f64::from(n_executions);
        if n_executions > 0 {
            let mut one = Measured {
                ns: ns.into(),
                n_executions: n_executions.into(),
            };
            self.note_far(one.ns_each());
            if one.ns_each() > self.longest.ns_each() {
                core::mem::swap(&mut one, &mut self.longest);
            }
            self.measured.add(one);
        }
        if self.n_runs >= MEMORY {
            let Measured { ns, n_executions } = &mut self.measured;
            for sum in [&mut self.n_runs, &mut self.n_executions, ns, n_executions] {
                *sum /= 2.0;
            }
            self.longest = Measured::default();
        }
    }

    /// Counts an execution time that is far from the average.
    fn note_far(&mut self, ns_each: f64) {
        let mean = self.ns_each();
        self.n_far = if ns_each > FAR * mean {
            self.n_far.max(0) + 1
        } else if ns_each < mean / FAR {
            self.n_far.min(0) - 1
        } else {
            0
        };
        if self.n_far.abs() >= N_FAR {
            (self.measured, self.longest, self.n_far) =
                (Measured::default(), Measured::default(), 0);
        }
    }

    /// Nanoseconds per execution.
    fn ns_each(&self) -> f64 {
        let mut measured = self.measured;
        if measured.n_executions < 2.0 {
            measured.add(self.longest);
        }
        measured.ns_each()
    }

    /// The number of timed runs. Earlier ones count less.
    pub(super) fn n_runs(&self) -> f64 {
        self.n_runs
    }

    /// Nanoseconds per run of the schedule. Values of more than about four seconds are capped at `u32::MAX`.
    pub(crate) fn ns(&self) -> u32 {
        (self.ns_each() * self.executions_per_run()).round() as u32
    }

    /// Executions in 1,000 runs of the schedule.
    pub(crate) fn runs_per_1000(&self) -> u32 {
        (1e3 * self.executions_per_run()).round() as u32
    }

    fn executions_per_run(&self) -> f64 {
        self.n_executions / self.n_runs.max(1.0)
    }
}
