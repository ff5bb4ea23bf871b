//! The output.

use std::fmt;
use std::time::Duration;

use crate::load::Tally;

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// From the first payment to the last answer.
    pub(crate) time: Duration,
    /// The first difference between the balances and the answers.
    pub(crate) difference: Option<String>,
    /// The difference between all balances and all lines of statements.
    pub(crate) missing_lines_cents: i128,
    /// The memory of the process of the bank after the last payment. `None` if it is unknown.
    pub(crate) resident_bytes: Option<u64>,
    /// The growth of this memory during the second half of the payments. `None` if it is unknown, also after a short run.
    pub(crate) growth_bytes: Option<u64>,
    /// The maximum of this growth.
    pub(crate) max_growth_bytes: Option<u64>,
}

impl Report {
    pub(crate) fn is_good(&self) -> bool {
        self.difference.is_none() && self.missing_lines_cents == 0 && !self.grows()
    }

    /// Returns whether the memory grew more than it may, or was not measured although there is a maximum.
    fn grows(&self) -> bool {
        let is_above = |max| self.growth_bytes.is_none_or(|growth| growth > max);
        self.resident_bytes.is_some() && self.max_growth_bytes.is_some_and(is_above)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            n_accepted,
            n_rejected,
            n_unknown,
            n_repeated,
            latency_us,
        } = &self.tally;
        let seconds = self.time.as_secs_f64();
        let n_answered = n_accepted + n_rejected;
        writeln!(
            f,
            "payments: {n_accepted} accepted, {n_rejected} rejected, {n_unknown} without an answer; {n_repeated} repeats"
        )?;
        writeln!(
            f,
            "time: {seconds:.2} s, {:.0} answers per second",
            n_answered as f64 / seconds
        )?;
        writeln!(
            f,
            "latency: p50 {} µs, p99 {} µs, maximum {} µs",
            latency_us.value_at_quantile(0.5),
            latency_us.value_at_quantile(0.99),
            latency_us.max()
        )?;
        writeln!(
            f,
            "memory of the bank: {}; growth in the second half: {}{}",
            Mebibytes(self.resident_bytes),
            Mebibytes(self.growth_bytes),
            match self.growth_bytes {
                _ if !self.grows() => "",
                Some(_) => ", TOO MUCH",
                None => ", NOT MEASURED: use more payments",
            }
        )?;
        match &self.difference {
            None => writeln!(f, "balances: as expected, and no money was lost")?,
            Some(difference) => writeln!(f, "balances: WRONG, {difference}")?,
        }
        match self.missing_lines_cents {
            0 => writeln!(f, "statements: complete"),
            missing => writeln!(f, "statements: WRONG, {missing} cents are missing"),
        }
    }
}

/// A number of bytes, or nothing if it is unknown.
struct Mebibytes(Option<u64>);

impl fmt::Display for Mebibytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            None => f.write_str("unknown (it is read only on Linux)"),
        }
    }
}

pub(crate) fn print_progress(time: Duration, n_payments: u64, resident_bytes: Option<u64>) {
    let seconds = time.as_secs_f64();
    let memory = Mebibytes(resident_bytes);
    println!("{seconds:8.1} s  {n_payments:>10} payments  memory of the bank: {memory}");
}
