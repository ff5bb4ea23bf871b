//! The other processes of the machine.

use std::fs;

/// Measures the processor time of other processes.
#[derive(Debug)]
pub struct Neighbours {
    /// `None` if the system does not report it.
    start: Option<Ticks>,
}

impl Neighbours {
    /// Starts measuring.
    pub fn watch() -> Self {
        Self {
            start: Ticks::read(),
        }
    }

    /// The average number of processors that they have used so far.
    pub fn share(&self) -> Option<f64> {
        let start = self.start?;
        let end = Ticks::read()?;
        let elapsed = (end.all - start.all) / end.n_processors;
        // All counts are rounded down, and the own time consists of two. So a difference of one is not significant.
        let others = (end.busy - start.busy) - (end.own - start.own) - 1.0;
        Some(others.max(0.0) / elapsed.max(1.0))
    }
}

/// Counts since the machine was started, in the time unit of the system.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    n_processors: f64,
    /// The time of all processors.
    all: f64,
    /// The same without idle time. Time of other virtual machines counts as busy.
    busy: f64,
    /// The time of this process.
    own: f64,
}

impl Ticks {
    /// Reads `/proc` on Linux: see `man 5 proc_stat`.
    fn read() -> Option<Self> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let n_processors = machine.lines().filter(|line| line.starts_with("cpu"));
        let fields = machine.lines().next()?.split_whitespace().skip(1);
        // The last two fields are included in the first two.
        let fields: Vec<f64> = fields.take(8).map_while(|text| text.parse().ok()).collect();
        let [user, nice, system, idle, io_wait, irq, soft_irq, steal] = fields[..] else {
            return None;
        };
        let busy = user + nice + system + irq + soft_irq + steal;
        let process = fs::read_to_string("/proc/self/stat").ok()?;
        // The fields after the name of the program, which may contain any characters. Times are fields 14 and 15.
        let mut fields = process.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut field = || fields.next()?.parse::<f64>().ok();
        Some(Self {
            // The first line is the sum of the others.
            n_processors: (n_processors.count() - 1) as f64,
            all: busy + idle + io_wait,
            busy,
            own: field()? + field()?,
        })
    }
}
