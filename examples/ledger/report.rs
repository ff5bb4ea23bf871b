//! The report about the methods.

use core::fmt;

use crate::method::{Measurement, Measurements};
use crate::options::Options;

pub(crate) struct Report<'g> {
    pub(crate) workload: String,
    pub(crate) n_events: usize,
    pub(crate) options: &'g Options,
    pub(crate) measurements: Measurements,
}

impl Report<'_> {
    /// Returns whether the stream and the processes had the same result as the loop in every round.
    pub(crate) fn is_good(&self) -> bool {
        let Measurements {
            serial,
            stream,
            processes,
            ..
        } = &self.measurements;
        let is_same = |method: &Measurement| {
            method.is_deterministic
                && (method.state, method.outcomes) == (serial.state, serial.outcomes)
        };
        serial.is_deterministic && is_same(stream) && processes.as_ref().is_none_or(is_same)
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
        for method in measurements.all() {
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
                measurements.serial.elapsed.as_secs_f64() / seconds,
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
        let methods = match options.n_processes {
            None => "the stream and the loop",
            Some(_) => "the stream, the processes and the loop",
        };
        if self.is_good() {
            writeln!(f, "\n{methods} have the same result")
        } else {
            writeln!(f, "\nerror: {methods} have different results")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use inputs::transfers::reader;

    use super::*;
    use crate::method;
    use crate::transfers::Ledger;
    use crate::work::Work;

    fn is_good(spoil: impl FnOnce(&mut Measurements)) -> bool {
        let options = Options {
            file: None,
            n_threads: 2,
            n_processes: None,
            handler_ns: 0,
        };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/sample.csv");
        let ledger = Ledger::new(&reader::read(&file).unwrap());
        let mut measurements = method::run_all(&Arc::new(ledger), Work::new(0), &options).unwrap();
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
        assert!(!is_good(|all| all.stream.state = all.serial.outcomes));
        assert!(!is_good(|all| all.stream.outcomes = all.serial.state));
        assert!(!is_good(|all| all.stream.is_deterministic = false));
    }

    #[test]
    fn processes_that_differ_from_the_loop_are_an_error() {
        let of_processes = |change: fn(&mut Measurement)| {
            is_good(|all| {
                let mut processes = all.serial.clone();
                change(&mut processes);
                all.processes = Some(processes);
            })
        };
        assert!(of_processes(|_| ()));
        assert!(!of_processes(
            |processes| processes.state = processes.outcomes
        ));
        assert!(!of_processes(
            |processes| processes.outcomes = processes.state
        ));
        assert!(!of_processes(|processes| processes.is_deterministic = false));
    }

    #[test]
    fn locks_may_have_a_different_result() {
        assert!(is_good(|all| {
            all.locks.state = all.serial.outcomes;
            all.locks.is_deterministic = false;
        }));
    }
}
