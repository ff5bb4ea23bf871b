//! What happens right before a run is timed.

use core::fmt;
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temperature {
    /// Other runs.
    Hot,
    /// Nothing, for so long.
    Cold {
        /// Milliseconds.
        idle_ms: u64,
    },
}

/// How long one is kept warm for at least, unless [`ENOUGH_RUNS`] take less.
const WARM: Duration = Duration::from_millis(1);
const ENOUGH_RUNS: u32 = 3;

impl Temperature {
    /// As after a moment between two frames, and after a frame of a game.
    pub(crate) const ALL: [Self; 3] = [
        Self::Hot,
        Self::Cold { idle_ms: 2 },
        Self::Cold { idle_ms: 16 },
    ];

    /// Nanoseconds per run: of `n_runs` in a row if hot, else of one.
    pub(crate) fn sample(self, n_runs: u32, mut run: impl FnMut()) -> f64 {
        let mut time = |n_runs: u32| {
            let start = Instant::now();
            for _ in 0..n_runs {
                run();
            }
            start.elapsed()
        };
        match self {
            Self::Hot => {
                let mut warm = Duration::ZERO;
                for _ in 0..ENOUGH_RUNS {
                    if warm < WARM {
                        warm += time(n_runs);
                    }
                }
                nanoseconds(time(n_runs)) / f64::from(n_runs)
            }
            Self::Cold { idle_ms } => {
                thread::sleep(Duration::from_millis(idle_ms));
                nanoseconds(time(1))
            }
        }
    }
}

fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hot => f.write_str("hot"),
            Self::Cold { idle_ms } => write!(f, "cold {idle_ms} ms"),
        }
    }
}
