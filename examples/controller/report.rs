//! The table of both flights.

use std::fmt;
use std::time::Duration;

use schedule::report::Histogram;

use crate::rates::Periods;

/// The results of a rate in one flight.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) rate: &'static str,
    /// Number of due times.
    pub(crate) n_due: u64,
    /// Due times whose run began later than half a period after them.
    pub(crate) n_late: u64,
    /// Due times without a run.
    pub(crate) n_skipped: u64,
    /// Due times in which a system of the rate has failed.
    pub(crate) n_failed: u64,
    pub(crate) n_deadline_missed: u64,
    pub(crate) periods: Periods,
}

impl Line {
    pub(crate) fn new(rate: &'static str, periods: Periods) -> Self {
        Self {
            rate,
            n_due: 0,
            n_late: 0,
            n_skipped: 0,
            n_failed: 0,
            n_deadline_missed: 0,
            periods,
        }
    }
}

/// The results of one flight.
pub(crate) struct Side {
    pub(crate) lines: Vec<Line>,
    pub(crate) run_time: Histogram,
    /// How often the results of the planner were not there in time.
    pub(crate) n_plans_late: u64,
    pub(crate) last_telemetry: String,
}

/// The mean times of a run in simulated time.
#[derive(Default)]
pub(crate) struct MeanTimes {
    pub(crate) driver: Duration,
    pub(crate) by_hand: Duration,
}

/// The comparison of both flights.
pub(crate) struct Report {
    pub(crate) n_seconds: u32,
    pub(crate) driver: Side,
    pub(crate) by_hand: Side,
    pub(crate) mean: MeanTimes,
    /// Number of runs of the mean times.
    pub(crate) n_runs: u32,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} s in real time, in turns of 1 s; times in µs",
            self.n_seconds
        )?;
        writeln!(
            f,
            "{:<8} {:<8} {:>6} {:>5} {:>7} {:>6} {:>6} | period error {:>6} {:>8} {:>8}",
            "rate", "", "due", "late", "skipped", "failed", "missed", "p50", "p99", "max"
        )?;
        for (driver, by_hand) in self.driver.lines.iter().zip(&self.by_hand.lines) {
            write_line(f, driver.rate, "driver", driver)?;
            write_line(f, "", "by hand", by_hand)?;
        }
        writeln!(
            f,
            "missed: due times whose systems ended after their deadline, the next due time"
        )?;
        for (name, side) in [("driver", &self.driver), ("by hand", &self.by_hand)] {
            writeln!(f, "{name}: {}", side.last_telemetry)?;
            writeln!(f, "    time of a run: {}", side.run_time)?;
            let [first, others @ ..] = side.lines[0].periods.missed;
            let text = "1 kHz, late or skipped in the 20 ms after a start of the planner";
            writeln!(
                f,
                "    {text}: {first}, in the next four times 20 ms: {others:?}"
            )?;
            writeln!(f, "    late results of the planner: {}", side.n_plans_late)?;
        }
        writeln!(
            f,
            "mean of {} runs in simulated time: driver {:.2?}, by hand {:.2?}",
            self.n_runs, self.mean.driver, self.mean.by_hand
        )
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, rate: &str, name: &str, line: &Line) -> fmt::Result {
    let mut errors = line.periods.errors.clone();
    errors.sort_unstable();
    let quantile = |share: f64| {
        let idx = (errors.len() as f64 * share) as usize;
        let error = errors.get(idx.min(errors.len().saturating_sub(1)));
        error.map_or(0.0, |error| error.as_secs_f64() * 1e6)
    };
    writeln!(
        f,
        "{rate:<8} {name:<8} {:>6} {:>5} {:>7} {:>6} {:>6} | {:>19.1} {:>8.1} {:>8.1}",
        line.n_due,
        line.n_late,
        line.n_skipped,
        line.n_failed,
        line.n_deadline_missed,
        quantile(0.5),
        quantile(0.99),
        quantile(1.0),
    )
}
