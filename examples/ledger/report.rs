//! The report about the three methods.

use core::fmt;

use crate::method::Measurement;
use crate::options::Options;

pub(crate) struct Report<'g> {
    pub(crate) workload: String,
    pub(crate) n_events: usize,
    pub(crate) options: &'g Options,
    /// The serial loop, the stream, and the locks.
    pub(crate) measurements: [Measurement; 3],
}

impl Report<'_> {
    /// Returns whether the stream had the same result as the loop in every round.
    pub(crate) fn is_good(&self) -> bool {
        let [serial, stream, _] = &self.measurements;
        serial.is_deterministic
            && stream.is_deterministic
            && (serial.state, serial.outcomes) == (stream.state, stream.outcomes)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            workload,
            n_events,
            options,
            measurements,
        } = self;
        let from = match &options.file {
            Some(file) => file.display().to_string(),
            None => "a random generator".to_string(),
        };
        writeln!(f, "{n_events} events from {from}; {workload}")?;
        writeln!(
            f,
            "threads: {}; arithmetic in each handler: {} ns\n",
            options.n_threads, options.handler_ns
        )?;
        writeln!(
            f,
            "{:<18}{:>9}{:>9}{:>9}  {:<18}{:<18}{:>12}{:>8}",
            "", "accepted", "rejected", "to self", "state", "outcomes", "events/s", "speed"
        )?;
        for method in measurements {
            let tally = method.tally;
            let seconds = method.elapsed.as_secs_f64().max(1e-9);
            write!(
                f,
                "{:<18}{:>9}{:>9}{:>9}  {:<18}{:<18}{:>12.0}{:>8.2}",
                method.name,
                tally.n_accepted,
                tally.n_rejected,
                tally.n_to_self,
                method.state.to_string(),
                method.outcomes.to_string(),
                *n_events as f64 / seconds,
                measurements[0].elapsed.as_secs_f64() / seconds,
            )?;
            writeln!(
                f,
                "{}",
                if method.is_deterministic {
                    ""
                } else {
                    "  differs between rounds"
                }
            )?;
        }
        match self.is_good() {
            true => writeln!(f, "\nthe stream and the loop have the same result"),
            false => writeln!(f, "\nerror: the stream and the loop have different results"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inputs::transfers::reader;

    use super::*;
    use crate::method;
    use crate::transfers::Ledger;

    fn is_good(spoil: impl FnOnce(&mut [Measurement; 3])) -> bool {
        let options = Options {
            file: None,
            n_threads: 2,
            handler_ns: 0,
        };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/sample.csv");
        let ledger = Ledger::new(&reader::read(&file).unwrap());
        let mut measurements = method::run_all(&ledger, &options).unwrap();
        spoil(&mut measurements);
        let report = Report {
            workload: String::new(),
            n_events: 0,
            options: &options,
            measurements,
        };
        report.is_good()
    }

    #[test]
    fn a_stream_that_differs_from_the_loop_is_an_error() {
        assert!(is_good(|_| ()));
        assert!(!is_good(
            |[serial, stream, _]| stream.state = serial.outcomes
        ));
        assert!(!is_good(
            |[serial, stream, _]| stream.outcomes = serial.state
        ));
        assert!(!is_good(|[_, stream, _]| stream.is_deterministic = false));
    }

    #[test]
    fn locks_may_have_a_different_result() {
        assert!(is_good(|[serial, _, locks]| {
            locks.state = serial.outcomes;
            locks.is_deterministic = false;
        }));
    }
}
