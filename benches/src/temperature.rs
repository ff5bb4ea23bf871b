//! The activity before a timed run.

use core::fmt;
use std::thread;
use std::time::{Duration, Instant};

use crate::scene;

/// The activity before a timed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temperature {
    /// Other runs of the same contender.
    Hot,
    /// Nothing, for this time.
    Cold {
        /// Milliseconds.
        idle_ms: u64,
    },
    /// Runs in the other scene, until all costs jump. Then [`N_AFTER_JUMP`] runs are timed separately. A contender that needs
    /// more than half of them to adapt has a worse median.
    Jump {
        /// The scene that begins.
        to: usize,
    },
}

/// The minimum duration of the runs before a hot one, unless [`ENOUGH_RUNS`] take less.
const WARM: Duration = Duration::from_millis(1);
const ENOUGH_RUNS: u32 = 3;
/// The number of runs in a scene.
pub const N_AFTER_JUMP: u32 = 64;

impl Temperature {
    /// Without a pause, after a short pause between two frames, and after a pause of a whole frame.
    pub const STEADY: &[Self] = &[
        Self::Hot,
        Self::Cold { idle_ms: 2 },
        Self::Cold { idle_ms: 16 },
    ];

    /// For workloads whose costs change.
    pub const JUMPS: &[Self] = &[Self::Jump { to: 0 }, Self::Jump { to: 1 }];

    /// The scene whose costs apply during the timed run.
    pub fn scene(self) -> usize {
        match self {
            Self::Hot | Self::Cold { .. } => 0,
            Self::Jump { to } => to,
        }
    }

    /// Nanoseconds per run: one figure for `n_runs` in a row if hot, for a single run if cold, and for each run after a
    /// jump.
    pub fn sample(self, n_runs: u32, mut run: impl FnMut()) -> Vec<f64> {
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
                vec![nanoseconds(time(n_runs)) / f64::from(n_runs)]
            }
            Self::Cold { idle_ms } => {
                thread::sleep(Duration::from_millis(idle_ms));
                vec![nanoseconds(time(1))]
            }
            Self::Jump { to } => {
                scene::set(1 - to);
                time(N_AFTER_JUMP);
                scene::set(to);
                let runs = (0..N_AFTER_JUMP).map(|_| nanoseconds(time(1)));
                runs.collect()
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
            Self::Jump { to } => write!(f, "jump to {to}"),
        }
    }
}
