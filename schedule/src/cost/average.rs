//! What a node takes in a run of its schedule on the average, and how often it runs in that.

/// After so many timed runs, what was measured before them counts for half.
const MEMORY: f64 = 256.0;

/// An execution that takes more than so many times as long as the average, or less than that part of it, is far from it. If so many
/// in a row are, in the same direction, the node has become another: what was measured before is forgotten.
const FAR: f64 = 2.0;
const N_FAR: i32 = 3;

/// Of the timed runs in which the node was switched on. A node that runs in some of them only, or several times in each,
/// counts as often as it ran.
///
/// Of the measurements the longest does not count, as the thread may have been interrupted in it, if there are others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Average {
    /// Timed runs of the schedule.
    n_runs: f64,
    /// How often the node ran in them.
    n_executions: f64,
    /// What counts.
    measured: Measured,
    /// In one run, the longest by what an execution took.
    longest: Measured,
    /// The last measurements, in a row, that were far above the average (positive) or far below it (negative).
    n_far: i32,
}

/// What was measured in some runs.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    ns: f64,
    n_executions: f64,
}

impl Measured {
    /// Nanoseconds that an execution takes; 0 if there was none.
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
    /// As if it had been measured in one run: nanoseconds in it, and how often the node runs in 1,000 of them.
    pub(super) fn known(ns: u32, runs_per_1000: u32) -> Self {
        // What never runs takes nothing.
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

    /// One more timed run, in which the node ran so often and took so many nanoseconds in all.
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

    /// An execution takes so many nanoseconds now.
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

    /// Nanoseconds per run of the schedule; the greatest number for more than four seconds.
    pub(crate) fn ns(&self) -> u32 {
        (self.ns_each() * self.executions_per_run()).round() as u32
    }

    /// How often the node runs in 1,000 runs of the schedule.
    pub(crate) fn runs_per_1000(&self) -> u32 {
        (1e3 * self.executions_per_run()).round() as u32
    }

    fn executions_per_run(&self) -> f64 {
        self.n_executions / self.n_runs.max(1.0)
    }
}
