//! The times in which only one thread works.

use core::fmt;
use std::collections::BTreeMap;
use std::time::Duration;

use schedule::timeline::Timeline;

/// Times in recorded frames, by the systems that run while no other thread runs one.
#[derive(Default)]
pub(crate) struct Alone {
    n_frames: u32,
    times: BTreeMap<String, Duration>,
}

impl Alone {
    pub(crate) fn add(&mut self, frame: &Timeline) {
        self.n_frames += 1;
        let ends = frame.executions.iter().flat_map(|one| [one.start, one.end]);
        let mut times: Vec<_> = ends.chain([Duration::ZERO, frame.makespan]).collect();
        times.sort();
        for pair in times.windows(2) {
            let mut running = frame
                .executions
                .iter()
                .filter(|one| one.start <= pair[0] && pair[1] <= one.end);
            let label = match (running.next(), running.next()) {
                (None, _) => "(no system)".to_owned(),
                (Some(one), None) => one.systems().collect::<Vec<_>>().join(", "),
                (Some(_), Some(_)) => "(several threads)".to_owned(),
            };
            *self.times.entry(label).or_default() += pair[1] - pair[0];
        }
    }
}

/// One line for each time of at least a microsecond per frame, the longest first.
impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by(|one, other| other.1.cmp(one.1));
        for (label, &time) in times {
            let micros = (time / self.n_frames.max(1)).as_micros();
            if micros > 0 {
                writeln!(f, "  {micros:>6} µs per frame  {label}")?;
            }
        }
        Ok(())
    }
}
