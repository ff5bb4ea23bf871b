//! How the three ways are printed.

use core::fmt;

use crate::options::Options;
use crate::way::Way;

pub(crate) struct Report<'g> {
    pub(crate) business: String,
    pub(crate) n_events: usize,
    pub(crate) options: &'g Options,
    /// The serial loop, the stream, and the locks.
    pub(crate) ways: [Way; 3],
}

impl Report<'_> {
    /// Whether the stream comes to the same as the loop, in every round.
    pub(crate) fn is_good(&self) -> bool {
        let [serial, stream, _] = &self.ways;
        serial.is_steady
            && stream.is_steady
            && (serial.state, serial.outcomes) == (stream.state, stream.outcomes)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            business,
            n_events,
            options,
            ways,
        } = self;
        let from = match &options.file {
            Some(file) => file.display().to_string(),
            None => "chance".to_string(),
        };
        writeln!(f, "{n_events} events from {from}; {business}")?;
        writeln!(
            f,
            "threads: {}; arithmetic in each handler: {} ns\n",
            options.n_threads, options.handler_ns
        )?;
        writeln!(
            f,
            "{:<18}{:>9}{:>9}{:>9}  {:<18}{:<18}{:>12}{:>8}",
            "", "accepted", "refused", "to self", "state", "outcomes", "events/s", "speed"
        )?;
        for way in ways {
            let tally = way.tally;
            let seconds = way.elapsed.as_secs_f64().max(1e-9);
            write!(
                f,
                "{:<18}{:>9}{:>9}{:>9}  {:<18}{:<18}{:>12.0}{:>8.2}",
                way.name,
                tally.n_accepted,
                tally.n_refused,
                tally.n_to_self,
                way.state.to_string(),
                way.outcomes.to_string(),
                *n_events as f64 / seconds,
                ways[0].elapsed.as_secs_f64() / seconds,
            )?;
            writeln!(
                f,
                "{}",
                if way.is_steady {
                    ""
                } else {
                    "  differs from round to round"
                }
            )?;
        }
        match self.is_good() {
            true => writeln!(f, "\nthe stream comes to the same as the loop"),
            false => writeln!(
                f,
                "\nerror: the stream does not come to the same as the loop"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inputs::transfers::reader;

    use super::*;
    use crate::transfers::Ledger;
    use crate::way;

    fn is_good(spoil: impl FnOnce(&mut [Way; 3])) -> bool {
        let options = Options {
            file: None,
            n_threads: 2,
            handler_ns: 0,
        };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/sample.csv");
        let ledger = Ledger::new(&reader::read(&file).unwrap());
        let mut ways = way::take_all(&ledger, &options).unwrap();
        spoil(&mut ways);
        let report = Report {
            business: String::new(),
            n_events: 0,
            options: &options,
            ways,
        };
        report.is_good()
    }

    #[test]
    fn whatever_the_stream_does_otherwise_than_the_loop_is_told() {
        assert!(is_good(|_| ()));
        assert!(!is_good(
            |[serial, stream, _]| stream.state = serial.outcomes
        ));
        assert!(!is_good(
            |[serial, stream, _]| stream.outcomes = serial.state
        ));
        assert!(!is_good(|[_, stream, _]| stream.is_steady = false));
    }

    #[test]
    fn locks_may_come_to_something_else() {
        assert!(is_good(|[serial, _, locks]| {
            locks.state = serial.outcomes;
            locks.is_steady = false;
        }));
    }
}
