//! The events of a flight, and its length.

use std::time::Duration;

use crate::device::{Fault, FaultKind};
use crate::parameters::Uplink;
use crate::planner::Mission;

/// The events of a flight. Both controllers get the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The time of the last run. A multiple of 100 ms.
    pub(crate) length: Duration,
    pub(crate) faults: Vec<Fault>,
    /// Times, and texts of parameters.
    pub(crate) uploads: Vec<(Duration, String)>,
    pub(crate) mission: Mission,
    /// The charge of the battery at the start, from 0 to 1.
    pub(crate) charge: f64,
}

/// A text of parameters.
pub(crate) const CALM: &str = "tilt_gain = 7 # calm\nclimb_speed = 1\n";
/// A text with a mistake.
pub(crate) const MISTAKE: &str = "tilt_gain = 6\nclimb_speed = 1000\n";

/// The altitude in each second, repeated.
const TARGETS: [f64; 3] = [0.6, 0.9, 0.7];

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

impl Script {
    /// A flight without faults and uploads.
    pub(crate) fn new(n_seconds: u32) -> Self {
        let seconds = (0..n_seconds).map(|n| Duration::from_secs(n.into()));
        Self {
            length: Duration::from_secs(n_seconds.into()),
            faults: Vec::new(),
            uploads: Vec::new(),
            mission: Mission {
                targets: seconds.zip(TARGETS.into_iter().cycle()).collect(),
                work: Duration::ZERO,
            },
            charge: 1.0,
        }
    }

    /// A flight in which the sensors fail for 20 ms, and the ground sends parameters twice.
    pub(crate) fn eventful(n_seconds: u32) -> Self {
        Self {
            faults: vec![
                Fault {
                    during: ms(600)..ms(610),
                    kind: FaultKind::Silent,
                },
                Fault {
                    during: ms(610)..ms(620),
                    kind: FaultKind::Garbage,
                },
            ],
            uploads: vec![(ms(300), CALM.into()), (ms(700), MISTAKE.into())],
            ..Self::new(n_seconds)
        }
    }

    pub(crate) fn uplink(&self) -> Uplink {
        Uplink {
            texts: self.uploads.iter().cloned().collect(),
            ..Uplink::default()
        }
    }

    /// The altitude that the vehicle must have at the end. It had a second to reach it.
    pub(crate) fn last_target(&self) -> f64 {
        self.mission.target(self.length)
    }
}
